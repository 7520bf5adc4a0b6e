"""Every method passes the contract on sites; on a box, and with every drift, the part that these can break."""

from __future__ import annotations

from typing import Any

import pytest

from steerbo.testing import Case, TraitContract, WingContract
from tests.timevarying.cases import box, case, mixed

METHODS: dict[str, dict[str, Any]] = {
    "prior-elimination": {},
    "tempered-elimination": {},
    "switching-elimination": {},
    "fully-bayesian": {},
    "gp-ucb": {"prior": "hill at 0.5"},
    "et-gp-ucb": {"prior": 1, "delta_b": 0.99},
    "random": {},
}
OTHERS = {
    "box, elimination": lambda: case("prior-elimination", box()),
    "box, switching": lambda: case("switching-elimination", box(), switch_every=20.0),
    "box, averaged": lambda: case("fully-bayesian", box(), confidence=1.5),
    "box, event": lambda: case("et-gp-ucb", box(), prior=0, delta_b=0.99),
    "every drift": lambda: case("tempered-elimination", mixed(), on_exhausted="restart"),
}


@pytest.mark.filterwarnings("ignore::steerbo.timevarying.PriorWarning")
class TestContract(WingContract):
    @pytest.fixture(params=METHODS)
    def world(self, request: pytest.FixtureRequest) -> Case:
        return case(request.param, **METHODS[request.param])


@pytest.mark.filterwarnings("ignore::steerbo.timevarying.PriorWarning")
class TestOthers(TraitContract):
    @pytest.fixture(params=OTHERS)
    def world(self, request: pytest.FixtureRequest) -> Case:
        return OTHERS[request.param]()
