"""What is set, as the page shows it."""

from __future__ import annotations

from typing import Any

import steerbo as sb
from steerbo.page.view import settings_of
from tests.serve.players import OVEN


def test_numbers_have_units_and_what_stays_says_so() -> None:
    found = settings_of(OVEN, {"oven": 150.0, "speed": 0.25}, kept=["oven"])
    assert [(s.name, s.text, s.kept, s.crowd) for s in found] == [
        ("oven", "150 °C", True, None),
        ("speed", "0.25", False, None),
    ]


def test_a_distribution_is_a_table_of_agents_where_they_are_counted() -> None:
    values = {"distribution": {"day": {"a": 0.25, "b": 0.75}, "night": {"a": 1.0, "b": 0.0}}}
    counts = {"counts": {"day": {"a": 1, "b": 3}, "night": {"a": 4, "b": 0}}}
    two: dict[str, Any] = {"contexts": ("day", "night"), "counts": True}
    (shares,) = settings_of(sb.MeanField(("a", "b"), agents=8, **two), values)
    assert shares.crowd is not None
    assert shares.crowd.heads == ("day", "night")
    assert [(a, [text for text, *_ in cells]) for a, cells in shares.crowd.rows] == [
        ("a", ["25 %", "100 %"]),
        ("b", ["75 %", "0 %"]),
    ]
    (agents,) = settings_of(sb.MeanField(("a", "b"), agents=8, **two), {**values, **counts})
    assert agents.name == "agents"
    assert agents.crowd is not None
    assert agents.crowd.rows == (
        ("a", (("1", "25.00%", ""), ("4", "100.00%", ""))),
        ("b", (("3", "75.00%", ""), ("0", "0.00%", ""))),
    )


def test_one_context_needs_no_name_and_shows_what_is_allowed() -> None:
    problem = sb.MeanField(("a", "b"), agents=4, capacity={"a": 1})
    (found,) = settings_of(problem, {"distribution": {"everyone": {"a": 0.25, "b": 0.75}}})
    assert found.crowd is not None
    assert found.crowd.heads == ("share of agents",)
    assert found.crowd.limited
    assert found.crowd.rows[0] == ("a", (("25 %", "33.33%", "33.33%"),))
