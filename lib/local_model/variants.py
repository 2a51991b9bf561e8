"""The forms in which SmolLM2 can run here: how wide its weights are, and whether it guesses ahead.

All are the same 135 million weights. Only Q4_1 is shipped; the other widths are converted from it once
(`requantise.py`), which changes speed and size: quality does not rise. Nothing is loaded or started here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Width(StrEnum):
    """How the weights are stored; the value is its name on the command line and in file names."""

    F32 = "f32"
    F16 = "f16"
    Q8_0 = "q8_0"
    Q4_1 = "q4_1"
    Q4_0 = "q4_0"


class Speculation(StrEnum):
    """How tokens are guessed ahead of the model, which then checks several at once."""

    NGRAM = "ngram"  # the continuation of the same few tokens earlier in the text; needs no second model


SHIPPED = Width.Q4_1
SLOTS = 2  # requests at once: the same backend may run in two lanes
CROWD, CROWD_SLOTS = "q4_1-crowd", 8  # the form that shows what many users at once do to each other
BITS_PER_WEIGHT = {Width.F32: 32.0, Width.F16: 16.0, Width.Q8_0: 8.5, Width.Q4_1: 5.0, Width.Q4_0: 4.5}
FILE_BYTES = {
    Width.F32: 539_845_696,
    Width.F16: 270_885_952,
    Width.Q8_0: 144_811_072,
    Width.Q4_1: 98_362_432,
    Width.Q4_0: 91_726_912,
}  # of the GGUF files; they say how far a conversion has come and how much memory a server takes


@dataclass(frozen=True, slots=True)
class Variant:
    """One backend of its own. `name` and `note` are English source texts; show them through `_`."""

    id: str
    name: str
    note: str
    width: Width
    speculation: Speculation | None = None
    slots: int = SLOTS  # requests at once; more than two share the room of two

    @property
    def file_bytes(self) -> int:
        """Size of its weights, bytes."""
        return FILE_BYTES[self.width]

    @property
    def is_converted(self) -> bool:
        """Whether its weights have to be made from the shipped ones first."""
        return self.width is not SHIPPED


VARIANTS: tuple[Variant, ...] = (
    Variant("q4_1", "SmolLM2 135M Q4_1", "as shipped, 5 bits per weight", Width.Q4_1),
    Variant("q4_0", "SmolLM2 135M Q4_0", "converted from Q4_1 to 4.5 bits per weight, which this engine "
            "computes fastest", Width.Q4_0),
    Variant("q8_0", "SmolLM2 135M Q8_0", "converted from Q4_1 to 8.5 bits per weight: quality does not rise",
            Width.Q8_0),
    Variant("f16", "SmolLM2 135M F16", "converted from Q4_1 to 16 bits per weight: quality does not rise",
            Width.F16),
    Variant("f32", "SmolLM2 135M F32", "converted from Q4_1 to 32 bits per weight: quality does not rise",
            Width.F32),
    Variant("q4_0-ngram", "SmolLM2 135M Q4_0 + n-gram",
            "Q4_0, guessing ahead from its own text (n-gram speculation): faster where text repeats, such as "
            "code, when repeat_penalty is set to 1", Width.Q4_0, Speculation.NGRAM),
    Variant("f32-ngram", "SmolLM2 135M F32 + n-gram",
            "F32, guessing ahead from its own text (n-gram speculation): faster where text repeats, such as "
            "code, when repeat_penalty is set to 1", Width.F32, Speculation.NGRAM),
    Variant(CROWD, "SmolLM2 135M Q4_1, 8 at once", "as shipped, answering eight requests at once, which share the room "
            "of two", Width.Q4_1, slots=CROWD_SLOTS),
)  # fmt: skip

BY_ID = {variant.id: variant for variant in VARIANTS}
