"""The structured maths against brute force over all cells, and gradients against finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from steerbo.meanfield.acquisition import PayoffBounds
from steerbo.meanfield.kernels import Inputs, PayoffKernel
from steerbo.meanfield.process import Observations, posterior
from steerbo.meanfield.similarity import Similarity

C, A, N = 2, 4, 7
SHARES = np.array([0.7, 0.3])
KINDS = [(kind, embedding) for kind in ("additive", "joint", "product") for embedding in ("plain", "root")]
Theta = dict[str, float]


def geometry(kind: Any, embedding: Any, featured: bool = True) -> PayoffKernel:
    features = np.random.default_rng(0).normal(size=(A, 2)).tolist() if featured else None
    actions = Similarity.of(np.full(A, 1 / A), features)
    return PayoffKernel(kind, embedding, SHARES, actions, Similarity.of(np.full(C, 1 / C), None), single=True)


def observed(single: bool = False) -> Observations:
    random = np.random.default_rng(1)
    tables = random.dirichlet(np.ones(A), size=(N, C))
    weights = tables * SHARES[:, None]
    if single:
        weights = np.zeros((N, C, A))
        weights[np.arange(N), random.integers(C, size=N), random.integers(A, size=N)] = 1.0
    return Observations(Inputs(weights, tables), random.normal(size=N), np.full(N, 2.0), tables[:0])


def parameters(space: PayoffKernel) -> Theta:
    random = np.random.default_rng(5)
    return {name: float(0.4 * random.normal() - (2.0 if name == "noise" else 0.3)) for name in (*space.names, "noise")}


def cell_kernel(space: PayoffKernel, theta: Theta, one: np.ndarray, two: np.ndarray) -> Any:
    """k((x, c, ξ), (x', c', ξ')) of all cells at two tables, (C, A, C, A): the definition, written out."""
    similar = {}
    for name, similarity in (("actions", space.actions), ("contexts", space.contexts)):
        m, length = len(similarity.weights), space.lengthscale(name, theta)
        d2 = 2.0 * (1 - np.eye(m)) if similarity.distances is None else similarity.distances
        k = np.exp(-d2 / (2 * length**2))
        similar[name] = k / (similarity.weights @ k @ similarity.weights)
    if space.embedding == "root":
        one, two = np.sqrt(one), np.sqrt(two)
    apart = ((one - two) ** 2).sum(axis=1)
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
    after = posterior(space, data, theta)
    tables = np.random.default_rng(3).dirichlet(np.ones(A), size=(2, C))
    mean, sd = PayoffBounds(after).average(tables)
    cell_mean, cell_sd = PayoffBounds(after).cells(tables)
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
@pytest.mark.parametrize("which", ["population", "expected"])
def test_gradients_against_finite_differences(kind: str, embedding: str, which: str) -> None:
    space, data = geometry(kind, embedding), observed(single=which == "expected")
    bound = getattr(PayoffBounds(posterior(space, data, parameters(space))), which)
    tables = np.random.default_rng(4).dirichlet(np.full(A, 3.0), size=(2, C))
    _, slopes = bound(tables, 1.7)
    step = 1e-6
    for r, c, a in np.ndindex(*tables.shape):
        up, down = tables.copy(), tables.copy()
        up[r, c, a] += step
        down[r, c, a] -= step
        rise = (bound(up, 1.7)[0][r] - bound(down, 1.7)[0][r]) / (2 * step)
        assert slopes[r, c, a] == pytest.approx(rise, rel=2e-5, abs=1e-7)


@pytest.mark.parametrize(("kind", "embedding"), KINDS)
@pytest.mark.parametrize("featured", [False, True])
def test_derivatives_of_covariances(kind: str, embedding: str, featured: bool) -> None:
    space, data = geometry(kind, embedding, featured), observed(single=True)
    theta, covariances = parameters(space), space.covariances(data.inputs)
    _, slopes = covariances(theta)
    for name in space.names:
        up, down = {**theta, name: theta[name] + 1e-6}, {**theta, name: theta[name] - 1e-6}
        rise = (covariances(up, slopes=False)[0] - covariances(down, slopes=False)[0]) / 2e-6
        np.testing.assert_allclose(slopes[name], rise, atol=1e-7)


def test_names_in_one_context_take_the_short_way() -> None:
    """The same covariances as by mixing tables, and the same derivatives."""
    tables = np.random.default_rng(8).dirichlet(np.ones(A), size=(N, 1))
    even, alone = np.full(A, 1 / A), Similarity.of(np.ones(1), None)
    short = PayoffKernel("product", "plain", np.ones(1), Similarity(even), alone)
    long = PayoffKernel("product", "plain", np.ones(1), Similarity(even, 2.0 * (1 - np.eye(A))), alone)
    theta, seen = {"lengthscale": -0.5, "actions": 0.2, "noise": -3.0}, Inputs(tables, tables)
    (gram, slopes), (expected, expected_slopes) = short.covariances(seen)(theta), long.covariances(seen)(theta)
    np.testing.assert_allclose(gram, expected, rtol=1e-9)
    for name in ("lengthscale", "actions"):
        np.testing.assert_allclose(slopes[name], expected_slopes[name], rtol=1e-7, atol=1e-12)


def test_a_single_cell_is_plain_regression() -> None:
    """One context, all weight on one action: scikit-learn's process on embedded distributions."""
    random = np.random.default_rng(2)
    tables, values = random.dirichlet(np.ones(A), size=(N, 1)), random.normal(size=N)
    weights = np.zeros((N, 1, A))
    weights[:, 0, 0] = 1.0
    names = Similarity.of(np.full(A, 1 / A), None)
    space = PayoffKernel("product", "root", np.ones(1), names, Similarity.of(np.ones(1), None))
    theta = {"lengthscale": -0.4, "actions": -0.1, "noise": -4.0}
    after = posterior(space, Observations(Inputs(weights, tables), values, np.ones(N), tables[:0]), theta)
    kernel = ConstantKernel(names.own(float(np.exp(-0.1))), "fixed") * RBF(np.exp(-0.4), "fixed")
    reference = GaussianProcessRegressor(kernel, alpha=np.exp(-4.0), optimizer=None)
    reference.fit(np.sqrt(tables[:, 0]), values - after.mean)
    trial = random.dirichlet(np.ones(A), size=(3, 1))
    mean, sd = reference.predict(np.sqrt(trial[:, 0]), return_std=True)
    ours, ours_sd = PayoffBounds(after).cells(trial)
    np.testing.assert_allclose(ours[:, 0, 0], mean + after.mean, rtol=1e-8)
    np.testing.assert_allclose(ours_sd[:, 0, 0], sd * np.sqrt(after.scale), rtol=1e-7)


def test_what_is_pending_shrinks_the_variance_and_leaves_the_mean() -> None:
    space, data = geometry("product", "root"), observed()
    theta = parameters(space)
    table = np.random.default_rng(9).dirichlet(np.ones(A), size=(1, C))
    unknown = Inputs(table * SHARES[:, None], table)
    before, after = (PayoffBounds(posterior(space, data, theta, u)).average(table) for u in (None, unknown))
    assert after[0] == pytest.approx(before[0], rel=1e-9)
    assert after[1][0] < before[1][0]


def test_averages_never_identify_single_payoffs() -> None:
    """After many plays of one table its average is known, and its cells are not."""
    space = geometry("product", "root", featured=False)
    table = np.full((1, C, A), 1 / A)
    many = np.repeat(table, 50, axis=0)
    data = Observations(Inputs(many * SHARES[:, None], many), np.zeros(50), np.ones(50), many[:0])
    theta = {"lengthscale": 0.0, "actions": -0.5, "contexts": -0.5, "noise": -4.0}
    bounds = PayoffBounds(posterior(space, data, theta))
    unit = np.sqrt(bounds.posterior.scale)
    own = np.sqrt(space.actions.own(np.exp(-0.5)) * space.contexts.own(np.exp(-0.5)))
    assert bounds.average(table)[1][0] / unit < 0.05
    assert bounds.cells(table)[1].min() / unit > 0.6 * own
