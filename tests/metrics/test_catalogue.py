"""Every figure is defined once, for people and for files, and documented as it is."""

from __future__ import annotations

import re

from lib import reading
from lib.metrics import document
from lib.metrics.catalogue import CATALOGUE, compute_all
from lib.metrics.measurement import measure
from lib.metrics.quantity import Quantity
from tests.metrics.building import backend, steady


def test_every_figure_has_its_own_key_a_name_a_formula_and_a_source() -> None:
    assert len({metric.key for metric in CATALOGUE}) == len(CATALOGUE)
    assert [m.key for m in CATALOGUE if not (m.name and m.formula and m.source)] == []
    assert [m.key for m in CATALOGUE if not re.fullmatch(r"[a-z0-9_]+", m.key)] == []


def test_a_figure_comes_in_the_unit_the_catalogue_names() -> None:
    figures = compute_all(measure(steady(400), backend()), reading.speed("en"))
    for metric in CATALOGUE:
        figure = figures[metric.key]
        if isinstance(figure, Quantity):
            assert figure.unit in metric.unit.split(" or "), metric.key


def test_docs_metrics_md_is_the_catalogue() -> None:
    page = document.PAGE.read_text(encoding="utf-8")
    assert document.with_table(page) == page, "write it again: python -m lib.metrics.document"
