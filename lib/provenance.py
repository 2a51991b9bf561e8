"""How figures came about, in words: one place for every hover, every table and every export.

Facts are (name, text) in a fixed order. A fact that nobody knows is told as unknown, never left out; nothing is
measured or computed here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from lib import numbers
from lib.domain.run import Backend, Mode, Origin, Run
from lib.i18n import _, ngettext
from lib.metrics.measurement import Measurement

Facts = tuple[tuple[str, str], ...]
MOST_DIFFERENT = 8  # lanes that say different things, in one line
NAMED = {"tokenrace": "Tokenrace", "python": "Python"}  # as they write themselves; other names stay


@dataclass(frozen=True, slots=True)
class Conditions:
    """What all figures of one measurement have in common.

    In words: `trials`, `condition` (cold or warm), `requests` where the mode alone does not tell how they shared time.
    """

    mode: Mode
    started_at: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    clock_health_ms: float | None = None
    display_lag_ms: float | None = None
    trials: str = ""
    condition: str = ""
    requests: str = ""


def conditions_of(run: Run) -> Conditions:
    """The conditions of a race: one trial for each lane; cold or warm is known of each lane by itself."""
    return Conditions(
        run.mode, run.started_at, run.versions, run.clock_health_ms, run.display_lag_ms, _("one per lane")
    )


def shared_facts(known: Conditions) -> Facts:
    """Trials, condition, mode, date, versions, clock health and display lag."""
    return (
        *facts_at_start(known),
        (_("Clock late by at most"), _time_or_unknown(known.clock_health_ms)),
        (_("Display lag (95 %)"), lag_words(known.display_lag_ms)),
    )


def facts_at_start(known: Conditions) -> Facts:
    """What is known before the first answer."""
    cold_or_warm = ((_("Cold or warm"), known.condition),) if known.condition else ()
    return (
        (_("Trials"), known.trials),
        *cold_or_warm,
        (_("Requests"), known.requests or mode_words(known.mode)),
        (_("Measured"), date_words(known.started_at)),
        (_("Versions"), version_words(known.versions)),
    )


def lane_facts(backend: Backend, measured: Measurement) -> Facts:
    """What made the tokens, who counted them, and whether connection and prompt were known before."""
    return (*made_by(backend, token_source(measured)), (_("Cold or warm"), warmth_words(measured)))


def made_by(backend: Backend, source: str) -> Facts:
    """What made the tokens, and who counted them."""
    what = ", ".join(word for word in (badge_word(backend.origin), backend.note) if word)
    return ((_("What it is"), what), (_("Token source"), source))


def facts_without_display(run: Run) -> Facts:
    """The same of an ended race for a screen, which knows its own lag better."""
    return shared_facts(conditions_of(run))[:-1]


def figure_facts(run: Run, measured: Measurement) -> Facts:
    """Everything about a figure of one lane."""
    return (*lane_facts(measured.backend, measured), *shared_facts(conditions_of(run)))


def how_head() -> str:
    """The line that opens all facts."""
    return _("How these figures were measured")


def in_lines(facts: Facts) -> str:
    """One fact a line, for a hover."""
    return "\n".join(f"{name}: {text}" for name, text in facts)


def in_words(facts: Facts) -> str:
    """All facts on one line, for a footer or a cell."""
    return " · ".join(f"{name}: {text}" for name, text in facts)


def common_facts(lanes: Sequence[Facts]) -> Facts:
    """The facts of several lanes as one list: said once where all agree, by the lane's number where not."""
    names = [name for name, _text in lanes[0]] if lanes else []
    return tuple((name, _joined([dict(facts)[name] for facts in lanes])) for name in names)


def footer(run: Run, measured: Sequence[Measurement]) -> str:
    """How the figures of a whole race came about, on one line for a picture or a text; the badges are told there.

    What says most stands first and versions last: a card with many lanes has no room for all.
    """
    source, warmth = common_facts([lane_facts(one.backend, one)[1:] for one in measured])
    shared = shared_facts(conditions_of(run))
    versions = [fact for fact in shared if fact[0] == _("Versions")]
    return in_words((source, *(fact for fact in shared if fact not in versions), warmth, *versions))


def badge_word(origin: Origin) -> str:
    """The badge in words."""
    return {Origin.LIVE: _("live"), Origin.SIMULATED: _("simulated"), Origin.RECORDED: _("recorded")}[origin]


def mode_words(mode: Mode) -> str:
    """How the requests shared time, in words."""
    words = {
        Mode.ALL_AT_ONCE: _("all at once"),
        Mode.BY_BACKEND: _("one request at a time per server"),
        Mode.ONE_BY_ONE: _("one by one"),
    }
    return words[mode]


def token_source(measured: Measurement) -> str:
    """Who counted the output tokens."""
    return counted_by([] if measured.output_tokens is None else [measured.is_estimated])


def counted_by(estimated: Sequence[bool]) -> str:
    """Who counted the output tokens of several answers, each of which was estimated or not."""
    if not estimated:
        return _("none counted")
    if len(set(estimated)) > 1:
        return _("usage of the server, {n} of {all} estimated (o200k_base)").format(
            n=sum(estimated), all=len(estimated)
        )
    return _("estimated (o200k_base)") if estimated[0] else _("usage of the server")


def warmth_words(measured: Measurement) -> str:
    """Whether the connection stood, and what the server says it had of the prompt in a cache."""
    setup_ms, cached, prompt = measured.time.setup_ms, measured.usage.cached, measured.usage.prompt
    line = (_("warm connection") if setup_ms is None
            else _("new connection ({time}, in no other figure)").format(time=numbers.milliseconds(setup_ms)))  # fmt: skip
    if cached is None:
        return _("{line}, prompt cache not reported").format(line=line)
    if not cached:
        return _("{line}, prompt not cached").format(line=line)
    of = numbers.tokens(prompt) if prompt else _("an unknown number of tokens")
    return _("{line}, {cached} of {of} of the prompt cached").format(
        line=line, cached=numbers.whole(cached), of=of
    )


def date_words(started_at: str) -> str:
    """The moment in UTC to the minute."""
    try:
        moment = datetime.fromisoformat(started_at)
    except ValueError:
        return started_at or _("date not recorded")
    utc = moment.astimezone(UTC) if moment.tzinfo else moment
    return utc.strftime("%Y-%m-%d %H:%M UTC")


def version_words(versions: Mapping[str, str]) -> str:
    """Tokenrace and what it measured with."""
    told = ", ".join(f"{NAMED.get(name, name)} {number}" for name, number in versions.items())
    return told or _("not recorded")


def lag_words(lag_ms: float | None) -> str:
    """How late the text was painted; a figure of the display alone."""
    if lag_ms is None:
        return _("not known, no screen reported it; in no other figure")
    return _("{time}, on the screen that showed it; in no other figure").format(
        time=numbers.milliseconds(lag_ms)
    )


def _time_or_unknown(time_ms: float | None) -> str:
    return _("not recorded") if time_ms is None else numbers.milliseconds(time_ms)


def _joined(texts: Sequence[str]) -> str:
    told: dict[str, list[str]] = {}
    for number, text in enumerate(texts, 1):
        told.setdefault(text, []).append(str(number))
    if len(told) == 1:
        return texts[0]
    lanes = [
        ngettext("lane {n}: {text}", "lanes {n}: {text}", len(of)).format(n=", ".join(of), text=text)
        for text, of in list(told.items())[:MOST_DIFFERENT]
    ]
    return "; ".join([*lanes, *(["…"] if len(told) > MOST_DIFFERENT else [])])
