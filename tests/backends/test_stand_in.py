"""Where the local model cannot run, a recorded lane takes its place and says so."""

from __future__ import annotations

from lib.backends.catalogue import LOCAL_ID, RECORDED_STAND_IN, Catalogue
from lib.local_model.models import LocalModels
from lib.server_process import Absent, ServerProcess


def test_the_stand_in_says_whose_place_it_takes_and_why() -> None:
    reason = "This platform has no wheel."
    local = ServerProcess("lib.local_model", absence=lambda: reason)
    local.start()
    assert isinstance(local.state, Absent)
    catalogue = Catalogue(ServerProcess("lib.simulator"), LocalModels(shipped=local))
    assert catalogue.default_ids()[0] == RECORDED_STAND_IN
    note = catalogue.offers()[RECORDED_STAND_IN].backend.note
    assert note.startswith(f"in place of the live SmolLM2: {reason}")
    assert catalogue.offers()[LOCAL_ID].absent == reason


def test_without_absence_nothing_stands_in() -> None:
    catalogue = Catalogue(ServerProcess("lib.simulator"), LocalModels())
    assert catalogue.default_ids()[0] == LOCAL_ID
    assert "in place of" not in catalogue.offers()[RECORDED_STAND_IN].backend.note
