"""Ids of runs."""

from __future__ import annotations

import argparse

from lib.domain.run import new_id
from lib.history import add_export


def test_an_id_is_never_taken_for_an_option_of_the_command_line() -> None:
    parser = argparse.ArgumentParser()
    add_export(parser)
    ids = {new_id() for _ in range(500)}
    assert len(ids) == 500
    assert {parser.parse_args([one]).run for one in ids} == ids
