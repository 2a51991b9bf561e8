"""Present: the race for a room, act by act, by keys alone."""

from __future__ import annotations

from lib.ui.present_page import show_presenter

show_presenter()
