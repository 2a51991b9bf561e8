"""The page "What it means": one speed of one text, felt, in every unit, beside people and beside other tokenizers."""

from __future__ import annotations

import html
from collections.abc import Mapping

import streamlit as st

from lib import numbers
from lib.charts.palette import palette
from lib.i18n import _
from lib.meaning import parallel
from lib.meaning.conversions import TextSpeed, text_speed
from lib.meaning.spans import spans_of
from lib.meaning.text_facts import facts_of, token_counts
from lib.metrics.quantity import Unavailable
from lib.tokens import ENCODINGS, TokenizerError, pieces
from lib.ui import meaning_backends, meaning_state, meaning_tables, meaning_units, meaning_words, state
from lib.ui.limits_state import look
from lib.ui.markdown import plain
from lib.ui.meaning_backends import NoAnswer, Tokenizer
from lib.ui.meaning_draw import show_table, show_tokens
from lib.ui.meaning_feel import show_feel
from lib.ui.meaning_pickers import show_speed, show_text
from lib.ui.meaning_state import Chosen

COLUMN_PX = 480
MOST_SHOWN = 800  # tokens of a text drawn with their borders
_TINTS = (0, 1, 2, 3)  # of the lanes' colours
_STYLE = (
    "<style>.meaning-speed { font-size: 40px; line-height: 1.15; font-weight: 600; font-variant-numeric: tabular-nums; }"
    " .meaning-says { font-size: 18px; line-height: 1.45; margin-top: 4px; }</style>"
)


def show_meaning() -> None:
    """Everything of the page; what must be counted with other tokenizers comes after the stage."""
    meaning_state.begin()
    told = state.notice()
    if told:
        st.info(plain(told))
    left, right = st.columns([1.45, 1], gap="large")
    with right:
        show_text()
    now = meaning_state.chosen()
    facts = facts_of(now.text)
    speed = text_speed(now.tps, now.encoding, token_counts(now.text, (now.encoding,)), facts)
    with left:
        _show_headline(now, speed)
        show_speed()
        _show_origin()
    meaning_state.remember()
    if isinstance(speed, TextSpeed):
        show_feel(now, facts, speed.tokens)
    own, silent = meaning_backends.asked_for(now.text) if facts.units else ([], [])
    counts = {**token_counts(now.text), **{one.name: one.tokens.count for one in own}}
    found = speed if isinstance(speed, TextSpeed) else None
    with st.grid(2, min_column_width=COLUMN_PX, gap="large"):
        with st.container():
            _show_units(found, counts)
        with st.container():
            _show_rules(now, found)
            _show_limits(now, found)
    _show_languages(now)
    if found is not None:
        _show_tokenizers(found, counts, own)
        _show_asking(silent)
    _show_parallel(now)


def _show_headline(now: Chosen, speed: TextSpeed | Unavailable) -> None:
    says = speed.reason if isinstance(speed, Unavailable) else meaning_words.headline(speed)
    shown = html.escape(meaning_words.tps(now.tps)), html.escape(says)
    st.html(f"{_STYLE}<div class='meaning-speed'>{shown[0]}</div><div class='meaning-says'>{shown[1]}</div>")
    if isinstance(speed, TextSpeed):
        for sentence in filter(None, (meaning_words.whole_text(speed), meaning_words.stand_in(now.text))):
            st.caption(plain(sentence))


def _show_origin() -> None:
    origin = str(state.value(meaning_state.ORIGIN, ""))
    if origin:
        st.caption(plain(origin))


def _show_units(speed: TextSpeed | None, counts: Mapping[str, int | Unavailable]) -> None:
    _heading(_("In every unit"), _("One speed; each row says it in another unit, for this text and for its language on "
             "the average."))  # fmt: skip
    if speed is None:
        st.markdown(_("There is no text to count. Type one above, or choose a sample."))
    else:
        show_table("units", meaning_units.units_table(speed, counts))


def _show_rules(now: Chosen, speed: TextSpeed | None) -> None:
    _heading(_("Rules of thumb"), _("What is usually said, and what texts really have."))
    show_table("rules", meaning_tables.rules_table(now, speed))


