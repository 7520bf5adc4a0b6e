"""An answer after a correction is that of a study that was told right: nothing that a wrong outcome taught is left."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Optimizer, Problem
from tests.test_outliers_named import causal, cost_varying, drifting, drifting_costs, hill


def told_wrong(problem: Problem, wrong: range, rounds: int = 21) -> tuple[Optimizer, dict[str, float]]:
    """A study whose outcomes of some rounds are a hundred times too large, and the right ones by token."""
    optimizer, random, right = Optimizer(problem, seed=1), np.random.default_rng(3), {}
    for number in range(1, rounds + 1):
        asked = optimizer.ask()
        if asked.observe:
            asked = optimizer.decide(asked, {name: float(random.random()) for name in asked.observe})
        known = {**{name: float(random.random()) for name in "xz"}, **asked.context, **asked.values}
        value = hill(**known) + 0.05 * random.standard_normal()
        if number in wrong:
            right[asked.token] = value
        optimizer.tell(asked, 100 * value if number in wrong else value, realised=known)
    return optimizer, right


@pytest.mark.parametrize("void", [False, True], ids=["amended", "void"])
@pytest.mark.parametrize("problem", [cost_varying, drifting_costs, causal, drifting])
def test_what_wrong_outcomes_taught_is_forgotten_with_them(problem: Callable[[], Problem], void: bool) -> None:
    """The hill is between 5 and 8; answers were 40 to 100, for up to six rounds."""
    optimizer, right = told_wrong(problem(), range(1, 6))
    for token, value in right.items():
        if void:
            optimizer.amend(token, void=True)
        else:
            optimizer.amend(token, value=value)
    advice = optimizer.recommend()
    assert advice.mean is not None
    assert advice.lower is not None
    assert advice.upper is not None
    assert 5.0 < advice.mean < 8.5
    assert advice.lower > 3.0
    assert advice.upper < 10.0


def test_a_correction_that_is_mistyped_is_named() -> None:
    optimizer, _ = told_wrong(cost_varying(), range(0))
    token = [*optimizer.history][15].suggestion.token
    before = optimizer.recommend()
    optimizer.amend(token, value=800.0)
    assert optimizer.recommend().mean == pytest.approx(before.mean, abs=0.1)
    assert "800 in round 16" in optimizer.explain().summary


def test_a_correction_that_is_taken_back_leads_to_no_fit() -> None:
    optimizer, _ = told_wrong(cost_varying(), range(0))
    optimizer.ask()
    played = [*optimizer.history][4]
    assert played.outcome is not None
    value, advice, events = played.outcome.value, optimizer.recommend(), len(optimizer.events)
    optimizer.amend(played.suggestion.token, value=value + 1.0)
    optimizer.amend(played.suggestion.token, value=value)
    assert optimizer.recommend() == advice
    optimizer.ask()
    assert [event.kind for event in optimizer.events[events:]] == ["amended", "amended", "asked"]


def test_models_of_constrained_outcomes_learn_of_corrections() -> None:
    """Heat had been told ten times too large, which seemed to leave next to no room."""
    limit = sb.OutcomeConstraint("heat", at_most=6.0, probability=0.9)
    problem = sb.CostVarying([sb.Float("x", 0, 1, law=sb.Uniform())], [["x"]], limits=[limit])
    studies = [Optimizer(problem, seed=0), Optimizer(problem, seed=0)]
    random, wrong = np.random.default_rng(0), []
    for number in range(1, 13):
        asked = studies[0].ask()
        x = float(asked.values["x"])
        value, heat = hill(x), 4.0 + x + 0.1 * float(random.standard_normal())
        told = 10 * heat if number <= 4 else heat
        studies[0].tell(asked, value, realised={"heat": told})
        if number <= 4:
            wrong.append((asked.token, heat))
        studies[1].add(value, {"x": x, "heat": heat})
    for token, heat in wrong:
        studies[0].amend(token, realised={"heat": heat})
    corrected, right = (
        float(dict(zip(study.explain().tables[-1].columns, row, strict=True))["room"])
        for study in studies
        for row in study.explain().tables[-1].rows[:1]
    )
    assert corrected == pytest.approx(right, abs=0.25)


def test_an_observation_that_is_void_leaves_the_doubts_of_others() -> None:
    """Doubts were kept by the number of the observation: without an earlier one they were another's."""
    graph = sb.CausalGraph.from_text("u -> x; u -> y; x -> y", target="y", intervenable=["x"], contexts=[])
    optimizer = Optimizer(sb.Causal(graph, [sb.Float("x", 0, 1), sb.Float("u", 0, 1)]), seed=1)
    random = np.random.default_rng(0)
    for i in range(26):
        u = float(random.random())
        x = 0.7 * u + 0.3 * float(random.random())
        y = hill(x, 0.4) + u + 0.05 * random.standard_normal()
        optimizer.add(100 * y if i == 14 else y, {"x": x, "u": u})
    optimizer.ask()
    before = optimizer.recommend()
    optimizer.amend("added-2", void=True)
    after = optimizer.recommend()
    assert after.mean == pytest.approx(before.mean, abs=0.1)
    assert after.upper is not None
    assert after.upper < 9.0
    assert "in added-15" in optimizer.explain().summary
