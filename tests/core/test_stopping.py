"""A study ends by itself when enough is known: by the bounds, as a pure function of its log, in every kind."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import LimitsRevised, keyed, numeral
from steerbo.core._stopping import stop_text
from steerbo.errors import InvalidOption
from steerbo.timevarying import SquaredExponential
from tests.meanfield.worlds import case as crowd_case

pytestmark = pytest.mark.few_draws

LAW = sb.Uniform()
PLANT = sb.CostVarying(
    [sb.Float("a", 0, 1, law=LAW), sb.Float("b", 0, 1, law=LAW)], [["a"], ["b"], ["a", "b"]], costs=[1, 1, 3]
)
GRAPH = sb.CausalGraph.from_text("age -> dose -> y; age -> y", target="y", intervenable=["dose"])
KINDS: dict[str, Any] = {
    "cost-varying": PLANT,
    "time-varying": sb.TimeVarying([sb.Float("a", 0, 1)], [sb.Prior(SquaredExponential(0.3), noise=0.02)]),
    "sites": sb.TimeVarying([sb.Float("a", 0, 1, step=0.1)]),
    "causal": sb.Causal(GRAPH, [sb.Float("dose", 0, 1), sb.Float("age", 0, 1)]),
    "mean-field": sb.MeanField(("north", "south"), agents=20),
}
METHODS = {"time-varying": "gp-ucb"}


def outcome(suggestion: sb.core.Suggestion, problem: Any = None) -> dict[str, Any]:
    """A smooth hill in what was set, with next to no noise; what is left is drawn. At best it is 0."""
    random, values = keyed(5, suggestion.round, "nature"), suggestion.values
    noise = 1e-3 * random.standard_normal()
    if "distribution" in values:
        (shares,) = values["distribution"].values()
        return {"value": -((shares["north"] - 0.3) ** 2) + noise, "cost": 1.0}
    if "dose" in values:
        return {"value": -((values["dose"] - suggestion.context["age"]) ** 2) + noise, "cost": 1.0}
    if not isinstance(problem, sb.CostVarying):
        return {"value": -((values["a"] - 0.6) ** 2) + noise, "cost": 1.0}
    x = {"a": float(random.random()), "b": float(random.random()), **values}
    value = -((x["a"] - 0.6) ** 2) - (x["b"] - 0.3) ** 2
    return {"value": value + noise, "cost": float(len(values)), "realised": x}


def played(
    optimizer: sb.Optimizer, rounds: int, value: Callable[[sb.core.Suggestion], float] | None = None
) -> sb.Optimizer:
    """At most so many rounds."""
    for _ in range(rounds):
        if (suggestion := optimizer.ask()) is None:
            break
        while suggestion.observe:
            random = keyed(6, suggestion.round, "look")
            suggestion = optimizer.decide(suggestion, {name: float(random.random()) for name in suggestion.observe})
        told = outcome(suggestion, optimizer.problem)
        optimizer.tell(suggestion, **{**told, **({"value": value(suggestion)} if value else {})})
    return optimizer


def study(kind: str, **more: Any) -> sb.Optimizer:
    return sb.Optimizer(KINDS[kind], METHODS.get(kind), seed=1, **more)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_ends_by_itself(kind: str) -> None:
    optimizer = played(study(kind, rounds=60, stop=0.2), 60)
    status = optimizer.status
    assert 1 < status.rounds < 60
    assert status.finished.startswith("enough is known: at most ")
    assert "less than 0.2" in str(status)
    assert status.gain is not None
    assert status.gain < 0.2
    again = sb.load(optimizer.to_json())
    assert (again.status, str(again.explain())) == (status, str(optimizer.explain()))
    told = optimizer.explain()
    assert told.tables[-1].rows[-1] == ("now", status.gain)
    assert "The study will stop when less than 0.2 can be gained" in told.summary
    optimizer.revise(stop=None)
    assert optimizer.ask() is not None, "without the rule it goes on"


@pytest.mark.parametrize("kind", KINDS)
def test_what_can_be_gained_is_true(kind: str) -> None:
    """The recommended choice is no further below the best there is (0) than was said; a fixed seed."""
    optimizer = played(study(kind, rounds=60, stop=0.05), 40)
    advice, gain = optimizer.recommend(), optimizer.status.gain
    assert gain is not None
    assert advice.mean is not None
    short = 0.1 if kind == "cost-varying" else 0.01  # there a tenth may be given up, and is a tenth of about one
    assert 0.0 - advice.mean <= gain + short


def test_without_a_rule_nothing_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    optimizer = study("cost-varying", rounds=9)
    monkeypatch.setattr(type(optimizer._method), "gain", lambda *_: pytest.fail("nobody asked"))
    played(optimizer, 9)
    assert optimizer.status.gain is None
    assert "still be gained" not in str(optimizer.explain())
    assert all(played.gain is None for played in optimizer.history)


def test_the_curve_is_in_the_log() -> None:
    optimizer = played(study("mean-field", rounds=30, stop=1e-9), 12)
    logged = [played.gain for played in optimizer.history]
    assert logged[:5] == [None] * 5, "while nothing can be said"
    assert all(gain is not None and gain >= 0 for gain in logged[6:])
    table = optimizer.explain().tables[-1]
    assert table.title.startswith("What can still be gained")
    assert dict(table.rows)[12] == logged[-1]


def test_a_long_curve_is_thinned() -> None:
    optimizer = played(study("time-varying", rounds=90, stop=1e-9), 70)
    rows = optimizer.explain().tables[-1].rows
    assert len(rows) <= 14
    assert [row[0] for row in rows[-2:]] == [70, "now"]


def test_enough_compares_with_what_a_play_costs() -> None:
    dear = played(study("cost-varying", rounds=60, stop="enough"), 60)
    assert dear.status.finished.startswith("enough is known")
    assert "that the latest round cost" in dear.status.finished
    free = sb.Optimizer(KINDS["time-varying"], "gp-ucb", rounds=12, stop="enough", seed=1)
    for _ in range(12):
        suggestion = free.ask()
        assert suggestion is not None
        free.tell(suggestion, outcome(suggestion)["value"])
    assert free.status.finished == "all rounds are made"
    assert "the cost of a round is unknown" in free.explain().text


def test_a_dear_mishap_is_not_what_a_play_costs() -> None:
    """A failure that cost more than could be gained once ended a study at once."""
    problem = sb.CostVarying(PLANT.variables, PLANT.control_sets, costs=PLANT.costs, value_of_one=1000)
    optimizer = played(sb.Optimizer(problem, rounds=60, stop="enough", seed=1), 8)
    assert optimizer.status.gain is not None
    assert not optimizer.status.finished
    asked = optimizer.ask()
    assert asked is not None
    optimizer.fail(asked, "the pump broke", cost=1e6)
    assert not optimizer.status.finished
    assert optimizer.ask() is not None
    assert "of late" in optimizer.explain().text


@pytest.mark.parametrize("minimize", [False, True])
def test_with_a_worth_enough_is_the_same_in_every_unit(minimize: bool) -> None:
    """In kilograms, grams and tonnes: 64 or 1/64 of a unit, so that rounding is the same."""
    ends = []
    for unit in (1.0, 64.0, 1 / 64):
        problem = sb.CostVarying(
            PLANT.variables, PLANT.control_sets, costs=PLANT.costs, value_of_one=8 / unit, minimize=minimize
        )
        optimizer = sb.Optimizer(problem, rounds=30, stop="enough", seed=1)
        for _ in range(30):
            if (suggestion := optimizer.ask()) is None:
                break
            told = outcome(suggestion, problem)
            optimizer.tell(suggestion, **{**told, "value": told["value"] * unit * (-1 if minimize else 1)})
        status, why = optimizer.status, optimizer.explain()
        assert status.finished.startswith("enough is known")
        assert status.gain is not None
        assert status.gain_worth is not None
        assert status.gain_worth == pytest.approx(status.gain * 8 / unit)
        assert f"(worth {numeral(status.gain_worth)}) can still be gained" in status.finished
        assert why.tables[-1].columns == ("before round", "at most", "worth")
        assert why.tables[-1].rows[-1] == ("now", status.gain, status.gain_worth)
        ends.append((status.rounds, status.gain_worth))
    rounds, worths = zip(*ends, strict=True)
    assert len({*rounds}) == 1
    assert worths == pytest.approx([worths[0]] * 3)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "time-varying"])
@pytest.mark.parametrize("value", [0.0, 4.2, -1e100])
def test_outcomes_that_are_all_alike_end_nothing(kind: str, value: float) -> None:
    optimizer = played(study(kind, rounds=8, stop=1e90), 8, lambda _: value)
    assert optimizer.status.finished == "all rounds are made"
    assert optimizer.status.gain is None
    assert "the bounds do not say yet how much can be gained" in optimizer.explain().text


def test_one_outcome_and_none_end_nothing() -> None:
    for kind in KINDS:
        optimizer = study(kind, rounds=9, stop=1e90)
        assert not optimizer.status.finished
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.fail(suggestion, "pump broke", cost=1.0)
        assert not optimizer.status.finished, "everything failed"
        assert optimizer.explain().text
    assert not played(study("sites", rounds=9, stop=1e90), 1).status.finished


def test_huge_outcomes_are_weighed() -> None:
    optimizer = played(study("cost-varying", rounds=12, stop=1e97), 12, lambda s: 1e99 * (s.values.get("a", 0.5) - 0.5))
    gain = optimizer.status.gain
    assert gain is None or math.isfinite(gain)
    assert sb.load(optimizer.to_json()).status == optimizer.status


def test_a_batch_that_is_out_may_change_its_mind() -> None:
    optimizer = played(study("time-varying", rounds=60, stop=0.2), 3)
    batch = optimizer.ask(batch=2)
    for suggestion in batch:
        optimizer.tell(suggestion, outcome(suggestion)["value"])
    while (suggestion := optimizer.ask()) is not None:
        optimizer.tell(suggestion, outcome(suggestion)["value"])
    assert optimizer.status.finished.startswith("enough")
    optimizer.amend(batch[0].token, 50.0)
    assert isinstance(optimizer.status.gain, float), "it is what the log now leads to"
    assert sb.load(optimizer.to_json()).status == optimizer.status


def test_a_threshold_that_nobody_reaches_does_not_go_on_for_ever() -> None:
    hopeless = sb.CostVarying(
        PLANT.variables, PLANT.control_sets, costs=PLANT.costs, tolerance=sb.costvarying.Threshold(1e3)
    )
    optimizer = played(sb.Optimizer(hopeless, rounds=60, stop=0.3, seed=1), 60)
    assert optimizer.status.finished.startswith("enough")


def test_a_dear_set_is_no_end_while_a_cheap_one_may_do() -> None:
    """The gain is also what a cheaper set may still turn out to be worth beyond what is acceptable."""
    optimizer = played(study("cost-varying", rounds=9, stop=1e-6), 7)
    method = optimizer._method
    wide = method.gain()
    assert wide > 0
    assert np.isfinite(wide)


@pytest.mark.parametrize("stop", [0, -1, math.nan, math.inf, "Enough", True, [1, 2], "0.5"])
def test_what_is_no_rule_is_refused(stop: Any) -> None:
    with pytest.raises(InvalidOption, match=r"stop: .* 'enough', or a number above 0"):
        study("cost-varying", rounds=9, stop=stop)
    with pytest.raises(InvalidOption, match=r"stop: "):
        study("cost-varying", rounds=9).revise(stop=stop)


def test_methods_without_bounds_are_refused_by_name() -> None:
    case = crowd_case("random")
    with pytest.raises(InvalidOption, match=r"stop: 'enough' .*'random'.*no bounds"):
        case.start(stop="enough")
    with pytest.raises(InvalidOption, match=r"stop: 0.5 "):
        case.start().revise(stop=0.5)


def test_a_rule_is_revised_and_logged() -> None:
    optimizer = study("sites", rounds=9)
    optimizer.revise(stop=0.5)
    optimizer.revise(stop=0.5)
    optimizer.revise(stop="enough")
    changes = [event.changes for event in optimizer.events if isinstance(event, LimitsRevised)]
    assert changes == [{"stop": (None, 0.5)}, {"stop": (0.5, "enough")}]
    assert sb.load(optimizer.to_json()).history.stop == "enough"
    assert stop_text(None) == "no stop before the limits"


OVEN = sb.CostVarying(
    [sb.Float("oven", 0, 1, change=sb.SwitchingCost(fixed=8)), sb.Float("speed", 0, 1)],
    [["oven", "speed"]],
    costs=[1],
    value_of_one=1,
)


def baked(stop: sb.core._stopping.Stop, rounds: int) -> sb.Optimizer:
    """Two humps in the oven's heat, 6 and 8 high; to move it costs 8, a play 1."""
    optimizer, before = sb.Optimizer(OVEN, rounds=60, stop=stop, seed=1), None
    for _ in range(rounds):
        if (suggestion := optimizer.ask()) is None:
            break
        heat, speed = suggestion.values["oven"], suggestion.values["speed"]
        humps = 6 * math.exp(-((heat - 0.25) ** 2) / 0.03) + 8 * math.exp(-((heat - 0.75) ** 2) / 0.03)
        moved = 8.0 if before not in (None, heat) else 0.0
        optimizer.tell(suggestion, humps - 4 * (speed - 0.5) ** 2, cost=1.0 + moved)
        before = heat
    return optimizer


