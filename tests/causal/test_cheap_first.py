"""Scopes with prices: who shares a model, what a scope is worth that does not look, and the cheapest that is enough."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal.cheap_first import CheapOptions
from steerbo.errors import InvalidOption, InvalidOutcome
from steerbo.gp import AnovaKernel, Constant, DriftModel
from steerbo.space import Space
from tests.causal.priced import play
from tests.causal.priced_worlds import world
from tests.sizes import FULL, size

pytestmark = pytest.mark.few_draws


def _floats(names: str) -> list[sb.Float]:
    return [sb.Float(name, 0, 1) for name in names.split()]


@cache
def events_of(name: str) -> tuple[sb.core.Event, ...]:
    """Events of a world's usual study, which is played once for all tests."""
    of = world(name)
    return play(of, sb.Optimizer(of.problem, seed=0), {"looks": 40, "chain": size(90, 45)}[name]).events


def played_on(name: str, rounds: int) -> sb.Optimizer:
    """A world's usual study after some of its rounds."""
    told = [i + 1 for i, event in enumerate(events_of(name)) if isinstance(event, sb.core.OutcomeTold)]
    return sb.Optimizer.replay(world(name).problem, events_of(name)[: told[rounds - 1]])


# -- what is found -----------------------------------------------------------------------------------------------------


@pytest.mark.all_draws
@pytest.mark.parametrize(("name", "price"), [("looks", 2.0), ("chain", 2.0)])
def test_the_cheapest_scope_that_is_good_enough(name: str, price: float) -> None:
    """A cheap look in the place of a dear one, an early cause in the place of a dear late one."""
    of = world(name)
    optimizer = play(of, sb.Optimizer(of.problem, budget=75, seed=1))
    advice: Any = optimizer.recommend()
    assert advice.cost == price
    assert advice.mean is not None
    assert advice.table is None or len(advice.table.rows) > 5
    assert of.worth(advice.scope, advice.act, 32) > -of.tolerance
    assert {other.cost for other in advice.alternatives} > {1.0}
    shares = [played.suggestion.scope.price or 0 for played in optimizer.history]
    assert np.mean(shares[20:]) < 3.0  # of up to 7


def test_a_card_says_what_to_expect_of_a_scope_that_does_not_look() -> None:
    optimizer = played_on("looks", 30)
    last = {played.suggestion.scope: played.suggestion.token for played in optimizer.history}
    assert any(not scope.contexts for scope in last)
    for token in last.values():
        card: Any = optimizer.card(token)
        assert card.mean is not None
        assert card.lower < card.mean < card.upper


def test_what_does_not_look_reads_nothing_of_it() -> None:
    optimizer = played_on("looks", 30)
    method: Any = optimizer._state.method
    for i, arm in enumerate(method.arms):
        act = method.greedy(i, {})
        seen: Mapping[str, Any] = {"lab": 0.5, "quick": 0.4}
        others = {name: -0.9 for name in seen if name not in arm.contexts}
        assert act(seen) == act({**seen, **others})


def test_pending_rounds_count_though_their_contexts_are_not_measured() -> None:
    looks = world("looks")
    optimizer = play(looks, sb.Optimizer(looks.problem, seed=0, initial=3), 14)
    batch = optimizer.ask(batch=4)
    assert isinstance(batch, list)
    set_to = [s.values["x"] for s in batch if s.values]
    assert len(set(set_to)) == len(set_to)
    again = sb.Optimizer.replay(optimizer.problem, optimizer.events)
    assert again.ask() == optimizer.ask()


def test_a_restart_between_looking_and_acting() -> None:
    optimizer = played_on("looks", 40)
    while not (suggestion := optimizer.ask()).observe:
        optimizer.abandon(suggestion)
    again = sb.Optimizer.replay(optimizer.problem, optimizer.events)
    seen = dict.fromkeys(suggestion.observe, 0.25)
    assert again.decide(suggestion.token, seen) == optimizer.decide(suggestion, seen)


