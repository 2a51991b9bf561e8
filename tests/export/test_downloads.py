"""The buttons under a result give the files of `lib.export`, under names of ours."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

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
