"""The table of all metrics in the page.

The component writes texts only, never markup, and turns into blocks on a narrow page.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from lib.charts.metric_table import table_of
from lib.charts.palette import Theme
from lib.charts.result_lanes import ResultLane
from lib.domain.run import Run
from lib.ui.state import component_key

_HERE = Path(__file__).parent
_mount = st.components.v2.component(
    "tokenrace_metrics",
    html="\n<div class='tr-metrics'></div>\n",
    css=(_HERE / "table.css").read_text("utf-8"),
    js=(_HERE / "table.js").read_text("utf-8"),
)


def show_table(run: Run, lanes: Sequence[ResultLane], theme: Theme) -> None:
    """The table of a run's lanes with its notes."""
    show_texts(table_of(lanes, theme), f"metrics-{run.id}")


def show_texts(table: dict[str, Any], key: str) -> None:
    """A table of the same form (`lib.charts.metric_table.table_of`) made of other figures."""
    _mount(data=table, key=component_key(key))
