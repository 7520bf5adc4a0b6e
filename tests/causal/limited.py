"""A dose whose strain is limited: learned, and kept to."""

from __future__ import annotations

from typing import Any

import numpy as np

import steerbo as sb
from steerbo.core import Suggestion
from steerbo.testing import Case

LIMIT = sb.OutcomeConstraint("strain", at_most=1.0, probability=0.9)


GRAPH = sb.CausalGraph.from_text("age -> dose -> y; age -> y", target="y", intervenable=["dose"])


VARIABLES = [sb.Float("dose", 0, 1), sb.Float("age", 0, 1)]


def problem(limit: sb.OutcomeConstraint = LIMIT, **more: Any) -> sb.Causal:
    return sb.Causal(GRAPH, VARIABLES, limits=[limit], **more)


def look(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    return {name: float(random.random()) for name in suggestion.observe}


def evaluate(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    """The more, the better, and the old bear less of it."""
    dose, age = suggestion.values.get("dose", 0.3), suggestion.context.get("age", float(random.random()))
    strain = 1.3 * dose + 0.4 * age + 0.05 * random.normal()
    value = dose + 0.05 * random.normal()
    return {"value": float(value), "realised": {"dose": dose, "age": age, "strain": float(strain)}}


def played(of: sb.Causal, rounds: int, seed: int = 0, **request: Any) -> tuple[sb.Optimizer, list[float]]:
    optimizer, random, strains = sb.Optimizer(of, seed=seed), np.random.default_rng(seed), []
    for _ in range(rounds):
        asked = optimizer.ask(**request)
        assert asked is not None
        decided = optimizer.decide(asked, look(asked, random)) if asked.observe else asked
        outcome = evaluate(decided, random)
        strains.append(outcome["realised"]["strain"])
        optimizer.tell(decided, **outcome)
    return optimizer, strains


def case() -> Case:
    """A dose within a sum and a measured limit, after a look at most."""
    limits: list[Any] = [LIMIT, sb.LinearConstraint({"dose": 1, "age": 0.5}, at_most=1.2)]
    of, added = sb.Causal(GRAPH, VARIABLES, limits=limits), {"dose": 0.5, "age": 0.3}
    return Case(of, "coca-bo", evaluate, look, added=added, options={"initial": 2}, rounds=7)
