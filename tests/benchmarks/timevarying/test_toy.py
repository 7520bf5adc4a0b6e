"""The toy is the one described, and a run counts what was lost."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.timevarying import SquaredExponential
from tests.timevarying.play import play
from tests.timevarying.toy_problem import HILLS, TRUE, Toy


def test_the_means() -> None:
    toy = Toy()
    x = np.linspace(0, 1, HILLS)[:, None]
    for n in range(11):
        heights = toy.mean(n)(x)
        assert heights.round(1).tolist() == [5.0 if i == n - 1 else 1.0 for i in range(HILLS)]
    assert len(toy.problem.given) == 11
    assert toy.problem.given[toy.true].name == "hill 2"
    assert toy.true == TRUE


def test_variants() -> None:
    scaled = Toy(scales=(0.25, 1.0, 4.0))
    prior = scaled.problem.given[scaled.true]
    assert (len(scaled.problem.given), prior.name) == (33, "hill 2")
    assert prior.kernel == SquaredExponential(0.5, 1.0)
    many = Toy(candidates=200)
    assert len({p.mean for p in many.problem.given}) == 200


def test_every_second_round_the_tall_hill_is_away() -> None:
    toy = Toy()
    assert toy.available(1) is None
    mask = np.array(toy.available(2))
    away = toy.grid[~mask]
    assert abs(away - 1 / 9).max() < 0.06
    assert mask.sum() == 200 - 24


def test_truths_are_draws_from_the_true_prior() -> None:
    """Mean and variance over 400 seeds at one point: each is four standard errors off once in 8000 times."""
    toy = Toy()
    drawn = np.array([toy.truth(seed, 1)[0, 60] for seed in range(400)])
    centre = float(toy.mean(TRUE)(toy.grid[60:61, None])[0])
    assert abs(drawn.mean() - centre) < 4 / 20
    assert drawn.var() == pytest.approx(1.0, abs=4 * np.sqrt(2 / 400))
    moving = Toy(epsilon=0.1).truth(0, 50)
    assert np.abs(np.diff(moving, axis=0)).max() > 0.1
    assert np.ptp(toy.truth(0, 50), axis=0).max() == 0


def test_a_run_counts_what_was_lost() -> None:
    toy = Toy()
    truth = toy.truth(0, 20)
    oracle, random = (
        play(toy.problem, truth, toy.noise, method, 0, toy.available, **options)
        for method, options in (("gp-ucb", {"prior": toy.true}), ("random", {}))
    )
    assert oracle.regret.min() >= 0
    assert oracle.regret.sum() < random.regret.sum()
    assert oracle.alive is None
    elimination = play(toy.problem, truth, toy.noise, "prior-elimination", 0, toy.available)
    assert sum(elimination.plays) == 20
    again = play(toy.problem, truth, toy.noise, "prior-elimination", 0, toy.available)
    assert again.regret.tolist() == elimination.regret.tolist()


def test_gaps_are_never_chosen() -> None:
    toy = Toy()
    truth = toy.truth(0, 10)
    truth[:, 50:] = np.nan
    found = play(toy.problem, truth, toy.noise, "tempered-elimination", 1)
    assert np.isfinite(found.regret).all()