def _show_languages(now: Chosen) -> None:
    _heading(_("In other languages"), _(
        "A token is not the same amount of text everywhere, and people do not read equally fast: {speed} is another "
        "multiple of a person in each language.").format(speed=meaning_words.tps(now.tps)))  # fmt: skip
    show_table("languages", meaning_units.languages_table(now))


def _show_tokenizers(speed: TextSpeed, counts: Mapping[str, int | Unavailable], own: list[Tokenizer]) -> None:
    _heading(_("One text, several tokenizers"), _(
        "Every border is the end of a token; a small number says how many tokens one character takes. The more tokens "
        "a tokenizer makes of the text, the less text the same {speed} are.").format(
            speed=meaning_words.tps(speed.tps)))  # fmt: skip
    cards = []
    for name in ENCODINGS:
        try:
            cards.append(_card(name, speed, counts[name], tuple(pieces(speed.facts.text, name))))
        except TokenizerError as error:
            cards.append({"name": name, "figures": str(error), "spans": [], "note": ""})
    cards += [_card(one.name, speed, one.tokens.count, one.tokens.pieces) for one in own]
    colours = palette(look().theme)
    show_tokens(cards, tuple(colours.lane(place) for place in _TINTS))


def _show_asking(silent: list[NoAnswer]) -> None:
    """The button that asks the other backends; afterwards, who of them told nothing."""
    for one in silent:
        st.caption(plain(_("No tokenizer from {name}: {reason}").format(name=one.name, reason=one.reason)))
    _here, others = meaning_backends.candidates()
    if others and not state.value(meaning_backends.ASKED, False):
        names = ", ".join(one.backend.name for one in others)
        st.button(
            _("Ask the backends for theirs"), key="meaning_ask",
            help=plain(_("Sends the text to: {names}.").format(names=names)),
            on_click=state.put, args=(meaning_backends.ASKED, True),
        )  # fmt: skip


def _card(
    name: str, speed: TextSpeed, count: int | Unavailable, found: tuple[bytes, ...] | None
) -> dict[str, object]:
    if isinstance(count, Unavailable):
        return {"name": name, "figures": count.reason, "spans": [], "note": ""}
    per_unit = _("{n} per word") if speed.facts.unit == "word" else _("{n} per character")
    there = speed.tps * speed.facts.units / count
    figures = " · ".join((
        numbers.tokens(count), per_unit.format(n=f"{count / speed.facts.units:.2f}"),
        _("{speed} = {text}").format(
            speed=meaning_words.tps(speed.tps), text=meaning_words.units_per_s(there, speed.facts.unit)),
    ))  # fmt: skip
    note = ""
    if found is None:
        note = _("This backend tells the number of tokens and not where they end.")
    elif len(found) > MOST_SHOWN:
        note = _("The first {n} tokens are drawn.").format(n=numbers.whole(MOST_SHOWN))
    spans = [[one.text, one.tokens] for one in spans_of((found or ())[:MOST_SHOWN])]
    return {"name": name, "figures": figures, "spans": spans, "note": note}


def _show_parallel(now: Chosen) -> None:
    try:
        pairs = parallel.pairs(now.encoding)
    except TokenizerError as error:
        st.warning(plain(str(error)))
        return
    _heading(_("English against Chinese"), meaning_words.pairs(pairs, now.encoding))
    prices = meaning_state.output_prices()
    st.selectbox(
        _("At the price of"), list(prices), key=meaning_state.PRICE, width=360, persist_state="session",
        format_func=lambda key: meaning_words.price(prices[key]),
    )  # fmt: skip
    price = prices.get(str(state.value(meaning_state.PRICE, "")))
    show_table("parallel", meaning_tables.parallel_table(now, pairs, price))


def _show_limits(now: Chosen, speed: TextSpeed | None) -> None:
    _heading(_("How long people wait"), _(
        "Before the first token no speed counts, only the wait. These limits are marked on the time axes of this "
        "product."))  # fmt: skip
    show_table("limits", meaning_tables.limits_table(now, speed))


def _heading(title: str, sentence: str) -> None:
    st.markdown(f"#### {title}", anchors=False)
    st.markdown(plain(sentence))
