"""The page most would write, for comparison: the SDK's loop in a thread, `st.markdown` ten times a second.

`streamlit run tests/bench/naive_markdown.py` with BENCH_URL and BENCH_MODELS (comma-separated) set.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time

import openai
import streamlit as st

REDRAWS_PER_S = 10
MODELS = os.environ["BENCH_MODELS"].split(",")


async def follow(client: openai.AsyncOpenAI, model: str, pieces: list[str]) -> None:
    """One lane: append what comes."""
    stream = await client.chat.completions.create(
        model=model, messages=[{"role": "user", "content": "Go"}], stream=True
    )
    async for chunk in stream:
        if chunk.choices and chunk.choices[0].delta.content:
            pieces.append(chunk.choices[0].delta.content)


async def race(lanes: list[list[str]]) -> None:
    """All lanes at once."""
    async with openai.AsyncOpenAI(base_url=os.environ["BENCH_URL"], api_key="none") as client:
        await asyncio.gather(*(follow(client, m, p) for m, p in zip(MODELS, lanes, strict=True)))


st.set_page_config(layout="wide")
started = st.button("Start", key="start")
cells = [column for _ in range(-(-len(MODELS) // 4)) for column in st.columns(4)]
places = []
for number, _model in enumerate(MODELS):
    with cells[number], st.container(key=f"lane{number}", height=300):
        places.append(st.empty())
if started:
    texts: list[list[str]] = [[] for _ in MODELS]
    thread = threading.Thread(target=asyncio.run, args=(race(texts),), daemon=True)
    thread.start()
    running = True
    while running:
        running = thread.is_alive()
        for place, text in zip(places, texts, strict=True):
            place.markdown("".join(text))
        time.sleep(1 / REDRAWS_PER_S)
    st.write("Finished")
