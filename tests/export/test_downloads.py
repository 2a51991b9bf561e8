"""The buttons under a result give the files of `lib.export`, under names of ours."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from lib import i18n
from lib.ui.downloads import download_button
from tests.ui.made_runs import answered, backend, run_of

PAGE = """
from lib.ui.downloads import show_downloads
from tests.ui.made_runs import answered, backend, run_of

show_downloads(run_of([backend("Sol")], [answered(0, "A few words.")], "made"), None)
"""


def test_the_buttons_are_quiet_and_no_file_is_made_before_one_is_pressed() -> None:
    page = AppTest.from_string(PAGE).run()
    assert not page.exception
    buttons = [element.proto for element in page.get("download_button")]
    data_files = {"Recording (JSON)", "Figures (CSV)", "Deltas (CSV)"}
    assert data_files <= {button.label for button in buttons}
    assert {button.type for button in buttons} == {"tertiary"}
    assert all(button.deferred_file_id for button in buttons)


def test_a_file_is_in_the_language_of_the_page_though_a_thread_of_the_server_makes_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[Any] = []
    monkeypatch.setattr(st, "download_button", lambda _label, made, *_rest, **_more: given.append(made))
    run = run_of([backend("Sol")], [answered(0, "A few words.")], "made")
    visitor = copy_context()
    visitor.run(i18n.use_language, "zh-Hans")
    visitor.run(download_button, run, "Card", ".md", "text/markdown", lambda: i18n._("failed").encode(), "")
    with ThreadPoolExecutor(2) as threads:
        assert {threads.submit(given[0]).result().decode() for _time in range(2)} == {"失败"}
