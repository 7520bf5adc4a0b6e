"""`cheap-first`: what it plays, where its guarantee comes from, and how it takes surprises."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

import steerbo as sb
from steerbo.costvarying._comparison import DEVIATION_MARGIN
from steerbo.costvarying._switching import Switching
from steerbo.costvarying.cheap_first import CheapFirst, Reasons, worthwhile_width
from steerbo.gp._posterior import subset_of_data
from steerbo.optim import sobol_points
from steerbo.records import from_dict, to_dict
from tests.costvarying.worlds import OVEN, PROBLEM, evaluate, value_of

pytestmark = pytest.mark.few_draws

COSTS = (0.1, 0.2, 1.0)


def problem(costs: tuple[float, ...] | None = COSTS, tolerance: Any = None) -> sb.CostVarying:
    law = sb.TruncatedNormal(0.5, 0.2)
    return sb.CostVarying(
        variables=[sb.Float("a", 0, 1, law=law), sb.Float("b", 0, 1, law=law)],
        control_sets=[["a"], ["b"], ["a", "b"]],
        costs=None if costs is None else list(costs),
        tolerance=tolerance,
    )


def optimizer(budget: float = 20.0, seed: int = 0, **options: Any) -> sb.Optimizer:
    """One that asks for the best there is, not for what is nearly as good."""
    return sb.Optimizer(problem(tolerance=sb.Absolute(0.0)), "cheap-first", budget=budget, seed=seed, **options)


def method(optimizer: sb.Optimizer) -> CheapFirst:
    assert isinstance(optimizer._method, CheapFirst)
    return optimizer._method


def ask(optimizer: sb.Optimizer) -> sb.core.Suggestion:
    suggestion = optimizer.ask()
    assert suggestion is not None
    return suggestion


def play(optimizer: sb.Optimizer, rounds: int, outlier: int = 0) -> list[dict[str, Any]]:
    """A bowl in both variables, up to a round; notes of the rounds that are played."""
    random, notes, before = np.random.default_rng(0), [], len(optimizer.history)
    for number in range(1, rounds + 1):
        drawn, noise = {name: float(random.uniform(0.2, 0.8)) for name in "ab"}, random.normal()
        if number <= before:
            continue
        if (suggestion := optimizer.ask()) is None:
            break
        x = {**drawn, **suggestion.values}
        value = -((x["a"] - 0.3) ** 2) - (x["b"] - 0.7) ** 2 + 0.001 * noise
        optimizer.tell(suggestion, value + (5.0 if number == outlier else 0.0), realised=x)
        notes.append({"set": optimizer.problem.numbers[suggestion.scope], **suggestion.note})  # type: ignore[attr-defined]
    return notes


@cache
def usual() -> tuple[tuple[sb.core.Event, ...], list[dict[str, Any]]]:
    """Events and notes of the usual study, which is played once for all tests."""
    played = optimizer()
    notes = play(played, 60)
    return played.events, notes


def played_on(rounds: int) -> sb.Optimizer:
    """The usual study after some of its rounds."""
    events, _ = usual()
    told = [i + 1 for i, event in enumerate(events) if isinstance(event, sb.core.OutcomeTold)]
    return sb.Optimizer.replay(optimizer().problem, events[: told[rounds - 1]])


def test_the_cheapest_rung_that_is_enough_is_played() -> None:
    notes = [note for note in usual()[1] if "upper" in note]
    highest = [max(v for v in note["upper"] if v is not None) for note in notes]
    for note, best in zip(notes, highest, strict=True):
        assert note["upper"][note["set"]] + note["width"] >= best - 1e-12
    assert {note["set"] for note in notes} == {0, 1, 2}
    assert notes[0]["set"] < 2  # cheap plays teach first
    late = [note for note in notes if note["upper"][2] is not None][-3:]  # while the dear set is affordable
    assert all(note["set"] == 2 for note in late)  # it alone reaches 0, and in the end that is seen


def test_a_set_without_a_bound_is_explained() -> None:
    """In the end the dear set no longer fits into the money left."""
    events, notes = usual()
    assert None in notes[-1]["upper"]
    said = sb.Optimizer.replay(optimizer().problem, events).explain()
    assert "A set without a bound (–) could not be played then: it costs more than was left" in said.summary
    assert "(–)" not in played_on(12).explain().summary


def test_a_play_falls_short_by_no_more_than_is_promised() -> None:
    played = played_on(12)
    for number in range(13, 30):
        ours = method(played)
        beta, candidates = ours.beta(), ours.candidates({})
        suggestion = ask(played)
        i = ours.problem.numbers[suggestion.scope]
        (found,) = ours.wide_upper_bounds(candidates, [i], beta)[1]  # which is polished afterwards
        point = found.point[None]
        mean, wide = candidates.expectation(i).moments(point)
        _, narrow = candidates.expectation(i).of_mean().moments(point)
        shortfall = max(v for v in suggestion.note["upper"] if v is not None) - ours.surrogate.unstandardised(
            float(mean[0] - beta * narrow[0])
        )
        promised = 2 * (1 + 1) * beta * ours.model.scale * float(wide[0])
        assert shortfall <= promised * (1 + 1e-2), number
        x = {"a": 0.4, "b": 0.6, **suggestion.values}
        played.tell(suggestion, -((x["a"] - 0.3) ** 2) - (x["b"] - 0.7) ** 2, realised=x)


def test_a_rough_deviation_says_how_wide_a_play_may_be() -> None:
    """At most `DEVIATION_MARGIN` times as large is that of the play which a search finds, and seldom much smaller."""
    shares = []
    for rounds in (6, 12, 20):
        played = played_on(rounds)
        ours, beta = method(played), 2.0
        candidates = ours.candidates({})
        every = range(len(ours.search_space.sets))
        plays = ours.wide_upper_bounds(candidates, every, beta)[1]
        for i, found in zip(every, plays, strict=True):
            rough = 2 * beta * ours.model.scale * candidates.rough_deviation(i, beta, 7)
            shares.append(ours.width(candidates, i, found.point, beta) / rough)
    assert max(shares) <= DEVIATION_MARGIN
    assert np.median(shares) > 0.5


def test_plays_that_are_found_with_the_bounds_are_those_found_after_them(monkeypatch: pytest.MonkeyPatch) -> None:
    together = usual()[1][:20]
    monkeypatch.setattr("steerbo.costvarying._comparison._FEW", 0)
    played = optimizer()
    for one, other in zip(together, play(played, 20), strict=True):
        assert one["set"] == other["set"]
        assert one.get("width", 0.0) == pytest.approx(other.get("width", 0.0), rel=1e-6)
    assert any("width" in note for note in together)


def test_what_is_promised_of_the_polished_point_that_is_played() -> None:
    """`2 β E σ(x') + κ w_i + β J`, J = sqrt(E σ²) − E σ where the search ended; E σ by 2^12 draws of its own."""
    beta, moves = 2.0, []
    for seed in range(4):
        played = optimizer(seed=seed)
        play(played, 8)
        ours = method(played)
        candidates, scale = ours.candidates({}), ours.model.scale
        uniform = sobol_points(2**12, 2, seed=9)
        draws = np.column_stack([v.encoded_ppf(u) for v, u in zip(ours.problem.variables, uniform.T, strict=True)])
        (upper, _), (_, plays) = (
            ours.narrow_upper_bounds(candidates, [0, 1], beta),
            ours.wide_upper_bounds(candidates, [0, 1], beta),
        )
        for i, found in enumerate(plays):
            expectation, end, width = (
                candidates.expectation(i),
                found.point,
                ours.width(candidates, i, found.point, beta),
            )
            moved = ours.point_to_play(candidates, i, found, beta)
            (mean,), (wide,) = expectation.moments(end[None])
            (mean_there,), (narrow,) = expectation.of_mean().moments(moved[None])
            at_end, at_moved = (expectation.sampled(beta, draws)(x[None])[0][0] for x in (end, moved))
            jensen, sigma = wide - (at_end - mean) / beta, (at_moved - mean_there) / beta
            assert jensen >= 0
            assert narrow <= sigma * (1 + 1e-6)
            shortfall = upper[i] + width - ours.surrogate.unstandardised(float(mean_there - beta * narrow))
            assert shortfall <= scale * beta * (2 * sigma + jensen) + width + 1e-3 * scale
            moves.append(float(np.abs(moved - end).max()))
    assert max(moves) > 1e-3, "nothing was polished, or nothing was tested"


def test_without_patience_only_the_highest_bound_is_played() -> None:
    for note in play(optimizer(patience=0), 15):
        if "upper" in note:
            assert note["upper"][note["set"]] == max(v for v in note["upper"] if v is not None)


def test_patience_buys_cheaper_plays() -> None:
    """Over equally many plays, before any of them has found out what the dear set is worth."""
    notes = {p: play(optimizer(patience=p), 18) for p in (0, 4)} | {1: usual()[1][:18]}
    paid = [sum(COSTS[note["set"]] for note in notes[p]) for p in (0, 1, 4)]
    assert paid[0] > 1.1 * paid[1] > 1.2 * paid[2]


@pytest.mark.parametrize(
    "tolerance",
    [sb.Absolute(0.12), sb.costvarying.Threshold(-0.12), sb.costvarying.Fraction(0.4, worst=-0.3)],
)
def test_with_a_tolerance_no_dear_set_is_played_for_more_than_is_asked(tolerance: Any) -> None:
    """By the law, a or b alone reach −.08: good enough, so that the dear set is left once that is clear."""
    strict = [note["set"] for note in usual()[1][:40]]
    lenient = [note["set"] for note in play(sb.Optimizer(problem(tolerance=tolerance), "cheap-first", budget=20.0), 40)]
    assert lenient.count(2) < strict.count(2)
    assert 2 not in lenient[-10:]


def sets_played(tolerance: Any) -> list[int]:
    played = sb.Optimizer(problem(tolerance=tolerance), "cheap-first", budget=20.0, seed=0)
    return [note["set"] for note in play(played, 20)]


def test_a_threshold_out_of_reach_asks_for_the_best() -> None:
    assert sets_played(sb.costvarying.Threshold(10.0)) == [note["set"] for note in usual()[1][:20]]


@pytest.mark.all_draws
def test_where_no_tolerance_is_stated_a_twentieth_of_the_range_buys_no_dear_play() -> None:
    strict = sets_played(sb.Absolute(0.0))
    assert sets_played(None) == sets_played(sb.costvarying.Fraction(0.05)) != strict


def test_equally_cheap_sets_are_chosen_among_by_their_promise() -> None:
    law = sb.TruncatedNormal(0.5, 0.2)
    variables = [sb.Float(v, 0, 1, law=law) for v in "ab"]
    alike = sb.CostVarying(variables, [["a"], ["b"]], costs=[1.0, 1.49])
    lenient = sb.Optimizer(alike, "cheap-first", rounds=15, seed=2, alike=1.5)
    notes = [note for note in play(lenient, 15) if "upper" in note]
    assert {note["set"] for note in notes} == {0, 1}
    assert all(note["upper"][note["set"]] == max(note["upper"]) for note in notes)
    assert "Costs within a factor of 1.5 count as equal." in str(lenient.explain())


def test_logged_bounds_say_before_which_round_they_were_so() -> None:
    """They are of the last choice, before its outcome, and may contradict the answer beside them."""
    (table,) = played_on(20).explain().tables
    assert table.columns[-1] == "at best, before round 20"


def test_a_round_that_is_open_has_held_nothing_yet() -> None:
    played = played_on(20)
    asked = ask(played)
    assert f"For round 21 that was {asked.scope}, whose expected value" in played.explain().summary


def test_a_price_counts_unless_it_is_said_that_it_does_not() -> None:
    """The dear set is no better; at a price half as high again it is played less often than where prices are alike."""
    law = sb.TruncatedNormal(0.5, 0.2)
    twins = sb.CostVarying([sb.Float(v, 0, 1, law=law) for v in "ab"], [["a"], ["b"]], costs=[1.0, 1.4])
    strict, lenient = (
        sum(
            note["set"]
            for seed in range(3)
            for note in play(sb.Optimizer(twins, "cheap-first", rounds=20, seed=seed, alike=alike), 20)
        )
        for alike in (1.0, 1.5)
    )
    assert strict < lenient


def test_where_nobody_counts_money_the_highest_bound_decides() -> None:
    free = sb.Optimizer(problem(costs=None), "cheap-first", rounds=25, seed=0)
    for note in play(free, 25):
        if "upper" in note:
            assert note["upper"][note["set"]] == max(note["upper"])


def test_an_outcome_that_is_probably_wrong_is_said_and_counts_for_little() -> None:
    calm, shaken = played_on(30), played_on(19)
    with pytest.warns(sb.errors.OutOfRangeWarning, match="round 20: 4.* is far from what was expected there"):
        play(shaken, 30, outlier=20)
    assert 19 in method(shaken).model.doubted
    assert shaken.recommend().mean == pytest.approx(calm.recommend().mean, abs=0.05)
    assert shaken.recommend().values["a"] == pytest.approx(0.3, abs=0.1)


@pytest.mark.parametrize("value", [1e100, -1e100, 1e-300])
def test_absurd_outcomes_are_taken_in(value: float) -> None:
    shaken = played_on(10)
    shaken.tell(ask(shaken), value, realised={"a": 0.5, "b": 0.5})
    for suggestion in (ask(shaken), ask(shaken)):
        assert "repeats" in suggestion.note or np.isfinite(suggestion.note["width"])
    assert sb.load(shaken.to_json()).history.n_completed == 11


def test_an_outcome_that_was_put_right_is_no_longer_doubted() -> None:
    amended = played_on(19)
    play(amended, 20, outlier=20)
    ask(amended)
    assert 19 in method(amended).model.doubted
    twentieth = list(amended.history)[19]
    assert twentieth.outcome is not None
    amended.amend(twentieth.suggestion.token, twentieth.outcome.value - 5.0)
    assert 19 not in method(amended).model.doubted


def test_of_more_outcomes_than_fit_some_count_which_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "steerbo.gp._regression.subset_of_data", lambda prior, X, z: subset_of_data(prior, X, z, most=20)
    )
    names = ("a", "b", "c")
    problem = sb.CostVarying([sb.Float(name, 0, 1, law=sb.Uniform()) for name in names], [["a"], ["a", "b", "c"]])
    optimizer, draw = sb.Optimizer(problem), np.random.default_rng(0)
    for _ in range(30):
        values = dict(zip(names, draw.random(3).tolist(), strict=True))
        optimizer.add(sum(values.values()), values)
    first = optimizer.ask()
    again = sb.Optimizer.replay(problem, optimizer.events[:-1]).ask()
    assert first == again, "to the last bit"
    said = "Of 30 outcomes 20 are counted"
    assert said in optimizer.explain().text
    assert said in str(optimizer.status)
    assert optimizer.recommend().mean == pytest.approx(3.0, abs=0.1)


def test_it_is_said_of_a_play_that_stays_and_of_one_that_moves() -> None:
    strict = replace(OVEN, control_sets=[["oven", "speed", "feed"]], costs=[1], tolerance=sb.Absolute(0.0))
    optimizer = sb.Optimizer(strict, budget=500, seed=0)
    said: dict[bool, str] = {}
    for _ in range(24):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, value_of(suggestion.values))
        if "upper" in suggestion.note:
            why = from_dict(Reasons, suggestion.note)
            assert why.moving is not None
            assert why.moving.price > 0
            said[bool(suggestion.change_cost)] = str(optimizer.explain())
            enough = why.moving.stay + why.width >= why.moving.move
            poor = why.moving.better <= why.moving.needed
            assert suggestion.change_cost or enough or poor, "it moves where that pays, and staying lags behind"
    assert "The move costs" in said[True]
    assert "What is hard to change stays as it is" in said[False]


def test_nothing_is_kept_where_nothing_is_hard_to_change() -> None:
    optimizer, random = sb.Optimizer(PROBLEM, seed=0), np.random.default_rng(0)
    for _ in range(8):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, **evaluate(suggestion, random))
        assert "moving" not in suggestion.note
    assert "hard to change" not in str(optimizer.explain())


def test_reasons_are_read_back() -> None:
    why = Reasons([1.0], 0.5, Switching(1.0, 2.0, 5.0, 0.1, 0.2, 30.0))
    assert from_dict(Reasons, to_dict(why)) == why


def test_bounds_are_as_wide_as_the_plays_to_come_pay_for() -> None:
    """With few plays left nothing more is explored: before, the last play was as curious as the sixth."""
    of = sb.CostVarying([sb.Float("x", 0, 1), sb.Float("z", 0, 1)], control_sets=[["x", "z"]], costs=[2], afterwards=0)

    def widths(option: float = 2.0, **limits: Any) -> list[float]:
        optimizer = sb.Optimizer(of, "cheap-first", seed=0, beta=option, **limits)
        found: list[float] = []
        method: Any = optimizer._method
        while (asked := optimizer.ask()) is not None and len(found) < 30:
            found.append(method.beta())
            optimizer.tell(asked, -(asked.values["x"] ** 2) - asked.values["z"] ** 2)
        return found

    rounds = widths(rounds=10)
    assert rounds == [pytest.approx(worthwhile_width(max(9 - k, 1))) for k in range(10)]
    assert widths(budget=20) == rounds  # ten plays, by money
    assert widths(rounds=10, option=0.5)[:5] == [0.5] * 5
    endless = widths()
    assert endless[:20] == [pytest.approx(worthwhile_width(20))] * 20
    assert endless[20:] == sorted(endless[20:])
    assert endless[-1] > endless[0]


@settings(deadline=None)
@given(st.floats(1, 1e9))
def test_a_play_that_is_so_many_deviations_below_costs_what_all_plays_gain(plays: float) -> None:
    z = worthwhile_width(plays)
    assert z == pytest.approx(plays * (norm.pdf(z) - z * norm.sf(z)), rel=1e-3)


@pytest.mark.parametrize("again", [4.0, 0.0])
def test_an_outcome_that_is_better_than_all_others_and_doubted_is_played_once_more(again: float) -> None:
    """On a narrow peak it was right, and was never played again where it counted for little."""
    optimizer = sb.Optimizer(sb.CostVarying([sb.Float("heat", 0, 10)], [["heat"]]), seed=0)
    random, repeated = np.random.default_rng(0), []
    for number in range(1, 27):
        suggestion = optimizer.ask()
        heat = suggestion.values["heat"]
        if number == 14:
            peak = suggestion
        if "repeats" in suggestion.note:
            repeated.append((suggestion.note["repeats"], heat))
            assert f"Round {number} repeats {peak.token}" in optimizer.explain().text
        near = number >= 14 and abs(heat - peak.values["heat"]) < 0.02
        value = 4.0 if number == 14 else again if near else 0.0
        optimizer.tell(suggestion, value + 0.1 * random.normal())
    assert repeated == [(peak.token, peak.values["heat"])]
    best = optimizer.recommend().values["heat"]
    assert (abs(best - peak.values["heat"]) < 0.1) is (again == 4.0)


@pytest.mark.parametrize("seed", [1, 3])
def test_a_repetition_that_agrees_is_believed_whatever_nature_draws_beside_it(seed: int) -> None:
    """Points of both differ in what nature drew: both were doubted for ever, and the answer was elsewhere."""
    variables = [sb.Float("heat", 0, 10), sb.Float("wind", 0, 10, law=sb.Uniform())]
    optimizer = sb.Optimizer(sb.CostVarying(variables, [["heat"]]), seed=seed)
    random, repeats = np.random.default_rng(seed), []
    for number in range(1, 21):
        suggestion = optimizer.ask()
        heat = suggestion.values["heat"]
        if number == 14:
            peak = suggestion
        if "repeats" in suggestion.note:
            repeats.append(suggestion.note["repeats"])
        near = number >= 14 and abs(heat - peak.values["heat"]) < 0.5
        value = 4.0 * near + 0.1 * random.normal()
        optimizer.tell(suggestion, value, realised={"heat": heat, "wind": 10.0 * random.random()})
    assert repeats == [peak.token]
    assert "probably wrong" not in str(optimizer.status)
    assert optimizer.recommend().values["heat"] == pytest.approx(peak.values["heat"], abs=0.5)


def test_a_doubted_play_is_repeated_once_also_after_its_bounds_were_widened() -> None:
    """In wider bounds a setting may be another one in its last digit; the same play was repeated for ever."""
    optimizer = sb.Optimizer(sb.CostVarying([sb.Float("x", 0, 1)], [["x"]]), seed=8)
    for number in range(1, 13):
        peak = optimizer.ask()
        x = peak.values["x"]
        optimizer.tell(peak, -((x - 0.3) ** 2) + 30.0 * (number == 12))
    ends = (sb.Float("x", 0, high) for high in range(500, 2000))
    wider = next(variable for variable in ends if variable.decode(variable.encode([x])) != [x])
    optimizer.extend({"x": (0, wider.high)})
    repeats = []
    for _ in range(3):
        suggestion = optimizer.ask()
        repeats.append(suggestion.note.get("repeats"))
        optimizer.tell(suggestion, -((suggestion.values["x"] / 1000 - 0.3) ** 2))
    assert repeats.count(peak.token) == 1
