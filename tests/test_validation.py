"""All that is wrong, at once."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

import steerbo as sb
from steerbo._validation import collecting_errors
from steerbo.errors import InvalidInput, InvalidOption, SteerboError, combine
from steerbo.records import from_dict, record


@record
class Round:
    kind: Literal["round"] = "round"
    size: int = Field(1, ge=1, lt=10)


@record
class Square:
    side: float
    kind: Literal["square"] = "square"


@record
class Shapes:
    shapes: list[Annotated[Round | Square, Field(discriminator="kind")]]
    colour: Literal["red", "blue"] = "red"


def faults(plain: object) -> dict[str, str]:
    with pytest.raises(InvalidInput) as caught:
        from_dict(Shapes, plain)
    return {fault.field: fault.allowed for fault in caught.value.errors}


def test_every_fault_once_with_its_place() -> None:
    found = faults({"shapes": [{"kind": "round", "size": 0}, {"kind": "square"}, 3], "colour": "green"})
    assert found["Shapes.shapes.0.size"] == "a number not below 1"
    assert found["Shapes.shapes.1.side"] == "this field to be given"
    assert found["Shapes.colour"] == "'red' or 'blue'"
    assert len(found) == 4


def test_an_unknown_kind_and_a_mistyped_name_are_guessed() -> None:
    assert faults({"shapes": [{"kind": "sqare"}]}) == {
        "Shapes.shapes.0.kind": "one of round, square (did you mean 'square'?)"
    }
    (allowed,) = faults({"shapes": [{"kind": "square", "sied": 1}]}).values()
    assert allowed == "one of side, kind (did you mean 'side'?)", "the missing field is not complained of as well"


def test_attempts_collect_what_is_wrong() -> None:
    wrong: list[InvalidInput] = []

    def refuse() -> int:
        raise combine([InvalidOption("seed", -1, "0 or more"), InvalidOption("rounds", 0, "1 or more")])

    assert collecting_errors(wrong, lambda: 3) == 3
    assert collecting_errors(wrong, refuse) is None
    assert [error.field for error in wrong] == ["seed", "rounds"]


def test_other_errors_are_not_collected() -> None:
    with pytest.raises(ZeroDivisionError):
        collecting_errors([], lambda: 1 // 0)


ANY: Any = sb  # what a type checker would have said, too
V = [sb.Float("t", 10, 35, law=sb.Uniform()), sb.Float("ph", 4, 8, law=sb.Uniform())]
SETS = [["t"], ["t", "ph"]]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: ANY.CostVarying(V, SETS, tolerance=0.1),
            'a Fraction, Absolute or Threshold, in a file \\{ kind = "fraction", share = … \\}',
        ),
        (lambda: ANY.Float("t", 0, 1, change=5), r"a SwitchingCost, in a file \{ fixed = …, per_unit = … \}"),
        (lambda: ANY.TimeVarying(V, [0.1]), r"a Prior, in a file \{ kernel = …, "),
        (lambda: ANY.Prior("matern"), "a SquaredExponential, Matern or Covariance, in a file "),
        (lambda: ANY.Causal("a -> y", V), r"a CausalGraph, in a file \{ directed = …, "),
        (lambda: ANY.LinearConstraint("t", at_most=1), r"values by name, such as \{'ph': 1\}"),
        (lambda: ANY.CostVarying(V, "t"), r"a list\. Put it into brackets"),
        (lambda: ANY.CostVarying(V[0], SETS), r"a list\. Put it into brackets"),
        (lambda: ANY.CausalGraph([("a", "b", "c")], target="b", intervenable=["a"]), "a list of at most 2"),
        (lambda: ANY.Integer("n", 1, 3, step=2), "It takes all whole numbers; for others use a Float with a step"),
        (lambda: ANY.CostVarying(V, SETS, maximize=True), "Larger values are better unless minimize is true"),
        (lambda: ANY.TimeVarying([]), "at least one variable that can be set"),
        (
            lambda: ANY.Optimizer(ANY.CostVarying(V, SETS), bugdet=3),
            "one of beta, patience, alike. Did you mean 'budget'",
        ),
        (lambda: ANY.Optimizer(ANY.CostVarying(V, SETS), "random", beta=2), "nothing: 'random' has no options"),
        (lambda: ANY.Optimizer(ANY.CostVarying(V, SETS), "coca-bo"), "That is a method for causal problems"),
        (lambda: ANY.Optimizer(ANY.CostVarying(V, SETS)).tell(None, 1.0), "None is no suggestion: .* is finished"),
    ],
)
def test_what_newcomers_get_wrong_is_answered_by_what_is_right(call: Any, said: str) -> None:
    with pytest.raises(SteerboError, match=said):
        call()