def test_what_a_move_cost_is_no_cost_of_the_next_play() -> None:
    """Such a study once ended with the first move of which bounds were known: 9 is more than could be gained."""
    optimizer = baked("enough", 60)
    plays = list(optimizer.history)
    first = next(k for k, played in enumerate(plays) if k >= 4 and played.suggestion.change_cost)
    assert len(plays) > first + 1
    status = optimizer.status
    assert status.finished.startswith("enough is known")
    assert status.finished.endswith("less than the 1 that the latest round cost, switching aside")
    assert "1 of late, switching aside" in optimizer.explain().text
    gains = [played.gain for played in plays if played.gain is not None]
    assert status.gain is not None
    assert min(gains) >= 1.0 > status.gain
    assert sb.load(optimizer.to_json()).status == status


def test_what_a_move_brings_counts_less_its_cost() -> None:
    """All that is known is near one heat, where the oven stands: beyond it more may be had, for 8."""
    problem = dataclasses.replace(OVEN, current={"oven": 0.25, "speed": 0.5})
    gains = []
    for stop in ("enough", 1e-3):
        optimizer = sb.Optimizer(problem, rounds=60, stop=stop, seed=1)
        for k in range(8):
            heat, speed = 0.25 + 0.01 * (k % 3), k / 7
            optimizer.add(6 + 100 * (heat - 0.25) - 9 * (speed - 0.5) ** 2, realised={"oven": heat, "speed": speed})
        gains.append(optimizer.status.gain)
    net, gross = gains
    assert net is not None
    assert gross is not None
    assert gross - 8.0 <= net < gross - 0.1


