"""A study's first event: everything that is wrong with it is said at once."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

import steerbo as sb
from steerbo.core import Event
from steerbo.core._creation import created_event
from steerbo.core.events import LARGEST_SEED
from steerbo.errors import InvalidInput, InvalidOption, InvalidProblem
from steerbo.records import from_dict, record, to_dict
from steerbo.space import Learned
from tests.core.stub import Nearest, Stub

PROBLEM = sb.CostVarying([sb.Float("ph", 4, 8, law=sb.Uniform())], [["ph"]])


def made(problem: Any = PROBLEM, method: Any = "random", **more: Any) -> Any:
    settings = {"budget": None, "rounds": 3, "seed": 0, "options": {}} | more
    return created_event(problem, method, **settings)


def test_it_says_all_that_decides_what_comes() -> None:
    created, kind = made(seed=7, budget=2)
    assert (created.method, created.seed, created.budget, created.rounds) == ("random", 7, 2.0, 3)
    assert created.problem == to_dict(PROBLEM)
    assert created.problem_class is None, "one of ours is found by its kind"
    assert {"steerbo", "numpy", "scipy", "blas", "python", "machine"} <= set(created.fingerprint)
    assert kind.name == "random"


def test_options_are_all_logged_also_those_that_were_left_out() -> None:
    created, _ = made(Stub(), Nearest)
    assert created.options == {"step": 0.3}
    assert created.problem_class == "tests.core.stub:Stub"
    assert created.method == "tests.core.stub:Nearest"


@record
class Patience:
    """Options of which one may be none though its default is not."""

    wait: int | None = 5
    other: int | None = None


class Patient(Nearest):
    Options = Patience  # type: ignore[assignment]


@pytest.mark.parametrize("given", [{}, {"wait": None}, {"other": 3}])
def test_an_option_may_be_none_though_its_default_is_not(given: dict[str, Any]) -> None:
    created, _ = made(Stub(), Patient, options=given)
    logged = from_dict(Event, json.loads(json.dumps(to_dict(created, Event))))
    assert from_dict(Patience, logged.options) == Patience(**given)
    assert made()[0].options == {}, "what is none anyway is not written down"


def test_everything_wrong_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        made(method="cheap-first", budget=-1, rounds=0, seed=1.5, options={"betta": 1, "patience": "x"})
    assert [error.field for error in caught.value.errors] == ["betta", "patience", "budget", "rounds", "seed"]
    assert "did you mean 'beta'" in str(caught.value)


@pytest.mark.parametrize(
    ("field", "value"),
    [("budget", v) for v in (0, -1, float("nan"), float("inf"), 1e200, True, "10")]
    + [("rounds", v) for v in (0, -1, 1.5, True, "10")]
    + [("seed", v) for v in (-1, 1.5, True, None, LARGEST_SEED + 1)],
)
def test_limits_and_seeds_that_are_none(field: str, value: object) -> None:
    with pytest.raises(InvalidOption, match=f"^{field}: "):
        made(**{field: value})


def test_the_message_says_which_seeds_there_are() -> None:
    with pytest.raises(InvalidOption, match=r"seed: .* expected a whole number from 0 to 2\*\*128 - 1\."):
        made(seed=LARGEST_SEED + 1)
    with pytest.raises(InvalidOption, match=r"rounds: .* expected a whole number from 1 to 2\*\*53;"):
        made(rounds=2**60)


def test_the_largest_seed_is_one() -> None:
    assert made(seed=LARGEST_SEED)[0].seed == LARGEST_SEED


@pytest.mark.parametrize("options", [None, [], "beta", 3])
def test_options_are_values_by_name(options: object) -> None:
    with pytest.raises(InvalidOption, match=r"^options: .*values by the option's name"):
        made(options=options)


def test_names_that_cannot_be_shown_are_found_wherever_they_are() -> None:
    hidden = sb.Float("p\u202eh", 4, 8, law=sb.Uniform(), unit="\x1b[31m")
    with pytest.raises(InvalidProblem) as caught:
        made(sb.CostVarying([hidden], [["p\u202eh"]]))
    fields = [error.field for error in caught.value.errors]
    assert "problem.variables.0.name" in fields
    assert "problem.variables.0.unit" in fields


def test_a_problem_that_holds_a_function_is_for_memory() -> None:
    prior = sb.Prior(lambda a, b: (a == b.T).astype(float), noise=0.1)
    problem = sb.TimeVarying([sb.Float("x", 0, 1, step=0.1)], [prior])
    assert made(problem, None)[0].problem is None


def test_what_is_no_problem() -> None:
    with pytest.raises(InvalidProblem, match=r"^problem: 3 is not allowed"):
        made(3)


FAR = sb.Float("t", 283, 308, unit="K", law=sb.TruncatedNormal(22, 3))


@pytest.mark.parametrize("learned", [False, True])
def test_a_law_of_another_unit_is_no_law_of_a_new_study(learned: bool) -> None:
    """It was truncated to a point at the lower bound: a mean of 283.03 and a standard deviation of 0.03."""
    variable = replace(FAR, law=Learned(sb.TruncatedNormal(22, 3))) if learned else FAR
    problem = sb.CostVarying([variable, sb.Float("x", 0, 1)], [["x"], ["x", "t"]])
    with pytest.raises(InvalidProblem, match=r"The law is about 22, the bounds are 283 to 308: are both in K\?"):
        made(problem)


def test_a_study_that_began_with_such_a_law_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = sb.CostVarying([FAR, sb.Float("x", 0, 1)], [["x"], ["x", "t"]])
    with monkeypatch.context() as earlier:
        earlier.setattr("steerbo.core._creation.refuse_far_law", lambda variable: None)
        text = sb.Optimizer(problem, rounds=3).to_json()
    assert sb.load(text).ask() is not None


@pytest.mark.parametrize(
    "law",
    [
        sb.TruncatedNormal(280, 3),  # a tail that is meant
        sb.TruncatedNormal(295, 1e9),  # next to uniform
        sb.TruncatedNormal(284, 0.9, moments="truncated"),  # whose parent may be anywhere
    ],
)
def test_laws_that_are_truncated_much_are_allowed(law: Any) -> None:
    made(sb.CostVarying([replace(FAR, law=law), sb.Float("x", 0, 1)], [["x"], ["x", "t"]]))


def test_options_in_a_table_are_written_one_by_one() -> None:
    problem = sb.CostVarying([sb.Float("x", 0, 10)], [["x"]])
    wrong: dict[str, Any] = {"options": {"beta": 0.5}}
    with pytest.raises(InvalidOption, match=r"Write beta=0\.5\."):
        sb.Optimizer(problem, rounds=5, **wrong)
