"""Measured values far outside their range: kept, and somebody is asked."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import pytest

import steerbo as sb
from steerbo._wording import SHELL
from steerbo.core import Optimizer
from steerbo.core._implausible import unusual, warn_implausible
from steerbo.core.events import Outcome, OutcomeTold
from steerbo.errors import InvalidContext, InvalidOutcome, InvalidRequest, OutcomeConflict, OutOfRangeWarning
from tests.core.stub import Nearest, Stub

PROBLEM = sb.CostVarying(
    [
        sb.Float("t", 10, 30),
        sb.Float("humidity", 20, 90, law=sb.Uniform(), unit="%"),
        sb.Categorical("line", ["a", "b"]),
    ],
    [["t", "line"]],
)


def test_a_typo_is_kept_warned_about_and_amended() -> None:
    optimizer = sb.Optimizer(PROBLEM, "random", rounds=9)
    suggestion = optimizer.ask()
    assert suggestion is not None
    with pytest.warns(OutOfRangeWarning, match=r"round 1: humidity = 500 .* 20 to 90 %; it is kept.* amend 1-"):
        optimizer.tell(suggestion, 1.0, realised={"humidity": 500})
    assert optimizer.history[suggestion.token].realised["humidity"] == 500
    with pytest.warns(OutOfRangeWarning, match="humidity = -20"):
        optimizer.amend(suggestion, realised={"humidity": -20})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        optimizer.amend(suggestion, realised={"humidity": 50})
        Optimizer.replay(PROBLEM, optimizer.events)
    with pytest.warns(OutOfRangeWarning, match=r"added-1: t = 220 .* amend added-1"):
        optimizer.add(1.0, {"t": 220, "humidity": 50, "line": "a"})
    optimizer.amend("added-1", realised={"t": 22})
    assert optimizer.history.added[0].realised == {"t": 22.0, "humidity": 50.0, "line": "a"}


def test_contexts_are_warned_about_once() -> None:
    optimizer = Optimizer(Stub(), Nearest)
    suggestion = optimizer.ask()
    assert suggestion is not None
    with pytest.warns(OutOfRangeWarning, match=r"round 1: age = 44 .* decide .* again.* among `realised`"):
        suggestion = optimizer.decide(suggestion, {"age": 44})
    assert len(suggestion.warnings) == 1
    assert "age = 44" in suggestion.warnings[0]
    suggestion = optimizer.decide(suggestion, {"pulse": 0.5})
    optimizer.tell(suggestion, 1.0)
    optimizer.amend(suggestion, realised={"age": 0.44})
    assert optimizer.history[suggestion.token].realised["age"] == 0.44


@pytest.mark.parametrize(
    ("variable", "near", "far"),
    [
        (sb.Float("x", -20, 50), (-55.0, 85.0), (-55.1, 85.1)),
        (sb.Float("x", 20, 90), (2.1, 125.0), (1.9, 125.1)),
        (sb.Float("x", 300, 1500), (31.0, 2100.0), (-300.0, 2101.0)),
        (sb.Float("x", 1, 100, scale="log"), (0.11, 990.0), (0.09, 1010.0)),
        (sb.Integer("x", 0, 10), (-5, 15), (-6, 16)),
        (sb.Float("x", -3, 3, law=sb.Normal(0, 1)), (-9.0, 9.0), (-9.6, 9.6)),
    ],
)
def test_far_is_half_a_width_beyond_what_is_usual_or_a_tenth_of_it(
    variable: sb.Float | sb.Integer, near: tuple[float, float], far: tuple[float, float]
) -> None:
    assert [variable.is_far(value) for value in (*near, *far)] == [False, False, True, True]


def told(optimizer: sb.Optimizer, value: float, cost: float | None = None, **realised: float) -> tuple[str, ...] | None:
    suggestion = optimizer.ask()
    assert suggestion is not None
    return optimizer.tell(suggestion, value, cost=cost, realised={"humidity": 50, **realised})


def test_a_look_that_is_given_once_more_is_told_how_it_is_corrected() -> None:
    optimizer = Optimizer(Stub(), Nearest)
    suggestion = optimizer.decide(optimizer.ask(), {"age": 0.61})
    with pytest.raises(
        InvalidContext, match=r"expected values for pulse. age was looked at already, and is 0.61"
    ) as told:
        optimizer.decide(suggestion, {"age": 0.16})
    assert str(told.value).endswith(": to correct it, use decide(suggestion, context, again=True).")
    assert told.value.worded(SHELL).endswith("use `steerbo decide STUDY TOKEN --context NAME=VALUE --again`.")
    optimizer.decide(suggestion, {"pulse": 0.5})
    with pytest.raises(OutcomeConflict, match=r"again=True\) to correct what was looked at last"):
        optimizer.decide(suggestion, {"pulse": 0.7})


def test_a_first_look_reads_no_events_before_its_round() -> None:
    """A long log was read to its beginning in each round."""

    class Read(list[Any]):
        def __getitem__(self, k: Any) -> Any:
            assert k >= 8, "an event of an earlier round"
            return super().__getitem__(k)

        def __reversed__(self) -> Any:
            return (self[k] for k in range(len(self) - 1, -1, -1))

    optimizer = Optimizer(Stub(), Nearest)
    for _ in range(2):
        suggestion = optimizer.decide(optimizer.decide(optimizer.ask(), {"age": 0.5}), {"pulse": 0.5})
        optimizer.tell(suggestion, 1.0)
    suggestion = optimizer.ask()
    assert len(optimizer.events) >= 9
    optimizer._state.events = Read(optimizer.events)
    optimizer.decide(suggestion, {"age": 0.5})


def test_who_tells_gets_the_warnings_as_data_also_the_second_time() -> None:
    optimizer = sb.Optimizer(PROBLEM, "random", rounds=9)
    assert told(optimizer, 1.0) is None
    suggestion = optimizer.ask()
    assert suggestion is not None
    assert suggestion.warnings == ()
    outcome: dict[str, Any] = {"value": 1.0, "realised": {"humidity": 500}}
    with pytest.warns(OutOfRangeWarning) as caught:
        said = optimizer.tell(suggestion, **outcome)
    assert said == tuple(str(each.message) for each in caught)
    assert optimizer.tell(suggestion, **outcome) == said
    with pytest.warns(OutOfRangeWarning, match="humidity = 600"):
        assert optimizer.amend(suggestion, realised={"humidity": 600})
    assert optimizer.amend(suggestion, realised={"humidity": 60}) is None
    with pytest.warns(OutOfRangeWarning, match="t = 220"):
        (added,) = optimizer.add(1.0, {"t": 220, "humidity": 50, "line": "a"}) or ()
    assert added.startswith("added-1: t = 220 is far")
    broken = optimizer.ask()
    assert broken is not None
    with pytest.warns(OutOfRangeWarning, match="humidity = 500"):
        said = optimizer.fail(broken, "it broke", realised={"humidity": 500})
    assert optimizer.fail(broken, "it broke", realised={"humidity": 500}) == said


def test_a_value_far_from_all_others_is_warned_about() -> None:
    optimizer = sb.Optimizer(PROBLEM, "random", rounds=30)
    for value in (3.0, 10.0, 6.5, 8.0):
        assert told(optimizer, value) is None
    with pytest.warns(OutOfRangeWarning, match="round 5: value = 740 is far from the others, 3 to 10; .* amend 5-"):
        said = told(optimizer, 740.0)
    assert said is not None
    optimizer.amend(list(optimizer.history)[-1].suggestion.token, 7.4)
    with pytest.warns(OutOfRangeWarning, match="added-1: value = -90"):
        optimizer.add(-90.0, {"t": 20, "humidity": 50, "line": "a"})
    with pytest.warns(OutOfRangeWarning, match="added-1: value = 830 "):
        optimizer.amend("added-1", 830.0)
    optimizer.amend("added-1", 8.3)
    assert told(optimizer, 20.0) is None, "a bit more than ever before is what one hopes for"


def test_a_value_far_from_all_others_is_warned_about_where_a_model_extrapolates() -> None:
    """Its deviations are wide there: chord = 10.2 m, where .03 to .3 were known, let 1600 dB pass for likely."""
    optimizer = sb.Optimizer(PROBLEM, "random", rounds=30)
    for value in (110.0, 118.0, 127.0, 135.0):
        told(optimizer, value)
    suggestion = optimizer.ask()
    found = {
        humidity: warn_implausible(
            OutcomeTold(suggestion.token, Outcome(1600.0, None, {**suggestion.values, "humidity": humidity})),
            PROBLEM, optimizer.history, (1600.0, 120.0, 900.0),
        )
        for humidity in (50.0, 500.0)
    }  # fmt: skip
    assert [each.field for each in found[50.0]] == []
    assert [each.field for each in found[500.0]] == ["realised.humidity", "value"]
    assert found[500.0][1].text == "value = 1600 is far from the others, 110 to 135"


def test_a_cost_far_from_those_of_its_scope_is_warned_about() -> None:
    optimizer = sb.Optimizer(PROBLEM, "random", rounds=30, budget=1e4)
    for cost in (1.0, 2.0, 1.5, 1.2):
        assert told(optimizer, 1.0 + cost, cost) is None
    with pytest.warns(OutOfRangeWarning, match="round 5: cost = 150 is far from the others, 1 to 2"):
        told(optimizer, 2.0, 150.0)
    optimizer.amend(list(optimizer.history)[-1].suggestion.token, cost=1.5)
    broken = optimizer.ask()
    assert broken is not None
    with pytest.warns(OutOfRangeWarning, match="round 6: cost = 1500"):
        optimizer.fail(broken, "it broke", cost=1500.0)


def test_a_cost_of_another_size_is_warned_about_where_all_others_are_the_same() -> None:
    """What every play of a set costs is often one number: 100 beside 1 ended a study of a budget of 30 in silence."""
    optimizer = sb.Optimizer(PROBLEM, "random", rounds=30, budget=1e4)
    assert told(optimizer, 1.0, 1.0) is None
    assert told(optimizer, 2.0, 100.0) is None, "of one other nothing is known"
    optimizer.amend(list(optimizer.history)[-1].suggestion.token, cost=1.0)
    assert told(optimizer, 3.0, 5.0) is None
    optimizer.amend(list(optimizer.history)[-1].suggestion.token, cost=1.0)
    for cost in (100.0, 0.01):
        with pytest.warns(OutOfRangeWarning, match=f"cost = {cost:g} is far from the others, which are all 1;"):
            told(optimizer, 2.5, cost)
        optimizer.amend(list(optimizer.history)[-1].suggestion.token, cost=1.0)
    broken = optimizer.ask()
    assert broken is not None
    optimizer.fail(broken, "it broke", cost=0.0)


@pytest.mark.parametrize("others", [[], [1.0], [1.0, 2.0e3], [1.0] * 20, [1.0, 1e6, 2.0, 3.0, 4.0]])
def test_nothing_is_unusual_where_little_is_usual(others: list[float]) -> None:
    assert not unusual(1e6, others)


def test_a_look_is_taken_back_until_something_else_was_looked_at() -> None:
    optimizer = Optimizer(Stub(), Nearest)
    suggestion = optimizer.ask()
    assert suggestion is not None
    with pytest.raises(OutcomeConflict, match="nothing was looked at"):
        optimizer.decide(suggestion, {"age": 0.4}, again=True)
    with pytest.warns(OutOfRangeWarning):
        optimizer.decide(suggestion, {"age": 61.0})
    with pytest.raises(InvalidContext, match="age"):
        optimizer.decide(suggestion, {"age": 0.61})  # it has to be said that it is a correction
    right = optimizer.decide(suggestion, {"age": 0.61}, again=True)
    assert (right.context, right.observe, right.warnings) == ({"age": 0.61}, ("pulse",), ())
    with pytest.raises(InvalidContext, match=r"context.pulse: .*what was looked at last: age"):
        optimizer.decide(suggestion, {"pulse": 0.5}, again=True)
    with pytest.raises(InvalidContext, match="context"):
        optimizer.decide(suggestion, [0.5], again=True)  # type: ignore[arg-type]
    optimizer.decide(suggestion, {"pulse": 0.5})
    with pytest.raises(InvalidContext, match=r"what was looked at last: pulse. .*among `realised`"):
        optimizer.decide(suggestion, {"age": 0.3}, again=True)
    corrected = optimizer.decide(suggestion, {"pulse": 0.7}, again=True)
    assert corrected.context == {"age": 0.61, "pulse": 0.7}
    assert corrected.values["dose"] == right.values["dose"], "what was set stays set"
    optimizer.tell(suggestion, 1.0)
    with pytest.raises(OutcomeConflict, match=r"is told: .*amend"):
        optimizer.decide(suggestion, {"pulse": 0.8}, again=True)
    again = Optimizer.replay(Stub(), optimizer.events)
    assert again.history[suggestion.token] == optimizer.history[suggestion.token]


def test_outcomes_that_are_next_to_nothing_are_kept_with_a_warning() -> None:
    optimizer = sb.Optimizer(PROBLEM, "random", rounds=9)
    suggestion = optimizer.ask()
    assert suggestion is not None
    with pytest.warns(OutOfRangeWarning, match=r"round 1: value 1e-300 is kept, but nothing below 1e-100"):
        optimizer.tell(suggestion, 1e-300, realised={"humidity": 50})
    told = optimizer.history[suggestion.token].outcome
    assert told is not None
    assert told.value == 1e-300
    with pytest.warns(OutOfRangeWarning, match="smaller unit"):
        optimizer.add(-1e-120, {"t": 22, "humidity": 50, "line": "a"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        optimizer.amend(suggestion, 0.0)
        optimizer.amend(suggestion, 1e-99)
        optimizer.add(1e-120, {"t": 23, "humidity": 50, "line": "a"})  # beside a larger one it is as good as 0


def test_payoffs_that_are_next_to_nothing_are_found_in_their_table() -> None:
    optimizer = sb.Optimizer(sb.MeanField(("a", "b"), agents=4, feedback="agents"), "random", rounds=9)
    suggestion = optimizer.ask()
    assert suggestion is not None
    with pytest.warns(OutOfRangeWarning, match="value 1e-200 is kept"):
        optimizer.tell(suggestion, {"everyone": {"a": 1e-200, "b": 0.0}})


STATED = sb.CostVarying(
    [sb.Float("x", 10, 35, law=sb.Uniform(), unit="°C"), sb.Categorical("line", ["a", "b"], law=sb.Uniform())],
    [["x"]],
    costs=[2],
    limits=[sb.OutcomeConstraint("pressure", at_most=5, probability=0.9)],
)


def said(optimizer: sb.Optimizer, call: str, token: str | None = None, **given: Any) -> dict[str, str]:
    before = optimizer.events
    found = {value.field: value.text for value in optimizer.implausible_values(call, token, **given)}
    assert optimizer.events == before, "nothing is logged"
    return found


@pytest.fixture
def stated() -> sb.Optimizer:
    made = sb.Optimizer(STATED, "random", rounds=99, seed=1)
    for value in (3.0, 10.0, 5.0, 4.0):
        made.tell(made.ask(), value, realised={"line": "a", "pressure": value / 10})
    return made


def test_values_can_be_held_against_the_rule_before_they_are_given(stated: sb.Optimizer) -> None:
    token = stated.ask().token
    given = {"value": 11.0, "cost": 2.5, "realised": {"x": 36.0, "line": "b", "pressure": 0.7}}
    assert said(stated, "tell", token, **given) == {}
    far: dict[str, Any] = {"value": 740.0, "cost": 200.0, "realised": {"x": 600.0, "line": "b", "pressure": 70.0}}
    found = said(stated, "tell", token, **far)
    assert found == {
        "value": "value = 740 is far from the others, 3 to 10",
        "cost": "cost = 200 is far from the stated cost, 2",
        "realised.x": "x = 600 is far outside its range, 10 to 35 °C",
        "realised.pressure": "pressure = 70 is far from the others, 0.3 to 1",
    }
    assert list(said(stated, "add", **{**far, "cost": 2.0})) == ["realised.x", "value", "realised.pressure"]
    with pytest.warns(OutOfRangeWarning):
        warned = stated.tell(token, **far) or ()
    assert [text for text in found.values() if not any(text in each for each in warned)] == [], (
        "telling warns of the same"
    )
    assert said(stated, "amend", token, realised={"x": 30.0}) == {}, "what stands is not reported again"
    assert said(stated, "amend", token, void=True) == {}


def test_a_failure_may_have_cost_little(stated: sb.Optimizer) -> None:
    token = stated.ask().token
    assert said(stated, "fail", token, cost=0.0) == {}
    assert list(said(stated, "fail", token, cost=21.0)) == ["cost"]
    assert list(said(stated, "tell", token, value=4.0, cost=0.0, realised={"line": "a", "pressure": 0.5})) == ["cost"]


def test_a_call_that_would_be_refused_is_refused_before_it_is_made(stated: sb.Optimizer) -> None:
    token = stated.ask().token
    with pytest.raises(InvalidOutcome, match="value"):
        stated.implausible_values("tell", token, value="n/a", realised={"line": "a", "pressure": 0.5})
    with pytest.raises(InvalidRequest, match="abandon"):
        stated.implausible_values("abandon", token)


def test_what_is_seen_or_looked_at_is_held_against_its_range() -> None:
    optimizer = Optimizer(Stub(), Nearest)
    suggestion = optimizer.ask()
    assert said(optimizer, "decide", suggestion.token, context={"age": 44})["context.age"].startswith("age = 44 is far")
    assert said(optimizer, "ask") == {}
    seen = sb.CostVarying([sb.Float("t", 10, 30), sb.Float("weather", 0, 30, seen=True)], [["t"]])
    assert list(said(sb.Optimizer(seen, "random", rounds=3), "ask", context={"weather": 600.0})) == ["context.weather"]


def test_a_posterior_says_what_was_expected() -> None:
    problem = sb.CostVarying([sb.Float("x", 0, 1)], [["x"]])
    optimizer = sb.Optimizer(problem, rounds=30, seed=1)
    for _ in range(12):
        suggestion = optimizer.ask()
        optimizer.tell(suggestion, 100.0 * suggestion.values["x"] ** 2)
    token = optimizer.ask().token
    assert said(optimizer, "tell", token, value=30.0, realised={"x": 0.9}) != {}, "within the range, but not there"
    assert said(optimizer, "tell", token, value=81.0, realised={"x": 0.9}) == {}


class Following(Nearest):
    """Sets what was looked at."""

    def decide(self, pending: Any, context: Any) -> Any:
        decision = super().decide(pending, context)
        return replace(decision, values={name: max(context.values()) for name in decision.values})


def test_an_outcome_of_settings_that_a_corrected_look_has_replaced_is_not_taken_for_that_of_others() -> None:
    optimizer = Optimizer(Stub(), Following)
    optimizer.decide(first := optimizer.ask(), {"age": 0.2})
    set_by_bob = optimizer.decide(first, {"pulse": 0.5})
    optimizer.decide(first, {"pulse": 0.9}, again=True)  # by ann
    with pytest.raises(OutcomeConflict, match=r"round 1 was decided again: rest is to be 0\.9 now, and not"):
        optimizer.tell(set_by_bob, 1.0)
    with pytest.raises(OutcomeConflict, match="decided again"):
        optimizer.fail(set_by_bob)
    assert optimizer.tell(set_by_bob, 1.0, realised={"rest": 0.5}) is None
    assert optimizer.history[first.token].realised["rest"] == 0.5


def test_implausible_values_are_asked_for_by_what_calls_take() -> None:
    optimizer = Optimizer(Stub(), Nearest)
    token = optimizer.ask().token
    wrongs: list[dict[str, Any]] = [{"call": []}, {"call": "ask", "context": 5}, {"call": "tell", "bogus": 1}]
    for wrong in wrongs:
        with pytest.raises((InvalidRequest, InvalidContext)):
            optimizer.implausible_values(wrong.pop("call"), token, **wrong)


def test_a_setting_that_was_measured_elsewhere_is_reported() -> None:
    """24 was to be set and 2.4 is told: a comma is in another place, or it could not be held."""
    optimizer = sb.Optimizer(sb.CostVarying([sb.Float("oven", 2, 30, law=sb.Uniform())], [["oven"]]), seed=0)
    suggestion = optimizer.ask()
    asked = suggestion.values["oven"]
    elsewhere = 2.4 if asked > 16 else 29.0
    told = optimizer.tell(suggestion, 1.0, realised={"oven": elsewhere})
    assert told is not None
    assert f"oven = {elsewhere:g} was measured where {asked:.2f} was to be set" in told[0]
    suggestion = optimizer.ask()
    assert optimizer.tell(suggestion, 1.1, realised={"oven": suggestion.values["oven"] + 1.0}) is None


def test_an_early_mistake_is_reported_as_soon_as_others_show_it_and_stays_in_the_status() -> None:
    """The first ones have nothing to be compared with when they are told."""
    optimizer = sb.Optimizer(sb.CostVarying([sb.Float("x", 0, 1)], [["x"]]), seed=0)
    said = []
    for value in (8.2, 98.0, 7.1, 7.8, 7.7, 8.0):
        suggestion = optimizer.ask()
        said.append(optimizer.tell(suggestion, value))
    wrong = [*optimizer.history][1].suggestion.token
    assert said[:3] == [None] * 3
    assert said[3] is not None, "three others that are alike are enough"
    assert "round 2: value = 98 is far from all others, in hindsight" in said[3][0]
    assert said[4:] == [None, None], "once"
    assert f"98 in round 2 ({wrong}) is far from all others: if it is wrong, amend {wrong}." in str(optimizer.status)
    optimizer.amend(wrong, value=9.8)
    assert "far from all others" not in str(optimizer.status)


OUTSIDE = sb.CostVarying(
    [
        sb.Float("x", 0, 1),
        sb.Float("co2", 400, 1000, law=sb.TruncatedNormal(450, 30), unit="ppm"),
        sb.Float("rain", 0, 1e4, law=sb.space.LogNormal(2, 1)),
    ],
    [["x"], ["x", "co2"]],
    costs=[1, 2],
)


def test_what_a_law_hardly_ever_gives_is_said_once() -> None:
    """1200 for 450, which is not half a range beyond 1000; the second one speaks of the law, which is tested."""
    optimizer = sb.Optimizer(OUTSIDE, "random", rounds=99)
    held = {len(s.values): s.token for s in optimizer.ask(batch=12)}
    free, both = held[1], held[2]
    far = {"co2": 1200.0, "rain": 3.0}
    assert said(optimizer, "tell", free, value=1.0, realised=far) == {
        "realised.co2": "co2 = 1200 ppm is far from what its law gives, 406.1 to 509.4 in 95 of 100 rounds"
    }
    assert said(optimizer, "tell", free, value=1.0, realised={"co2": 390.0, "rain": 60.0}) == {}, "a tail; a sensor"
    assert said(optimizer, "tell", both, value=1.0, realised={"rain": 3.0}) == {}, "it was set"
    with pytest.warns(OutOfRangeWarning, match="far from what its law gives"):
        optimizer.tell(free, 1.0, realised=far)
    again = next(s for s in optimizer.ask(batch=12) if len(s.values) == 1)
    assert said(optimizer, "tell", again.token, value=2.0, realised=far) == {}
    assert said(optimizer, "amend", free, realised={"co2": 1250.0})
