"""Columns of a table of rounds."""

from __future__ import annotations

import pytest

import steerbo as sb
from steerbo.study.files.export import OWN, column, columns_of
from steerbo.timevarying import SquaredExponential


def test_no_variable_s_column_is_taken_for_another() -> None:
    """Also where variables are called as our own columns are."""
    law = sb.Uniform()
    problem = sb.CostVarying([sb.Float(name, 0, 1, law=law) for name in OWN], [["cost"]])
    names = columns_of(problem)
    assert len(set(names)) == len(names) == 2 * len(OWN)
    assert [name for name in names if name.startswith("variable ")] == [f"variable {name}" for name in OWN]


@pytest.mark.parametrize("name", ["ph", "variable", "Cost", "cost "])
def test_other_names_stay(name: str) -> None:
    assert column(name) == name


def test_the_scope_is_a_column_where_it_has_a_price() -> None:
    priced = sb.CostVarying([sb.Float("ph", 4, 8, law=sb.Uniform())], [["ph"]])
    drifting = sb.TimeVarying([sb.Float("ph", 4, 8)], [sb.Prior(SquaredExponential(0.2), noise=0.1)])
    assert columns_of(priced) == ("token", "round", "state", "value", "cost", "charged", "scope", "ph", "reason")
    assert "scope" not in columns_of(drifting)
