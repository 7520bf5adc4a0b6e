"""Variables that are measured after acting, and data in which something is missing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from steerbo.causal import Causal, CausalGraph
from steerbo.core import Optimizer, load
from steerbo.errors import InvalidOutcome, InvalidProblem
from steerbo.space import Float
from steerbo.study import Study
from steerbo.study.files.export import rounds_csv

GRAPH = CausalGraph.from_text(
    "age -> dose -> pulse -> y; age -> y; weight -> dose; weight -> y",
    target="y",
    intervenable=["dose"],
    contexts=["age"],
)
NAMES = ("dose", "age", "pulse", "weight")
PROBLEM = Causal(GRAPH, [Float(name, 0, 1) for name in NAMES])


def rounds(optimizer: Optimizer, count: int) -> None:
    for k in range(count):
        suggestion = optimizer.ask()
        assert suggestion is not None
        if suggestion.observe:
            suggestion = optimizer.decide(suggestion, {"age": 0.1 * k})
        pulse = {"pulse": 0.2 + 0.1 * k} if k % 2 else {}  # not measured in every round
        optimizer.tell(suggestion, 0.3 * k % 1.0, realised=pulse)


def test_what_is_measured_afterwards_is_recorded_and_shown(tmp_path: Path) -> None:
    assert [PROBLEM.use(PROBLEM.space[name]) for name in NAMES] == [
        "can be set", "can be looked at", "measured afterwards", "measured afterwards",
    ]  # fmt: skip
    optimizer = Optimizer(PROBLEM, seed=0)
    rounds(optimizer, 6)
    assert [played.realised.get("pulse") for played in optimizer.history] == pytest.approx(
        [None, 0.3, None, 0.5, None, 0.7]
    )
    again = load(optimizer.to_json())
    assert again.ask() == optimizer.ask()
    with Study.create(tmp_path / "study.db", PROBLEM, seed=0) as study:
        rounds(study, 3)  # type: ignore[arg-type]
        head, _, second, _ = rounds_csv(PROBLEM, study.history).splitlines()
        assert dict(zip(head.split(","), second.split(","), strict=True))["pulse"].startswith("0.3")


def test_it_changes_no_choice() -> None:
    plain = Causal(GRAPH, [Float(name, 0, 1) for name in ("dose", "age")])
    ours, theirs = Optimizer(PROBLEM, seed=0), Optimizer(plain, seed=0)
    rounds(ours, 6)
    for k in range(6):
        suggestion = theirs.ask()
        assert suggestion is not None
        if suggestion.observe:
            suggestion = theirs.decide(suggestion, {"age": 0.1 * k})
        theirs.tell(suggestion, 0.3 * k % 1.0)
    assert [played.suggestion.values for played in ours.history] == [p.suggestion.values for p in theirs.history]


def test_observations_are_adjusted_for_what_nobody_looks_at_before() -> None:
    """Weight is no context; where it was observed, it closes the back door."""
    optimizer = Optimizer(PROBLEM, "coca-bo", seed=0)
    random = np.random.default_rng(0)
    for k in range(40):
        row = {name: float(random.random()) for name in NAMES}
        lacking = ("weight",) if k % 4 == 0 else ("pulse",) if k % 4 == 1 else ()
        optimizer.add(row["dose"] + row["weight"], {n: v for n, v in row.items() if n not in lacking})
    said = optimizer.explain().summary
    assert "set dose after looking at age (adjusted for weight; 30 of them, the others lack something)" in said
    optimizer.ask()
    assert 30 in [len(model) for model in optimizer._method.models.each]  # type: ignore[attr-defined]
    optimizer.amend("added-1", realised={"weight": 0.4})
    assert "31 of them" in optimizer.explain().summary
    assert Optimizer.replay(PROBLEM, optimizer.events).ask() == optimizer.ask()


def test_what_is_wrong_is_still_named() -> None:
    optimizer = Optimizer(PROBLEM, seed=0)
    with pytest.raises(InvalidOutcome, match="wieght"):
        optimizer.add(1.0, {"dose": 0.1, "wieght": 0.2})
    with pytest.raises(InvalidOutcome):
        optimizer.add(1.0, {})
    with pytest.raises(InvalidOutcome, match="weight"):
        optimizer.add(1.0, {"dose": 0.1, "weight": float("nan")})
    with pytest.raises(InvalidProblem, match="variables: 'y'"):
        Causal(GRAPH, [*PROBLEM.variables, Float("y", 0, 1)])
    with pytest.raises(InvalidProblem, match="seen"):
        Causal(GRAPH, [*PROBLEM.variables[:3], Float("weight", 0, 1, seen=True)])
