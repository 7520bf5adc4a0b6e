"""What an ask costs: entrants grow, and are measured by turns, each in a process of its own."""

from __future__ import annotations

import pytest

from partial_control_bench.costs import ENTRANTS, PROBLEMS, Growing, measured
from partial_control_bench.registry import contender


@pytest.mark.few_draws
@pytest.mark.parametrize("wing", PROBLEMS)
@pytest.mark.parametrize("who", ["random", "ours"])
def test_an_entrant_is_told_so_many_and_then_asked(wing: str, who: str) -> None:
    growing = Growing(ENTRANTS[wing][0] if who == "ours" else who, PROBLEMS[wing])
    for n in (4, 12):
        spent = growing.until(n)
        assert len(spent) == 5
        assert min(spent) >= 0
        assert growing.known_plays == n + 5


def test_by_turns() -> None:
    found = [*measured("time-varying", ("random", "no such entrant"), (3, 9))]
    assert [(line["entrant"], line["n"]) for line in found] == [
        ("random", 3),
        ("no such entrant", 3),
        ("random", 9),
    ]
    assert all(line["ms"] >= 0 and line["mb"] > 10 for line in found if line["entrant"] == "random")
    assert found[1]["ms"] is None, "who answers nothing is not asked again"


def test_what_is_known_is_not_measured_again() -> None:
    known = {("random", 3): 0.1, ("cma-es", 3): 12_000.0, ("sklearn-gp-ei", 3): None, ("sklearn-gp-ei", 9): None}
    found = [*measured("time-varying", ("random", "cma-es", "sklearn-gp-ei"), (3, 9), known)]
    assert [(line["entrant"], line["n"]) for line in found] == [("random", 9)]


def test_who_is_measured_can_be_named() -> None:
    for wing, names in ENTRANTS.items():
        for name in names:
            assert contender(name).name == name
        assert wing in PROBLEMS
