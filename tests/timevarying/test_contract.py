"""Every method passes the contract on sites; on a box, and with every drift, the part that these can break."""

from __future__ import annotations

import pytest

from steerbo.testing import Case, TraitContract, WingContract
from tests.timevarying.cases import METHODS, OTHERS, case, traded


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


class TestSeveralOutcomes(TraitContract):
    @pytest.fixture
    def world(self) -> Case:
        return traded()
