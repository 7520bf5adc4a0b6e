"""Priors that are refused or cannot be written."""

from __future__ import annotations

import pytest

from steerbo import Float, Optimizer, Prior, TimeVarying
from steerbo.errors import InvalidProblem
from tests.timevarying.cases import SMOOTH


def test_functions_are_fine_in_memory_and_refused_by_files() -> None:
    problem = TimeVarying([Float("x", 0, 1)], [Prior(SMOOTH, mean=lambda X: X[:, 0])])
    optimizer = Optimizer(problem, "random")
    optimizer.tell(optimizer.ask(), 1.0)
    with pytest.raises(InvalidProblem):
        optimizer.to_json()