@pytest.mark.parametrize(
    "problem",
    [
        sb.TimeVarying([sb.Float("a", 0, 1), sb.Float("b", 0, 1)]),
        sb.TimeVarying([sb.Float("a", 0, 1), sb.Float("b", 0, 1)], current={"a": 0.3, "b": 0.7}),
        sb.Causal(GRAPH, [sb.Float("dose", 0, 1), sb.Float("age", 0, 1)]),
    ],
    ids=["time-varying", "today", "causal"],
)
def test_a_few_outcomes_that_are_alike_are_not_enough(problem: Any) -> None:
    """Two told a small scale: 17 of 40 studies with today's settings ended, and could gain eight times as much."""
    optimizer = played(sb.Optimizer(problem, stop=0.5, seed=0), 4, lambda suggestion: 1.0 + 1e-3 * suggestion.round)
    assert optimizer.status.rounds == 4
    assert not optimizer.status.finished
    assert optimizer.status.gain is None


def test_the_reach_of_todays_settings_is_said_where_enough_is_known() -> None:
    problem = sb.TimeVarying([sb.Float("a", 0, 1)], current={"a": 0.3})
    optimizer = played(sb.Optimizer(problem, stop=0.5, seed=0), 8, lambda suggestion: 1.0 + 1e-3 * suggestion.round)
    assert "can still be gained within reach of today's settings, less than 0.5" in optimizer.status.finished
