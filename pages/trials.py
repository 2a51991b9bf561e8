"""Trials: the same question asked often enough to say something, and claims set against what came out."""

from __future__ import annotations

from lib.ui.claims_view import show_claims
from lib.ui.trials_page import show_controls, show_series

show_series(running=show_controls())
show_claims()
