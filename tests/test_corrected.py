"""An answer after a correction is that of a study that was told right: nothing that a wrong outcome taught is left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Optimizer, Problem
from steerbo.timevarying import SquaredExponential
from tests.test_outliers_named import causal, cost_varying, drifting, drifting_costs, hill

pytestmark = pytest.mark.few_draws


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
    assert "800 in round 16" in optimizer.explain().text


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


def said(optimizer: Optimizer) -> tuple[Any, str]:
    """Setting, mean and bounds, but for rounding, and the last sentence of the explanation."""
    advice = optimizer.recommend()
    numbers = [advice.values["x"], advice.mean, advice.lower, advice.upper]
    return pytest.approx(numbers, rel=1e-9), optimizer.explain().text.splitlines()[-1]


def alike(one: tuple[Any, str], two: tuple[Any, str]) -> bool:
    return bool(one[0].expected == two[0]) and one[1] == two[1]


@pytest.mark.parametrize("method", ["learned-drift"])
def test_a_correction_that_changes_nothing_changes_no_answer(method: str) -> None:
    """Surprises were forgotten, units learned at another time, and doubts lost: bounds were a third as wide."""
    optimizer, random = (
        Optimizer(sb.TimeVarying([sb.Float("x", 0, 1)]), method=method, seed=1),
        np.random.default_rng(1),
    )
    for number in range(20):
        asked = optimizer.ask()
        value = float(np.sin(6 * asked.values["x"] - 0.2 * number) + 0.3 * random.standard_normal())
        optimizer.tell(asked, 40.0 * value if number == 16 and method == "learned-drift" else value)
    optimizer.ask()
    before, played = said(optimizer), [*optimizer.history][11]
    assert played.outcome is not None
    optimizer.amend(played.suggestion.token, value=played.outcome.value, reason="checked")
    assert alike(said(optimizer), before)


@pytest.mark.parametrize("given", [True], ids=["priors"])
def test_a_late_outcome_that_is_corrected_is_as_late_as_it_was(given: bool) -> None:
    """A late outcome is compared with nothing that is known later, and is not judged."""
    priors: Any = [sb.Prior(SquaredExponential(share, 1.0), noise=0.2) for share in (0.1, 0.3)] if given else "auto"
    studies = [
        Optimizer(sb.TimeVarying([sb.Float("x", 0, 1)], priors), method="tempered-elimination", seed=1)
        for _ in range(2)
    ]
    for study, wrong in zip(studies, (True, False), strict=True):
        random, late = np.random.default_rng(1), None
        for number in range(14):
            asked = study.ask()
            value = float(np.sin(6 * asked.values["x"]) + 0.2 * random.standard_normal())
            if number == 4:
                late = asked, value
            else:
                study.tell(asked, value)
        assert late is not None
        study.tell(late[0], late[1] + 1.0 if wrong else late[1])
        if wrong:
            study.amend(late[0], value=late[1])
    assert alike(said(studies[0]), said(studies[1]))


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
    assert "in added-15" in optimizer.explain().text
