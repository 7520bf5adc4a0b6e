"""How an objective changes with time: what outcomes say is found, and nothing where they say nothing."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from steerbo.errors import InvalidProblem, InvalidStudy
from steerbo.gp import Decay, DriftModel, GPRegression, Product, SquaredExponentialKernel, fit_drift
from steerbo.gp._learned_drift import KINDS
from steerbo.gp.kernels import Linear, SlidingKernel

SPACE = SquaredExponentialKernel([0.4, 0.4])


def fresh(drift_model: DriftModel) -> GPRegression[Product]:
    return GPRegression(drift_model.over(SPACE, 2))


def told(f: Any, n: int, seed: int, unit: float = 1.0, noise: float = 0.05) -> GPRegression[Product]:
    """Outcomes of f(x, t) at random places, with times 0, 1, … in any unit."""
    random = np.random.default_rng(seed)
    X, t = random.random((n, 2)), np.arange(n)
    model = fresh(DriftModel())
    model.replace(np.column_stack([X, t * unit]), f(X, t) + noise * random.standard_normal(n))
    return model


def still(X: np.ndarray, t: np.ndarray) -> np.ndarray:
    return np.sin(5 * X[:, 0]) + X[:, 1] ** 2


def sliding(X: np.ndarray, t: np.ndarray) -> np.ndarray:
    return np.sin(5 * X[:, 0] + 0.06 * t) + X[:, 1] ** 2


def turning(X: np.ndarray, t: np.ndarray) -> np.ndarray:
    return np.cos(0.05 * t) * np.sin(5 * X[:, 0]) + np.sin(0.05 * t) * np.cos(7 * X[:, 1])


def switching(X: np.ndarray, t: np.ndarray) -> np.ndarray:
    return np.where(t < 25, np.sin(5 * X[:, 0]), np.cos(7 * X[:, 1]))


def returning(X: np.ndarray, t: np.ndarray) -> np.ndarray:
    share = np.sin(2 * np.pi * t / 20)
    return np.sqrt(1 - 0.8 * share**2) * np.sin(5 * X[:, 0]) + share * np.cos(7 * X[:, 1])


@pytest.mark.parametrize("unit", [1.0, 3600.0])
def test_a_season_is_found_within_three_periods_on_any_clock(unit: float) -> None:
    for seed in range(3):
        drift_model, found = fit_drift(fresh, told(returning, 60, seed, unit), DriftModel(), 90 * unit)
        assert drift_model.kind == "seasonal"
        moved = fresh(drift_model)
        moved.set(found)
        period = float(np.exp(moved.kernel.members[-2].parameters[0].value)) * drift_model.unit
        assert period == pytest.approx(20 * unit, rel=0.06)
        assert drift_model.said(moved.kernel).startswith("the best place repeats every")
        assert DriftModel.from_dict(drift_model.to_dict()) == drift_model


@pytest.mark.parametrize("unit", [1.0, 3600.0, 1e-6])
def test_what_moves_is_seen_to_move_on_any_clock(unit: float) -> None:
    for seed in range(3):
        model = told(sliding, 45, seed, unit)
        drift_model, found = fit_drift(fresh, model, DriftModel(), 60 * unit)
        assert drift_model.kind == "sliding"
        assert drift_model.unit == 60 * unit
        moved = fresh(drift_model)
        moved.set(found)
        pace = moved.kernel.members[0].velocity  # type: ignore[attr-defined]
        assert pace == pytest.approx([-0.012 * 60, 0.0], abs=0.15)
        assert drift_model.said(moved.kernel).startswith("the best place slides, by up to")
    moved.replace(model.inputs, model.outcomes)
    longer, _ = fit_drift(fresh, moved, drift_model, 1e6 * 60 * unit)  # a large budget was given meanwhile
    assert longer.unit == 1e6 * 60 * unit


def test_what_turns_into_another_function_bit_by_bit_changes_smoothly() -> None:
    for seed in range(3):
        drift_model, found = fit_drift(fresh, told(turning, 45, seed), DriftModel(), 60.0)
        assert drift_model.kind == "smooth"
        moved = fresh(drift_model)
        moved.set(found)
        assert "counts half after" in drift_model.said(moved.kernel)


def test_what_stands_still_is_not_said_to_move() -> None:
    for seed in range(10):
        drift_model, _ = fit_drift(fresh, told(still, 12 + 3 * seed, seed), DriftModel(), 40.0)
        assert (drift_model.kind, drift_model.cuts) == ("steady", ())


def test_a_switch_is_cut_and_a_cut_stays() -> None:
    for seed in range(3):
        drift_model, found = fit_drift(fresh, told(switching, 45, seed), DriftModel(), 60.0)
        assert len(drift_model.cuts) == 1
        assert abs(drift_model.cuts[0] - 25) <= 2
        later = fresh(drift_model)
        longer = told(switching, 60, seed)
        later.replace(longer.inputs, longer.outcomes)
        later.set(found)
        again, _ = fit_drift(fresh, later, drift_model, 60.0)
        assert again.cuts[:1] == drift_model.cuts


def test_nothing_before_a_cut_says_anything_after_it() -> None:
    model = fresh(DriftModel(cuts=(10.0,)))
    model.replace([[0.5, 0.5, 9.0], [0.1, 0.5, 10.0]], [5.0, 0.0])
    mean, sd = model.marginals(np.array([[0.5, 0.5, 12.0], [0.5, 0.5, 3.0]]))
    assert abs(mean[0]) < 1e-9 < 1 < mean[1]
    assert sd[0] > sd[1]


def test_few_outcomes_equal_ones_and_equal_times_say_nothing() -> None:
    for model in (told(switching, 9, 0), told(lambda X, t: 0 * t, 30, 0, noise=0.0)):
        assert fit_drift(fresh, model, DriftModel(), 30.0)[0] == DriftModel(unit=30.0)
    model = told(switching, 30, 0)
    model.replace(np.column_stack([model.inputs[:, :2], np.full(30, 4.0)]), model.outcomes)
    assert fit_drift(fresh, model, DriftModel(), 0.0)[0] == DriftModel()


def test_the_order_of_the_rows_does_not_matter() -> None:
    model = told(switching, 45, 1)
    shuffled = fresh(DriftModel())
    order = np.random.default_rng(0).permutation(45)
    shuffled.replace(model.inputs[order], model.outcomes[order])
    assert fit_drift(fresh, shuffled, DriftModel(), 60.0)[0] == fit_drift(fresh, model, DriftModel(), 60.0)[0]


def test_a_course_survives_a_log_to_the_last_bit() -> None:
    drift_model = DriftModel(None, "fading", 0.1 + 0.2, (1 / 3, 2.0))
    assert DriftModel.from_dict(drift_model.to_dict()) == drift_model
    mixed = {**drift_model.to_dict(), "kind": "smooth", "form": "sliding"}
    assert DriftModel.from_dict(mixed).form == "sliding"
    with pytest.raises(InvalidStudy):  # no kernel of smooth changes holds a translation
        DriftModel.from_dict({**mixed, "kind": "sliding", "form": "smooth"})
    for plain in ({}, {**drift_model.to_dict(), "kind": "wild"}, {**drift_model.to_dict(), "more": 1}, None):
        with pytest.raises(InvalidStudy, match="drift"):
            DriftModel.from_dict(plain)  # type: ignore[arg-type]


def test_standings_survive_a_log_to_the_last_bit() -> None:
    drift_model, _ = fit_drift(fresh, told(turning, 45, 0), DriftModel(), 60.0)
    plain = json.loads(json.dumps(drift_model.to_dict()))
    assert DriftModel.from_dict(plain).standings == drift_model.standings
    assert {each.kind for each in drift_model.standings} == {*KINDS}
    assert min(each.behind for each in drift_model.standings) == 0.0
    broken: tuple[Any, ...] = ({"wild": {}}, {"smooth": {"outcomes": 3}}, 7)
    for wrong in broken:
        with pytest.raises(InvalidStudy, match="standings"):
            DriftModel.from_dict({**plain, "standings": wrong})


def test_kinds_that_lag_far_behind_take_turns() -> None:
    model = told(turning, 60, 0)
    drift_model, found = fit_drift(fresh, model, DriftModel(), 60.0)
    far = {each.kind for each in drift_model.standings if each.behind > 6.0} - {"steady", drift_model.kind}
    assert len(far) > 1
    later = told(turning, 66, 0)
    model = fresh(drift_model)
    model.replace(later.inputs, later.outcomes)
    model.set(found)
    seen = []
    for _ in far:
        drift_model, found = fit_drift(fresh, model, drift_model, 60.0)
        assert drift_model.kind == "smooth"
        seen.append({each.kind for each in drift_model.standings if each.kind in far and each.outcomes == 66})
    assert [len(kinds) for kinds in seen] == [*range(1, len(far) + 1)]


def rough(X: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Height goes at random from one outcome to the next: of outcomes far apart nobody could tell."""
    return still(X, t) + 0.3 * np.cumsum(np.random.default_rng(1).standard_normal(len(t)))


