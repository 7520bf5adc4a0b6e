"""Where distributions lie: distances on a map are those of the matrix that defines them, and gradients come back."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.meanfield.embeddings import PLAIN, ROOT, Embedding, on_map
from steerbo.meanfield.features import AllPairs, ToLandmarks, features_of

M = 12
PLACES = np.random.default_rng(0).random((M, 2))
TABLES = np.random.default_rng(1).dirichlet(np.ones(M), size=(3, 2))


def squares() -> AllPairs:
    found = features_of(PLACES.tolist())
    assert isinstance(found, AllPairs)
    return found


@pytest.mark.parametrize("embedding", on_map(squares()), ids=lambda embedding: embedding.name)
def test_distances_on_a_map_are_those_of_its_matrix(embedding: Embedding) -> None:
    w, d = embedding.share, np.sqrt(squares().squares)
    among = (1 - w) * np.eye(M) + w * np.exp(-d / embedding.range)
    assert np.trace(among) == pytest.approx(M)
    apart = np.sqrt(TABLES[0]) - np.sqrt(TABLES[1])
    phi = embedding(TABLES)
    np.testing.assert_allclose(((phi[0] - phi[1]) ** 2).sum(axis=1), np.einsum("ca,ab,cb->c", apart, among, apart))


def test_landmarks_that_are_all_places_change_nothing() -> None:
    unit = squares()
    some = ToLandmarks.of(PLACES * np.sqrt(unit.squares[0, 1] / ((PLACES[0] - PLACES[1]) ** 2).sum()), most=M)
    one, other = (Embedding("", True, places, 0.7, 0.9)(TABLES) for places in (unit, some))
    np.testing.assert_allclose(_among(one), _among(other), atol=1e-7)


def test_fewer_landmarks_keep_the_trace() -> None:
    embedding = Embedding("", True, ToLandmarks.of(PLACES, most=4), 0.5, 0.9)
    assert (embedding(np.eye(M)[:, None]) ** 2).sum() == pytest.approx(M)


def _among(phi: np.ndarray) -> np.ndarray:
    flat = phi.reshape(-1, phi.shape[-1])
    return ((flat[:, None] - flat) ** 2).sum(axis=2)


@pytest.mark.parametrize(
    "embedding", [PLAIN, ROOT, Embedding("", True, squares(), 1.0, 0.9)], ids=["plain", "root", "map"]
)
def test_gradients_come_back(embedding: Embedding) -> None:
    pull = np.random.default_rng(2).normal(size=embedding(TABLES).shape)
    back = embedding.pull_back(pull, TABLES)
    for r, c, a in [(0, 0, 0), (2, 1, 5)]:
        up, down = TABLES.copy(), TABLES.copy()
        up[r, c, a] += 1e-7
        down[r, c, a] -= 1e-7
        assert back[r, c, a] == pytest.approx((pull * (embedding(up) - embedding(down))).sum() / 2e-7, rel=1e-5)


def test_two_actions_in_one_place_are_two_actions_still() -> None:
    """Moving agents between them is a distance, if a small one."""
    places = features_of([(0.0, 0.0), (0.0, 0.0), (1.0, 0.0)])
    for embedding in on_map(places):
        phi = embedding(np.array([[[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]], [[0.0, 0.0, 1.0]]]))[:, 0]
        beside, away = np.linalg.norm(phi[0] - phi[1]), np.linalg.norm(phi[0] - phi[2])
        assert 0 < beside < away
