"""Noise that grows or shrinks along a column: how much is learned, and bounds follow."""

from __future__ import annotations

import numpy as np

from steerbo.gp import AnovaKernel, GPRegression, PriorKnowledge
from steerbo.space import Space
from steerbo.surrogate import build_model
from tests.sizes import size

LOUD = 0.03, 1.5  # deviation at one end of the last column, and what it grows by to the other


def told(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 2) and outcomes whose noise grows fifty times along the last column."""
    random = np.random.default_rng(seed)
    X = random.random((n, 2))
    deviation = LOUD[0] + LOUD[1] * X[:, 1] ** 2
    return X, truth(X) + deviation * random.standard_normal(n)


def truth(X: np.ndarray) -> np.ndarray:
    return np.asarray(np.sin(4.0 * X[:, 0]) + X[:, 1])


def learned(n: int, seed: int, *, uneven: bool) -> GPRegression[AnovaKernel]:
    model = GPRegression(AnovaKernel.over([False, False]), seed=seed, uneven=(0, 1) if uneven else ())
    model.replace(*told(n, seed))
    model.set(model.fit())
    return model


def test_noise_is_small_where_it_is_quiet_and_large_where_it_is_loud() -> None:
    """Within a factor of 4 of the deviation at both ends, where one number for all is off by 8 at the quiet one."""
    model, even = learned(80, 0, uneven=True), learned(80, 0, uneven=False)
    ends = np.array([[0.5, 0.1], [0.5, 0.9]])
    true = LOUD[0] + LOUD[1] * ends[:, 1] ** 2
    found = model.scale * np.mean([np.sqrt(each.noise_at(ends)) for each in model.members], axis=0)
    assert (np.abs(np.log(found / true)) < np.log(4.0)).all()
    same = even.scale * np.mean([np.sqrt(each.noise_at(ends)) for each in even.members], axis=0)
    assert same[0] > 8.0 * true[0]


def test_bounds_hold_at_the_loud_end_and_the_truth_is_likelier() -> None:
    """Averages over the loud third of the column; of even noise more are missed. Both rates are of fixed draws."""
    covered, gained = {True: 0, False: 0}, []
    rows = np.column_stack([np.linspace(0.0, 1.0, 12), np.full(12, 0.85)])
    seeds = range(size(24, 6))
    for seed in seeds:
        heights = []
        for uneven in (True, False):
            model = learned(60, seed, uneven=uneven)
            moments = [each.predict(rows) for each in model.members]
            mean = np.mean([m for m, _ in moments], axis=0)
            deviation = np.sqrt(np.mean([s**2 + (m - mean) ** 2 for m, s in moments], axis=0))
            away = (truth(rows) - mean) / deviation
            covered[uneven] += int((np.abs(away) < 2.0).sum())
            heights.append(float((-0.5 * away**2 - np.log(deviation)).mean()))
        gained.append(heights[0] - heights[1])
    assert covered[True] > covered[False]
    assert np.mean(gained) > 0.0


def test_slopes_change_an_outcome_s_bounds_and_not_the_pending_ones() -> None:
    model = learned(80, 0, uneven=True)
    quiet, loud = model.predictive(np.array([0.5, 0.1])), model.predictive(np.array([0.5, 0.9]))
    assert loud[1] > 3.0 * quiet[1]
    assert (model.noise_of_fantasies(np.array([[0.5, 0.9]])) <= 0.01 * model.kernel.variance).all()


def test_outcomes_that_come_together_weigh_to_the_last_bit_as_one_by_one() -> None:
    """A log that is read back appends them together; a product of a matrix has other last bits for several rows."""
    together, singly = learned(60, 0, uneven=True), learned(60, 0, uneven=True)
    X, y = told(40, 1)
    together.extend(X, y)
    for x, value in zip(X, y, strict=True):
        singly.add(x, value)
        singly.predict([x])
    points = np.random.default_rng(0).random((5, 2))
    for ours, theirs in zip(together.members, singly.members, strict=True):
        assert np.array_equal(ours.predict(points), theirs.predict(points))


def test_noise_that_is_known_is_the_same_everywhere() -> None:
    import steerbo as sb

    space = Space((sb.Float("a", 0, 1), sb.Categorical("b", ["x", "y"])))
    assert [p.name for p in build_model(space, None, seed=0)._initial.parameters][-1] == "noise_slope[0]"
    names = [p.name for p in build_model(space, None, seed=0, known=PriorKnowledge(0.3))._initial.parameters]
    assert not any(name.startswith("noise_slope") for name in names)
