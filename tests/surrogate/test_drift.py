"""When a model is looked at anew, and what it takes over: by schedule, by surprise, after a correction."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.bandit import MISFIT
from steerbo.gp import Decay, DriftModel, GPRegression, SquaredExponentialKernel
from steerbo.surrogate import DriftTracker


def fresh(drift_model: DriftModel | None) -> GPRegression:  # type: ignore[type-arg]
    space = SquaredExponentialKernel([0.3])
    return GPRegression(space if drift_model is None else drift_model.over(space, 1))


def told(tracker: DriftTracker, n: int, noise: float = 0.0) -> GPRegression:  # type: ignore[type-arg]
    model = fresh(tracker.model)
    random = np.random.default_rng(0)
    x = random.random(n)
    model.replace(np.column_stack([x, np.arange(n)]), np.sin(5 * x) + noise * random.standard_normal(n))
    return model


def test_without_a_drift_a_surprise_calls_for_one_fit() -> None:
    tracker = DriftTracker(None)
    model = told(tracker, 12)
    assert next(n for n in range(13, 20) if tracker.due(model, 12, n)) == 15
    model.add([0.5, 12.0], 100.0)
    assert tracker.due(model, 12, 13)
    assert not tracker.due(model, 13, 13), "nothing is new"
    model.add([0.5, 13.0], float(model.predict([[0.5, 13.0]])[0][0]))
    assert not tracker.due(model, 13, 14), "what the fit knew is settled"


def test_a_surprise_calls_for_a_fit_as_long_as_it_is_fresh() -> None:
    tracker = DriftTracker("learned")
    model = told(tracker, 12, noise=0.1)
    assert not tracker.due(model, 12, 13)
    model.add([0.5, 12.0], 100.0)
    assert tracker.due(model, 12, 13)
    assert not tracker.due(model, 1000, 1005), "of a thousand outcomes not after each"
    assert tracker.due(model, 1000, 1010)
    for t in range(5):
        model.add([0.1, 13.0 + t], float(model.predict([[0.1, 13.0]])[0][0]))
    assert not tracker.due(model, 17, 18)


def test_a_model_of_another_library_goes_by_the_schedule() -> None:
    tracker = DriftTracker(None)
    assert not tracker.due(object(), 12, 13)  # type: ignore[arg-type]
    assert tracker.due(object(), 12, 15)  # type: ignore[arg-type]


def test_a_fit_after_a_correction_believes_in_no_cut() -> None:
    tracker = DriftTracker("learned")
    model = told(tracker, 30)
    plain = {**model.fit().to_dict(), "drift": DriftModel(cuts=(7.0,)).to_dict()}
    model = tracker.set_hyperparameters(fresh, model, plain)
    assert tracker.model == DriftModel(cuts=(7.0,))
    assert len(model) == 30
    assert not tracker.due(model, 30, 31)
    assert DriftModel.from_dict(tracker.fit(fresh, model, float, corrected=True)["drift"]).cuts == ()


def test_what_is_given_stays() -> None:
    tracker = DriftTracker(Decay(0.1))
    model = told(tracker, 12)
    plain = tracker.fit(fresh, model, float)
    assert "drift" not in plain
    assert tracker.set_hyperparameters(fresh, model, plain) is model
    assert tracker.model == DriftModel(Decay(0.1))


def test_no_outcome_at_all() -> None:
    tracker = DriftTracker("learned")
    model = fresh(tracker.model)
    assert tracker.set_hyperparameters(fresh, model, tracker.fit(fresh, model, float)).predict([[0.5, 1.0]])[
        1
    ] == pytest.approx(1)


def test_answers_have_bounds_as_soon_as_outcomes_tell_a_scale() -> None:
    tracker, model = DriftTracker(None), told(DriftTracker(None), 12)
    assert tracker.widening == np.inf
    tracker.set_hyperparameters(lambda drift_model: model, model, model.fit().to_dict())
    assert tracker.widening == MISFIT
    model.revise(np.full(12, 3.0))
    tracker.set_hyperparameters(lambda drift_model: model, model, model.fit().to_dict())
    assert tracker.widening == np.inf, "outcomes that are all alike tell none"