@pytest.mark.parametrize(
    ("f", "kinds", "cuts"),
    [
        (still, {"steady"}, 0),
        (sliding, {"sliding"}, 0),
        (rough, {"fading", "seasonal"}, 0),
        (switching, {"steady"}, 1),
    ],
)
def test_some_of_many_outcomes_say_which_kinds_to_fit(f: Any, kinds: set[str], cuts: int) -> None:
    """In any order of rows; the kinds that are not fitted have standings, too."""
    n, pace = 420, 60 / 420
    model = told(lambda X, t: f(X, t * pace), n, 3)
    found, _ = fit_drift(fresh, model, DriftModel(), float(n))
    assert found.kind in kinds
    assert len(found.cuts) == cuts
    assert {each.kind for each in found.standings} == ({*KINDS} if not cuts else set())
    mixed = fresh(DriftModel())
    order = np.random.default_rng(0).permutation(n)
    mixed.replace(model.inputs[order], model.outcomes[order])
    assert fit_drift(fresh, mixed, DriftModel(), float(n))[0].kind in kinds


def test_what_was_learned_in_one_unit_of_time_is_where_another_begins() -> None:
    model = told(turning, 60, 0)
    drift_model, found = fit_drift(fresh, model, DriftModel(), 60.0)
    same = fresh(drift_model)
    same.replace(model.inputs, model.outcomes)
    same.set(found)
    other, again = fit_drift(fresh, same, drift_model, 120.0)
    assert (other.kind, other.unit) == (drift_model.kind, 120.0)
    apart = np.array(found.theta) - np.array(again.theta)
    scale = len(same.kernel.parameters) - 1
    assert apart[scale] == pytest.approx(np.log(2.0), abs=0.15)
    assert np.delete(apart, scale) == pytest.approx(0.0, abs=0.15)


