"""Covariances of averages, embeddings, and their derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steerbo.meanfield._gp import Observations, PayoffPosterior
from steerbo.meanfield._kernels import PLAIN, ROOT, Embedding, Inputs, PayoffKernel, map_embeddings
from steerbo.meanfield._similarity import AllPairs, Similarity, ToLandmarks, features_of
from steerbo.meanfield.acquisition import AveragePayoffUCB
from tests.meanfield.samples import KINDS, SHARES, A, C, N, Theta, geometry, observed, parameters


def cell_kernel(space: PayoffKernel, theta: Theta, one: np.ndarray, two: np.ndarray) -> Any:
    """k((x, c, ξ), (x', c', ξ')) of all cells at two tables, (C, A, C, A): the definition, written out."""
    similar = {}
    for name, similarity in (("actions", space.actions), ("contexts", space.contexts)):
        m, length = len(similarity.weights), space.lengthscale(name, theta)
        d2 = 2.0 * (1 - np.eye(m)) if similarity.features is None else similarity.features.squares
        k = np.exp(-d2 / (2 * length**2))
        similar[name] = k / (similarity.weights @ k @ similarity.weights)
    if space.embedding.root:
        one, two = np.sqrt(one), np.sqrt(two)
    among, w = np.eye(one.shape[1]), space.embedding.share
    if space.embedding.places is not None:
        among = (1 - w) * among + w * np.exp(-np.sqrt(space.embedding.places.squares) / space.embedding.range)
    apart = np.einsum("ca,ab,cb->c", one - two, among, one - two)
    length2 = np.exp(2 * theta["lengthscale"])
    k_A, k_C = similar["actions"][None, :, None, :], similar["contexts"][:, None, :, None]
    if space.kind == "additive":
        v_A, v_C = (space.variance(name, theta) for name in ("actions", "contexts"))
        return v_A * k_A + v_C * k_C + np.exp(-apart / (2 * length2)).sum()
    return k_A * k_C * np.exp(-(SHARES @ apart) / (2 * length2))


def brute(
    space: PayoffKernel, data: Observations, theta: Theta, table: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Prior covariances of every cell at a table with every observation (C, A, n), Gram matrix, prior of the cells."""
    seen = list(zip(data.inputs.weights, data.inputs.tables, strict=True))
    gram = np.array(
        [[np.einsum("ca,cadb,db", V, cell_kernel(space, theta, a, b), W) for W, b in seen] for V, a in seen]
    )
    cross = [np.einsum("cadb,db->ca", cell_kernel(space, theta, table, b), W) for W, b in seen]
    return np.stack(cross, axis=2), gram, cell_kernel(space, theta, table, table)


@pytest.mark.parametrize(("kind", "embedding"), KINDS)
@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("featured", [False, True])
def test_averages_and_cells_against_the_definition(kind: str, embedding: str, single: bool, featured: bool) -> None:
    space, data = geometry(kind, embedding, featured), observed(single)
    theta = parameters(space)
    after = PayoffPosterior.of(space, data, theta)
    tables = np.random.default_rng(3).dirichlet(np.ones(A), size=(2, C))
    mean, sd = AveragePayoffUCB(after).moments(tables)
    cell_mean, cell_sd = AveragePayoffUCB(after).cell_moments(tables)
    for r, table in enumerate(tables):
        cross, gram, own = brute(space, data, theta, table)
        inverse = np.linalg.inv(gram + np.diag(np.exp(theta["noise"]) / data.agents))
        residuals = data.values - after.mean
        W = table * SHARES[:, None]
        k = np.einsum("ca,can->n", W, cross)
        np.testing.assert_allclose(mean[r], after.mean + k @ inverse @ residuals, rtol=1e-9)
        variance = np.einsum("ca,cadb,db", W, own, W) - k @ inverse @ k
        np.testing.assert_allclose(sd[r] ** 2, after.scale * variance, rtol=1e-7)
        np.testing.assert_allclose(cell_mean[r], after.mean + cross @ inverse @ residuals, rtol=1e-9)
        spread = np.einsum("caca->ca", own) - np.einsum("can,nm,cam->ca", cross, inverse, cross)
        np.testing.assert_allclose(cell_sd[r] ** 2, after.scale * spread, rtol=1e-7)


@pytest.mark.parametrize(("kind", "embedding"), KINDS)
@pytest.mark.parametrize("featured", [False, True])
def test_derivatives_of_covariances(kind: str, embedding: str, featured: bool) -> None:
    space, data = geometry(kind, embedding, featured), observed(single=True)
    theta, covariances = parameters(space), space.covariances(data.inputs)
    W = np.random.default_rng(6).normal(size=(N, N))
    slopes = covariances.linearise(theta)[1](W)
    for name, slope in zip(space.names, slopes, strict=True):
        up, down = {**theta, name: theta[name] + 1e-6}, {**theta, name: theta[name] - 1e-6}
        assert slope == pytest.approx(np.vdot(W, covariances(up) - covariances(down)) / 2e-6, abs=1e-6)


def test_names_in_one_context_take_the_short_way() -> None:
    """The same covariances as by mixing tables, and the same derivatives."""
    tables = np.random.default_rng(8).dirichlet(np.ones(A), size=(N, 1))
    even, alone = np.full(A, 1 / A), Similarity.of(np.ones(1), None)
    short = PayoffKernel("product", PLAIN, np.ones(1), Similarity(even), alone)
    long = PayoffKernel("product", PLAIN, np.ones(1), Similarity(even, AllPairs(2.0 * (1 - np.eye(A)))), alone)
    theta, seen = {"lengthscale": -0.5, "actions": 0.2, "noise": -3.0}, Inputs(tables, tables)
    (gram, slopes), (expected, others) = (each.covariances(seen).linearise(theta) for each in (short, long))
    np.testing.assert_allclose(gram, expected, rtol=1e-9)
    W = np.random.default_rng(6).normal(size=(N, N))
    np.testing.assert_allclose(slopes(W), others(W), rtol=1e-7, atol=1e-12)


M = 12
PLACES = np.random.default_rng(0).random((M, 2))
TABLES = np.random.default_rng(1).dirichlet(np.ones(M), size=(3, 2))


def squares() -> AllPairs:
    found = features_of(PLACES.tolist())
    assert isinstance(found, AllPairs)
    return found


@pytest.mark.parametrize("embedding", map_embeddings(squares()), ids=lambda embedding: embedding.name)
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
    for embedding in map_embeddings(places):
        phi = embedding(np.array([[[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]], [[0.0, 0.0, 1.0]]]))[:, 0]
        beside, away = np.linalg.norm(phi[0] - phi[1]), np.linalg.norm(phi[0] - phi[2])
        assert 0 < beside < away
