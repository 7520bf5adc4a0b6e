"""Rivals of the benchmarks' package keep the contract; they are found by their entry points, as outsiders are."""

from __future__ import annotations

from typing import Any

import pytest

from steerbo.testing import Case, TraitContract, WingContract
from tests.timevarying.cases import box, case

RIVALS: dict[str, dict[str, Any]] = {
    "mle": {"confidence": 2.0},
    "regret-balancing": {},
    "r-gp-ucb": {"prior": 1, "period": 4},
    "sw-gp-ucb": {"prior": 1, "window": 4},
    "w-gp-ucb": {"prior": 1, "discount": 0.8},
}


@pytest.mark.filterwarnings("ignore::steerbo.timevarying.PriorWarning")
class TestContract(WingContract):
    @pytest.fixture(params=RIVALS)
    def world(self, request: pytest.FixtureRequest) -> Case:
        return case(request.param, **RIVALS[request.param])


class TestOnABox(TraitContract):
    case = staticmethod(lambda: case("sw-gp-ucb", box(), prior=0, window=3))
