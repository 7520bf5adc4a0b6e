"""No choice may break a limit, whoever makes it; an explanation says what room is left."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any, ClassVar, Literal

import numpy as np
import pytest

import steerbo as sb
from steerbo._evidence import ALPHA
from steerbo.causal.coca_bo import CoCaBO
from steerbo.core._constraints import evidence_of_more, limits_broken, within_limits
from steerbo.costvarying.baselines import Random
from steerbo.errors import InvalidProblem, LimitBroken, SteerboError
from steerbo.extending import (
    Choice,
    ConstrainedProblem,
    Explanation,
    Limits,
    Method,
    Problem,
    Recommendation,
    Space,
    record,
)
from tests.costvarying.worlds import Scripted

PROBLEM = sb.CostVarying(
    [sb.Float("a", 0, 5), sb.Float("b", 0, 5)],
    [["a", "b"]],
    limits=[sb.LinearConstraint({"a": 1, "b": 2}, at_most=6), sb.LinearConstraint({"a": 1}, at_least=1)],
)


class Blind(Random):
    """Knows of no limits."""

    def choose(self, request: Any) -> Any:
        return dataclasses.replace(super().choose(request), values={"a": 5.0, "b": 5.0})


def test_a_method_that_knows_of_no_limits_is_stopped_before_anything_is_logged() -> None:
    optimizer = sb.Optimizer(PROBLEM, Blind)
    with pytest.raises(LimitBroken, match=r"random chose .* breaks a limit of the problem: a \+ 2 b at most 6"):
        optimizer.ask()
    assert not len(optimizer.history)


@pytest.mark.parametrize("wanted", [["a"], ["a", "b"]])
def test_a_method_that_knows_of_no_budget_spends_no_more_than_there_is(wanted: list[str]) -> None:
    problem = sb.CostVarying(
        [sb.Float("a", 0, 1), sb.Float("b", 0, 1, law=sb.Uniform())], [["a"], ["a", "b"]], costs=[1, 3]
    )
    study = sb.Optimizer(
        problem, Scripted, budget=5.5, plays=[dict.fromkeys(names, 0.5) for names in (["a", "b"], *[wanted] * 3)]
    )
    study.tell(study.ask(), 1.0)
    assert [str(scope) for scope in problem.affordable(study.history)] == ["a"]
    if wanted == ["a", "b"]:
        with pytest.raises(LimitBroken, match=r"scripted chose .*, which costs 3, and 2\.5 is left of the budget"):
            study.ask()
        return
    for _ in range(2):
        study.tell(study.ask(), 1.0, realised={"b": 0.5})
    assert study.ask() is None
    assert study.status.finished == "no play fits into what is left of the budget"


class BlindLater(CoCaBO):
    """Looks, and then knows of no limits."""

    def decide(self, pending: Any, context: Any) -> Any:
        return dataclasses.replace(super().decide(pending, context), values={"a": 5.0})


def test_what_is_set_after_a_look_is_checked_too_and_what_nature_broke_is_nobodys_fault() -> None:
    graph = sb.CausalGraph.from_text("c -> a; c -> y; a -> y", target="y", intervenable=["a"])
    limits = [sb.LinearConstraint({"a": 1, "c": 1}, at_most=5)]
    problem = sb.Causal(graph, [sb.Float("a", 0, 5), sb.Float("c", 0, 4)], limits=limits)
    optimizer = sb.Optimizer(problem, BlindLater)
    suggestion = optimizer.ask()
    assert suggestion is not None
    with pytest.raises(LimitBroken, match=r"coca-bo chose .* breaks a limit of the problem: a \+ c at most 5"):
        optimizer.decide(suggestion, {"c": 1.0})
    assert optimizer.history[suggestion.token].suggestion.observe == ("c",)
    within_limits(problem, "coca-bo", {}, {"a": 4.0, "c": 4.0})


def test_an_explanation_says_what_room_is_left() -> None:
    optimizer = sb.Optimizer(PROBLEM, rounds=9, seed=0)
    for _ in range(9):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, suggestion.values["a"] + suggestion.values["b"])
    why, best = optimizer.explain(), optimizer.recommend().values
    assert "The recommendation is at a limit: a + 2 b at most 6." in str(why)
    (first, second) = why.tables[-1].rows
    assert first == ("a + 2 b at most 6", pytest.approx(0, abs=1e-6), True)
    assert second == ("a at least 1", pytest.approx(best["a"] - 1), False)


def test_without_limits_nothing_is_said_of_them() -> None:
    optimizer = sb.Optimizer(dataclasses.replace(PROBLEM, limits=None), rounds=9)
    assert "limit" not in str(optimizer.explain())


@record
class Ward(Problem):
    """A kind of problem from elsewhere, with limits."""

    limits: Limits | None = None
    minimize: bool = False
    kind: Literal["ward"] = "ward"

    @property
    def space(self) -> Space:
        return Space((sb.Float("dose", 0, 10), sb.Float("rest", 0, 10)))


class Bold(Method[Any, Any]):
    """Keeps to limits in what it suggests, and forgets them in what it answers."""

    name: ClassVar[str] = "bold"
    advice = Recommendation(sb.core.Scope(["dose"]), {"dose": 9.0})

    def choose(self, request: Any) -> Choice:
        return Choice(sb.core.Scope(["dose"]), {"dose": 3.0})

    def recommend_at(self, context: Any) -> Recommendation:
        return self.advice

    def explain(self) -> Explanation:
        return Explanation("more is better")


def told(problem: Problem, method: type[Method[Any, Any]] = Bold) -> sb.Optimizer:
    optimizer = sb.Optimizer(problem, method)
    optimizer.tell(optimizer.ask() or "", 1.0)
    return optimizer


def test_answers_of_other_kinds_and_methods_keep_to_limits_like_suggestions() -> None:
    optimizer = told(Ward([sb.LinearConstraint({"dose": 1}, at_most=6)]))
    with pytest.raises(LimitBroken, match=r"bold recommends \{'dose': 9.0\}, which breaks .*: dose at most 6"):
        optimizer.recommend()
    with pytest.raises(LimitBroken, match=r"bold would set \{'dose': 9.0\}, which breaks .*: dose at most 6"):
        optimizer.policy()
    why = str(optimizer.explain())
    assert "What bold recommends breaks a limit: dose at most 6. Do not do it." in why
    assert "no limit" not in why
    assert told(Ward([sb.LinearConstraint({"dose": 1}, at_most=9)])).recommend().values == {"dose": 9.0}


class Otherwise(Bold):
    """Its alternative breaks the limit."""

    advice = Recommendation(
        sb.core.Scope(["dose"]), {"dose": 6.0}, alternatives=(Recommendation(sb.core.Scope(["dose"]), {"dose": 7.0}),)
    )


def test_alternatives_keep_to_limits_too() -> None:
    with pytest.raises(LimitBroken, match=r"recommends \{'dose': 7.0\}"):
        told(Ward([sb.LinearConstraint({"dose": 1}, at_most=6)]), Otherwise).recommend()


@record
class Loose(Ward):
    """Its author did not say of what type limits are."""

    limits: Any = None


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (6, r"limits: 6 is not allowed; expected a list of limits: .*declare the field as"),
        ([6], r"limits.0: 6 is not allowed; expected .*Linear"),
        ([{"kind": "linear", "weights": {"dose": 1}, "at_most": 6}], r"limits.0: .* is not allowed; expected .*Linear"),
        (
            [sb.LinearConstraint({"does": 1}, at_most=6)],
            r"limits.0.weights: 'does' is not allowed; expected one of dose",
        ),
        (
            [sb.OutcomeConstraint("pulse", at_most=90)],
            r"limits.0: .*No outcome has it: derive Loose from ConstrainedProblem",
        ),
    ],
)
def test_limits_that_are_none_are_the_kinds_fault_and_named(limits: Any, message: str) -> None:
    with pytest.raises(InvalidProblem, match=message):
        sb.Optimizer(Loose(limits), Bold)


@record
class Watched(ConstrainedProblem, Ward):
    """It measures further outcomes."""


def test_a_kind_from_elsewhere_can_have_measured_limits() -> None:
    optimizer = sb.Optimizer(Watched([sb.OutcomeConstraint("pulse", at_most=90)]), Bold)
    suggestion = optimizer.ask()
    assert suggestion is not None
    with pytest.raises(SteerboError, match="the measured pulse"):
        optimizer.tell(suggestion, 1.0)
    optimizer.tell(suggestion, 1.0, realised={"pulse": 80})
    assert optimizer.history[suggestion.token].realised["pulse"] == 80


@pytest.mark.parametrize(("broken", "said"), [(12, True), (4, False)])
def test_a_limit_that_is_kept_less_often_than_stated_is_reported(broken: int, said: bool) -> None:
    """Of 32 plays with probability .95, 4 broken ones are chance (p = .07), and 12 are not."""
    limit = sb.OutcomeConstraint("pressure", at_most=5)
    optimizer = sb.Optimizer(sb.CostVarying([sb.Float("heat", 0, 10)], [["heat"]], limits=[limit]), "random", seed=0)
    for number in range(40):
        optimizer.tell(optimizer.ask(), 1.0, realised={"pressure": 6.0 if 8 <= number < 8 + broken else 4.0})
    text = " ".join(map(str, limits_broken(optimizer.problem, optimizer.history)))
    assert (f"pressure at most 5 with probability 0.95 was kept in {1 - broken / 32:.0%} of 32 rounds" in text) == said
    assert bool(text) == said
    assert (text in str(optimizer.status)) is True


def ever_said(stated: float, true: float, plays: int) -> float:
    """Probability, computed play by play, that a limit is ever said to be broken more often than stated."""
    quiet = np.ones(1)  # by the number of plays that broke it
    for n in range(1, plays + 1):
        quiet = np.append(quiet * (1.0 - true), 0.0) + np.append(0.0, quiet * true)
        said = np.array([evidence_of_more(k, n, stated) >= 1.0 / ALPHA for k in range(n + 1)])
        quiet[said] = 0.0
    return 1.0 - float(quiet.sum())


@pytest.mark.parametrize(("stated", "true"), [(0.05, 0.34), (0.1, 0.39), (0.5, 0.8)])
def test_a_limit_that_is_kept_as_stated_is_hardly_ever_said_to_be_broken(stated: float, true: float) -> None:
    assert ever_said(stated, stated, 100) <= ALPHA
    assert ever_said(stated, true, 42) > 0.8


def test_the_evidence_is_a_number_however_sure_a_limit_is() -> None:
    assert evidence_of_more(60, 100, 1e-6) == np.inf
    assert evidence_of_more(0, 100, 1.0 - 1e-6) == 0.0
    assert evidence_of_more(9, 9, 1.0 - 1e-17) == 0.0, "of a limit that need not be kept"


@pytest.mark.parametrize(("value", "said"), [(43.0, True), (7.0, False)])
def test_a_value_far_beyond_its_limit_is_named_as_long_as_it_stands(value: float, said: bool) -> None:
    limit = sb.OutcomeConstraint("pressure", at_most=5)
    optimizer = sb.Optimizer(sb.CostVarying([sb.Float("heat", 0, 10)], [["heat"]], limits=[limit]), "random", seed=0)
    for number in range(9):
        suggestion = optimizer.ask()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            optimizer.tell(suggestion, 1.0, realised={"pressure": value if number == 3 else 3.0 + 0.1 * number})
    wrong = list(optimizer.history)[3].suggestion
    words = f"pressure = {value:g} is far beyond its limit ({limit}): if it is mistyped, amend {wrong.token}."
    assert (words in str(optimizer.status)) is said
    optimizer.amend(wrong, realised={"pressure": 3.0})
    assert "far beyond" not in str(optimizer.status)


@pytest.mark.parametrize(
    ("origin", "end", "binds"), [(0, 0.2, True), (273.15, 0.2, True), (-0.2, 0.2, True), (273.15, 0.55, False)]
)
def test_whether_a_limit_on_an_outcome_binds_hangs_on_no_origin(origin: float, end: float, binds: bool) -> None:
    limit = sb.OutcomeConstraint("heat", at_most=end + origin, probability=0.9)
    problem = sb.CostVarying([sb.Float("a", 0, 1)], [["a"]], limits=[limit])
    optimizer, random = sb.Optimizer(problem, seed=1), np.random.default_rng(0)
    for _ in range(12):
        suggestion = optimizer.ask()
        a = suggestion.values["a"]
        heat = a + 0.005 * random.standard_normal() + origin
        optimizer.tell(suggestion, -((a - 0.25) ** 2) + 0.001 * random.standard_normal(), realised={"heat": heat})
    assert optimizer.explain().tables[-1].rows[0][2] is binds


def test_an_answer_that_likely_breaks_a_limit_on_an_outcome_is_not_called_at_it() -> None:
    limit = sb.OutcomeConstraint("heat", at_most=0.5)
    optimizer = sb.Optimizer(sb.CostVarying([sb.Float("a", 0, 1)], [["a"]], limits=[limit]), seed=1)
    for _ in range(12):
        suggestion = optimizer.ask()
        a = suggestion.values["a"]
        optimizer.tell(suggestion, a, realised={"heat": 1.0 + a})
    assert "breaks a limit more often than it may" in optimizer.explain().text
    assert "is at a limit" not in optimizer.explain().text


@pytest.mark.parametrize("origin", [0.0, 1e4, -4.0])
def test_whether_a_limit_on_settings_binds_hangs_on_no_origin(origin: float) -> None:
    class Near(Bold):
        advice = Recommendation(sb.core.Scope(["dose"]), {"dose": origin + 3.99})

    @record
    class Shifted(Ward):
        @property
        def space(self) -> Space:
            return Space((sb.Float("dose", origin, origin + 10), sb.Float("rest", 0, 10)))

    ends = [4 + origin, 3.99001 + origin]
    optimizer = sb.Optimizer(Shifted([sb.LinearConstraint({"dose": 1}, at_most=end) for end in ends]), Near)
    assert [row[2] for row in optimizer.explain().tables[-1].rows] == [False, True]


PRESSED = [sb.OutcomeConstraint("pressure", at_most=5, probability=0.9)]
HEAT = sb.Float("heat", 0, 1)
HEATED = {
    "cost-varying": sb.CostVarying([HEAT], [["heat"]], limits=PRESSED),
    "time-varying": sb.TimeVarying([HEAT], limits=PRESSED),
    "causal": sb.Causal(
        sb.CausalGraph.from_text("cold -> steam; heat -> steam", target="steam", intervenable=["heat"]),
        [HEAT, sb.Float("cold", 0, 1)],
        limits=PRESSED,
    ),
}


@pytest.mark.parametrize("problem", HEATED.values(), ids=HEATED)
def test_answers_say_how_likely_they_keep_a_limit_that_is_learned(problem: sb.Problem) -> None:
    optimizer = sb.Optimizer(problem, rounds=20, seed=0)
    seen = {"cold": 0.5} if problem.kind == "causal" else {}
    for number in range(7):
        if number == 3:
            for answer in (optimizer.recommend(), optimizer.policy(seen), optimizer.predict({"heat": 0.95}, seen)):
                assert "whether it keeps pressure at most 5 with probability 0.9 is not known" in str(answer)
            assert "Whether the recommendation keeps a limit is not known: pressure at most 5" in str(
                optimizer.explain()
            )
        suggestion = optimizer.ask()
        if suggestion.observe:
            suggestion = optimizer.decide(suggestion, seen)
        heat = suggestion.values["heat"]
        optimizer.tell(suggestion, heat, realised={"pressure": 2 + 4 * heat})
    assert "not known" not in str(optimizer.recommend())
    assert "kept with" not in str(optimizer.recommend())
    assert "pressure at most 5 with probability 0.9: kept with" in str(optimizer.predict({"heat": 0.95}, seen))


def test_a_policy_whose_worst_case_breaks_a_limit_is_not_the_last_resort(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was said that nothing else is known to keep the limit, where one dose for all keeps it surely."""
    graph = sb.CausalGraph.from_text("age -> y; dose -> y", target="y", intervenable=["dose"])
    limit = sb.OutcomeConstraint("harm", at_most=4, probability=0.9)
    optimizer = sb.Optimizer(sb.Causal(graph, [sb.Float("dose", 0, 1), sb.Float("age", 0, 1)], limits=[limit]), seed=1)
    random = np.random.default_rng(0)
    for _ in range(8):
        asked = optimizer.ask()
        age = float(random.random())
        dose = optimizer.decide(asked, {"age": age}).values["dose"]
        optimizer.tell(asked, -((dose - age) ** 2), realised={"harm": dose + 0.01 * random.standard_normal()})
    advice = optimizer.recommend()
    assert advice.scope.contexts == ("age",)
    assert not advice.says("none-keeps")
    monkeypatch.setattr(type(optimizer._method), "constraint_slack", lambda *_: [-0.5])
    said = (
        "In some cases the recommendation breaks a limit more often than it may: harm at most 4 with probability 0.9."
    )
    assert said in optimizer.explain().text
