"""Look at the results of recorded races: `streamlit run tests/ui/preview_results.py -- FOLDER`, then `?run=four`.

`record_races.py` makes the folder. It is no test.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import streamlit as st

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from lib.domain.codec import decode_run
from lib.ui.results import show_results

st.set_page_config(layout="wide", page_title="Results")
st.html(f"<style>{Path('lib/ui/frame.css').read_text('utf-8')}</style>")
st.html(
)
name = st.query_params.get("run", "four")
run = decode_run((Path(sys.argv[-1]) / f"{name}.json").read_bytes())
begun = time.thread_time()
show_results(run, None)
sys.stderr.write(f"{name}: {(time.thread_time() - begun) * 1000:.0f} ms of script time\n")
