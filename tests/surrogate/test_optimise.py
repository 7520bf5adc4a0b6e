"""What is played is better than what the bound alone would play, and the search misses no basin."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Streams
from steerbo.costvarying.baselines import UcbPsq, UcbPsqOptions
from steerbo.costvarying.method import CostVaryingMethod
from steerbo.gp import GPRegression, SquaredExponentialKernel
from steerbo.optim import Box, FeasibleRegion, maximise, sobol_points
from steerbo.surrogate import (
    Controlled,
    Domain,
    LawOf,
    ProductKernelPosterior,
    Uncontrolled,
    highest_of,
    maximise_bounds,
    most_within,
    polished,
    warm_started,
)
from tests.costvarying.worlds import PROBLEM

BETA = 2.0
NUMERIC = sb.CostVarying(
    variables=tuple(sb.Float(f"x{d}", 0, 1, law=sb.TruncatedNormal(0.5, 0.2)) for d in range(4)),
    control_sets=(("x0",), ("x1", "x2"), ("x0", "x1", "x3"), ("x0", "x1", "x2", "x3")),
)


def learned(problem: sb.CostVarying, seed: int, n: int = 25) -> CostVaryingMethod[Any]:
    """A method that knows n random outcomes of a wavy function."""
    random = np.random.default_rng(seed)
    history = sb.Optimizer(problem, "ucb-psq").history
    method = UcbPsq(problem, UcbPsqOptions(), Streams(seed), history)
    inputs = np.stack([v.encode(v.decode(v.encoded_ppf(random.random(n)))) for v in problem.variables], axis=1)
    method.model.replace(inputs, np.sin(5 * inputs @ random.normal(size=inputs.shape[1])))
    method.model.set(method.model.fit())
    return method


def exact(method: CostVaryingMethod[Any], i: int, points: Any) -> Any:
    """`E[μ + βσ]` at points by 2048 Sobol draws."""
    space = method.problem.space
    unit = np.clip(sobol_points(2048, space.dimension, 99), 1e-9, 1 - 1e-9)
    draws = np.stack([v.encoded_ppf(u) for v, u in zip(method.problem.variables, unit.T, strict=True)], axis=1)
    return method.candidates({}).expectation(i).sampled(BETA, draws)(points)[0]


@pytest.mark.parametrize("seed", range(4))
def test_polishing_closes_the_gap_that_jensen_leaves(seed: int) -> None:
    method = learned(NUMERIC, seed)
    candidates = method.candidates({})
    before, after = [], []
    for i in range(3):
        expectation = candidates.expectation(i)
        (found,) = method.search_space.search(method.candidates({}), [i], BETA, seed)
        moved = polished(expectation, method.search_space.boxes[i], found, BETA, seed)
        grid = sobol_points(256, len(method.search_space.sets[i]), 5)
        values = exact(method, i, np.concatenate([found.point[None], moved.point[None], grid]))
        scale = np.ptp(values)
        before.append((values.max() - values[0]) / scale)
        after.append((values.max() - values[1]) / scale)
        assert moved.value == pytest.approx(values[1], abs=0.01 * scale)
    assert max(after) <= 2e-3  # the grid holds no better point, but for the error of 64 draws
    assert sum(after) <= sum(before) + 1e-3


def test_a_set_that_controls_everything_needs_no_polish() -> None:
    method = learned(NUMERIC, 0)
    expectation = method.candidates({}).expectation(3)
    (found,) = method.search_space.search(method.candidates({}), [3], BETA, 0)
    assert polished(expectation, method.search_space.boxes[3], found, BETA, 0) is found


def test_polishing_leaves_categories_alone_and_is_the_same_twice() -> None:
    method = learned(PROBLEM, 1)
    expectation = method.candidates({}).expectation(1)  # ph and line
    (found,) = method.search_space.search(method.candidates({}), [1], BETA, 0)
    once, again = (polished(expectation, method.search_space.boxes[1], found, BETA, 0) for _ in range(2))
    assert once.point[1] in found.points[:, 1]
    assert 0 <= once.point[0] <= 1
    np.testing.assert_array_equal(once.point, again.point)
    assert once.value == again.value


def test_the_search_finds_what_ten_times_the_effort_finds() -> None:
    """24 posteriors, three searches each: none may miss by a thousandth of the range, and the best is known."""
    for seed in range(6):
        method = learned(NUMERIC, seed, n=40)
        candidates = method.candidates({})
        for i in range(4):
            expectation = candidates.expectation(i)

            def rise(points: Any, expectation: Any = expectation) -> Any:
                return expectation.bound(points, BETA)

            def value(points: Any, expectation: Any = expectation) -> Any:
                return expectation.bound(points, BETA)[0]

            best = maximise(value, rise, method.search_space.boxes[i], seed=77, screen=4096, starts=40).value
            scale = np.ptp(value(sobol_points(256, len(method.search_space.sets[i]), 5)))
            for attempt in range(3):
                assert best - method.search_space.search(candidates, [i], BETA, attempt)[0].value <= 1e-3 * scale


def test_of_many_observations_some_say_where_to_look_and_all_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches over one, two and three variables find what a screen with all observations does."""
    random = np.random.default_rng(5)
    laws = [Uncontrolled(LawOf(sb.Float("x", 0, 1, law=sb.Uniform()))) for _ in range(3)]
    sets = ((0,), (1, 2), (0, 1, 2))
    parts = [[Controlled() if d in held else laws[d] for d in range(3)] for held in sets]
    boxes = [Box(np.zeros(len(held)), np.ones(len(held))) for held in sets]
    domains = [Domain(*both) for both in zip(parts, boxes, strict=True)]
    for noise in (1e-4, 1e-1):
        X = random.random((700, 3))
        y = np.sin(7 * X[:, 0]) * X[:, 1] + np.cos(9 * X[:, 2]) + noise**0.5 * random.normal(size=700)
        model = GPRegression(SquaredExponentialKernel([0.3, 0.4, 0.2]), noise=noise)
        model.replace(X, y)
        process = ProductKernelPosterior.of(model, random.random((2, 3)))
        assert len(process.coarse.inputs) == 256
        np.testing.assert_array_equal(process.coarse.inputs[-1], process.inputs[-1])
        for those in (domains, [each.narrow for each in domains]):
            some = maximise_bounds(process, those, 2.0, 3)
            with monkeypatch.context() as patched:
                patched.setattr("steerbo.surrogate._expectation.FEW", 10**6)
                everything = maximise_bounds(ProductKernelPosterior.of(model, process.inputs[-2:]), those, 2.0, 3)
            for one, other in zip(some, everything, strict=True):
                assert one.value == pytest.approx(other.value, rel=1e-5)


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("width", [0.08, 0.4])
def test_some_observations_leave_out_no_point_that_a_climb_would_begin_at(
    narrow: bool, width: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ends are the same to the last bit, also where the highest points are crowded, and for lower bounds."""
    random = np.random.default_rng(3)
    laws = [Uncontrolled(LawOf(sb.Float("x", 0, 1, law=sb.Uniform()))) for _ in range(4)]
    parts = [[Controlled() if d in held else laws[d] for d in range(4)] for held in ((0, 1, 2), (1, 2, 3), range(4))]
    domains = [Domain(each, Box(np.zeros(k), np.ones(k))) for each, k in zip(parts, (3, 3, 4), strict=True)] * 8
    domains = [each.narrow for each in domains] if narrow else domains
    X = random.random((90, 4))
    y = np.exp(-0.5 * ((X - 0.5) ** 2).sum(axis=1) / width**2) + 0.01 * random.normal(size=90)
    model = GPRegression(SquaredExponentialKernel([width] * 4), noise=1e-3)
    model.replace(X, y)
    found = []
    for from_so_many in (64, 10**6):
        monkeypatch.setattr("steerbo.surrogate._expectation.SOME", from_so_many)
        process = ProductKernelPosterior.of(model, random.random((0, 4)))
        assert (process.coarse is process) == (from_so_many > 90)
        found.append([end for beta in (2.0, 0.1, -1.0) for end in maximise_bounds(process, domains, beta, 5)])
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one.points, other.points)
        assert one.value == other.value
        assert np.sqrt(process.variance) + 1e-9 >= one.widest >= other.widest - 1e-9


@pytest.mark.parametrize("problem", [NUMERIC, PROBLEM], ids=["smooth", "mixed"])
@pytest.mark.parametrize("narrow", [False, True])
def test_a_search_again_finds_nearly_what_a_whole_one_does(problem: sb.CostVarying, narrow: bool) -> None:
    method = learned(problem, 1)
    candidates = method.candidates({})
    candidates = candidates.narrow if narrow else candidates
    every = range(len(method.search_space.sets))
    before = method.search_space.search(candidates, every, BETA, 0)
    model, width = method.surrogate.for_next_round(), len(method.search_space.columns)
    process = ProductKernelPosterior.of(model, np.random.default_rng(4).random((3, width)))
    short = 0.0
    for i, found in zip(every, before, strict=True):
        same = warm_started(candidates.posterior, candidates.domains[i], found, BETA, seed=1)
        assert same.value >= found.value - 1e-8, "where nothing is pending it ends where the search has"
        less = warm_started(process, candidates.domains[i], found, BETA, seed=1)
        (whole,) = maximise_bounds(process, [candidates.domains[i]], BETA, 1)
        assert less.value <= found.value + 1e-8
        short += max(0.0, whole.value - less.value)
    assert short <= 0.02 * len(before), "in posterior standard deviations of what was told"


def test_a_search_within_a_margin_tries_what_was_tried_without_it_no_more() -> None:
    tried: list[bytes] = []

    class Hill:
        """Highest where it is not allowed."""

        def values(self, points: Any) -> Any:
            tried.extend(row.tobytes() for row in points)
            return -((points - 0.9) ** 2).sum(axis=1)

        def curved(self, points: Any) -> Any:
            bend = np.tile(-2.0 * np.eye(2), (len(points), 1, 1))
            return -((points - 0.9) ** 2).sum(axis=1), -2.0 * (points - 0.9), bend

    box = FeasibleRegion(Box([0, 0], [1, 1]), lambda points: 1.0 - points.sum(axis=1))
    found = highest_of(Hill(), box, seed=0)
    np.testing.assert_allclose(found.point, 0.5, atol=1e-4)
    assert len(tried) == len(set(tried)) > 0


def test_bounds_within_a_margin_may_begin_with_those_without_it() -> None:
    method = learned(NUMERIC, 0)
    posterior, domain = method.candidates({}).posterior, method.candidates({}).domains[1]
    guarded = Domain(domain.parts, FeasibleRegion(domain.box, lambda points: 0.3 - points[:, 0]))
    (alone,) = maximise_bounds(posterior, [guarded], BETA, 0)
    (known,) = maximise_bounds(posterior, [domain], BETA, 0)
    (after,) = maximise_bounds(posterior, [replace(guarded, known=known)], BETA, 0)
    assert alone.point[0] <= 0.3
    np.testing.assert_allclose(after.point, alone.point, atol=1e-9)


def test_numbers_that_a_bound_within_a_margin_is_not_above_fall_towards_it() -> None:
    """The first ones are of points that are not judged yet: a scope that others overtake is judged no further."""
    method, judged = learned(NUMERIC, 3, n=40), list[int]()
    candidates = method.candidates({})
    domain = candidates.narrow.domains[2]
    (free,) = maximise_bounds(candidates.posterior, [domain], BETA, 0)

    def near(room: float) -> FeasibleRegion:
        """A ball around the lowest point, so that the best points of a screen are not allowed."""
        points, values = free.screen or (np.zeros((1, 3)), np.zeros(1))
        lowest = points[values.argmin()]

        def margin(points: Any) -> Any:
            judged.append(len(points))
            return room - ((points - lowest) ** 2).sum(axis=1)

        return FeasibleRegion(domain.box, margin)

    region = near(0.2)
    (bound,) = maximise_bounds(candidates.posterior, [replace(domain, box=region)], BETA, 0)
    numbers = [*most_within(candidates.posterior, replace(domain, box=region), free, BETA, seed=0)]
    assert len(numbers) > 2
    assert all(more >= less for more, less in pairwise([free.value, *numbers]))
    assert numbers[-1] >= bound.value

    judged.clear()
    next(most_within(candidates.posterior, replace(domain, box=near(0.2)), free, BETA, seed=0))
    assert sum(judged) < 256, "no more than a block, and those that say whether any may be allowed"
    nowhere = replace(domain, box=near(-0.001))
    assert max(most_within(candidates.posterior, nowhere, free, BETA, seed=0)) == -np.inf


def test_bounds_that_compare_scopes_take_one_climb_within_a_margin_and_plays_all() -> None:
    method = learned(NUMERIC, 3, n=40)
    domain = method.candidates({}).domains[2]
    region = FeasibleRegion(domain.box, lambda points: 0.2 - points[:, 0])
    wide = replace(domain, box=region)
    for one, climbs in ((wide, 4), (wide.narrow, 1)):
        (found,) = maximise_bounds(method.candidates({}).posterior, [one], BETA, 0)
        assert len(found.values) == climbs
        assert region.allows(found.points).all()
