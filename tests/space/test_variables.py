"""Variables in declarations and in files."""

from __future__ import annotations

from typing import Any

import pytest

from steerbo.errors import InvalidOutcome, InvalidProblem
from steerbo.records import from_dict, record, to_dict
from steerbo.space import Categorical, Float, Integer, Space
from steerbo.space.variables import Variables


@record
class Shelf:
    """A declaration with variables of its own."""

    things: Variables = ()


def test_a_kind_in_a_file_tells_which() -> None:
    shelf = Shelf([Float("x", 0, 1), Integer("n", 1, 3), Categorical("c", ["a", "b"])])
    plain = to_dict(shelf)
    assert [thing["kind"] for thing in plain["things"]] == ["float", "integer", "categorical"]
    assert from_dict(Shelf, plain) == shelf
    assert isinstance(shelf.things, tuple)


@pytest.mark.parametrize("thing", [{"kind": "law"}, {"name": "x"}, 3, Space(())])
def test_what_is_no_variable_is_refused_by_its_place(thing: Any) -> None:
    with pytest.raises(InvalidProblem, match=r"things\.1"):
        Shelf([Float("x", 0, 1), thing])


@pytest.mark.parametrize(
    "given_variables", [[Float("x", 0, 1), Integer("x", 0, 1)], [3], ["x"], [None], 3, {"x": 1}, [{}]]
)
def test_refused(given_variables: Any) -> None:
    with pytest.raises(InvalidProblem, match=r"Space\.variables"):
        Space(given_variables)


def test_errors_in_files_say_where() -> None:
    bad = {"variables": [{"kind": "float", "name": "ph", "low": 4, "high": 8}, {"kind": "flaot", "name": "x"}]}
    with pytest.raises(InvalidProblem, match=r"variables\.1\.kind: 'flaot'.*did you mean 'float'"):
        from_dict(Space, bad)
    with pytest.raises(InvalidProblem, match=r"variables\.0.*ph\.low: 9"):
        from_dict(Space, {"variables": [{"kind": "float", "name": "ph", "low": 9, "high": 8}]})
    with pytest.raises(InvalidProblem, match=r"variables\.0.*colour.*one of name, low"):
        from_dict(Space, {"variables": [{"kind": "float", "name": "ph", "low": 0, "high": 8, "colour": 1}]})


@pytest.mark.parametrize("variable", [Float("heat", 0, 90, unit="°C"), Integer("heat", 0, 90, unit="°C")])
def test_a_number_in_another_unit_is_not_told_to_drop_it(variable: Float | Integer) -> None:
    with pytest.raises(InvalidOutcome, match=r"number in °C\. Write the number alone, in the unit that is expected"):
        variable.check_measured("70 °F")
