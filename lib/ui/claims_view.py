"""The claims section of the Trials page: what somebody said, and what one's own trials say to it."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from lib.charts.result_lanes import names_apart
from lib.claim_book import ClaimError, claims, delete, save
from lib.claims import Bound, Claim, Evidence, Kind, Verdict, Word, is_about, judge
from lib.domain.run import Backend, Origin
from lib.i18n import _
from lib.provenance import shared_facts
from lib.trials.how import conditions_of
from lib.trials.kept import KeptSeries
from lib.trials.runner import Series
from lib.ui import state, trials_setup
from lib.ui.markdown import in_help, plain
from lib.ui.trials_results import REFERENCE

SET_AGAINST, BY_ITSELF = "claims_place", -1
TEXT, NUMBER, FIGURE, BOUND, KIND = "claim_text", "claim_number", "claim_figure", "claim_bound", "claim_kind"
WHO, WHEN, LINK, ABOUT = "claim_who", "claim_when", "claim_link", "claim_about"
_MARKS = {Word.HOLDS: "●", Word.DOES_NOT_HOLD: "✕", Word.NOT_SHOWN: "○"}
_FIGURES = (
    ("tok/s", "decode_tok_s"), ("tok/s", "normalised_e2e_tok_s"), ("×", "decode_tok_s"), ("×", "normalised_e2e_tok_s"),
    ("ms", "ttfat_ms"), ("ms", "ttft_ms"),
)  # fmt: skip


def show_claims() -> None:
    """Every claim with its verdict; those that trials can show as cards, the others in a table."""
    st.markdown(f"## {_('Claims')}", anchors=False)
    st.caption(_(
        "What was said about speed, set against your own trials. A maximum needs one run that reaches it, and none "
        "refutes it; a typical value needs the interval of at least three; simulated lanes show nothing."
    ))  # fmt: skip
    series = trials_setup.current()
    try:
        known = claims()
    except ClaimError as error:
        st.error(plain(str(error)))
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        place = _show_choice(series)
        _show_form()
    for claim in (claim for claim in known if claim.can_be_tried):
        evidence = evidence_for(claim, series, place)
        how = in_help(shared_facts(conditions_of(series))) if evidence is not None and series is not None else None
        _show_claim(claim, judge(claim, evidence), how)
    _show_rest([claim for claim in known if not claim.can_be_tried])


def evidence_for(claim: Claim, series: Series | KeptSeries | None, place: int) -> Evidence | None:
    """The trials a claim is set against; place -1 takes the backend that it is about, if one was asked."""
    if series is None or not any(not trial.is_warm_up for trial in series.trials):
        return None
    backends = series.plan.backends
    chosen = _match(claim.about, backends) if place == BY_ITSELF else min(place, len(backends) - 1)
    against = None
    if claim.is_ratio:
        reference = min(int(state.value(REFERENCE, 0) or 0), len(backends) - 1)
        against = _match(claim.against, backends, but=chosen) if claim.against else reference
    return Evidence(series.trials, backends, chosen, against)


def _match(model: str, backends: Sequence[Backend], but: int = -1) -> int:
    """The backend a name speaks of (other than `but`), a live one first; without any, the first live one."""
    places = [place for place in range(len(backends)) if place != but] or [but]
    fitting = [place for place in places if is_about(model, backends[place])] or places
    return next((place for place in fitting if backends[place].origin is Origin.LIVE), fitting[0])


def _show_choice(series: Series | KeptSeries | None) -> int:
    names = names_apart(series.plan.backends) if series is not None else []
    return int(st.selectbox(
        _("Set against"), [BY_ITSELF, *range(len(names))], key=SET_AGAINST, width=320,
        format_func=lambda place: names[place] if place >= 0 else _("the backend it is about"),
    ))  # fmt: skip


def _show_claim(claim: Claim, verdict: Verdict, how: str | None) -> None:
    """`how`: how the trials it is set against were made, where there are any."""
    with st.container(border=True, key=f"claim_{claim.id}"):
        said, judged = st.columns([2, 3], gap="medium")
        with said:
            st.markdown(f"**{plain(claim.claim)}**")
            st.caption(_provenance(claim))
        with judged:
            st.markdown(f"{_MARKS[verdict.word]} **{word_of(verdict.word)}** · {plain(verdict.why)}", help=how)
            if claim.verdict:
                told = ". ".join(part.rstrip(".") for part in (claim.verdict, claim.check) if part)
                st.caption(
                    _("Published: {told}. Source: {source}").format(
                        told=plain(told), source=plain(claim.source)
                    )
                )
            if claim.is_own:
                st.button(
                    _("Delete"), key=f"delete_{claim.id}", type="tertiary", on_click=_delete, args=(claim.id,)
                )


def word_of(word: Word) -> str:
    """The verdict's word in the language of the page."""
    return {
        Word.HOLDS: _("holds"),
        Word.DOES_NOT_HOLD: _("does not hold"),
        Word.NOT_SHOWN: _("not shown yet"),
    }[word]


