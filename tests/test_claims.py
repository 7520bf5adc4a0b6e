"""What answers claim holds against the other numbers that they print, in replayed studies of every kind."""

from __future__ import annotations

import warnings
from functools import cache

import pytest

import steerbo as sb
from steerbo.core import Optimizer, Recommendation
from steerbo.page.view import advice_card
from tests.digests import WAYS, play, worlds

REPLAYED = [
    ("plain", "cheap-first", "in-order"),
    ("plain", "cheap-first", "corrected"),
    ("given", "cheap-first", "data"),
    ("figure", "cheap-first", "in-order"),
    ("sites", "prior-elimination", "late"),
    ("crowd", "mf-gp-ucb", "in-order"),
]
_ROUNDING = 1e-9


@cache
def replayed(world: str, method: str, way: str) -> Optimizer:
    """A study of ten rounds with a failure, corrections, data or late outcomes on the way."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return play(worlds()[world][1](method), WAYS[way])


def answers_of(advice: Recommendation) -> list[Recommendation]:
    """The recommendation, and its alternatives."""
    return [advice, *advice.alternatives]


@pytest.mark.parametrize(("world", "method", "way"), REPLAYED)
def test_an_expected_value_lies_between_its_bounds(world: str, method: str, way: str) -> None:
    for answer in answers_of(replayed(world, method, way).recommend()):
        if answer.mean is not None and answer.lower is not None and answer.upper is not None:
            assert answer.lower - _ROUNDING <= answer.mean <= answer.upper + _ROUNDING


@pytest.mark.parametrize(("world", "method", "way"), REPLAYED)
def test_what_is_called_good_enough_is_so_and_no_other(world: str, method: str, way: str) -> None:
    """The recommended one is among them, and none of them is cheaper."""
    optimizer = replayed(world, method, way)
    advice = optimizer.recommend()
    sign = -1.0 if optimizer.problem.minimize else 1.0
    claims = [each.values for each in advice.reasons if each.kind == "good-enough"]
    if method == "cheap-first":
        assert claims
    for claim in claims:
        named = set(claim["scopes"])
        assert str(advice.scope) in named
        for answer in answers_of(advice):
            if answer.mean is None or answer.says("none-keeps") or answer.context != advice.context:
                continue  # an answer for another context is compared with what can be had there
            enough = sign * answer.mean >= sign * claim["least"] - _ROUNDING
            assert enough == (str(answer.scope) in named), answer
            if enough and None not in (answer.cost, advice.cost):
                assert advice.cost <= answer.cost + _ROUNDING  # type: ignore[operator]


@pytest.mark.parametrize(("world", "method", "way"), REPLAYED)
def test_what_is_cheaper_and_perhaps_good_enough_is_named_and_no_other(world: str, method: str, way: str) -> None:
    """Its bounds reach what is good enough: outcomes have not ruled it out."""
    optimizer = replayed(world, method, way)
    advice = optimizer.recommend()
    sign = -1.0 if optimizer.problem.minimize else 1.0
    claims = {each.kind: each.values for each in advice.reasons}
    if "good-enough" not in claims:
        assert "perhaps-enough" not in claims
        return
    least, found = sign * claims["good-enough"]["least"], []
    for answer in advice.alternatives:
        ends = [sign * end for end in (answer.lower, answer.upper) if end is not None]
        if None not in (answer.cost, advice.cost) and answer.cost < advice.cost:  # type: ignore[operator]
            found += [str(answer.scope)] if ends and max(ends) >= least else []
    assert list(claims.get("perhaps-enough", {}).get("scopes", [])) == found


@pytest.mark.parametrize(("world", "method", "way"), REPLAYED)
def test_the_region_that_the_page_shades_begins_where_the_answer_says(world: str, method: str, way: str) -> None:
    optimizer = replayed(world, method, way)
    advice = optimizer.recommend()
    claims = [each for each in advice.reasons if each.kind == "good-enough"]
    shown = str(advice_card(optimizer, advice, optimizer.explain()))
    if advice.context:  # answers of several contexts stand side by side: no one region is theirs
        assert "Shaded: good enough" not in shown
        return
    assert ("Shaded: good enough" in shown) == bool(claims)
    for claim in claims:
        said = claim.text.removeprefix("good enough is ").partition(":")[0]
        assert f"Shaded: good enough, {said}." in shown


def test_a_play_that_is_expected_to_be_better_than_its_bound_says_why() -> None:
    """Its optimistic value is 1.277 by the model that it was chosen by, and 1.34 the average of all."""
    optimizer = replayed("drifting", "cheap-first", "in-order")
    (waiting,) = optimizer.pending
    card = optimizer.card(waiting)
    (bound,) = [each.values["bound"] for each in card.reasons if "bound" in each.values]
    assert card.mean is not None
    assert card.mean > bound
    assert card.reasons[-1].text.startswith("that is by one likely model, as of when it was chosen")
    (other,) = replayed("plain", "cheap-first", "in-order").pending
    assert "one likely model" not in str(replayed("plain", "cheap-first", "in-order").card(other))


@pytest.mark.parametrize(("world", "method", "way"), REPLAYED)
def test_each_scope_is_answered_once_by_each_belief(world: str, method: str, way: str) -> None:
    advice = replayed(world, method, way).recommend()
    answers = answers_of(advice)
    told = [(answer.scope, str(answer.context), answer.why) for answer in answers]
    if len({answer.scope for answer in answers}) > 1:
        told = [(answer.scope, str(answer.context), "") for answer in answers]
    assert len(set(told)) == len(told)


@pytest.mark.parametrize(("world", "method", "way"), REPLAYED)
def test_the_status_counts_the_rounds_that_were_played(world: str, method: str, way: str) -> None:
    optimizer = replayed(world, method, way)
    paid = sum(r.charged for r in optimizer.history)
    data = sum(each.charged or 0.0 for each in optimizer.history.data.values())
    assert optimizer.status.spent == pytest.approx(paid + data)


@pytest.mark.parametrize("rounds", [3, 6])
def test_where_no_outcome_has_kept_a_limit_the_answer_says_what_came_nearest(rounds: int) -> None:
    """After three nothing is modelled yet, and settings were called good enough without a word of the limit."""
    limit = sb.OutcomeConstraint("impurity", at_most=2.0, probability=0.9)
    variable = sb.Float("t", 0, 9, law=sb.Uniform())
    problem = sb.CostVarying([variable], [["t"]], costs=[1.0], limits=[limit])
    optimizer = sb.Optimizer(problem, seed=1, stop="enough")
    measured = []
    for _ in range(rounds):
        suggestion = optimizer.ask()
        assert suggestion is not None
        measured.append(3.0 + suggestion.values["t"] / 10)
        optimizer.tell(suggestion, 1.0, realised={**suggestion.values, "impurity": measured[-1]})
    assert f"no outcome has kept {limit}: the nearest is {min(measured):.4g}, in round" in optimizer.recommend().why
    assert optimizer.status.gain is None, "nothing bounds what is to be gained where a limit is kept"
    assert optimizer.ask() is not None


def _with_today(kind: str, minimize: bool) -> sb.core.Problem:
    today, x = {"x": 0.2}, sb.Float("x", 0, 1)
    if kind == "cost-varying":
        return sb.CostVarying([x], [["x"]], current=today, minimize=minimize)
    if kind == "time-varying":
        return sb.TimeVarying([x], current=today, minimize=minimize)
    if kind == "mean-field":
        return sb.MeanField(["a", "b"], agents=20, current={"a": 4, "b": 16}, minimize=minimize)
    graph = sb.CausalGraph.from_text("x -> y", target="y", intervenable=["x"])
    return sb.Causal(graph, [x], current=today, minimize=minimize)


@pytest.mark.parametrize("kind", ["cost-varying", "time-varying", "mean-field", "causal"])
def test_a_gain_is_a_gain_whichever_way_is_better(kind: str) -> None:
    """The optimum is at 0.6, today is at 0.2: by 0.16 better, or a little less."""
    gains = []
    for minimize in (False, True):
        optimizer = sb.Optimizer(_with_today(kind, minimize), seed=0, rounds=12)
        while (suggestion := optimizer.ask()) is not None:
            shares = suggestion.values.get("distribution", {}).get("everyone", {})
            x = suggestion.values.get("x", shares.get("a", 0.2))
            loss = (x - 0.6) ** 2
            optimizer.tell(suggestion, loss if minimize else -loss)
        (gain,) = [each.values for each in optimizer.recommend().reasons if each.kind == "gain-over-current"]
        assert gain["low"] < gain["gain"] < gain["high"]
        gains.append(gain["gain"])
    assert gains[0] == pytest.approx(gains[1], rel=1e-6)
    assert 0 < gains[0] < 0.2
