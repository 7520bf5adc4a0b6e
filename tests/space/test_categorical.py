from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steerbo.errors import InvalidOutcome, InvalidProblem, InvalidRequest
from steerbo.records import from_dict, to_dict
from steerbo.space import Categorical, Variable

from .strategies import categoricals, choices, few


@few
@given(categoricals())
def test_survives_a_file_with_the_types_of_its_choices(variable: Categorical) -> None:
    again = from_dict(Variable, json.loads(json.dumps(to_dict(variable))))
    assert again == variable
    assert [type(choice) for choice in again.choices] == [type(choice) for choice in variable.choices]


@few
@given(choices)
def test_codes_are_places(given_choices: list[Any]) -> None:
    variable = Categorical("c", given_choices)
    np.testing.assert_array_equal(variable.encode(given_choices), variable.levels)
    assert variable.decode(variable.levels) == given_choices
    for choice in given_choices:
        for check in (variable.check_setting, variable.check_measured):
            assert type(check(choice)) is type(choice)


@few
@given(choices, st.lists(st.floats(-1e6, 1e6), max_size=5))
def test_any_finite_code_is_decoded(given_choices: list[Any], z: list[float]) -> None:
    assert all(value in given_choices for value in Categorical("c", given_choices).decode(z))


@pytest.mark.parametrize(
    "given_choices", [[], ["a"], ["a", "a"], [1, True], [1, 1.0], [0, False, "x"], ["a", ""], ["a", " "]]
)
def test_choices_that_are_refused(given_choices: list[Any]) -> None:
    with pytest.raises(InvalidProblem, match=r"c\.choices"):
        Categorical("c", given_choices)


@pytest.mark.parametrize("value", ["d", 1, True, None, float("nan"), [], {}, "A"])
def test_unknown_choices(value: Any) -> None:
    variable = Categorical("line", ["a", "b", "c"])
    with pytest.raises(InvalidRequest, match=r"line: .*one of a, b, c"):
        variable.check_setting(value)
    with pytest.raises(InvalidOutcome, match=r"line: .*one of a, b, c"):
        variable.check_measured(value)
    with pytest.raises(InvalidOutcome, match=r"line: .*one of a, b, c"):
        variable.encode(["a", value])


def test_types_matter() -> None:
    with pytest.raises(InvalidRequest, match="Mind the type"):
        Categorical("c", ["1", "2"]).check_setting(1)
    with pytest.raises(InvalidRequest, match="one of True, False"):
        Categorical("c", [True, False]).check_setting(1)
    assert Categorical("c", [1, 2]).check_setting(np.float64(2.0)) == 2


def test_numpy_values() -> None:
    variable = Categorical("c", ["a", "b"])
    assert variable.encode(np.array(["b", "a"])).tolist() == [1, 0]
    assert type(variable.check_setting(np.str_("a"))) is str


@pytest.mark.parametrize("z", [[float("nan")], ["a"], [[1]]])
def test_decoding_refuses_rubbish(z: Any) -> None:
    with pytest.raises(InvalidProblem, match="encoded values"):
        Categorical("c", ["a", "b"]).decode(z)
