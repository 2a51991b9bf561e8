"""The page of a show: the stage for a room, the presenter's keys, acts, and the kept race that helps out.

The stage is the race page's own; `lib/present` says what a key means, this page does it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st

from lib import player
from lib.agents.record import is_loop
from lib.agents.showing import loop_messages, on_stage
from lib.domain.run import Backend, Run
from lib.export.view_messages import view_messages
from lib.i18n import _, current_language
from lib.live.live_run import LiveRun
from lib.player.words import words
from lib.present import show as stage_state
from lib.present.acts import Act
from lib.present.show import Key, Show
from lib.reading import ReadingSpeed
from lib.store.rows import NoSuchRunError
from lib.ui import race_settings, race_setup, state
from lib.ui.present_acts import acts, show_below
from lib.ui.wiring import hub, store

ROOT = Path(__file__).resolve().parents[2]
_HERE = Path(__file__).parent
_STYLE = (_HERE / "present.css").read_text("utf-8")
_JS, _CSS = player.source()
_stage = st.components.v2.component(
    "tokenrace.present_stage", js=_JS, css=_CSS + (ROOT / "lib/player/presenting.css").read_text("utf-8")
)
_line = st.components.v2.component(
    "tokenrace.present_line",
    js=(_HERE / "present_page.js").read_text("utf-8"),
    css=(_HERE / "present_page.css").read_text("utf-8"),
)
SHOW, LINE, STAGE, LEFT = "show", "present_line", "present_stage", "present_left"


def show_presenter() -> None:
    """The whole page; the first screen holds nothing but the show."""
    if state.value(LEFT, False):
        state.put(LEFT, False)
        st.switch_page(st.Page(ROOT / "pages" / "race.py"))
    st.html(f"<style>{_STYLE}</style>")
    state.begin(state.PROMPT, state.asked_prompt() or race_setup.DEFAULT_PROMPT)
    race_settings.begin()
    found, troubles = acts()
    show, act = _show(found), found[min(_show(found).place, len(found) - 1)]
    _prepare(act)
    with st.container(key="present_screen"):
        _show_line(show, act, len(found), troubles)
        _show_stage(show, act)
    show_below(troubles)


def _show(found: tuple[Act, ...]) -> Show:
    """What is on stage; at first the act of the address, so that a refresh comes back to it."""
    known: Show | None = state.value(SHOW, None)
    if known is not None and known.place < len(found):
        return known
    asked = state.asked("act") or ""
    numbers = [str(number) for number in range(1, len(found) + 1)]
    place = numbers.index(asked) if asked in numbers else 0
    show = replace(Show(place, kept=found[place].kept), run=None if found[place].kept else state.asked("run"))
    state.put(SHOW, show)
    return show


def _prepare(act: Act) -> None:
    """Choose what the act asks for; the visitor's own race stays as it is."""
    if not act.lineup:
        return
    state.set_lineup(act.lineup)
    state.put(state.PROMPT, act.prompt)
    if act.max_tokens is not None:
        state.put(race_settings.MAX_TOKENS, act.max_tokens)
    if act.reader is not None:
        state.put(race_settings.READER, act.reader)


def _show_line(show: Show, act: Act, count: int, troubles: list[str]) -> None:
    run, _messages = _on_stage(show)
    notice = state.notice()
    hidden = act.blind and not show.revealed and run is not None  # a warm-up is told by the backends' names
    told = show.told or ("" if hidden else notice) or (troubles[0] if troubles else "")
    data = {
        "title": act.title or "Tokenrace",
        "place": _("{number} of {count}").format(number=show.place + 1, count=count) if count > 1 else "",
        "prompt": run.prompt.text if run else act.prompt,
        "told": told,
        "status": _status(show, act, run),
        "keysTitle": _("Keys"),
        "keys": _keys(),
    }
    _line(key=LINE, data=data, on_key_change=_obey_key)


def _status(show: Show, act: Act, run: Run | None) -> str:
    """How the race shares time, which is printed on every result, and what is done with it."""
    parts = [_(run.mode.value)] if run else []
    if act.blind and not show.revealed:
        parts.append(_("blind"))
    if show.replaying:
        parts.append(_("replay at {speed}×").format(speed=f"{show.speed:g}"))
    elif show.kept:
        parts.append(_("kept race"))
    return " · ".join([*parts, _("? keys")])


def _keys() -> list[list[str]]:
    told = {
        "S": _("start"), "X": _("stop"), "R": _("replay"), "V": _("reveal the names"),
        "M": _("slow motion, 0.25×"), "N": _("next act (a clicker's too)"), "P": _("act before"),
        "F": _("full screen"), "Q": _("leave"), "?": _("these keys"),
    }  # fmt: skip
    return [[key, meaning] for key, meaning in told.items()]