def test_smaller_may_be_better_and_a_threshold_out_of_reach() -> None:
    chain = world("chain")
    problem = sb.Causal(
        chain.problem.graph,
        chain.problem.variables,
        minimize=True,
        prices=chain.problem.prices,
        base=1,
        tolerance=sb.costvarying.Threshold(-1e6),
    )
    optimizer = play(chain, sb.Optimizer(problem, seed=0, budget=60))
    best = optimizer.recommend()
    means = [row.mean for row in (best, *best.alternatives) if row.mean is not None]
    assert best.mean == min(means)
    assert "good enough is at most" in best.why


def test_prices_where_something_is_seen_before_choosing() -> None:
    graph = sb.CausalGraph.from_text("wind -> flap -> y; wind -> y; lab -> y", target="y", intervenable=["flap"])
    variables = [sb.Float("flap", 0, 1), sb.Float("lab", 0, 1), sb.Float("wind", 0, 1, seen=True)]
    problem = sb.Causal(graph, variables, prices={"flap": 1.0, "lab": 3.0}, base=1, tolerance=sb.Absolute(0.05))
    optimizer, random = sb.Optimizer(problem, seed=0), np.random.default_rng(0)
    for _ in range(30):
        wind, lab = random.random(2)
        suggestion = optimizer.ask(context={"wind": wind})
        assert suggestion is not None
        if suggestion.observe:
            suggestion = optimizer.decide(suggestion, {"lab": lab})
        flap = suggestion.values.get("flap", wind)
        value = -((flap - 1.5 * wind + 0.2) ** 2) + 0.02 * random.normal()
        optimizer.tell(suggestion, value, realised={"lab": lab})
    assert optimizer.policy({"wind": 0.4}).scope.price in (1.0, 2.0), "0.4 without setting, which is as good there"
    rows = (optimizer.recommend(), *optimizer.recommend().alternatives)
    assert all(row.cost in (1.0, 2.0) and set(row.context) == {"wind"} for row in rows)


def test_without_prices_a_round_is_what_is_paid() -> None:
    chain = world("chain")
    problem = sb.Causal(chain.problem.graph, chain.problem.variables)
    optimizer = play(chain, sb.Optimizer(problem, "cheap-first", seed=0), 15)
    assert optimizer.recommend().cost is None
    assert sb.Optimizer(problem).events[0].method == "coca-bo"  # type: ignore[union-attr]
    assert sb.Optimizer(chain.problem).events[0].method == "cheap-first"  # type: ignore[union-attr]


def test_it_says_prices_in_words() -> None:
    chain, optimizer = world("chain"), played_on("chain", 25)
    table = optimizer.explain().tables[0]
    assert table.columns == ("scope", "rounds", "price", "at best, next round")
    assert dict(zip(table.columns, table.rows[0], strict=True))["price"] == 1.0
    assert ("prices", "1 a round, 1 to set x, 5 to set z, 1 to look at c") in chain.problem.describe()
    method: Any = optimizer._state.method
    assert ("scope", "set x after looking at c; 3 a round") in method.describe()


def test_several_graphs_with_prices() -> None:
    """What is left out by no graph is kept; a context that some graph calls affected is no column of others."""
    one = sb.CausalGraph.from_text("c -> x -> y; c -> y", target="y", intervenable=["x"])
    other = sb.CausalGraph.from_text("x -> c; x -> y; c -> y", target="y", intervenable=["x"])
    problem = sb.Causal(variables=_floats("x c"), graphs=[one, other], prices={"x": 1.0, "c": 1.0}, base=1)
    optimizer = sb.Optimizer(problem, seed=0, budget=30)
    method: Any = optimizer._state.method
    assert {str(arm.scope) for arm in method.arms} >= {"nothing", "x", "x after looking at c"}
    assert all(not arm.covariates for arm in method.arms if arm.actions)
    while (suggestion := optimizer.ask()) is not None:
        if suggestion.observe:
            suggestion = optimizer.decide(suggestion, {"c": 0.5})
        optimizer.tell(suggestion, suggestion.values.get("x", 0.0), realised={"c": 0.5})
    assert optimizer.recommend().scope.set == ("x",)


