"""The feel strip: the text at six speeds on the same stage as a race, played from a computed recording."""

from __future__ import annotations

import streamlit as st

from lib.export.view_messages import view_messages
from lib.i18n import _, current_language
from lib.meaning.feel import FEWEST_TOKENS, MOST_TOKENS, SPEEDS_TPS, feel_backends, feel_run
from lib.meaning.text_facts import TextFacts
from lib.reading import ReadingSpeed
from lib.tokens import TokenizerError
from lib.ui import meaning_words, race_setup, state
from lib.ui.markdown import plain
from lib.ui.meaning_state import Chosen
from lib.ui.stage import show_replay
from lib.view_stream import player_reader

KEY, PLAYS = "feel", "meaning_plays"
_KEPT = 32  # texts of all visitors


def show_feel(now: Chosen, facts: TextFacts, tokens: int) -> None:
    """Six lanes and the reader; Play begins, and the bar goes back to the start."""
    st.markdown(f"#### {_('How it feels')}", anchors=False)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.button(_("Play from the start"), key="meaning_play", on_click=_play)
        st.markdown(plain(_sentence(tokens)), width="stretch")
    reader = race_setup.reading_speed()
    try:
        messages = _messages(now.text, now.encoding, reader, current_language())
    except TokenizerError as error:
        st.warning(plain(str(error)))
        return
    show_replay(KEY, feel_backends(), messages, player_reader(reader, facts.text), plays())


def plays() -> int:
    """How often Play was pressed above the strip in this visit."""
    return int(state.value(PLAYS, 0))


def _play() -> None:
    state.put(PLAYS, plays() + 1)


@st.cache_data(max_entries=_KEPT, show_spinner=False)
def _messages(text: str, encoding: str, reader: ReadingSpeed | None, language: str) -> list[str]:
    """Kept for each reader and language of the page: both are in the words of the messages."""
    assert language == current_language()
    return view_messages(feel_run(text, encoding), reader)


def _sentence(tokens: int) -> str:
    slow, fast = meaning_words.tps(SPEEDS_TPS[0]), meaning_words.tps(SPEEDS_TPS[-1])
    told = _("The same text at {slow} to {fast} beside a person reading. Which lane can you still follow?").format(
        slow=slow, fast=fast)  # fmt: skip
    if 0 < tokens < FEWEST_TOKENS:
        told += " " + _("So short a text is said again and again.")
    if tokens > MOST_TOKENS:
        told += " " + _("Only its beginning is shown.")
    return told