def _show_stage(show: Show, act: Act) -> None:
    run, messages = _on_stage(show)
    backends = run.backends if run else race_setup.backends()
    blind = act.blind and not show.revealed
    data: dict[str, Any] = {
        "run": show.run if run else None,
        "path": "race/ws/",
        "lanes": _lanes(backends),
        "reader": race_setup.reader_for_player(),
        "words": words(),
        "presenting": {
            "names": stage_state.blind_names(len(backends)) if blind else None,
            "verdict": _blind_verdict(show, run) if blind else None,
            "cue": show.cue,
            "play": show.play,
            "speed": show.speed,
        },
    }
    if messages:
        data |= {"mode": "replay", "messages": messages}
    _stage(key=STAGE, data=data, on_command_change=_obey_stage, on_finished_change=_nothing)


def _lanes(backends: tuple[Backend, ...]) -> list[dict[str, str]]:
    return [{"name": b.name, "model": b.model, "origin": b.origin.value, "note": b.note} for b in backends]


def _on_stage(show: Show) -> tuple[Run | None, list[str]]:
    """The run on stage, and its messages when it is a kept one."""
    if show.kept:
        kept = _kept(show.kept, race_setup.reading_speed(), current_language())
        return kept or (None, [])
    live = _live(show)
    return (live.run, []) if live else (None, [])


def _live(show: Show) -> LiveRun | None:
    return hub().get(show.run)


@lru_cache(maxsize=8)
def _kept(run_id: str, speed: ReadingSpeed | None, _language: str) -> tuple[Run, list[str]] | None:
    known = store()
    try:
        run = known.open(run_id) if known else None
    except NoSuchRunError:
        return None
    if run is not None and is_loop(run):
        return on_stage(run), loop_messages(run)
    return (run, view_messages(run, speed)) if run else None


def _blind_verdict(show: Show, run: Run | None) -> list[list[str]] | None:
    live = _live(show)
    if show.kept and run:
        return stage_state.blind_verdict(run, race_setup.reading_speed())
    if live is None or not live.ended:
        return None
    return stage_state.blind_verdict(live.recorded(), race_setup.reading_speed())


def _obey_key() -> None:
    pressed = state.component_value(LINE, "key")
    if pressed and state.command_is_new(LINE, pressed["n"]):
        found, _troubles = acts()
        show = _show(found)
        state.put(SHOW, _after(Key(pressed["key"]), show, found))


def _after(key: Key, show: Show, found: tuple[Act, ...]) -> Show:
    """What is on stage after this key; races are started and stopped here."""
    live = _live(show)
    running = live is not None and not live.ended
    if key is Key.LEAVE:
        state.put(LEFT, True)
    elif key is Key.REVEAL:
        return replace(show, revealed=not show.revealed)
    elif key is Key.STOP:
        if running:
            hub().stop(show.run or "")
        return stage_state.paused(show) if show.replaying else show
    elif key in (Key.NEXT, Key.PREVIOUS):
        return _turn(show, 1 if key is Key.NEXT else -1, found, running)
    elif running:
        return show
    elif key is Key.START:
        return stage_state.played(show) if found[show.place].kept else _start(show, found[show.place])
    elif key is Key.REPLAY:
        return stage_state.played(show, show.slow) if live or show.kept else show
    elif key is Key.SLOW:
        return stage_state.slowed(show, bool(live or show.kept))
    return show


def _turn(show: Show, step: int, found: tuple[Act, ...], running: bool) -> Show:
    """The next act or the one before; a race that still runs is stopped, as nobody would watch it."""
    place = show.place + step
    if not 0 <= place < len(found):
        return show
    if running:
        hub().stop(show.run or "")
    state.ask("act", str(place + 1))
    state.ask("run", None)
    return stage_state.at_act(show, place, len(found), found[place].kept)


def _start(show: Show, act: Act) -> Show:
    _prepare(act)
    before = state.value("run", None)
    race_setup.start()
    run = state.value("run", None)
    return stage_state.raced(show, run) if run != before else show


def _obey_stage() -> None:
    """A provider failed: play the act's kept race in its place, if it has one."""
    command = state.component_value(STAGE, "command")
    if not command or not state.command_is_new(STAGE, command.get("n")):
        return
    found, _troubles = acts()
    show = _show(found)
    act, live = found[show.place], _live(show)
    if live is None or not act.fallback or command["kind"] not in ("error", "silent"):
        return
    kept = _kept(act.fallback, race_setup.reading_speed(), current_language())
    if kept is None:
        return
    hub().stop(live.run.id)
    blind = act.blind and not show.revealed
    told = stage_state.failure_told(
        live.run.backends, int(command["lane"]), str(command["kind"]), kept[0].started_at[:10], blind
    )
    state.put(SHOW, stage_state.fell_back(show, act.fallback, told))


def _nothing() -> None:
    """A trigger alone makes the page run again; there is nothing more to do."""