SPACE = Space([sb.Float("x", 0, 1), sb.Categorical("m", ["a", "b"])])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"beta": -0.1}, "^beta: -0.1 .*a number not below 0"),
        ({"beta": float("nan")}, "^beta: nan"),
        ({"patience": float("inf")}, "^patience: inf"),
        ({"patience": -1}, "^patience: -1"),
        ({"alike": 0.5}, "^alike: 0.5"),
        ({"initial": 0}, "^initial: 0 .*a number not below 1"),
    ],
)
def test_options_that_are_none_are_refused_by_name(options: dict[str, Any], said: str) -> None:
    problem = world("looks").problem
    sb.Optimizer(problem, "cheap-first", beta=0.0, patience=0.0, initial=1)
    with pytest.raises(InvalidOption, match=said):
        sb.Optimizer(problem, "cheap-first", **options)


def test_the_kernel_is_smooth_over_what_is_set_and_seen_and_constant_over_nothing() -> None:
    points = np.array([[0.2, 0.0], [0.7, 0.0], [0.7, 1.0]])
    model = CheapOptions().model(SPACE, None)
    wanted = AnovaKernel.over(SPACE.categorical)
    np.testing.assert_allclose(model.kernel(points, points), wanted(points, points))
    assert isinstance(CheapOptions().model(None, None).kernel, Constant)


@pytest.mark.parametrize("space", [SPACE, None])
def test_where_there_is_a_course_the_last_column_is_the_time(space: Space | None) -> None:
    model = CheapOptions().model(space, DriftModel.of(sb.Decay(0.5)))
    now = np.array([[0.2, 0.0, 0.0]])[:, 0 if space else 2 :]
    later = now + np.eye(now.shape[1])[-1:] * 4
    assert model.kernel(now, later)[0, 0] < 0.8 * model.kernel(now, now)[0, 0]


GRAPH = sb.CausalGraph.from_text("blood -> y; dose -> y; day -> y", target="y", intervenable=["dose"])


def treated(price: Any, budget: float = 60.0) -> sb.Optimizer:
    """What helps best is a dose of .2 + .6 blood; on day 1 money is dear."""
    variables: list[Any] = [sb.Float("dose", 0, 1), sb.Float("blood", 0, 1), sb.Categorical("day", [0, 1], seen=True)]
    prices = {"dose": price, "blood": 0.25}
    problem = sb.Causal(GRAPH, variables, prices=prices, base=1, tolerance=sb.Absolute(0.06))
    optimizer, random = sb.Optimizer(problem, seed=1, budget=budget), np.random.default_rng(0)
    while True:
        suggestion = optimizer.ask(context={"day": (len(optimizer.history) + 1) % 2})
        if suggestion is None:
            return optimizer
        blood = float(random.random())
        if suggestion.observe:
            suggestion = optimizer.decide(suggestion, {"blood": blood})
        value = -((suggestion.values.get("dose", 0.0) - 0.2 - 0.6 * blood) ** 2) + 0.02 * random.normal()
        cost = {"cost": 1 + 0.25 * ("blood" in suggestion.context) + 4 * suggestion.values.get("dose", 0.0)}
        optimizer.tell(suggestion, float(value), realised={"blood": blood}, **(cost if price == "learned" else {}))


