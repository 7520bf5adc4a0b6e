"""Problems without priors."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from steerbo import Categorical, Decay, Float, Optimizer, Prior, TimeVarying
from steerbo.core import keyed
from steerbo.errors import InvalidProblem
from steerbo.gp.drift import correlation
from steerbo.study import Study, read_study
from steerbo.timevarying import SquaredExponential


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


def test_many_points_are_a_box_unless_they_have_coordinates() -> None:
    square = [Float(name, 0, 1, step=0.04) for name in "xy"]
    assert TimeVarying(square, [Prior(SquaredExponential(0.2))]).sites is not None
    optimizer = Optimizer(TimeVarying(square), seed=1)
    assert optimizer.problem.sites is None  # type: ignore[attr-defined]
    for available in (None, {"x": (0.0, 0.3)}, [[0.04, 0.96], [0.2, 0.4]]):
        suggestion = optimizer.ask(available=available)
        assert suggestion is not None
        assert all(round(25 * value, 9).is_integer() for value in suggestion.values.values())
        optimizer.tell(suggestion, suggestion.values["x"])


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


@pytest.mark.parametrize("method", ["gp-ucb", "et-gp-ucb", "tempered-elimination", "fully-bayesian"])
def test_methods_that_compare_priors_are_refused_without(method: str) -> None:
    with pytest.raises(InvalidProblem, match="learned-drift"):
        Optimizer(domain(0.5), method)
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


def test_noise_whose_square_is_no_float_is_hardly_any() -> None:
    """Its logarithm ended the first suggestion after an outcome."""
    optimizer = Optimizer(TimeVarying([Float("x", 0, 1)], noise=1e-300), seed=0)
    for value in (0.5, 0.7, 0.6):
        optimizer.tell(optimizer.ask(), value)
    assert optimizer.recommend().mean is not None
