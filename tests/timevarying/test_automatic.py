"""Priors where nobody gave any: units do not matter, what is learned is what would be learned if they were given."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from steerbo import Categorical, Decay, Float, Optimizer, Prior, TimeVarying
from steerbo.core import keyed, load
from steerbo.errors import InvalidProblem
from steerbo.gp.drift import correlation
from steerbo.plots import timevarying as plots
from steerbo.study import Study, read_study
from steerbo.timevarying import SquaredExponential
from steerbo.timevarying.method import RECENT, OutcomeScale, default_priors, due


def domain(step: float | None, scale: float = 1.0, **more: Any) -> TimeVarying:
    return TimeVarying([Float("x", 0, 10 * scale, step=step and step * scale)], **more)


def truth(x: float, t: int) -> float:
    return 4 - (x - 5 - 3 * math.sin(t / 12)) ** 2 / 4 + 0.2 * float(keyed(1, t, "noise").standard_normal())


def play(optimizer: Optimizer, rounds: int, y: float = 1.0, x: float = 1.0, time: float = 1.0) -> list[float]:
    """What was set in each round, with all units changed."""
    xs = []
    for t in range(1, rounds + 1):
        suggestion = optimizer.ask(time=time * (t + (t % 3) / 5))
        assert suggestion is not None
        xs.append(suggestion.values["x"] / x)
        optimizer.tell(suggestion, y * (100 + truth(suggestion.values["x"] / x, t)))
    return xs


@pytest.mark.parametrize("method", ["switching-elimination", "tempered-elimination", "fully-bayesian"])
def test_no_unit_matters(method: str) -> None:
    """On sites, where nothing is searched: outcomes, times and the variable in other units, to the same plays."""
    plays = [
        play(Optimizer(domain(0.5, x), method, seed=2, confidence=1.5), 40, y, x, time)
        for y, x, time in (
            (1.0, 1.0, 1.0),
            (1024.0, 1.0, 1.0),
            (1.0, 4.0, 1.0),
            (1.0, 1.0, 2.0**-20),
            (1.0, 1.0, 2.0**20),
        )
    ]
    assert all(other == plays[0] for other in plays)
    late = np.array(plays[0][25:])
    best = np.array([5 + 3 * math.sin(t / 12) for t in range(26, 41)])
    assert np.abs(late - best).mean() < 1.2, "where a random play is 3 away"


@pytest.mark.parametrize("step", [0.5, None], ids=["sites", "box"])
def test_it_is_as_if_the_priors_had_been_given(step: float | None) -> None:
    """From the last time that outcomes were standardised until now, which is the whole history heard anew."""
    optimizer = Optimizer(domain(step, minimize=True), "switching-elimination", seed=3)
    play(optimizer, 9)
    method: Any = optimizer._method
    told = [r for r in optimizer.history if r.outcome]
    values = np.array([r.outcome.value for r in told if r.outcome])
    times = np.array([r.request["time"] for r in told])
    standard = OutcomeScale(-float(values.mean()), float(values.std(ddof=1)), float(np.diff(times).mean()))
    made = default_priors(optimizer.problem, standard)  # type: ignore[arg-type]
    assert len(made) == len({p.name for p in made}) == 27
    assert made[0].mean == pytest.approx(values.mean())
    given = Optimizer(domain(step, minimize=True, priors=made), "switching-elimination", seed=3)
    for r in told:
        given.add(r.outcome.value, {**r.suggestion.values, "time": r.request["time"]})  # type: ignore[union-attr]
    same: Any = given._method
    assert_allclose(method.surrogate.evidence, same.surrogate.evidence, rtol=1e-9)
    assert_allclose(method._share.at(times[-1]), same._share.at(times[-1]), rtol=1e-6)


def test_replay_amendments_failures_and_what_is_said() -> None:
    optimizer = Optimizer(domain(0.5), "tempered-elimination", seed=4)
    play(optimizer, 14)
    optimizer.fail(optimizer.ask(time=30.0), "no reading")
    waiting = optimizer.ask(time=31.0)
    again = Optimizer.replay(optimizer.problem, optimizer.events)
    assert again.ask(time=32.0) == optimizer.ask(time=32.0)
    assert again.recommend() == optimizer.recommend()
    assert waiting is not None
    optimizer.amend(optimizer.history.last(12)[0].suggestion, 90.0)
    again = Optimizer.replay(optimizer.problem, optimizer.events)
    assert again.ask(time=33.0) == optimizer.ask(time=33.0)
    assert "ℓ 0.2, ε 0.1" in str(optimizer.explain())
    assert "learned from the outcomes" in dict(optimizer.problem.describe())["priors"]
    assert plots.figure(optimizer) is not None
    assert load(optimizer.to_json()).problem == optimizer.problem


def test_a_long_stream_forgets_and_goes_on() -> None:
    """From 128 on, all begins anew with the last 256 when there are twice as many; a late one is still taken in."""
    assert [n for n in range(1, 20) if due(n - 1, n)] == [1, 2, 3, 4, 5]
    assert not due(128, 255)
    assert due(128, 256)
    optimizer = Optimizer(domain(1.0), "switching-elimination", seed=5)
    late = optimizer.ask()
    assert late is not None
    for t in range(2, 2 * RECENT + 60):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, truth(suggestion.values["x"], t) + 0.01 * t)
    method: Any = optimizer._method
    last = method._standardised_at
    assert RECENT < last < len(optimizer.history) - 1
    assert method._held == RECENT + len(optimizer.history) - 1 - last
    assert method.posed.given[0].mean == pytest.approx(0.01 * (last - RECENT / 2) + 3, abs=1.5), "of the last 256"
    optimizer.tell(late, 1.0)
    again = Optimizer.replay(optimizer.problem, optimizer.events)
    assert again.ask() == optimizer.ask()


@pytest.mark.filterwarnings("ignore:.*told from 0")
def test_outcomes_that_do_not_differ_or_have_absurd_sizes() -> None:
    for values in ((3.0, 3.0, 3.0), (1e100, -1e100, 1e99), (5e-324, 0.0, 1e-200), (1e9, 1e9 + 1e-6, 1e9)):
        for step in (2.5, None):
            optimizer = Optimizer(domain(step), seed=1)
            for value in values:
                optimizer.tell(optimizer.ask(), value)
            assert optimizer.ask() is not None
            assert optimizer.recommend().mean is not None


def test_categories_and_coordinates() -> None:
    mixed = TimeVarying([Float("x", 0, 5), Categorical("machine", ["a", "b", "c"])])
    optimizer = Optimizer(mixed, seed=1)
    for t in range(8):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, suggestion.values["x"] + 3.0 * (suggestion.values["machine"] == "b") + 0.01 * t)
    assert optimizer.recommend().values["machine"] == "b"
    placed = TimeVarying([Categorical("site", ["a", "b", "c"])], coordinates=[[0.0, 7.0], [1.0, 7.0], [40.0, 7.0]])
    kernel = default_priors(placed, OutcomeScale())[0].kernel
    assert isinstance(kernel, SquaredExponential)
    assert kernel.lengthscale == (4.0, 0.1)


def test_many_points_are_a_box_unless_they_have_coordinates() -> None:
    """Twenty-seven filters on thousands of points would take gigabytes."""
    square = [Float(name, 0, 1, step=0.04) for name in "xy"]
    assert TimeVarying(square, [Prior(SquaredExponential(0.2))]).sites is not None
    optimizer = Optimizer(TimeVarying(square), "switching-elimination", seed=1)
    assert optimizer.problem.sites is None  # type: ignore[attr-defined]
    for available in (None, {"x": (0.0, 0.3)}, [[0.04, 0.96], [0.2, 0.4]]):
        suggestion = optimizer.ask(available=available)
        assert suggestion is not None
        assert all(round(25 * value, 9).is_integer() for value in suggestion.values.values())
        optimizer.tell(suggestion, suggestion.values["x"])
    with pytest.raises(InvalidProblem, match="priors of your own"):
        TimeVarying([Categorical("site", [str(i) for i in range(1001)])], coordinates=[[i] for i in range(1001)])


def test_a_decay_per_hour() -> None:
    hour = Decay(0.1, per=3600.0)
    assert_allclose(correlation(hour, np.array([3600.0, 7200.0])), correlation(Decay(0.1), np.array([1.0, 2.0])))
    assert hour.rate == pytest.approx(Decay(0.1).rate / 3600)


@pytest.mark.parametrize(
    ("given", "match"),
    [([], "at least one prior"), ("Auto", "or the word 'auto'"), ([3], r"a Prior, in a file \{ kernel")],
)
def test_refused(given: Any, match: str) -> None:
    with pytest.raises(InvalidProblem, match=match):
        domain(0.5, priors=given)


def test_who_believes_one_prior_is_told_to_give_it() -> None:
    with pytest.raises(InvalidProblem, match="believes one of them"):
        Optimizer(domain(0.5), "gp-ucb")
    assert Optimizer(domain(0.5, priors=[Prior(SquaredExponential(1.0))]), "gp-ucb").ask() is not None


def test_a_study_file_without_priors(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    variable = '[[problem.variables]]\nkind = "float"\nname = "x"\nlow = 0\nhigh = 1\n'
    file.write_text(f'[problem]\nkind = "time-varying"\n{variable}[study]\nrounds = 9\n')
    problem = read_study(file).problem
    assert isinstance(problem, TimeVarying)
    assert problem.automatic
    with Study.create(tmp_path / "study.db", problem, seed=1) as study:
        study.tell(study.ask(), 3.0)
        expected = study.ask()
    with Study.open(tmp_path / "study.db") as study:
        assert study.problem == problem
        assert study.pending[-1].values == expected.values
