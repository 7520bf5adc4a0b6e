"""Limits on outcomes where all settings can be listed: what keeps a limit lets its neighbours be tried."""

from __future__ import annotations

import pytest

import steerbo as sb

pytestmark = pytest.mark.few_draws

KILNS = ["brick", "gas", "tunnel"]


def test_rounds_move_on_from_the_first_setting_that_keeps_a_limit() -> None:
    """It was played in each of the rounds: every untried one was as likely as not to break the limit."""
    variables: list[sb.space.Variable] = [sb.Float("heat", 0, 10, step=0.5), sb.Categorical("kiln", KILNS)]
    limit = sb.OutcomeConstraint("smoke", at_most=5.2, probability=0.8)
    study = sb.Optimizer(sb.CostVarying(variables, [["heat", "kiln"]], costs=[1], limits=[limit]), rounds=40, seed=0)

    def tell(asked: sb.Suggestion) -> tuple[float, str]:
        heat, kiln = asked.values["heat"], asked.values["kiln"]
        study.tell(asked, (heat - 5.0) ** 2, realised={"smoke": heat + 2.0 * KILNS.index(kiln)})
        return heat, kiln

    for heat in (4.5, 5.5, 6.0, 7.5, 9.0):
        tell(study.attach({"heat": heat, "kiln": "brick"}))
    played = [tell(study.ask()) for _ in range(12)]
    assert len(set(played)) >= 5
    assert sum(heat + 2.0 * KILNS.index(kiln) > 5.2 for heat, kiln in played) <= 2
    assert study.recommend().values["heat"] <= 2.0
