"""Traces: what an agent did, step by step, as a file of JSON lines (docs/agents.md has every field).

The first line names the task, each further line is one step. A file is a stranger's: every line is looked at
and a fault is told with its number. What a trace holds is what is asked again; no figure of a backend is in it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from lib.agents.worth import Setting
from lib.i18n import _

FOLDER = Path(__file__).parents[1] / "data" / "traces"
TOOLS = ("search", "code", "tests", "approval", "none")
MOST_STEPS = 500
MOST_BYTES = 8 * 2**20
_MOST = {"prompt_tokens": 200_000, "output_tokens": 100_000, "tool_tokens": 100_000}
_MOST_NAME = 60
_MOST_S = 24 * 3600.0
_STEP_FIELDS = frozenset((*_MOST, "prompt", "tool", "tool_s", "review_s"))
_HEAD_FIELDS = frozenset(("trace", "task", "setting", "source"))


class TraceError(ValueError):
    """The file is no trace; the message is a sentence that names the line."""


@dataclass(frozen=True, slots=True)
class Step:
    """One call and what follows it: new text in front of the call, its answer, a tool, a person's look."""

    output_tokens: int
    prompt: str = ""
    prompt_tokens: int = 0  # of new text, when there is no text
    tool: str = "none"
    tool_s: float = 0.0
    tool_tokens: int = 0  # of the tool's result
    review_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Trace:
    """A task as it was done once: its name, what was asked, who waits, the steps."""

    name: str
    task: str
    steps: tuple[Step, ...]
    setting: Setting = Setting.INTERACTIVE
    source: str = ""

    def cut(self, steps: int) -> Trace:
        """The first so many steps; a shorter trace begins again until there are as many."""
        repeated = tuple(self.steps[place % len(self.steps)] for place in range(steps))
        return Trace(self.name, self.task, repeated, self.setting, self.source)


def read_trace(data: bytes) -> Trace:
    """The trace of a JSONL file. Raises TraceError, which names the line."""
    if len(data) > MOST_BYTES:
        raise TraceError(_("The file is larger than any trace (8 MiB)."))
    lines = [(n, line) for n, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").splitlines(), 1) if line.strip()]
    if not lines:
        raise TraceError(_("The file is empty."))
    values = [(number, _object(number, line)) for number, line in lines]
    head = values.pop(0) if "trace" in values[0][1] else (1, {"trace": _("own trace")})
    if not values:
        raise TraceError(_("Line {n}: there is no step after it.").format(n=head[0]))
    if len(values) > MOST_STEPS:
        beyond = values[MOST_STEPS][0]
        raise TraceError(_("Line {n}: a trace has at most {most} steps.").format(n=beyond, most=MOST_STEPS))
    steps = tuple(_step(number, step) for number, step in values)
    return _trace(head[0], head[1], steps)


def write_trace(trace: Trace) -> bytes:
    """The trace as JSON lines; the inverse of `read_trace`."""
    head = {"trace": trace.name, "task": trace.task, "setting": trace.setting.value, "source": trace.source}
    steps = [{name: v for name in Step.__slots__ if (v := getattr(step, name)) or name == "output_tokens"}
             for step in trace.steps]  # fmt: skip
    return b"".join(orjson.dumps(line) + b"\n" for line in ({k: v for k, v in head.items() if v}, *steps))


def samples() -> dict[str, Trace]:
    """The traces that come along, by file name without its ending."""
    return {path.stem: read_trace(path.read_bytes()) for path in sorted(FOLDER.glob("*.jsonl"))}


def _trace(number: int, values: Mapping[str, Any], steps: tuple[Step, ...]) -> Trace:
    _known(number, values, _HEAD_FIELDS)
    texts = {name: values.get(name, "") for name in ("trace", "task", "source")}
    for name, text in texts.items():
        if not isinstance(text, str):
            raise TraceError(_("Line {n}: {field} must be a text.").format(n=number, field=name))
    if texts["trace"]:
        _name(number, "trace", texts["trace"])
    setting = values.get("setting", Setting.INTERACTIVE.value)
    if setting not in list(Setting):
        told = _("Line {n}: setting must be one of {choices}.")
        raise TraceError(told.format(n=number, choices=", ".join(Setting)))
    return Trace(texts["trace"] or _("own trace"), texts["task"], steps, Setting(setting), texts["source"])


def _step(number: int, values: Mapping[str, Any]) -> Step:
    _known(number, values, _STEP_FIELDS)
    if "output_tokens" not in values:
        raise TraceError(_("Line {n}: output_tokens is missing.").format(n=number))
    prompt, tool = values.get("prompt", ""), values.get("tool", "none")
    if not isinstance(prompt, str):
        raise TraceError(_("Line {n}: {field} must be a text.").format(n=number, field="prompt"))
    _name(number, "tool", tool)
    counts = {name: _count(number, values, name, least=name == "output_tokens") for name in _MOST}
    times = {name: _time(number, values, name) for name in ("tool_s", "review_s")}
    return Step(prompt=prompt, tool=tool.strip(), **counts, **times)  # type: ignore[arg-type]


def _name(number: int, field: str, value: Any) -> None:
    if not isinstance(value, str) or len(value.splitlines()) != 1 or not value.strip() or len(value) > _MOST_NAME:
        told = _("Line {n}: {field} must be a short name on one line.")
        raise TraceError(told.format(n=number, field=field))


def _object(number: int, line: bytes) -> dict[str, Any]:
    try:
        found = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise TraceError(_("Line {n}: this is not JSON ({why}).").format(n=number, why=error)) from error
    if not isinstance(found, dict):
        raise TraceError(_("Line {n}: expected a JSON object.").format(n=number))
    return found


def _known(number: int, values: Mapping[str, Any], fields: frozenset[str]) -> None:
    strange = sorted(set(values) - fields)
    if strange:
        told = _("Line {n}: there is no field {field}; there are {fields}.")
        raise TraceError(told.format(n=number, field=strange[0], fields=", ".join(sorted(fields))))


def _count(number: int, values: Mapping[str, Any], name: str, *, least: bool) -> int:
    value = values.get(name, 0)
    if type(value) is not int or not least <= value <= _MOST[name]:
        told = _("Line {n}: {field} must be a whole number from {least} to {most}.")
        raise TraceError(told.format(n=number, field=name, least=int(least), most=_MOST[name]))
    return value


def _time(number: int, values: Mapping[str, Any], name: str) -> float:
    value = values.get(name, 0)
    if type(value) not in (int, float) or not math.isfinite(value) or not 0 <= value <= _MOST_S:
        raise TraceError(_("Line {n}: {field} must be seconds from 0 to 86400.").format(n=number, field=name))
    return float(value)
