"""Limits of which a variable is not known yet: left to nature, or looked at later."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steerbo as sb
from steerbo.errors import InvalidContext, InvalidRequest
from tests.sizes import examples

PUMPS = sb.CostVarying(
    [sb.Float("flow", 0, 4), sb.Float("bypass", 0, 4, law=sb.Uniform(0, 2))],
    [["flow"], ["flow", "bypass"]],
    limits=[sb.LinearConstraint({"flow": 1, "bypass": 1}, at_most=3.4, probability=0.95)],
)
CLINIC = sb.Causal(
    sb.CausalGraph.from_text(
        "age -> statin; age -> y; statin -> y; statin -> mid; mid -> aspirin; mid -> y; aspirin -> y",
        target="y",
        intervenable=["statin", "aspirin"],
    ),
    [sb.Float("statin", 0, 40), sb.Float("aspirin", 0, 100), sb.Float("age", 20, 90), sb.Float("mid", 0, 10)],
    limits=[
        sb.LinearConstraint({"statin": 1, "age": 1}, at_most=112),
        sb.LinearConstraint({"statin": 1, "mid": 2}, at_most=45),
    ],
)


@settings(deadline=None, max_examples=examples(50))
@given(st.integers(0, 10**6))
def test_a_sum_is_broken_where_no_corner_of_the_others_keeps_it(seed: int) -> None:
    random = np.random.default_rng(seed)
    weights = dict(zip("abc", random.integers(-3, 4, 3).tolist(), strict=True)) | {"d": 1.0}
    low, high = np.sort(random.integers(-9, 10, 2)).tolist()
    ends = {name: tuple(np.sort(random.uniform(-3, 3, 2)).tolist()) for name in "bd"}
    values = {"a": random.uniform(-3, 3), "c": random.uniform(-3, 3)}
    sums = [sum(weights[n] * {**values, "b": b, "d": d}[n] for n in "abcd") for b, d in product(ends["b"], ends["d"])]
    for given_ends in ({"at_most": high}, {"at_least": low}, {"at_least": low, "at_most": high}):
        limit = sb.LinearConstraint(weights, **given_ends)
        out = min(sums) > given_ends.get("at_most", np.inf) or max(sums) < given_ends.get("at_least", -np.inf)
        assert limit.breaks(values, ends) == out


@pytest.mark.parametrize(
    ("flow", "kinds"), [(1.2, []), (2.5, ["may-break-limit"]), (3.3, ["may-break-limit"]), (3.5, ["breaks-limit"])]
)
def test_a_prediction_says_what_nature_does_to_a_limit(flow: float, kinds: list[str]) -> None:
    """Bypass is at most 2 by its law, below 1.9 in 95 of 100 rounds, and 0 at least."""
    study = sb.Optimizer(PUMPS, seed=0)
    study.add(1.0, {"flow": 1.0, "bypass": 1.0})
    found = [each.kind for each in study.predict({"flow": flow}).reasons if "limit" in each.kind]
    assert found == kinds


def test_settings_of_somebody_else_are_told_about_and_their_outcome_is_taken() -> None:
    study = sb.Optimizer(PUMPS, seed=0)
    with pytest.raises(InvalidRequest, match=r"flow|bypass"):
        study.attach({"flow": 3.5})
    assert study.attach({"flow": 1.2}).warnings == ()
    (warning,) = (own := study.attach({"flow": 2.5})).warnings
    assert warning.startswith("it may break a limit, depending on bypass: bypass + flow at most 3.4")
    study.tell(own, 1.0, realised={"flow": 2.5, "bypass": 2.0})
    assert study.history[own.token].outcome is not None
    assert study.ask() is not None


def test_looks_at_settings_of_somebody_else_are_logged_and_told_about() -> None:
    study = sb.Optimizer(CLINIC, seed=0)
    own = study.attach({"statin": 30.0, "aspirin": 3.0})
    assert [each.split(":")[0] for each in own.warnings] == [
        "it may break a limit, depending on age",
        "it may break a limit, depending on mid",
    ]
    seen = study.decide(own, {"age": 89.0, "mid": 2.0})
    assert seen.warnings == ("it breaks a limit: age + statin at most 112",)
    study.tell(seen, 1.0)
    (told,) = (each for each in study.predict(seen.values, {"age": 89.0}).reasons if each.kind == "breaks-limit")
    assert told.text == "it breaks a limit: age + statin at most 112"


def test_a_round_does_not_go_on_with_settings_that_break_a_limit_by_what_is_seen_after_them() -> None:
    """Statin was set for any 'mid' up to 10, its bound; 14 breaks the limit, and aspirin was set as if nothing were."""
    study = sb.Optimizer(CLINIC, seed=0)
    refused = 0
    for _ in range(8):
        suggestion = study.ask()
        suggestion = study.decide(suggestion, {"age": 72.0})
        assert suggestion.observe == ("mid",)
        if suggestion.values["statin"] + 2 * 14.0 <= 45:
            study.tell(study.decide(suggestion, {"mid": 14.0}), 1.0)
            continue
        refused += 1
        before = study.to_json()
        with pytest.raises(InvalidContext, match=r"14.*set already, and breaks the limit 2 mid \+ statin at most 45"):
            study.decide(suggestion, {"mid": 14.0})
        assert study.to_json() == before, "nothing is logged"
        study.fail(suggestion, "mid is too high")
    assert 0 < refused < 8


def test_printed_settings_leave_nature_as_much_room_as_the_settings() -> None:
    """Age may be 90: 3 statin at most 20, and a thousandth of its range, 6.667, is more."""
    limit = sb.LinearConstraint({"statin": 3, "age": 1}, at_most=110)
    problem = sb.Causal(CLINIC.graph, CLINIC.variables, limits=[limit])
    bound = (110 - 90) / 3
    assert 3 * problem.rounded({"statin": bound})["statin"] <= 20 + 1e-7
    assert problem.shown({"statin": bound - 1.00003}) == {"statin": "5.67"}, "a thousandth: it is not near"
    study = sb.Optimizer(PUMPS, seed=0)
    for _ in range(12):
        suggestion = study.ask()
        printed = PUMPS.rounded(suggestion.values)
        if "bypass" not in printed and printed["flow"] > suggestion.values["flow"]:
            assert printed["flow"] + 4 <= 3.4 + 1e-9, "nature is not nearer to the limit than at what was chosen"
        study.tell(suggestion, sum(suggestion.values.values()), realised={"bypass": 1.0, **suggestion.values})
