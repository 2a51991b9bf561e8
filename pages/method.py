"""How it is measured: what each number means, where it is taken, and how far it can be trusted."""

from __future__ import annotations

from lib.ui.method import show_accuracy, show_metrics, show_path, show_warnings

show_path()
show_metrics()
show_warnings()
show_accuracy()