@pytest.mark.all_draws
@pytest.mark.parametrize("price", ["learned", lambda dose: 4 * dose, *(["4 * dose"] if FULL else [])])
def test_no_more_is_spent_than_it_takes(price: Any) -> None:
    """The best dose is .5 on average, and costs 2; what may be given up saves a good third of that.

    By default a formula is only in `test_the_answer_differs_where_prices_do`.
    """
    optimizer = treated(price)
    advice: Any = optimizer.recommend()
    assert advice.scope.set == ("dose",)
    assert 1.0 < advice.cost < 2.9, "3 or 3.25 would be what is best"
    doses = [float(advice({**dict.fromkeys(advice.scope.contexts, 0.5), **advice.context})["dose"])]
    assert 0.1 < doses[0] < 0.45
    misses = [
        float(advice({**dict.fromkeys(advice.scope.contexts, blood), **advice.context})["dose"]) - 0.2 - 0.6 * blood
        for blood in np.linspace(0.01, 0.99, 50)
    ]
    assert advice.lower <= -np.mean(np.square(misses)) <= advice.upper, "what this policy is truly worth"
    known = dict.fromkeys(("blood", "day"), 0) if "blood" in advice.scope.contexts else {"day": 0}
    step = optimizer.policy({**known, "blood": 0.5} if "blood" in known else known)
    assert step.values["dose"] == pytest.approx(doses[0], abs=0.1)
    rates = [played.suggestion.note.get("rate", 0.0) for played in optimizer.history]
    assert max(rates) > 0
    again = sb.Optimizer.replay(optimizer.problem, optimizer.events)
    assert str(again.recommend()) == str(optimizer.recommend())


@pytest.mark.all_draws
def test_the_answer_differs_where_prices_do() -> None:
    """On day 0 the dose is for nothing, on day 1 it costs ten."""
    optimizer = treated("10 * dose if day == 1 else 0", budget=80.0)
    answers = {each.context["day"]: each for each in (optimizer.recommend(), *optimizer.recommend().alternatives)}
    assert set(answers) == {0, 1}
    free, dear = answers[0], answers[1]
    assert free.cost is not None
    assert dear.cost is not None
    assert free.cost <= 1.25 < dear.cost
    doses = {day: treated_with(optimizer, day) for day in (0, 1)}
    assert doses[1] < doses[0]


def treated_with(optimizer: sb.Optimizer, day: int) -> float:
    """What is set on a day, where blood is in the middle if it is looked at."""
    step = optimizer.policy({"day": day})
    if step.observe:
        step = optimizer.policy({"day": day, "blood": 0.5})
    return float(step.values.get("dose", 0.0))


def test_a_study_ends_when_enough_is_known() -> None:
    """Nothing is said of what may be gained before every scope was played; then it is less and less."""
    chain, many, gains = world("chain"), size(90, 45), []
    for rounds in (3, 25, many):
        optimizer = played_on("chain", rounds)
        gains.append(optimizer._state.method.gain())
    assert gains[0] == np.inf > gains[1] > gains[2] > 0
    stopped = play(chain, sb.Optimizer(chain.problem, seed=0, stop=1.01 * gains[2], rounds=many + 5))
    assert len(stopped.history) <= many


def test_a_scope_that_never_worked_holds_no_stop_up() -> None:
    """To set nothing fails, always: nothing is waited for there, and the others say when enough is known."""
    graph = sb.CausalGraph([("x", "y"), ("z", "y")], target="y", intervenable=["x", "z"])
    problem = sb.Causal(
        graph,
        [sb.Float("x", 0, 1), sb.Float("z", 0, 1)],
        prices={"x": 1, "z": 1},
        base=1,
        tolerance=sb.Absolute(0.05),
    )
    optimizer, random = sb.Optimizer(problem, seed=0, stop=0.3, rounds=60), np.random.default_rng(0)
    while (suggestion := optimizer.ask()) is not None:
        if not suggestion.scope.set:
            optimizer.fail(suggestion, "it burst")
            continue
        x = {"x": random.random(), "z": random.random(), **suggestion.values}
        value = -((x["x"] - 0.3) ** 2) - (x["z"] - 0.6) ** 2 + 0.02 * random.normal()
        optimizer.tell(suggestion, value, realised=x)
    assert "enough is known" in optimizer.status.finished
    assert optimizer.history.failed >= 2


