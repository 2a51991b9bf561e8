"""The prompt library beside the prompt: examples as chips, one's own prompts to keep, take and delete."""

from __future__ import annotations

import streamlit as st

from lib.i18n import _
from lib.prompts import PromptError, SavedPrompt, delete, library, save
from lib.ui import race_settings, state
from lib.ui.markdown import plain

EXAMPLE, TITLE, OWN = "example", "prompt_title", "own_prompt"
FIRST = SavedPrompt(
    _("Lighthouse"),
    "Explain to a visitor how a lighthouse was kept before electricity. About 400 words.",
    id="lighthouse",
    is_own=False,
)


def show_examples() -> None:
    """Chips for the prompts that come along."""
    known = {prompt.id: prompt for prompt in (FIRST, *library()) if not prompt.is_own}
    st.pills(
        _("Examples"), list(known), key=EXAMPLE, format_func=lambda id_: _chip(known[id_]), wrap=True,
        label_visibility="collapsed", on_change=_take_example,
    )  # fmt: skip


def show_own() -> None:
    """A popover for one's own prompts."""
    with st.popover(_("Own prompts"), key="own_prompts", type="tertiary"):
        _show_own()


def _chip(prompt: SavedPrompt) -> str:
    """One word for a prompt that comes along."""
    words = {"short": _("Short"), "long": _("Long"), "code": _("Code"), "list": _("List"), "reasoning": _("Reasoning"),
             "chinese": "中文", "agent": _("Agent step")}  # fmt: skip
    return words.get(prompt.kind, _(prompt.title))


def _show_own() -> None:
    own = {prompt.id: prompt for prompt in library() if prompt.is_own}
    if own:
        st.selectbox(
            _("Kept prompts"), list(own), index=None, key=OWN, format_func=lambda id_: own[id_].title,
            placeholder=_("Choose or search"),
        )  # fmt: skip
        take, remove = st.columns(2)
        chosen = state.value(OWN, None)
        take.button(
            _("Take"), key="prompt_take", on_click=_take, args=(chosen,), disabled=not chosen, width="stretch"
        )
        remove.button(
            _("Delete"),
            key="prompt_delete",
            on_click=_delete,
            args=(chosen,),
            disabled=not chosen,
            width="stretch",
        )
    st.text_input(_("Keep the prompt above as"), key=TITLE, placeholder=_("a title"))
    st.button(_("Keep"), key="prompt_keep", on_click=_keep)


def _take_example() -> None:
    _take(state.value(EXAMPLE, None))


def _take(id_: str | None) -> None:
    prompt = next((known for known in (FIRST, *library()) if known.id == id_), None)
    if prompt is None:
        return
    state.put(state.PROMPT, prompt.text)
    state.put(race_settings.SYSTEM, prompt.system)
    if prompt.max_tokens:
        state.put(race_settings.MAX_TOKENS, prompt.max_tokens)


def _keep() -> None:
    try:
        kept = save(
            SavedPrompt(
                str(state.value(TITLE, "")),
                str(state.value(state.PROMPT, "")),
                str(state.value(race_settings.SYSTEM, "") or ""),
                max_tokens=int(state.value(race_settings.MAX_TOKENS, race_settings.DEFAULT_MAX_TOKENS)),
            )
        )
        state.put(TITLE, "")
        state.leave_notice(_("Kept: {title}").format(title=plain(kept.title)))
    except PromptError as error:
        state.leave_notice(str(error))


def _delete(id_: str) -> None:
    delete(id_)
    state.put(OWN, None)
