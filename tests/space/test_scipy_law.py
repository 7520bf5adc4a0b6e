from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest
import scipy.stats

from steerbo.errors import InvalidProblem
from steerbo.records import from_dict, identity, to_dict
from steerbo.space import Float, Integer, Scipy, Variable

FROZEN = [
    scipy.stats.weibull_min(2, scale=8),
    scipy.stats.weibull_min(c=2, loc=0, scale=8),
    scipy.stats.beta(2, 3, 1, 20),
    scipy.stats.expon(scale=3),
    scipy.stats.gumbel_r(8, 2),
    scipy.stats.truncnorm(-1, b=2, loc=9, scale=3),
    scipy.stats.uniform(0, np.float32(30)),
]


@pytest.mark.parametrize("frozen", FROZEN, ids=lambda frozen: frozen.dist.name)
def test_a_frozen_distribution_survives_a_file(frozen: Any) -> None:
    variable = Float("wind", -1, 45, law=frozen)
    again = from_dict(Variable, json.loads(json.dumps(to_dict(variable))))
    assert again == variable
    assert identity(again) == identity(variable)
    assert hash(pickle.loads(pickle.dumps(variable))) == hash(again)
    u = np.linspace(0.01, 0.99, 9)
    np.testing.assert_array_equal(again.distribution.ppf(u), frozen.ppf(u))


def test_equal_distributions_are_stored_equally() -> None:
    assert (
        Float("x", 0, 30, law=FROZEN[0]).law
        == Float("x", 0, 30, law=FROZEN[1]).law
        == Scipy("weibull_min", [2], scale=8)
    )


@pytest.mark.parametrize(
    "frozen", [scipy.stats.poisson(4), scipy.stats.binom(10, 0.3), scipy.stats.randint(2, 9, loc=1)]
)
def test_discrete_distributions_have_atoms(frozen: Any) -> None:
    law = Integer("k", 0, 40, law=frozen).distribution
    assert law.atoms is not None
    values, weights = law.atoms
    np.testing.assert_allclose(weights, frozen.pmf(values), rtol=1e-9, atol=1e-12)
    assert (law.mean, law.sd) == pytest.approx((frozen.mean(), frozen.std()))


@pytest.mark.parametrize(
    "law",
    [
        scipy.stats.norm([1, 2]),
        scipy.stats.norm(np.nan, 1),
        scipy.stats.norm,
        scipy.stats.rv_histogram((np.ones(3), np.arange(4)))(),
        scipy.stats.rv_discrete(values=([1, 2], [0.5, 0.5]))(),
        scipy.stats.multivariate_normal([0, 0]),
    ],
)
def test_what_cannot_be_stored_is_refused(law: Any) -> None:
    with pytest.raises(InvalidProblem, match=r"Float\.law"):
        Float("x", -10, 10, law=law)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"name": "nrm"}, "the name of a distribution"),
        ({"name": "rv_continuous"}, "the name of a distribution"),
        ({"name": "__doc__"}, "the name of a distribution"),
        ({"name": "beta", "args": [1]}, "2 shape parameters"),
        ({"name": "beta", "args": [-1, 1]}, "allows"),
        ({"name": "norm", "scale": 0}, "above 0"),
        ({"name": "poisson", "args": [3], "scale": 2}, "1, for a discrete"),
    ],
)
def test_parameters_that_scipy_refuses(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidProblem, match=message):
        Scipy(**given)


def test_too_many_atoms_are_refused() -> None:
    with pytest.raises(InvalidProblem, match="at most 100000 values"):
        Integer("k", 0, 10**9, law=Scipy("randint", [0, 10**9]))


def test_moments_that_do_not_exist_are_not_errors() -> None:
    assert not np.isfinite(Scipy("cauchy").on(-1000, 1000).sd)
