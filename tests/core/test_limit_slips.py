"""A slip of the pen in an outcome that a limit is on: it is said at once, by what its model expects there."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

import steerbo as sb

LIMIT = sb.OutcomeConstraint("mould", at_most=3, probability=0.9)
HEAT = sb.Float("heat", 15, 30, law=sb.TruncatedNormal(21, 3))

KINDS = {
    "cost-varying": sb.CostVarying([HEAT], [["heat"]], costs=[1], limits=[LIMIT]),
    "time-varying": sb.TimeVarying([sb.Float("heat", 15, 30)], limits=[LIMIT]),
    "causal": sb.Causal(
        sb.CausalGraph.from_text("heat -> y", target="y", intervenable=["heat"]),
        [sb.Float("heat", 15, 30)],
        limits=[LIMIT],
    ),
}


def played(problem: sb.core.Problem) -> Iterator[tuple[sb.Optimizer, sb.Suggestion, float, dict[str, float]]]:
    """Sixteen rounds of a study, each before its outcome is told; mould goes up with the heat."""
    optimizer, chance = sb.Optimizer(problem, rounds=16, seed=0), random.Random(0)
    while (suggestion := optimizer.ask()) is not None:
        heat = suggestion.values.get("heat", 21.0)
        value = 16 - (heat - 26) ** 2 / 20 + chance.gauss(0, 0.2)
        measured = {"heat": heat, "mould": 0.3 * max(0.0, heat - 17) + chance.gauss(0, 0.1)}
        yield optimizer, suggestion, value, measured
        optimizer.tell(suggestion, value, realised=measured)


@pytest.mark.parametrize("kind", KINDS)
def test_a_decimal_point_that_was_left_out_is_said(kind: str) -> None:
    """12 for 1.2, which is within the usual range of a few outcomes, 0.2 to 4: it would close all settings."""
    true, slips = list[sb.core.Finding](), list[sb.core.Finding]()
    for optimizer, suggestion, value, measured in played(KINDS[kind]):
        if suggestion.round <= 12:
            continue
        true += optimizer.implausible_values("tell", suggestion, value=value, realised=measured)
        wrong = measured | {"mould": 10 * measured["mould"]}
        slips += optimizer.implausible_values("tell", suggestion, value=value, realised=wrong)
    assert not true
    assert {found.kind for found in slips} == {"far-from-expected"}
    assert len(slips) == 4
    assert "mould = " in slips[0].text
    assert "is far from what was expected there, " in slips[0].text
