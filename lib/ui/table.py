"""The table of all metrics in the page.

The component writes texts only, never markup, and turns into blocks on a narrow page.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from lib.charts.metric_table import table_of
from lib.charts.palette import Theme
from lib.charts.result_lanes import ResultLane
from lib.domain.run import Run

_HERE = Path(__file__).parent
_mount = st.components.v2.component(
    "tokenrace_metrics",
    html="\n<div class='tr-metrics'></div>\n",
    css=(_HERE / "table.css").read_text("utf-8"),
    js=(_HERE / "table.js").read_text("utf-8"),
)


def show_table(run: Run, lanes: Sequence[ResultLane], theme: Theme) -> None:
    """The table with its notes."""
    _mount(data=table_of(lanes, theme), key=f"metrics-{run.id}")
