"""Every method of the wing keeps the round protocol, on a graph with one look and on one with two."""

from __future__ import annotations

import pytest

from steerbo.causal import Causal
from steerbo.errors import OutOfRangeWarning
from steerbo.space import Float
from steerbo.testing import Case, TraitContract, WingContract
from tests.causal.published import FIGURE_1
from tests.causal.worlds import STAGED, evaluate, figure, look, priced, staged, traded


class TestCoCaBO(WingContract):
    case = staticmethod(lambda: figure("coca-bo", initial=2))


class TestTwoLooks(TraitContract):
    case = staticmethod(lambda: staged("coca-bo", initial=2))


class TestPrices(WingContract):
    case = staticmethod(lambda: priced(FIGURE_1, ("x1", "x2", "c"), {"x1": 1, "x2": 2, "c": 0.5}, initial=1))


class TestPricesInStages(TraitContract):
    """What is set affects what is looked at, and different actions see different things."""

    case = staticmethod(lambda: priced(STAGED, ("dose", "rest", "age", "pulse"), {"dose": 1, "pulse": 0.5}, initial=1))


class TestPricesNotMeasured(TraitContract):
    """Contexts that are not looked at are not measured either."""

    case = staticmethod(
        lambda: Case(
            Causal(FIGURE_1, [Float(n, -1, 1) for n in ("x1", "x2", "c")], prices={"x1": 1, "c": 2}, base=1),
            "cheap-first",
            evaluate,
            look,
            added={"x1": 0.1, "x2": 0.3, "c": -0.2},
            options={"initial": 1},
            rounds=8,
        )
    )


class TestPricesBlind(TraitContract):
    case = staticmethod(lambda: priced(FIGURE_1, ("x1", "x2", "c"), {"x1": 1, "c": 0.5}, "coca-bo", initial=2))


class TestCaBO(WingContract):
    case = staticmethod(lambda: figure("cabo", initial=1))


class TestCoBO(WingContract):
    case = staticmethod(lambda: staged("cobo", kernel="matern-3/2", initial=2))


class TestWithoutContext(WingContract):
    case = staticmethod(lambda: staged("coca-bo-no-context", initial=2))


class TestRandom(WingContract):
    case = staticmethod(lambda: figure("random"))


class TestSeveralOutcomes(TraitContract):
    case = staticmethod(traded)


def test_there_are_two_looks() -> None:
    case = staged("coca-bo")
    optimizer = case.start()
    suggestion = optimizer.ask()
    assert suggestion is not None
    assert (suggestion.observe, set(suggestion.values)) == (("age",), set())
    suggestion = optimizer.decide(suggestion, {"age": "old"})
    assert (suggestion.observe, set(suggestion.values)) == (("pulse",), {"dose"})
    with pytest.warns(OutOfRangeWarning, match="pulse = 7"):  # far outside its box: welcome, and said
        suggestion = optimizer.decide(suggestion, {"pulse": 7.0})
    assert (suggestion.observe, set(suggestion.values)) == ((), {"dose", "rest"})
