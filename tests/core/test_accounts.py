"""What is spent and what plays cost, against sums over all rounds as they stand."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from steerbo import CostVarying, Float, Optimizer, Uniform
from steerbo.core import History, Scope
from tests.sizes import examples

PROBLEM = CostVarying([Float("a", 0, 1, law=Uniform()), Float("b", 0, 1, law=Uniform())], [["a"], ["b"]])
COST = st.one_of(st.none(), st.floats(0.01, 1e6))
STEP = st.tuples(st.sampled_from(["tell", "fail", "amend", "void", "add", "mend", "take out", "wait"]), COST)


def _mean(history: History, scope: Scope) -> float | None:
    """Mean of all costs of a scope."""
    known = [r.paid for r in history if r.paid is not None and r.suggestion.scope == scope]
    known += [e.outcome.cost for e in history.data.values() if e.outcome.cost is not None and e.scope == scope]
    return math.fsum(known) / len(known) if known else None


def _apply(optimizer: Optimizer, what: str, cost: float | None) -> None:
    history = optimizer.history
    told = [r.suggestion.token for r in history if r.state == "told"]
    realised = {"a": 0.5, "b": 0.25}
    match what:
        case "tell" | "fail" | "wait" if (suggestion := optimizer.ask()) is not None:
            if what == "tell":
                optimizer.tell(suggestion, 1.0, cost=0.5 if cost is None else cost, realised=realised)
            elif what == "fail":
                optimizer.fail(suggestion, "broke", cost=cost)
        case "amend" if told:
            optimizer.amend(told[-1], 2.0, cost=0.25 if cost is None else cost)
        case "void" if told:
            optimizer.amend(told[0], void=True)
        case "add":
            optimizer.add(1.0, realised, cost=cost, scope=["b"])
        case "mend" if history.data:
            optimizer.amend(next(iter(history.data)), 3.0, cost=0.125 if cost is None else cost)
        case "take out" if history.data:
            optimizer.amend(next(iter(history.data)), void=True)
        case _:
            pass


@settings(deadline=None, max_examples=examples(40))
@given(st.lists(STEP, max_size=10))
def test_sums_are_those_of_all_rounds_as_they_stand(steps: list[tuple[str, float | None]]) -> None:
    optimizer = Optimizer(PROBLEM, "random", seed=0)
    for what, cost in steps:
        _apply(optimizer, what, cost)
        history = optimizer.history
        for scope in PROBLEM.scopes:
            assert history.mean_cost(scope) == _mean(history, scope)
        paid = [r.paid for r in history if r.paid is not None]
        assert history.costs.usual == (math.fsum(paid) / len(paid) if paid else None)
        assert [r for r in history.unresolved if r.waiting] == list(history.waiting)
        assert history.unpriced == sum(r.unpriced for r in history)
