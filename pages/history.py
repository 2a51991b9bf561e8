"""History: every race and series of trials that was run here, to find, open, compare, hand on and delete."""

from __future__ import annotations

from lib.ui.history_list import show_history
from lib.ui.kept_run import show_kept
from lib.ui.titles import show_title

show_title("History", "Every race and series of trials is kept as it comes. Open one, or choose two to eight races to compare.")
if not show_kept():
    show_history()
