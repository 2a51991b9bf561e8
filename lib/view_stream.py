"""What a viewer is told about a run besides its rows: message 0, the figures of an ended lane, the reader.

The live stream and a replay say these with the same functions, so that they say the same. Nothing here is
timed and nothing is sent.
"""

from __future__ import annotations

from typing import Any

from lib.domain.codec import encode_backend
from lib.domain.run import Run
from lib.metrics.figures import figures_of
from lib.metrics.measurement import measure
from lib.metrics.verdict import places, result_of
from lib.provenance import common_facts, conditions_of, facts_at_start, facts_without_display, lane_facts
from lib.reading import ReadingSpeed, default_for, speed
from lib.response_limits import response_limits

_SHOWN = ("name", "model", "origin", "note")


def announcement(run: Run) -> dict[str, Any]:
    """The value of `run` in message 0 (docs/recording.md): who races, how, with which prompt; no address, no key."""
    return {
        "id": run.id,
        "started_at": run.started_at,
        "mode": run.mode.value,
        "prompt": run.prompt.text,
        "max_tokens": run.params.max_tokens,
        "how": facts_at_start(conditions_of(run)),
        "limits": limits_for_player(),
        "lanes": [{name: encode_backend(backend)[name] for name in _SHOWN} for backend in run.backends],
    }


def lane_figures(run: Run, lane: int, reader: ReadingSpeed | None) -> dict[str, Any]:
    """The exact figures of one ended lane with its place, as in `f` of a message; `reader` None: by the answer."""
    backend, generation = run.backends[lane], run.generations[lane]
    how = lane_facts(backend, measure(generation, backend))
    return {**figures_of(generation, backend, reader), "place": places(run)[lane], "how": how}


def race_result(run: Run, reader: ReadingSpeed | None) -> dict[str, Any]:
    """The verdict with the places, and how all figures came about, as in `result` of a message."""
    pairs = zip(run.backends, run.generations, strict=True)
    lanes = common_facts([lane_facts(backend, measure(generation, backend))[1:] for backend, generation in pairs])
    return {**result_of(run, reader), "how": facts_without_display(run), "lanes_how": lanes}


def limits_for_player() -> list[dict[str, Any]]:
    """The response-time limits for the track's time axis, with their words, in ms."""
    return [
        {"name": one.name, "time": one.time, "lo_ms": one.lo_s * 1000, "hi_ms": one.hi_s and one.hi_s * 1000,
         "meaning": one.meaning, "source": one.source}
        for one in response_limits()
    ]  # fmt: skip


def player_reader(chosen: ReadingSpeed | None, text: str) -> dict[str, dict[str, Any]]:
    """The reader as the player takes it: a speed for words and one for characters.

    Without a choice the language of `text` decides (the prompt while there is no answer yet).
    """
    reader = chosen or default_for(text)
    by_unit = {"word": speed("en"), "char": speed("zh-Hans"), reader.unit: reader}
    return {
        unit: {"per_min": known.per_min, "lo": known.lo, "hi": known.hi, "label": known.label}
        for unit, known in by_unit.items()
    }
