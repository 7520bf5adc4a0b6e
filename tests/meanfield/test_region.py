"""Projections are the nearest points, and whole agents keep to every limit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize

from steerbo.meanfield._region import Region
from tests.meanfield.worlds import limited, region
from tests.sizes import examples

Made = Callable[[int, float | None], Region]


def keeps(found: Region, table: np.ndarray, slack: float) -> bool:
    if found.largest_move is not None and found.moved(table).max() > found.largest_move + slack:
        return False
    taken, within = found.agents_in @ table, table * found.agents_in[:, None]
    fits = (taken <= found.capacity + slack * 40).all() and (taken >= found.least - slack * 40).all()
    fits &= (within >= found.cells[0] - slack * 40).all() and (within <= found.cells[1] + slack * 40).all()
    return bool(fits and np.abs(table.sum(axis=1) - 1).max() < 1e-9 and (table[~found.allowed] == 0).all())


def bounded(seed: int, move: float | None) -> Region:
    """The same with a least number in an action, and both bounds of single contexts' agents."""
    random, found = np.random.default_rng(seed + 5), limited(seed, None)
    inside = found.whole(found.project(np.exp(random.normal(size=(1, 2, 4))))[0])
    cells = np.stack([np.zeros((2, 4), dtype=np.int64), np.tile(found.agents_in[:, None], 4)])
    for c, a in ((0, random.integers(4)), (1, random.integers(4))):
        cells[:, c, a] = max(0, inside[c, a] - random.integers(3)), inside[c, a] + random.integers(3)
    least = np.where(np.arange(4) == random.integers(4), inside.sum(axis=0), 0)
    fields = {"capacity": np.maximum(found.capacity, least), "allowed": found.allowed, "least": least, "cells": cells}
    return region(**fields) if move is None else region(**fields).around(inside / found.agents_in[:, None], move)


regions = st.sampled_from([limited, bounded])
seeds = st.integers(0, 10**6)
moves = st.sampled_from([None, 0.05, 0.2, 0.6])


@settings(deadline=None, max_examples=examples(40), derandomize=True)
@given(seeds, moves, regions)
def test_projections_are_possible_and_leave_possible_tables_alone(seed: int, move: float | None, made: Made) -> None:
    found = made(seed, move)
    tables = np.exp(2 * np.random.default_rng(seed + 1).normal(size=(3, 2, 4)))
    projected = found.project(tables)
    assert all(keeps(found, table, 1e-7) for table in projected)
    np.testing.assert_allclose(found.project(projected), projected, atol=1e-6)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("move", [None, 0.15])
@pytest.mark.parametrize("made", [limited, bounded])
def test_projections_are_the_nearest(seed: int, move: float | None, made: Made) -> None:
    """Against scipy's SLSQP on the divergence itself."""
    found = made(seed, move)
    table = np.exp(1.5 * np.random.default_rng(seed + 7).normal(size=(2, 4))) * found.allowed
    table /= table.sum(axis=1, keepdims=True)
    p = found.agents_in / found.agents_in.sum()
    keep = found.allowed.ravel()
    target = (table * p[:, None]).ravel()[keep]
    n = int(keep.sum())
    pick, nothing = np.eye(8)[:, keep], np.zeros((2, n))
    rows = np.kron(np.eye(2), np.ones((1, 4))) @ pick
    columns = np.kron(np.ones((1, 2)), np.eye(4)) @ pick
    parts = [
        LinearConstraint(np.hstack([rows, nothing]), p, p),
        LinearConstraint(np.hstack([columns, np.zeros((4, n))]), -np.inf, found.capacity / 40),
        LinearConstraint(np.hstack([columns, np.zeros((4, n))]), found.least / 40, np.inf),
    ]
    ours = found.project(table[None])[0]
    start = np.concatenate([(ours * p[:, None]).ravel()[keep], np.full(n, 0.1)])
    if found.present is not None and found.largest_move is not None:
        q = (found.present * p[:, None]).ravel()[keep]
        eye = np.eye(n)
        parts += [
            LinearConstraint(np.hstack([eye, -eye]), -np.inf, q),
            LinearConstraint(np.hstack([eye, eye]), q, np.inf),
            LinearConstraint(np.hstack([nothing, rows]), -np.inf, 2 * found.largest_move * p),
        ]
        start[n:] = np.abs(start[:n] - q)

    def divergence(z: np.ndarray) -> float:
        x = np.maximum(z[:n], 1e-12)
        return float((x * np.log(x / target)).sum())

    low, high = (found.cells[k].ravel()[keep] / 40 for k in (0, 1))
    box, options = [*zip(low, high, strict=True), *[(0, 1)] * n], {"maxiter": 500}
    best = minimize(divergence, start, method="SLSQP", constraints=parts, bounds=box, options=options)
    assert divergence((ours * p[:, None]).ravel()[keep]) <= best.fun + 1e-6


@settings(deadline=None, max_examples=examples(40), derandomize=True)
@given(seeds, moves, regions)
def test_whole_agents_keep_to_every_limit(seed: int, move: float | None, made: Made) -> None:
    found = made(seed, move)
    random = np.random.default_rng(seed + 2)
    table = found.project(np.exp(2 * random.normal(size=(1, 2, 4))))[0]
    for counts in (found.whole(table), found.sampled(table, random)):
        assert counts.sum(axis=1).tolist() == [30, 10]
        assert keeps(found, counts / found.agents_in[:, None], 1e-9)
        assert found.keeps(counts)


@settings(deadline=None, max_examples=examples(40), derandomize=True)
@given(seeds, moves, regions)
def test_whole_agents_are_as_near_as_an_integer_programme_finds(seed: int, move: float | None, made: Made) -> None:
    found = made(seed, move)
    table = found.project(np.exp(2 * np.random.default_rng(seed + 3).normal(size=(1, 2, 4))))[0]
    exact = table * found.agents_in[:, None]
    floor = np.minimum(np.floor(exact + 1e-9).astype(np.int64), found.cells[1])
    if (extra := found._extra(floor, exact - floor)) is not None:
        assert ((found.whole(table) - floor) * (exact - floor)).sum() >= (extra * (exact - floor)).sum() - 1e-9


def test_without_limits_whole_agents_are_within_one() -> None:
    table = np.random.default_rng(0).dirichlet(np.ones(4), size=2)
    counts = region().whole(table)
    assert (np.abs(counts - table * region().agents_in[:, None]) < 1).all()


def test_largest_remainders_are_the_nearest_whole_agents() -> None:
    """Brute force over all ways to place five agents."""
    none, five = np.zeros(3, dtype=int), np.full(3, 5)
    cells = np.stack([none, five])[:, None]
    one = Region(("all",), ("a", "b", "c"), np.array([5]), np.ones((1, 3), dtype=bool), five, none, cells)
    table = np.array([[0.47, 0.33, 0.2]])
    ways = [(i, j, 5 - i - j) for i in range(6) for j in range(6 - i)]
    nearest = min(ways, key=lambda way: float(((np.array(way) / 5 - table[0]) ** 2).sum()))
    assert tuple(one.whole(table)[0]) == nearest


def test_agents_that_fit_in_turn_fit() -> None:
    seen = set()
    for seed in range(40):
        random = np.random.default_rng(seed)
        allowed = random.random((2, 4)) < 0.7
        allowed[:, 0] = True
        found = region(capacity=random.integers(1, 25, 4), allowed=allowed)
        seen.add((found._fit_in_turn(), bool(found._crowded().any())))
    assert seen >= {(True, False), (False, True)}
    assert (True, True) not in seen
