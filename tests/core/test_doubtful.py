"""What answers say of themselves, and what `status` says of settings that are never reached."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Optimizer, Problem, Recommendation, good_enough, reason
from steerbo.core._doubtful import _near, against, is_beyond, mean_if_right
from steerbo.core._implausible import unreached
from steerbo.page.view import advice_card

SQUARE = [sb.Float("x", 0, 1), sb.Float("y", 0, 1)]


def cost_varying(variables: list[Any] = SQUARE) -> Problem:
    return sb.CostVarying(variables, [["x", "y"]])


def time_varying() -> Problem:
    return sb.TimeVarying(SQUARE)


def causal() -> Problem:
    graph = sb.CausalGraph.from_text("x -> out; y -> out", target="out", intervenable=["x", "y"])
    return sb.Causal(graph, SQUARE)


KINDS = [cost_varying, time_varying, causal]


def play(
    problem: Problem,
    rounds: int,
    *,
    fails: Callable[[dict[str, float]], float] = lambda v: 0.0,
    reach: Callable[[dict[str, float]], dict[str, float]] = lambda v: v,
    noise: float = 0.1,
) -> Optimizer:
    """Play a function that rises with x and has its best y at 0.4."""
    optimizer, random = Optimizer(problem, rounds=rounds, seed=1), np.random.default_rng(1)
    while (asked := optimizer.ask()) is not None:
        if random.random() < fails(asked.values):
            optimizer.fail(asked, "broke")
            continue
        done = reach(asked.values)
        value = 10 * done["x"] - 8 * (done["y"] - 0.4) ** 2 + noise * random.standard_normal()
        optimizer.tell(asked, value, realised=done)
    return optimizer


def named_by(minimize: bool, **other: Any) -> list[str]:
    """Scopes named as perhaps good enough beside an answer of cost 4 that has to come to 5 or beyond."""
    problem = sb.CostVarying(SQUARE, [["x", "y"]], minimize=minimize)
    enough = good_enough(5.0, minimize, ["x + y"])
    told = {"mean": 4.0, "lower": 2.0, "upper": 6.0, "cost": 1.0, **other}
    beside = Recommendation(sb.core.Scope(["x"]), {}, **told)
    answer = Recommendation(sb.core.Scope(["x", "y"]), {}, 5.5, 4.0, 7.0, 4.0, (enough,), alternatives=(beside,))
    found = against(problem, Optimizer(problem).history, answer, works=None, doubted=())
    return [name for each in found for name in each.values["scopes"]]


@pytest.mark.parametrize(
    ("minimize", "other", "named"),
    [
        (False, {}, ["x"]),
        (False, {"upper": 4.9}, []),
        (True, {}, ["x"]),
        (True, {"lower": 5.1, "mean": 5.5}, []),
        (False, {"cost": 4.0}, []),
        (False, {"cost": None}, []),
        (False, {"lower": None, "upper": None}, []),
        (False, {"reasons": (reason("none-keeps"),)}, []),
        (False, {"context": {"y": 0.5}}, []),
    ],
)
def test_cheaper_scopes_that_may_do_are_named(minimize: bool, other: dict[str, Any], named: list[str]) -> None:
    """As dear ones, those of unknown cost or without bounds, and what is compared elsewhere are not."""
    assert named_by(minimize, **other) == named


def test_an_answer_at_a_place_that_fails_in_half_of_the_plays_says_so() -> None:
    """Below it all plays work: luck is no explanation."""
    optimizer = play(cost_varying(), 30, fails=lambda v: 0.6 * (v["x"] > 0.6))
    advice = optimizer.recommend()
    assert advice.values["x"] > 0.6
    assert "% of rounds: the expected value counts only rounds that work" in advice.why


@pytest.mark.parametrize("kind", KINDS)
def test_what_fails_in_half_of_the_plays_is_said_everywhere(kind: Callable[[], Problem]) -> None:
    """In the text, by the policy, and on the page; alternatives say nothing of it."""
    optimizer = play(kind(), 30, fails=lambda v: 0.5)
    advice = optimizer.recommend()
    assert "works in about" in advice.why
    assert "works in about" in optimizer.policy().why
    assert "works in about" in str(advice)
    assert "orks in about" in advice_card(optimizer, advice, optimizer.explain()).why
    assert not any("works in" in other.why for other in advice.alternatives)
    assert Optimizer.replay(optimizer.problem, optimizer.events).recommend() == advice


@pytest.mark.parametrize("kind", KINDS)
def test_where_plays_work_or_failures_are_few_nothing_is_said(kind: Callable[[], Problem]) -> None:
    """What fails far away from the answer says nothing of it."""
    assert not play(kind(), 16).recommend().why.count("works in")
    assert not play(kind(), 24, fails=lambda v: float(v["x"] < 0.2)).recommend().why.count("works in")


def test_probabilities_are_rounded() -> None:
    assert "about 40 %" in reason("works-seldom", probability=0.41).text
    assert "less than 5 %" in reason("works-seldom", probability=0.01).text


def test_plays_that_nearly_all_work_are_no_reason_to_doubt() -> None:
    problem = cost_varying()
    answer = Recommendation(sb.core.Scope(["x", "y"]), {"x": 0.5, "y": 0.5}, mean=1.0)
    for works in (None, 0.96):
        assert not [*against(problem, Optimizer(problem).history, answer, works=works, doubted=())]


@pytest.mark.parametrize("kind", KINDS)
def test_an_actuator_that_saturates_is_noticed(kind: Callable[[], Problem]) -> None:
    optimizer = play(kind(), 20, reach=lambda v: {**v, "x": min(v["x"], 0.6)})
    said = str(optimizer.status)
    assert "x was to be set to " in said
    assert "never got above 0.6: if it cannot get there, begin a new study with bounds that can be reached." in said
    assert "y was to be set" not in said
    (found,) = optimizer.status.findings
    assert (found.kind, found.where) == ("unreached", "x")
    assert optimizer.explain().findings == (found,)


def test_actuators_that_scatter_or_lag_a_little_are_not_noticed() -> None:
    """Five hundredths of the range either way, and four too little."""
    random = np.random.default_rng(0)
    near = play(cost_varying(), 24, reach=lambda v: {n: x + 0.05 * random.standard_normal() for n, x in v.items()})
    less = play(cost_varying(), 24, reach=lambda v: {**v, "x": 0.96 * v["x"]})
    assert not [*unreached(near.problem, near.history)]
    assert not [*unreached(less.problem, less.history)]


def test_what_is_too_low_to_be_reached_is_noticed_with_its_unit() -> None:
    problem = sb.CostVarying([sb.Float("x", 0, 100, unit="°C"), sb.Categorical("k", ["a", "b"])], [["x", "k"]])
    optimizer = Optimizer(problem, "random", seed=0)
    for _ in range(16):
        asked = optimizer.ask()
        optimizer.tell(asked, 1.0 + asked.values["x"], realised={"x": max(asked.values["x"], 97.0)})
    assert "rounds that set it, and never got below 97 °C: if it cannot" in str(*unreached(problem, optimizer.history))


def test_an_expected_value_far_beyond_all_outcomes_is_a_guess() -> None:
    """Disasters do not stretch the range by which that is judged."""
    assert is_beyond(53.9, np.array([-1000.0, -1000.0, 5.0, 6.0, 7.0, 7.6]))
    assert not is_beyond(8.0, np.array([-1000.0, -1000.0, 5.0, 6.0, 7.0, 7.6]))
    assert is_beyond(10.0, np.array([1.0, 2.0])), "of few outcomes, too"
    assert not is_beyond(5.0 + 1e-9, np.array([5.0]))
    assert not is_beyond(10.0001, np.array([0.0, *[10.0] * 9])), "nothing to speak of"


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_guess_is_said_in_the_answer(sign: float) -> None:
    """A line that rises to a corner that was never played: past data end far from it."""
    problem = sb.CostVarying([sb.Float("x", 0, 1)], [["x"]], minimize=sign < 0)
    optimizer = Optimizer(problem, seed=0)
    for x in np.linspace(0, 0.3, 8):
        optimizer.add(sign * 10 * float(x), {"x": float(x)})
    advice = optimizer.recommend()
    assert advice.values["x"] > 0.5
    assert "no outcome was nearly as good: this is a guess" in advice.why


def test_outcomes_that_are_taken_for_wrong_and_are_worse_are_named_where_the_answer_is() -> None:
    problem = sb.CostVarying([sb.Float("x", 0, 1)], [["x"]])
    optimizer, random = Optimizer(problem, seed=0), np.random.default_rng(0)
    for x in [*np.linspace(0, 1, 21)]:
        optimizer.add(-8 * float(x - 0.6) ** 2 + 0.05 * random.standard_normal(), {"x": float(x)})
    assert "looks wrong" not in optimizer.recommend().why
    wrong = optimizer.history.next_data
    optimizer.add(-50.0, {"x": 0.63})
    said = (
        "1 of 5 outcomes near it looks wrong and is worse than all others there (-50): if it is right, expect about -10"
    )
    assert said in optimizer.recommend().why
    optimizer.amend(wrong, realised={"x": 0.1})
    assert "looks wrong" not in optimizer.recommend().why, "it is far away"


def test_of_a_loss_the_largest_outcomes_are_worse() -> None:
    then = -mean_if_right(-1.0, [-50.0, -60.0], 10)
    said = reason("worse-outcomes", number=2, near=10, low=50.0, high=60.0, mean=then).text
    assert said.endswith("(50 to 60): if they are right, expect about 12")


def with_losses(problem: Problem, lost: list[tuple[float, float]]) -> Optimizer:
    """A study of 30 data of a hill, and some that are 60 below it."""
    optimizer, random = Optimizer(problem, seed=0), np.random.default_rng(0)
    scope = ["x", "y"] if isinstance(problem, sb.Causal) else None
    for k, (x, y) in enumerate([*random.random((30, 2)), *lost]):
        value = 10 - 8 * ((x - 0.7) ** 2 + (y - 0.3) ** 2) + 0.1 * random.standard_normal()
        optimizer.add(value - 60.0 * (k >= 30), {"x": float(x), "y": float(y)}, scope=scope)
    return optimizer


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_expected_if_bad_outcomes_are_right_is_said(kind: Callable[[], Problem]) -> None:
    optimizer = with_losses(kind(), [(0.7, 0.3)])
    near = r"1 of [0-9] outcomes near it looks wrong and is worse than all others there .-50.03.: if it is right"
    assert re.search(near + ", expect about -[0-9]+", str(optimizer.recommend()))
    optimizer.ask()
    there = "wrong is bad: if it is right, expect worse near it; an answer near it says how much."
    assert there in str(optimizer.status)
    assert there in optimizer.explain().text


def test_it_is_said_where_others_as_bad_are_believed_elsewhere() -> None:
    optimizer = with_losses(cost_varying(), [(0.0, 0.0), (0.0, 0.0), (0.7, 0.3)])
    assert re.search("1 of [0-9] outcomes near it looks wrong", optimizer.recommend().why)


def test_another_choice_is_far_away_though_choices_are_numbers() -> None:
    problem = sb.CostVarying([sb.Categorical("nozzle", [1, 2, 3]), sb.Float("x", 0, 1)], [["nozzle", "x"]])
    assert _near(problem.space, {"nozzle": 2, "x": 0.5}, {"nozzle": 2.0, "x": 0.6})
    assert not _near(problem.space, {"nozzle": 2, "x": 0.5}, {"nozzle": 3, "x": 0.5})


def test_an_answer_that_is_asked_for_again_is_not_judged_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a thousand failures that takes a second, and pages and pictures ask for it several times."""
    optimizer, judged = play(cost_varying(), 12, fails=lambda v: 0.5), list[object]()
    kind = type(optimizer._method)
    of_plays = kind.success_probability

    def counted(*given: Any) -> float | None:
        judged.append(given)
        return of_plays(*given)

    monkeypatch.setattr(kind, "success_probability", counted)
    assert optimizer.recommend() == optimizer.recommend()
    assert len(judged) == 1
    optimizer.add(1.0, {"x": 0.5, "y": 0.5})
    optimizer.recommend()
    assert len(judged) == 2


def test_past_outcomes_are_not_read_where_settings_are_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    """`status` is asked for after each outcome: of thousands it takes no longer."""
    optimizer = play(cost_varying(), 12)
    monkeypatch.setattr(type(optimizer.history), "outcomes", None)
    assert not [*unreached(optimizer.problem, optimizer.history)]
