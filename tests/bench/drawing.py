"""What a Streamlit script does to its process while it draws, as a load: 50 of every 100 ms.

    python -m tests.bench.drawing     (until standard input closes)

Charts to JSON, tables to Arrow, texts to JSON. It draws nothing anyone sees.
"""

from __future__ import annotations

import json
import sys
import threading
import time

import altair as alt
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]

PERIOD_S = 0.1
SHARE = 0.5


def draw_once(table: pd.DataFrame, text: str) -> int:
    """About what one redraw of a page costs: a chart, a table, eight texts. Returns its size in bytes."""
    chart = alt.Chart(table).mark_line().encode(x="t:Q", y="tokens:Q").to_json()
    batch = pa.Table.from_pandas(table)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_table(batch)
    return len(chart) + int(sink.getvalue().size) + len(json.dumps([text] * 8))


def draw(stop: threading.Event, begun: threading.Event) -> None:
    """Redraw until told to stop: every 100 ms for 50 ms; `begun` is set after the first time."""
    table = pd.DataFrame({"t": [i / 10 for i in range(300)], "tokens": [float(i) for i in range(300)]})
    text = "word " * 2000
    while not stop.is_set():
        began = time.monotonic()
        while time.monotonic() - began < PERIOD_S * SHARE:
            draw_once(table, text)
        begun.set()
        stop.wait(max(0.0, began + PERIOD_S - time.monotonic()))


def main() -> None:
    """Draw until standard input closes; the first line on stdout says that it has begun."""
    stop, begun = threading.Event(), threading.Event()
    thread = threading.Thread(target=draw, args=(stop, begun))
    thread.start()
    begun.wait()
    print("drawing", flush=True)
    sys.stdin.buffer.read()
    stop.set()
    thread.join()


if __name__ == "__main__":
    main()