def test_a_straight_line_does_not_slide() -> None:
    space = SquaredExponentialKernel([0.3]) + Linear([0])
    with pytest.raises(InvalidProblem, match=r"kernel\.space"):
        DriftModel(None, "sliding").over(space, 1)
    assert DriftModel(None, "smooth").over(space, 1).members[0] is space


def test_what_is_given_is_not_learned() -> None:
    kernel = DriftModel.of(Decay(0.1)).over(SPACE, 2)
    assert len(kernel.parameters) == len(SPACE.parameters)
    assert DriftModel.of(Decay(0.1)).said(kernel) == "it drifts as given: decay (epsilon 0.1)"
    assert DriftModel.of("learned") == DriftModel()


def slowly(X: np.ndarray, t: np.ndarray) -> np.ndarray:
    return np.sin(5 * X[:, 0] + 0.016 * t) + X[:, 1] ** 2


def test_where_it_is_not_certain_that_nothing_drifts_draws_are_of_several_kinds() -> None:
    """Draws hold changes of all speeds, and a translation by its odds; said is the kind that is likeliest."""

    def drawing(drift_model: DriftModel) -> GPRegression[Product]:
        return GPRegression(drift_model.over(SPACE, 2), seed=2)

    random = np.random.default_rng(2)
    X, t = random.random((40, 2)), np.arange(40.0)
    model = drawing(DriftModel())
    model.replace(np.column_stack([X, t]), slowly(X, t) + 0.2 * random.standard_normal(40))
    drift_model, found = fit_drift(drawing, model, DriftModel(), 60.0)
    assert (drift_model.kind, drift_model.form) == ("steady", "sliding")
    assert DriftModel.from_dict(json.loads(json.dumps(drift_model.to_dict()))) == drift_model
    moved = drawing(drift_model)
    moved.replace(model.inputs, model.outcomes)
    moved.set(found)
    assert drift_model.said(moved.kernel) == "nothing seems to drift"
    here, later = np.array([[0.5, 0.5, 0.0]]), np.array([[0.5, 0.5, 40.0]])
    kept = [float((each.kernel(here, later) / each.kernel(here, here))[0, 0]) for each in moved.members]
    assert sum(share < 0.9 for share in kept) >= 2
    assert sum(share > 0.98 for share in kept) >= 2
    slides = [each.kernel.members[0] for each in moved.members]
    assert any(isinstance(slide, SlidingKernel) and any(slide.velocity) for slide in slides)
    again, anew = fit_drift(drawing, moved, drift_model, 60.0)  # begins with the kernel of its own kind
    assert again.kind == "steady"
    assert anew.theta == pytest.approx(found.theta, abs=0.3)
