from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steerbo.errors import InvalidOutcome, InvalidProblem, InvalidRequest
from steerbo.records import from_dict, identity, to_dict
from steerbo.space import Categorical, Float, Integer, Space

from .strategies import few, settable, spaces

SPACE = Space([Float("ph", 4, 8), Integer("plants", 1, 12), Categorical("line", ["a", "b", "c"])])


@few
@given(spaces)
def test_survives_a_file(space: Space) -> None:
    again = from_dict(Space, json.loads(json.dumps(to_dict(space))))
    assert again == space == pickle.loads(pickle.dumps(space))
    assert hash(again) == hash(space)
    assert identity(again) == identity(space)


@few
@given(st.data(), spaces, st.integers(0, 4))
def test_rows_survive_encoding(data: st.DataObject, space: Space, n: int) -> None:
    rows = [{variable.name: data.draw(settable(variable)) for variable in space} for _ in range(n)]
    Z = space.encode(rows)
    assert Z.shape == (n, space.dimension)
    again = space.encode(space.decode(Z))
    np.testing.assert_allclose(again, Z, atol=1e-9)
    for row in space.decode(Z):
        assert space.check_settings(row, space.names).keys() == row.keys()
        assert space.check_measured(row, space.names) == row


def test_columns_are_the_variables_own() -> None:
    random = np.random.default_rng(0)
    rows = SPACE.decode(random.random((50, 3)) * [1, 1, 3])
    for column, variable in enumerate(SPACE):
        np.testing.assert_array_equal(
            SPACE.encode(rows)[:, column], variable.encode([row[variable.name] for row in rows])
        )


def test_looking_up() -> None:
    assert SPACE.names == ("ph", "plants", "line")
    assert len(SPACE) == SPACE.dimension == 3
    assert SPACE.categorical.tolist() == [False, False, True]
    assert SPACE["line"] is SPACE.variables[2]
    assert SPACE.index("plants") == 1
    assert "ph" in SPACE
    assert SPACE.subset(["line", "ph"]).names == ("line", "ph")
    with pytest.raises(InvalidProblem, match="did you mean 'plants'"):
        SPACE.index("plant")


def test_a_space_without_variables() -> None:
    empty = SPACE.subset([])
    assert empty.encode([{}, {}]).shape == (2, 0)
    assert empty.decode(np.empty((2, 0))) == [{}, {}]
    assert empty.categorical.dtype == bool


def test_checks_take_exactly_the_names() -> None:
    assert SPACE.check_settings({"line": "a", "ph": 5}, ["ph", "line"]) == {"ph": 5.0, "line": "a"}
    with pytest.raises(InvalidRequest, match=r"plnts: .*did you mean 'plants'"):
        SPACE.check_settings({"plnts": 5}, ["ph"])
    with pytest.raises(InvalidRequest, match="'ph' is missing"):
        SPACE.check_settings({}, ["ph"])
    with pytest.raises(InvalidOutcome, match=r"plants: 3 .*values for one of ph"):
        SPACE.check_measured({"ph": 5, "plants": 3}, ["ph"])
    with pytest.raises(InvalidOutcome, match="by variable name"):
        SPACE.check_measured([5], ["ph"])  # type: ignore[arg-type]
    with pytest.raises(InvalidOutcome, match="ph: nan"):
        SPACE.check_measured({"ph": float("nan")}, ["ph"])
    assert SPACE.check_measured({"ph": 99}, ["ph"]) == {"ph": 99.0}
    with pytest.raises(InvalidRequest, match="ph: 99"):
        SPACE.check_settings({"ph": 99}, ["ph"])


def test_encoding_names_what_is_missing() -> None:
    with pytest.raises(InvalidOutcome, match=r"line: .*a value in every row"):
        SPACE.encode([{"ph": 5, "plants": 1}])


@pytest.mark.parametrize("Z", [np.zeros(3), np.zeros((1, 2)), np.zeros((1, 3, 1)), np.full((1, 3), np.nan)])
def test_decoding_refuses_other_shapes(Z: Any) -> None:
    with pytest.raises(InvalidProblem):
        SPACE.decode(Z)
