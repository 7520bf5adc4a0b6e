"""What is set, as the page shows it."""

from __future__ import annotations

from typing import Any

import steerbo as sb
from steerbo.page.view import settings_of
from tests.serve.players import OVEN


def test_numbers_have_units_and_what_stays_says_so() -> None:
    found = settings_of(OVEN, {"oven": 150.0, "speed": 0.25}, kept=["oven"])
    assert [(s.name, s.text, s.kept, s.table) for s in found] == [
        ("oven", "150 °C", True, None),
        ("speed", "0.25", False, None),
    ]


def test_a_distribution_is_a_table_of_agents_where_they_are_counted() -> None:
    values = {"distribution": {"day": {"a": 0.25, "b": 0.75}, "night": {"a": 1.0, "b": 0.0}}}
    counts = {"counts": {"day": {"a": 1, "b": 3}, "night": {"a": 4, "b": 0}}}
    two: dict[str, Any] = {"contexts": ("day", "night"), "counts": True}
    (shares,) = settings_of(sb.MeanField(("a", "b"), agents=8, **two), values)
    assert shares.table is not None
    assert (shares.table.columns, shares.table.cells()) == (
        ("", "day", "night"),
        [["a", "0.25", "1"], ["b", "0.75", "0"]],
    )
    (agents,) = settings_of(sb.MeanField(("a", "b"), agents=8, **two), {**values, **counts})
    assert agents.name == "counts"
    assert agents.table is not None
    assert agents.table.cells() == [["a", "1", "4"], ["b", "3", "0"]]


def test_one_context_needs_no_name() -> None:
    (found,) = settings_of(sb.MeanField(("a", "b"), agents=4), {"distribution": {"everyone": {"a": 0.5, "b": 0.5}}})
    assert found.table is not None
    assert found.table.columns == ("", "distribution")