FRONT_DOOR = sb.CausalGraph.from_text("d -> m -> y; d <-> y", target="y", intervenable=["d"])
WATCHED = sb.Causal(FRONT_DOOR, [sb.Float("d", 0, 1), sb.Float("m", 0, 1)], prices={"d": 1}, base=1)


def test_what_comes_nearest_to_the_best_is_good_enough() -> None:
    """Of one scope the mean over hyperparameters lay below that at the data, which was taken for the worst there is."""
    draw = random.Random(0)
    optimizer = sb.Optimizer(WATCHED, seed=0)
    for _ in range(6):
        optimizer.add(1.0 + draw.gauss(0, 0.1), {"m": draw.random()})
        (said,) = [each for each in optimizer.recommend().reasons if each.kind == "good-enough"]
        assert said.values["scopes"] == ["nothing"]


def test_what_happened_where_nothing_was_set_or_measured_teaches_to_do_nothing() -> None:
    optimizer = sb.Optimizer(WATCHED, seed=0)
    for value in (1.0, 1.2, 1.1):
        optimizer.add(value, {})
    answer = optimizer.recommend()
    assert str(answer.scope) == "nothing"
    assert answer.mean == pytest.approx(1.1, abs=0.05)
    assert sb.load(optimizer.to_json()).recommend() == answer
    free = sb.Optimizer(dataclasses.replace(WATCHED, prices=None, base=None))
    with pytest.raises(InvalidOutcome, match="a value for each of d, m"):
        free.add(1.0, {})


@pytest.mark.all_draws
def test_a_dear_answer_by_luck_says_that_to_do_nothing_may_be_as_good() -> None:
    """Nothing has an effect, and a hidden cause sets x where nobody does: of unsure scopes the luckiest wins."""
    graph = sb.CausalGraph.from_text("x -> y; w -> y; x <-> y", target="y", intervenable=["x", "w"])
    variables = [sb.Float("x", -1, 1), sb.Float("w", -1, 1)]
    problem = sb.Causal(graph, variables, prices={"x": 3.0, "w": 3.0}, base=1.0)
    optimizer, noise = sb.Optimizer(problem, seed=0), np.random.default_rng(0)
    for _ in range(20):
        optimizer.tell(optimizer.ask(), float(noise.standard_normal()))
    advice = optimizer.recommend()
    assert advice.scope.set
    assert "cheaper, and perhaps good enough: nothing" in advice.why


@pytest.mark.parametrize("minimize", [False, True])
def test_what_is_expected_of_settings_and_their_cost_are_those_of_these_settings(*, minimize: bool) -> None:
    """They were those of a point of a grid beside them: set a = 1 cost 2.99, where 2.6 + a is stated."""
    graph = sb.CausalGraph.from_text("a -> y; b -> y; b -> a", target="y", intervenable=["a", "b"])
    prices: dict[str, Any] = {"a": "1 + a", "b": 0.6}
    more: dict[str, Any] = {"minimize": minimize, "tolerance": sb.Absolute(0.1), "base": 1.0}
    study = sb.Optimizer(sb.Causal(graph, _floats("a b"), prices=prices, **more), seed=0)
    rng = np.random.default_rng(0)
    for k in range(24):
        a, b = rng.random(2)
        loss = (a - 0.6) ** 2 + (b - 0.3) ** 2 + 0.02 * rng.normal()
        study.add(loss if minimize else -loss, {"a": a, "b": b}, scope=[[], ["a"], ["b"], ["a", "b"]][k % 4])
    advice = study.recommend()
    for each in (advice, *advice.alternatives):
        there = study.predict(each.values)
        assert (each.mean, each.lower, each.upper) == pytest.approx((there.mean, there.lower, there.upper))
        stated = 1.0 + (1 + each.values["a"] if "a" in each.values else 0.0) + 0.6 * ("b" in each.values)
        assert each.cost == pytest.approx(stated)
