"""What is chosen on the page "What it means", with defaults that make all of it readable at once.

Speed, text and tokenizer are in the address too, so that a link opens the page as it stands (a visitor's own text
is not: it would make a long address, and it may be private).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from lib import tokens
from lib.i18n import current_language
from lib.meaning.presets import speed_preset
from lib.meaning.sample_texts import FIRST, FIRST_CHINESE, sample_text
from lib.prices import PublishedPrice, load_prices
from lib.ui import state

SPEED, PRESET, KEPT, SAMPLE, TEXT, ENCODING, PRICE, ORIGIN = (
    "meaning_speed", "meaning_preset", "meaning_kept", "meaning_sample", "meaning_text", "meaning_encoding",
    "meaning_price", "meaning_origin",
)  # fmt: skip
FIRST_TPS, SLOWEST_TPS, FASTEST_TPS = 750.0, 0.1, 100_000.0
FIRST_PRICE = "openai/gpt-5.6-sol"
MOST_CHARACTERS = 20_000
OWN_TEXT, KEPT_TEXT = "own", "kept"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The speed, the text it is taken of, and the encoding its tokens are counted with."""

    tps: float
    text: str
    encoding: str


def begin() -> None:
    """Give every widget its first value: what the address asks for, else the usual one."""
    state.begin(SPEED, _asked_speed() or FIRST_TPS)
    asked = sample_text(state.asked("text") or "") or sample_text(first_text())
    assert asked is not None, "the first text is one of the samples"
    state.begin(SAMPLE, asked.id)
    state.begin(TEXT, asked.text)
    encoding = state.asked("tokenizer")
    state.begin(ENCODING, encoding if encoding in tokens.ENCODINGS else tokens.DEFAULT_ENCODING)
    state.begin(PRICE, FIRST_PRICE)
    state.begin(ORIGIN, "")


def chosen() -> Chosen:
    """What the widgets hold."""
    text = str(state.value(TEXT, "") or "")[:MOST_CHARACTERS]
    tps = state.value(SPEED, FIRST_TPS)
    return Chosen(float(tps or FIRST_TPS), text, str(state.value(ENCODING, tokens.DEFAULT_ENCODING)))


def remember() -> None:
    """Keep the address in step with what is chosen; defaults are left out."""
    now = chosen()
    sample = str(state.value(SAMPLE, first_text()))
    told = {
        "speed": f"{now.tps:g}" if now.tps != FIRST_TPS else None,
        "text": sample if sample not in (first_text(), OWN_TEXT, KEPT_TEXT) else None,
        "tokenizer": now.encoding if now.encoding != tokens.DEFAULT_ENCODING else None,
    }
    for name, content in told.items():
        if state.asked(name) != content:
            state.ask(name, content)


def first_text() -> str:
    """The sample a visitor meets first: in the language of the page."""
    return FIRST_CHINESE if current_language().startswith("zh") else FIRST


def take_preset() -> None:
    """A preset was picked: its speed, and where it comes from."""
    picked = speed_preset(str(state.value(PRESET, "") or ""))
    if picked is not None:
        state.put(SPEED, picked.tps)
        state.put(KEPT, None)
        state.put(ORIGIN, f"{picked.name}: {picked.basis}. {picked.source}, {picked.date}")


def take_sample() -> None:
    """A text was picked."""
    picked = sample_text(str(state.value(SAMPLE, "") or ""))
    if picked is not None:
        state.put(TEXT, picked.text)


def text_was_typed() -> None:
    """The text is the visitor's own now."""
    state.put(SAMPLE, OWN_TEXT)


def speed_was_typed() -> None:
    """The speed comes from nowhere else any more."""
    state.put(PRESET, None)
    state.put(KEPT, None)
    state.put(ORIGIN, "")


def output_prices() -> dict[str, PublishedPrice]:
    """The newest price of each model that charges for output, by provider and model."""
    newest: dict[str, PublishedPrice] = {}
    for row in load_prices():
        key = f"{row.provider}/{row.model}"
        if row.prices.output is not None and (key not in newest or row.since > newest[key].since):
            newest[key] = row
    return newest


def output_price(row: PublishedPrice) -> Decimal:
    """Price per million output tokens."""
    return row.prices.output or Decimal(0)


def _asked_speed() -> float | None:
    try:
        asked = float(state.asked("speed") or "")
    except ValueError:
        return None
    return asked if SLOWEST_TPS <= asked <= FASTEST_TPS else None
