"""When a model is looked at anew, and what it takes over: by schedule, by surprise, after a correction."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.bandit import RECENT, Calibration
from steerbo.gp import Course, Decay, Regression, SquaredExponentialKernel
from steerbo.surrogate import Following


def fresh(course: Course | None) -> Regression:  # type: ignore[type-arg]
    space = SquaredExponentialKernel([0.3])
    return Regression(space if course is None else course.over(space, 1))


def told(following: Following, n: int, noise: float = 0.0) -> Regression:  # type: ignore[type-arg]
    model = fresh(following.course)
    random = np.random.default_rng(0)
    x = random.random(n)
    model.replace(np.column_stack([x, np.arange(n)]), np.sin(5 * x) + noise * random.standard_normal(n))
    return model


def test_without_a_drift_only_the_schedule_says_when() -> None:
    following = Following(None)
    model = told(following, 12)
    assert next(n for n in range(13, 20) if following.due(12, n)) == 15
    following.hear(model, np.array([0.5, 12.0]), 100.0)
    assert len(following.calibration.surprises) == 1
    assert not following.due(12, 13), "surprises widen, and fit nothing"
    assert following.fit(fresh, model, float).keys() == {"theta", "output"}


def test_a_surprise_calls_for_a_fit_as_long_as_it_is_fresh() -> None:
    following = Following("learned")
    model = told(following, 12)
    assert not following.due(12, 13)
    following.hear(model, np.array([0.5, 12.0]), 100.0)
    assert following.due(12, 13)
    assert not following.due(13, 13), "nothing is new"
    assert not following.due(1000, 1005), "of a thousand outcomes not after each"
    assert following.due(1000, 1010)
    for t in range(5):
        following.hear(model, np.array([0.5, 13.0 + t]), float(model.predict([[0.5, 13.0]])[0][0]))
    assert not following.due(12, 13)


def test_a_correction_calls_for_a_fit_that_believes_in_no_cut() -> None:
    following = Following("learned")
    model = told(following, 30)
    plain = {**model.fit().to_plain(), "drift": Course(cuts=(7.0,)).to_plain()}
    model = following.take(fresh, model, plain)
    assert following.course == Course(cuts=(7.0,))
    assert len(model) == 30
    following.correct({})
    assert following.due(30, 31)
    assert Course.from_plain(following.fit(fresh, model, float)["drift"]).cuts == ()
    following.take(fresh, model, plain)
    assert not following.due(30, 31)


def test_what_is_given_stays() -> None:
    following = Following(Decay(0.1))
    model = told(following, 12)
    plain = following.fit(fresh, model, float)
    assert "drift" not in plain
    assert following.take(fresh, model, plain) is model
    assert following.course == Course(Decay(0.1))


def test_no_outcome_at_all() -> None:
    following = Following("learned")
    model = fresh(following.course)
    assert following.take(fresh, model, following.fit(fresh, model, float)).predict([[0.5, 1.0]])[1] == pytest.approx(1)


def test_answers_hear_of_surprises_as_soon_as_a_scale_is_known_and_choices_later() -> None:
    following, model = Following(None, first=30), told(Following(None), 12)
    assert following.doubt == np.inf
    following.hear(model, np.array([0.5, 12.0]), 100.0, "1-ab")
    assert (following.calibration.surprises, following.reliability.surprises) == ((), ())
    model = following.take(lambda course: model, model, model.fit().to_plain())
    scale = following.doubt
    assert 1 < following.scale_doubt < 1.5
    assert scale == following.scale_doubt * Calibration().doubt, "nothing has surprised it, or failed to"
    following.hear(model, np.array([0.5, 12.0]), 100.0, "2-ab")
    assert following.calibration.surprises == ()
    assert len(following.reliability.surprises) == 1
    before = following.doubt
    assert before > 2 * scale
    following.correct({"2-ab": float(model.predict([[0.5, 12.0]])[0][0])})
    assert following.doubt == scale, "put right, it is none"
    following.correct({"2-ab": 100.0})
    assert following.doubt == before, "and put back, it is one again"
    following.correct({})
    assert following.doubt == scale, "a void one says nothing"


def test_what_is_put_off_is_the_same_when_somebody_asks() -> None:
    first, model = Following(None), told(Following(None), 12, noise=0.1)
    plain = model.fit().to_plain()
    random = np.random.default_rng(1)
    outcomes = [(np.array([random.random(), 12.0 + t]), float(random.normal())) for t in range(40)]
    pairs = []
    for put_off in (False, True):
        following, model = Following(None), told(first, 12, noise=0.1)
        model = following.take(fresh, model, plain)
        model.replace(model.inputs, model.outcomes)
        for t, (point, value) in enumerate(outcomes):
            following.hear(model, point, value, f"{t}-ab", put_off=put_off)
            model.add(point, value)
            if t == 30:
                following.correct({f"{t}-ab": value + 0.5 * (t == 28) for t, (_, value) in enumerate(outcomes)})
                model.replace(model.inputs, model.outcomes)
        assert len(following._expected) == RECENT
        pairs.append((following.reliability, following.calibration, following.doubt))
    assert pairs[0] == pairs[1]
    assert len(pairs[0][1].surprises) == 9
