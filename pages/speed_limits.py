"""Why it is fast: what memory, arithmetic, batches and guesses allow, with what was measured laid over it."""

from __future__ import annotations

from lib.ui.limits_page import show_limits
from lib.ui.limits_pairs import show_pairs
from lib.ui.limits_sweep import show_sweep
from lib.ui.titles import show_title

show_title("Why it is fast", "What a machine can give a model at best, and how near a measured lane came.")
show_limits()
show_pairs()
show_sweep()
