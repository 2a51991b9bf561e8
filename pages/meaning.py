"""What it means: a speed in every unit, for a text, beside people reading and beside other tokenizers."""

from __future__ import annotations

from lib.ui.meaning_page import show_meaning

show_meaning()
