"""What a study knows hangs on what was observed, in the order of rounds, and not on when or how often it was told."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Optimizer, Refitted
from steerbo.meanfield import MeanField
from steerbo.meanfield.mf_gp_ucb import MFGPUCB

pytestmark = pytest.mark.few_draws

PROBLEM = MeanField(tuple("abcd"), agents=60)
BEFORE, AFTER = np.array([0.7, 0.1, 0.1, 0.1]), np.array([0.05, 0.05, 0.2, 0.7])
CHANGE, ROUNDS = 25, 40


def pays(values: Mapping[str, Any], wanted: np.ndarray) -> float:
    table = PROBLEM.table(values["distribution"])[0]
    return -float(((np.sqrt(table) - np.sqrt(wanted)) ** 2).sum())


@cache
def luck() -> np.ndarray:
    return 0.01 * np.random.default_rng(4).standard_normal(ROUNDS + 1)


def played(
    changes: bool, wrong: Collection[int] = (), late: Collection[int] = ()
) -> tuple[Optimizer, dict[str, float]]:
    """A study of which some outcomes are told a hundred times too large, or not told, and the right ones by token."""
    optimizer, right = Optimizer(PROBLEM, seed=1), {}
    for number in range(1, ROUNDS + 1):
        asked = optimizer.ask()
        wanted = AFTER if changes and number > CHANGE else BEFORE
        value = pays(asked.values, wanted) + float(luck()[number])
        if number in wrong or number in late:
            right[asked.token] = value
        if number not in late:
            optimizer.tell(asked, 100 * value if number in wrong else value)
    return optimizer, right


def told_in_order(optimizer: Optimizer) -> Optimizer:
    """Another study in which the same was played and told, right at once and in order; void rounds are abandoned."""
    other = Optimizer(PROBLEM, seed=1)
    for one in optimizer.history:
        asked = other.ask()
        if one.state == "told" and one.outcome is not None:
            other.tell(asked, one.outcome.value, realised={"distribution": one.outcome.realised["distribution"]})
        else:
            other.abandon(asked)
    return other


def learned_from(optimizer: Optimizer) -> list[str]:
    method = optimizer._method
    assert isinstance(method, MFGPUCB)
    return method.names


def alike(one: Optimizer, two: Optimizer) -> None:
    """The next fit is the same, and so is the answer."""
    assert learned_from(one) == learned_from(two)
    first, second = one.recommend(), two.recommend()
    assert first.values == second.values
    for end in ("mean", "lower", "upper"):
        assert getattr(first, end) == pytest.approx(getattr(second, end), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("wrong", [range(1, 6), range(16, 21), range(26, 31)], ids=str)
@pytest.mark.parametrize("changes", [False, True], ids=["steady", "changes"])
def test_what_is_corrected_is_as_if_it_had_been_right_at_once(wrong: range, changes: bool) -> None:
    """Wrong outcomes had older ones forgotten, or newer ones that were right, and these never came back."""
    optimizer, right = played(changes, wrong)
    for token, value in right.items():
        optimizer.amend(token, value=value)
    alike(optimizer, told_in_order(optimizer))


def test_what_is_void_leaves_nothing() -> None:
    optimizer, right = played(changes=False, wrong=range(16, 21))
    assert len(learned_from(optimizer)) == 20, "those before are forgotten, and those that are wrong"
    for token in right:
        optimizer.amend(token, void=True)
    assert len(learned_from(optimizer)) == ROUNDS - 5
    alike(optimizer, told_in_order(optimizer))


@pytest.mark.parametrize("late", [[3], [3, 7, 12, 20]], ids=str)
def test_late_outcomes_are_those_of_their_rounds(late: list[int]) -> None:
    """An outcome of round 3 that was told after the change counted as the newest."""
    optimizer, outcomes = played(changes=True, late=late)
    for token, value in reversed(outcomes.items()):
        optimizer.tell(token, value)
    assert not set(outcomes) & set(learned_from(optimizer))
    alike(optimizer, told_in_order(optimizer))


def test_rounds_are_told_in_any_order() -> None:
    studies = [Optimizer(PROBLEM, seed=1) for _ in range(2)]
    for k, study in enumerate(studies):
        asked = [study.ask() for _ in range(30)]
        order = np.random.default_rng(k).permutation(30)
        for i in order:
            wanted = AFTER if asked[i].round > 15 else BEFORE
            study.tell(asked[i], pays(asked[i].values, wanted) + float(luck()[i]))
    one, two = studies
    assert 13 <= len(learned_from(one)) <= 16, "the change is found, however late all is told"
    alike(one, two)
    assert one.ask() == two.ask()


def test_data_of_last_year_do_not_count_as_the_newest() -> None:
    optimizer, _ = played(changes=True)
    advice = optimizer.recommend()
    draw = np.random.default_rng(0)
    for shares in draw.dirichlet(np.ones(4), 10).tolist():
        values = {"distribution": {"everyone": dict(zip("abcd", shares, strict=True))}}
        optimizer.add(pays(values, BEFORE), values)
    assert 14 <= len(names := learned_from(optimizer)) <= 16
    assert not any(name.startswith("added") for name in names)
    assert optimizer.recommend().mean == pytest.approx(advice.mean, abs=0.02)


def test_data_stand_before_rounds_or_at_their_time() -> None:
    even = {"distribution": {"everyone": dict.fromkeys("abcd", 0.25)}}
    steady, drifting = Optimizer(PROBLEM, seed=1), Optimizer(MeanField(tuple("abcd"), 60, drift=sb.Decay(0.1)), seed=1)
    for study in (steady, drifting):
        for _ in range(3):
            asked = study.ask()
            study.tell(asked, 1.0)
    steady.add(1.0, even)
    drifting.add(1.0, {**even, "time": 1.5})
    drifting.add(1.0, even)  # as of now
    assert [name.partition("-")[0] for name in learned_from(steady)] == ["added", "1", "2", "3"]
    assert [name.partition("-")[0] for name in learned_from(drifting)] == ["1", "added", "2", "added", "3"]


def test_a_late_outcome_is_as_one_that_was_told_in_time_when_it_is_read_back() -> None:
    optimizer, outcomes = played(changes=True, wrong=[30], late=[3])
    (late, value), (wrong, right) = outcomes.items()
    optimizer.tell(late, value)
    optimizer.amend(wrong, value=right)
    asked = optimizer.ask()
    again = Optimizer.replay(PROBLEM, optimizer.events)
    assert again.events == optimizer.events
    alike(optimizer, again)
    optimizer.tell(asked, 0.0)
    again.tell(asked, 0.0)
    assert optimizer.ask() == again.ask()


def test_after_a_correction_no_round_is_played_at_random_again() -> None:
    """A change that was found long ago is found again, and is no news."""
    optimizer, _ = played(changes=True)
    first = optimizer.history[learned_from(optimizer)[3]]
    assert first.outcome is not None
    optimizer.amend(first.suggestion.token, value=first.outcome.value - 0.01)
    assert optimizer.ask().note["phase"] == "model"
    refit = next(event for event in reversed(optimizer.events) if isinstance(event, Refitted))
    assert f"forgotten since round {refit.hyperparameters['noticed']}" in optimizer.explain().text
    assert refit.hyperparameters["noticed"] < 35


def test_a_correction_of_the_cost_alone_changes_nothing() -> None:
    optimizer, _ = played(changes=True)
    optimizer.ask()
    before = optimizer.recommend()
    optimizer.amend(next(iter(optimizer.history)).suggestion.token, cost=3.0)
    assert optimizer.recommend().values == before.values
    assert "noticed" not in str([event for event in optimizer.events if isinstance(event, Refitted)])
