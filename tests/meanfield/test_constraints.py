"""Constraints on agents: their words, whole-agent bounds, regions, conflicts, and methods under them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steerbo as sb
from steerbo.errors import InvalidProblem, SteerboError
from steerbo.meanfield._constraints import HeadcountBound
from steerbo.records import from_dict, to_dict
from steerbo.testing import Case, TraitContract
from tests.meanfield.worlds import case, crowd


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        (sb.Share("a", at_most=0.25), "at most 25 % of all agents in a"),
        (sb.Share("a", 0.5, 0.1, "day"), "at least 10 % and at most 50 % of the agents of day in a"),
        (sb.meanfield.Headcount("a", at_least=3), "at least 3 agents in a"),
        (sb.meanfield.Headcount("a", at_most=1, context="day"), "at most 1 agent of day in a"),
    ],
)
def test_they_say_what_they_are_and_go_through_files(limit: Any, text: str) -> None:
    assert str(limit) == text
    assert from_dict(type(limit), to_dict(limit)) == limit


@given(st.integers(1, 10**6), st.integers(0, 100), st.integers(0, 100))
def test_whole_agents_are_those_within_the_shares(agents: int, least: int, more: int) -> None:
    """Against whole numbers: ⌈least · n / 100⌉ and ⌊most · n / 100⌋."""
    most = min(100, least + more)
    ends = sb.Share("a", most / 100, least / 100).ends(agents)
    assert ends == (-(-least * agents // 100), most * agents // 100)


def test_room_is_counted_in_agents_of_the_contexts_that_count() -> None:
    agents = {"day": 20, "night": 10}
    values = {"distribution": {"day": {"a": 0.5, "b": 0.5}, "night": {"b": 1.0}}}
    assert HeadcountBound.of(sb.Share("a", at_most=0.5), agents).room(values) == 5
    assert HeadcountBound.of(sb.meanfield.Headcount("a", at_most=12, at_least=9), agents).room(values) == 1
    tight = HeadcountBound.of(sb.meanfield.Headcount("a", at_most=9, context="day"), agents)
    assert tight.breaks(values)
    assert tight.room(values) == -1
    assert not HeadcountBound.of(sb.meanfield.Headcount("a", at_most=0, context="night"), agents).breaks(values)


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: sb.Share("a"), "at_most"),
        (lambda: sb.Share("a", 0.1, 0.2), "at_least"),
        (lambda: sb.Share("a", 2), "at_most"),
        (lambda: sb.Share("a", at_least=-0.1), "at_least"),
        (lambda: sb.meanfield.Headcount("a"), "at_most"),
        (lambda: sb.meanfield.Headcount("a", 1, 2), "at_least"),
        (lambda: sb.meanfield.Headcount("a", 1.5), "at_most"),  # type: ignore[arg-type]
        (lambda: sb.meanfield.Headcount("a", -1), "at_most"),
    ],
)
def test_what_is_no_limit_is_refused(make: Any, field: str) -> None:
    with pytest.raises(InvalidProblem) as caught:
        make()
    assert field in caught.value.field


LIMITS = [
    sb.Share("d", at_least=0.2),
    sb.Share("a", at_most=0.5, context="day"),
    sb.meanfield.Headcount("b", at_least=2, at_most=4, context="night"),
]


def limited(**changes: Any) -> sb.MeanField:
    return crowd(**{"limits": LIMITS, "capacity": {"c": 9}, "counts": True, **changes})


@pytest.mark.few_draws
@pytest.mark.parametrize("method", ["mf-gp-ucb", "random"])
@pytest.mark.parametrize("changes", [{}, {"rounding": "sampled"}, {"allowed": {"day": ("a", "b", "d")}}])
def test_no_suggestion_and_no_answer_breaks_one(method: str, changes: dict[str, Any]) -> None:
    problem = limited(**changes)
    world = case(method, problem)
    optimizer = world.start()
    for _ in range(9):
        suggestion = world.ask(optimizer)
        counts = suggestion.values["counts"]
        everywhere = {a: sum(row.get(a, 0) for row in counts.values()) for a in problem.actions}
        assert everywhere["d"] >= 8
        assert everywhere["c"] <= 9
        assert counts["day"].get("a", 0) <= 15
        assert 2 <= counts["night"].get("b", 0) <= 4
        optimizer.tell(suggestion, **world.outcome(suggestion))
    best = optimizer.recommend()
    assert not [limit for limit in problem.every_limit if limit.breaks(best.values)]


def test_what_happened_beyond_the_limits_is_learned_from_and_not_recommended() -> None:
    for name in ("mf-gp-ucb", "random"):
        world = case(name, limited())
        optimizer = world.play(world.start(), 6)
        optimizer.add(100.0, realised={"distribution": {"day": {"a": 1.0}, "night": {"a": 1.0}}})
        assert not [limit for limit in world.problem.every_limit if limit.breaks(optimizer.recommend().values)]


@pytest.mark.parametrize("method", ["mf-gp-ucb", "random"])
def test_an_average_over_a_day_is_answered_in_whole_agents(method: str) -> None:
    """Parts of an agent were beyond the limit, the nearest whole ones are not."""
    problem = sb.MeanField(["a", "b"], agents=20, capacity={"a": 12})
    optimizer = sb.Optimizer(problem, method=method, seed=0)
    for part, value in ((0.2, 0.0), (0.3, 1.0), (0.4, 2.0), (0.5, 3.0), (0.61, 4.0), (0.61, 4.1)):
        optimizer.add(value, {"distribution": {"everyone": {"a": part, "b": 1.0 - part}}})
    answer = optimizer.recommend()
    assert not [limit for limit in problem.every_limit if limit.breaks(answer.values)]
    agents = problem.table(answer.values["distribution"]) * 20
    assert agents.tolist() == agents.round().tolist()


@pytest.mark.parametrize("how", ["fail", "open", "abandon"])
def test_agents_move_from_where_they_were_sent_last(how: str) -> None:
    problem = sb.MeanField(["a", "b", "c"], agents=40, largest_move=0.1)
    optimizer = sb.Optimizer(problem, seed=0)
    table = problem.table
    for _ in range(4):
        before = optimizer.ask()
        optimizer.tell(before, 1.0)
    sent = optimizer.ask()
    if how == "fail":
        optimizer.fail(sent)
    elif how == "abandon":
        optimizer.abandon(sent)
    following = table(optimizer.ask().values["distribution"])
    present = table((before if how == "abandon" else sent).values["distribution"])
    assert 0.5 * np.abs(following - present).sum() <= 0.1 + 1e-9


def test_explanations_say_which_one_binds() -> None:
    world = case("mf-gp-ucb", limited())
    table = world.play(world.start(), 8).explain().tables[-1]
    assert table.title == "Limits"
    assert [row[0] for row in table.rows] == [*map(str, LIMITS), "at most 9 agents in c"]
    assert all(row[2] == (row[1] < 1) for row in table.rows)


@pytest.mark.parametrize("seed", range(40))
def test_limits_are_possible_where_some_whole_agents_keep_to_them(seed: int) -> None:
    """Against all tables of five and three agents in two places."""
    random = np.random.default_rng(seed)
    limits: list[Any] = []
    for _ in range(random.integers(1, 4)):
        ends = np.sort(random.integers(0, 6, 2))
        context = [None, "day", "night"][random.integers(3)]
        limits.append(sb.meanfield.Headcount(str(random.choice(["a", "b"])), int(ends[1]), int(ends[0]), context))
    fields: dict[str, Any] = {"actions": ("a", "b"), "agents": 8, "contexts": ("day", "night"), "weights": (5, 3)}

    def keep(day: int, night: int) -> bool:
        there = {"a": {"day": day, "night": night}, "b": {"day": 5 - day, "night": 3 - night}}
        sums = [sum(n for c, n in there[x.action].items() if x.context in (None, c)) for x in limits]
        return all(x.at_least <= n <= x.at_most for x, n in zip(limits, sums, strict=True))

    possible = any(keep(day, night) for day, night in itertools.product(range(6), range(4)))
    if possible:
        table = sb.Optimizer(sb.MeanField(**fields, limits=limits, counts=True), seed=seed).ask()
        assert table is not None
        assert keep(*(table.values["counts"][c].get("a", 0) for c in ("day", "night")))
    else:
        with pytest.raises(InvalidProblem, match=r"limits that 8 agents can keep to") as caught:
            sb.MeanField(**fields, limits=limits)
        value: Any = caught.value.value
        named = [limit for limit in limits if str(limit) in value]
        assert named
        fewer = [limit for limit in limits if limit is not named[0]]
        sb.MeanField(**fields, limits=fewer if len(named) == len(limits) else [x for x in named if x is not named[0]])


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"limits": [sb.Share("a", at_least=0.6), sb.Share("b", at_least=0.5), LIMITS[1]]}, ["60 %", "50 %"]),
        ({"limits": [sb.Share("a", at_least=0.6), *LIMITS], "capacity": {"a": 5}}, ["60 %", "at most 5 agents"]),
        (
            {"limits": [sb.meanfield.Headcount("a", at_least=9, context="night")], "allowed": {"night": ("b", "c")}},
            ["9 agents of night", "allowed: night only in b, c"],
        ),
    ],
)
def test_those_that_clash_are_named(changes: dict[str, Any], named: list[str]) -> None:
    with pytest.raises(InvalidProblem, match="clash") as caught:
        crowd(**changes)
    value: Any = caught.value.value
    assert len(value) == len(named)
    assert all(part in text for part, text in zip(named, value, strict=True))


@pytest.mark.parametrize(
    ("limit", "field"),
    [
        (sb.Share("z", at_most=0.5), "limits.0.action"),
        (sb.Share("a", at_most=0.5, context="noon"), "limits.0.context"),
        (sb.LinearConstraint({"a": 1}, at_most=1), "limits.0"),
        ({"kind": "share", "action": "a", "at_most": 3}, "limits.0.at_most"),
    ],
)
def test_what_is_no_limit_of_this_problem_is_refused(limit: Any, field: str) -> None:
    with pytest.raises(InvalidProblem) as caught:
        crowd(limits=[limit])
    assert field in caught.value.field


def test_single_agents_know_nothing_of_them() -> None:
    with pytest.raises(SteerboError, match=r"limits: \['at least 20 %"):
        sb.Optimizer(crowd(limits=LIMITS), "turbo")


def test_they_are_plain_data_and_in_words() -> None:
    problem = limited()
    assert from_dict(sb.MeanField, to_dict(problem)) == problem
    assert ("limit", "at least 20 % of all agents in d") in problem.describe()
    assert ("limit", "at most 9 agents in c") in problem.describe()


class TestContract(TraitContract):
    """Shares and headcounts of all and of a context."""

    @staticmethod
    def case() -> Case:
        problem = limited()
        world = case("mf-gp-ucb", problem, starting_points=3)
        return Case(problem, world.method, world.evaluate, added=world.added, options=world.options, rounds=6)
