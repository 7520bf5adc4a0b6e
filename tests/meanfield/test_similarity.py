"""What the process is told, and what it takes for noise."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.meanfield.embeddings import PLAIN, ROOT, Embedding
from steerbo.meanfield.kernels import Inputs, PayoffKernel
from steerbo.meanfield.process import Observations, fit, shortest
from steerbo.meanfield.similarity import Similarity

A = 12


def geometry(embedding: Embedding = ROOT) -> PayoffKernel:
    names, alone = Similarity.of(np.full(A, 1 / A), None), Similarity.of(np.ones(1), None)
    return PayoffKernel("product", embedding, np.ones(1), names, alone)


def told(values: np.ndarray, first: int, concentration: float = 30.0) -> Observations:
    tables = np.random.default_rng(1).dirichlet(np.full(A, concentration), size=(len(values), 1))
    return Observations(Inputs(tables, tables), values, np.ones(len(values)), tables[:first])


@pytest.mark.parametrize("embedding", [PLAIN, ROOT], ids=lambda embedding: embedding.name)
def test_the_shortest_lengthscale_is_the_median_distance(embedding: Embedding) -> None:
    tables = np.random.default_rng(2).dirichlet(np.full(A, 30.0), size=(3, 1))
    phi = tables if embedding is PLAIN else np.sqrt(tables)
    apart = [np.linalg.norm(phi[i] - phi[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    assert np.exp(shortest(geometry(embedding), tables)) == pytest.approx(np.median(apart))


def test_distant_or_equal_first_tables_do_not_forbid_what_is_usual() -> None:
    """Corners lie further apart than any likely lengthscale; equal tables tell nothing."""
    assert np.exp(shortest(geometry(), np.eye(A)[:, None])) == pytest.approx(0.5)
    assert shortest(geometry(), np.full((4, 1, A), 1 / A)) == -np.inf


@pytest.mark.parametrize("seed", range(4))
def test_noise_is_called_noise(seed: int) -> None:
    """Outcomes unrelated to their tables do not pass for an erratic payoff, however the fit begins."""
    values = np.random.default_rng(seed).normal(size=20)
    for thorough in (False, True):
        found, _ = fit(geometry(), told(values, first=5), None, 30, thorough)
        assert np.exp(found["noise"]) > 0.1
