"""What is chosen on the page "Why it is fast", with defaults that make every picture readable at once."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from lib import numbers
from lib.charts.drawing import Look
from lib.i18n import _
from lib.limits.capacity import chips_needed
from lib.limits.roofline import Machine, Work
from lib.limits.tables import Chip, Model, chip, chips, model, models
from lib.ui import state

CHIP, COUNT, MODEL, BITS, CONTEXT = (
    "limits_chip",
    "limits_count",
    "limits_model",
    "limits_bits",
    "limits_context",
)
USERS, RESERVED, ACCEPTANCE, DRAFT = "limits_users", "limits_reserved", "limits_acceptance", "limits_draft"
GROUP, TARGET = "limits_group", "limits_target"
GROUPED_4_BITS = 4.15625
_FIRST = (
    (CHIP, "h100-sxm"), (COUNT, 8), (MODEL, "llama-3.1-70b"), (BITS, 16.0), (CONTEXT, 4096), (USERS, 64),
    (RESERVED, 8192), (ACCEPTANCE, 0.7), (DRAFT, 0.05), (GROUP, "llama-3.1-8b"), (TARGET, 750),
)  # fmt: skip
CONTEXTS = (512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072)
BATCHES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The machine and the model that the pictures are drawn for."""

    chip: Chip
    count: int
    model: Model
    bits: float
    context: int
    users: int
    target_tps: float

    @property
    def machine(self) -> Machine:
        """The chips as one machine."""
        return Machine.of(self.chip, self.count)

    def work(self, batch: int = 1) -> Work:
        """The model, in its width, for so many users."""
        return Work(self.model, self.bits, self.context, batch)

    @property
    def machine_words(self) -> str:
        """The machine in words: 8 × NVIDIA H100 SXM5."""
        return machine_words(self.chip, self.count)

    @property
    def model_words(self) -> str:
        """The model in words: Llama 3.1 70B at 16 bits."""
        return _("{model} at {bits}").format(model=self.model.name, bits=bits_words(self.bits))

    @property
    def fewest_chips(self) -> int:
        """Chips that hold the weights and one user's cache."""
        return chips_needed(self.work().memory_bytes, self.chip.capacity_gb)


def begin() -> None:
    """Give every widget its first value."""
    for key, first in _FIRST:
        state.begin(key, first)


def chosen() -> Chosen:
    """What the pickers hold."""
    first = dict(_FIRST)
    held = {key: state.value(key, first[key]) for key, _value in _FIRST}
    return Chosen(
        chip(held[CHIP]), int(held[COUNT]), model(held[MODEL]), float(held[BITS]), int(held[CONTEXT]),
        int(held[USERS]), float(held[TARGET]),
    )  # fmt: skip


def show_pickers() -> None:
    """Machine, model, width and context: they hold for every picture below."""
    known = [one for one in chips() if one.bandwidth_tb_s and not one.keeps_weights_in_sram]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="limits_pickers"):
        st.selectbox(
            _("Chip"), [one.id for one in known], key=CHIP, format_func=lambda id_: chip(id_).name, width=260,
            persist_state="session",
        )  # fmt: skip
        st.number_input(_("How many"), 1, 1024, key=COUNT, step=1, width=120, persist_state="session")
        st.selectbox(
            _("Model"), [one.id for one in models()], key=MODEL, format_func=lambda id_: model(id_).name, width=260,
            persist_state="session",
        )  # fmt: skip
        st.selectbox(
            _("Weights"), [32.0, 16.0, 8.0, GROUPED_4_BITS], key=BITS, format_func=bits_words, width=140,
            persist_state="session",
        )  # fmt: skip
        st.selectbox(
            _("Context in tokens"), CONTEXTS, key=CONTEXT, format_func=numbers.whole, width=150,
            persist_state="session",
        )  # fmt: skip
        st.number_input(
            _("Wanted, in tok/s"), 1, 100_000, key=TARGET, step=50, width=150, persist_state="session"
        )


def look() -> Look:
    """The theme of the page."""
    return Look("dark" if st.context.theme.type == "dark" else "light")


def machine_words(one: Chip, count: int) -> str:
    """So many chips in words."""
    return f"{count} × {one.name}"


def bits_words(bits: float) -> str:
    """A width in words: 16 bits, 4.16 bits."""
    return _("{n} bits").format(n=f"{bits:.2f}".rstrip("0").rstrip("."))


def gigabytes(bytes_: float) -> str:
    """A size in GB (10^9 bytes) with sensible digits."""
    return f"{numbers.plain(bytes_ / 1e9)} GB"
