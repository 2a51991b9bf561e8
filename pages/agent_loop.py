"""Agent loops: the whole task, where its time goes, and where the bottleneck moves when the model gets fast."""

from __future__ import annotations

from lib.ui.agent_page import show_controls, show_tasks
from lib.ui.agent_sets import show_sets

show_controls()
show_tasks()
show_sets()
