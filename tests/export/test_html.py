"""The one-file replay as text: inert, closed, small, and silent about private hosts. The browser tests open it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from lib.charts.result_lanes import lanes_of
from lib.domain import events as ev
from lib.domain.run import Origin, Run
from lib.export.html import inert_json, replay_html
from lib.export.private_hosts import is_private_host, without_private_hosts
from tests.ui.made_runs import answered, backend, failed, run_of

ATTACK = "</script><script>alert(1)</script><img src=x onerror=alert(2)><!-- & \u2028 \x00 "
HOST = "gpu-7.lab.internal"
BOUND_BYTES = 500_000


class Reader(HTMLParser):
    """Which elements a browser would make of the page, and what stands in the scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self._open: str = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._open = tag
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self._open == "script":
            self.scripts[-1] += data

    def handle_endtag(self, tag: str) -> None:
        self._open = ""


def read(page: bytes) -> Reader:
    reader = Reader()
    reader.feed(page.decode())
    return reader


def hostile() -> Run:
    backends = [replace(backend(ATTACK), note=ATTACK, model=ATTACK), backend("B")]
    run = run_of(backends, [answered(0, ATTACK), failed(1, message=ATTACK)])
    return replace(run, prompt=replace(run.prompt, text=ATTACK, system=ATTACK), versions={ATTACK: ATTACK})


def private() -> Run:
    backends = [
        replace(backend("Here", Origin.LIVE), base_url="http://127.0.0.1:8123/v1"),
        replace(backend("Lab", Origin.LIVE), base_url=f"https://{HOST}:8000/v1", note=f"on {HOST}"),
        replace(backend("Out", Origin.LIVE), base_url="https://api.example.com/v1"),
    ]
    message = f"cannot connect to {HOST}:8000 [10.1.2.3:8000] via localhost:3128 or [fd00::12]:443"
    return run_of(backends, [answered(0, "Yes."), failed(1, message=message), answered(2, "No.")])


def long_run(tokens: int = 1000) -> Run:
    words = " ".join(f"word{n % 97}" for n in range(tokens))
    return run_of(
        [backend(f"Lane {n}") for n in range(4)],
        [answered(n, words, gap_ms=gap) for n, gap in enumerate((1, 3, 7, 17))],
    )


def test_whatever_was_written_makes_no_element_and_no_script() -> None:
    safe, attacked = (
        read(replay_html(run_of([backend("A")], [answered(0, "Fine.")]))),
        read(replay_html(hostile())),
    )
    assert len(attacked.scripts) == len(safe.scripts) == 2
    assert "img" not in {tag for tag, _attrs in attacked.tags}
    assert attacked.scripts[1] == safe.scripts[1]
    handlers = [name for _tag, attrs in attacked.tags for name in attrs if name.startswith("on")]
    assert handlers == []


def test_the_messages_in_the_page_are_the_texts_unchanged() -> None:
    data = json.loads(read(replay_html(hostile())).scripts[0])
    rows = [row for message in data["messages"] for row in message.get("d", ()) if row[:2] == [0, "a"]]
    given = "".join(delta.text for delta in hostile().generations[0].of(ev.Delta))
    assert "".join("".join(pairs[1::2]) for *_, pairs in rows) == given


def test_json_in_the_page_cannot_end_its_element() -> None:
    text = inert_json({"a": ATTACK})
    assert not re.search("[<>&]", text)
    assert json.loads(text) == {"a": ATTACK}


def test_the_policy_allows_exactly_the_script_that_is_there_and_no_connection() -> None:
    page = read(replay_html(long_run(20)))
    policy = next(attrs["content"] for tag, attrs in page.tags if tag == "meta" and "http-equiv" in attrs)
    digest = base64.b64encode(hashlib.sha256(page.scripts[1].encode()).digest()).decode()
    assert policy is not None
    assert f"script-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")
    assert "connect-src" not in policy


def test_nothing_in_the_page_points_outside() -> None:
    for _tag, attrs in read(replay_html(long_run(20))).tags:
        assert not {"src", "href", "action", "srcset", "xlink:href"} & set(attrs)


def test_four_lanes_of_a_thousand_tokens_stay_below_half_a_megabyte() -> None:
    assert len(replay_html(long_run())) < BOUND_BYTES


def test_no_private_address_leaves_unless_asked_for() -> None:
    page = replay_html(private()).decode()
    for secret in (HOST, "127.0.0.1", "10.1.2.3", "localhost:", "fd00::12", ":8123"):
        assert secret not in page
    assert "api.example.com" in page
    assert HOST in replay_html(private(), private_hosts=True).decode()


def test_taking_addresses_out_changes_no_text_of_prompt_or_answer() -> None:
    run = private()
    spoken = replace(run, generations=(answered(0, f"Ask {HOST} or 10.0.0.1."), *run.generations[1:]))
    assert without_private_hosts(spoken).generations[0] == spoken.generations[0]


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "10.0.0.9", "192.168.1.4", "::1", "fe80::1%eth0", "nas",
                                  "gpu.local", "a.b.internal", "100.64.0.1"])  # fmt: skip
def test_a_private_host_is_known(host: str) -> None:
    assert is_private_host(host)


@pytest.mark.parametrize("host", ["api.openai.com", "8.8.8.8", "2606:4700::1111", "example.localhost.com"])
def test_a_public_host_is_known(host: str) -> None:
    assert not is_private_host(host)


def test_a_race_without_any_text_has_a_page_too() -> None:
    run = run_of([backend("A")], [failed(0)])
    data: dict[str, Any] = json.loads(read(replay_html(run)).scripts[0])
    assert data["messages"][-1]["result"]["places"] == [None]


def test_every_metric_and_the_provenance_are_in_the_page_without_its_script() -> None:
    page = replay_html(long_run(40)).decode()
    body = page[: page.index('<script type="application/json"')]
    for words in (
        "Time to first token",
        "Decode rate",
        "Token source",
        "Clock late by at most",
        "max_tokens 512",
    ):
        assert words in body


def test_an_address_that_was_shown_on_the_page_before_is_not_in_the_file() -> None:
    run = private()
    lanes_of(run, None)  # the page draws the run as it is, and its figures are remembered
    page = replay_html(run).decode()
    assert HOST not in page
    assert "127.0.0.1" not in page
    assert "private address, not shown" in page