def kind_of(kind: Kind) -> str:
    """Who stands behind a number, in words."""
    return {
        Kind.MAXIMUM: _("announced maximum"),
        Kind.VENDOR: _("vendor-run"),
        Kind.INDEPENDENT: _("independent"),
        Kind.PRESS: _("press"),
        Kind.RUMOUR: _("rumour"),
    }[kind]


def _provenance(claim: Claim) -> str:
    parts = (kind_of(claim.kind), claim.who, claim.when or _("no date"), claim.context)
    told = " · ".join(plain(part) for part in parts if part)
    return f"{told} · [{_('link')}]({claim.link})" if claim.link else told


def _show_rest(rest: Sequence[Claim]) -> None:
    """What trials of a prompt cannot show: the check from published sources stands in the verdict's place."""
    with st.expander(
        _("{n} claims that trials cannot show, with what published sources say").format(n=len(rest))
    ):
        rows = [(c.claim, c.context, kind_of(c.kind), c.verdict, c.check, c.source) for c in rest]
        columns = [_("Claim"), _("About"), _("Kind"), _("Found"), _("Why"), _("Source")]
        st.dataframe(pd.DataFrame(rows, columns=columns), hide_index=True, height=420)


def _show_form() -> None:
    with (
        st.popover(_("+ claim"), key="claim_popover"),
        st.form("own_claim", border=False, enter_to_submit=False),
    ):
        st.text_input(_("The claim, as it was said"), key=TEXT, placeholder=_("up to 750 tok/s"))
        bound, number, figure = st.columns([1.2, 1, 2])
        bound.selectbox(_("It says"), list(Bound), key=BOUND, format_func=lambda one: _(one.value))
        number.number_input(_("Number"), 0.0, None, value=None, key=NUMBER)
        figure.selectbox(_("of"), _FIGURES, key=FIGURE, format_func=_figure_words)
        st.selectbox(_("Kind"), list(Kind), key=KIND, format_func=kind_of)
        who, when = st.columns(2)
        who.text_input(_("Who said it"), key=WHO)
        when.text_input(_("When"), key=WHEN, placeholder="2026-11-30")
        st.text_input(_("Link"), key=LINK, placeholder="https://")
        st.text_input(_("Model it is about (empty: whatever it is set against)"), key=ABOUT)
        st.form_submit_button(_("Keep"), on_click=_keep)


def _figure_words(figure: tuple[str, str]) -> str:
    names = {
        "decode_tok_s": _("decode rate"), "normalised_e2e_tok_s": _("end-to-end rate, o200k tokens"),
        "ttfat_ms": _("TTFAT"), "ttft_ms": _("TTFT"),
    }  # fmt: skip
    unit, key = figure
    return (
        _("{figure} of another backend (×)").format(figure=names[key])
        if unit == "×"
        else f"{names[key]} ({unit})"
    )


def _keep() -> None:
    unit, figure = state.value(FIGURE, _FIGURES[0])
    claim, who, when, link, about = (
        str(state.value(key, "") or "").strip() for key in (TEXT, WHO, WHEN, LINK, ABOUT)
    )
    try:
        save(Claim(
            "", claim, Kind(state.value(KIND, Kind.MAXIMUM)), state.value(NUMBER, None), unit=unit, figure=figure,
            bound=Bound(state.value(BOUND, Bound.UP_TO)), who=who, when=when, link=link, about=about,
        ))  # fmt: skip
    except ClaimError as error:
        state.leave_notice(str(error))
        return
    for key in (TEXT, WHO, WHEN, LINK, ABOUT):
        state.put(key, "")
    state.put(NUMBER, None)


def _delete(id_: str) -> None:
    try:
        delete(id_)
    except ClaimError as error:
        state.leave_notice(str(error))
