"""The largest value of a function of distributions: exponentiated gradient on products of simplices."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .._arrays import Bool, Float
from ..errors import InvalidRequest
from ._domain import Maximum, ValueAndGradient, best_first, finite

Projection = Callable[[Float[np.ndarray, "r C A"]], Float[np.ndarray, "r C A"]]
"""Tables `(r, C, A)` to tables within limits."""

_FLOOR = -14.0  # of the log of a share, so that an action once dropped can come back
# of the log of a share that is left out in the end: above zero, where slopes may be infinite
_CLEARED = -60.0
_DROPPED = 3e-6  # shares below this are left out in the end, if that is no loss
_FIRST_STEP = 0.3  # the largest change of a log share in the first step
# of a step after one that rose, and one that did not (as in Rprop, Riedmiller & Braun 1993)
_LONGER, _SHORTER = 1.2, 0.5
# change of a log share in one step: enough for every vertex, too little to overflow
_FURTHEST = 1e3
_SCALES = 0.3, 10.0  # of the normals behind random starts
_PATIENCE = 10  # steps over which a restart must gain something


def maximise_simplex(
    value_and_gradient: ValueAndGradient,
    starts: Float[np.ndarray, "r C A"],
    *,
    allowed: Bool[np.ndarray, "C A"] | None = None,
    project: Projection | None = None,
    iterations: int = 300,
    tolerance: float = 1e-6,
) -> Maximum:
    """Maximise a function of `C` distributions over `A` actions each, from many starts at once.

    Exponentiated gradient (Kivinen & Warmuth 1997): shares are multiplied by `exp(step · gradient)`
    and normalised; each restart's steps grow by 1.2 when its value rises and halve when it does
    not. Every context starts with a step of its own, as rare contexts have small gradients. Shares
    stay above `exp(-14)` on the way, so that an action can come back; in the end remainders of
    dropped actions are cleared where that is no loss.

    Args:
        value_and_gradient: tables `(r, C, A)` to values `(r,)` and gradients `(r, C, A)`.
        starts: tables of shares, `(r, C, A)`, such as `simplex_starts` gives.
        allowed: `(C, A)`, false where a context must never take an action; those shares are exactly
            zero.
        project: tables `(r, C, A)` to the nearest ones, in Kullback–Leibler divergence, that keep
            to further limits: every table tried is one of these. They must form a convex set.
        iterations: the most steps of a restart.
        tolerance: a restart that gains less than this share of its value in ten steps has arrived.

    Raises:
        InvalidRequest: a context without any allowed action.
        ModelFailure: the function is a finite number at no start.

    >>> rewards = np.array([[1.0, 3.0, 2.0]])
    >>> best = maximise_simplex(lambda X: ((X * rewards).sum((1, 2)), np.broadcast_to(rewards, X.shape)),
    ...                         np.full((1, 1, 3), 1 / 3))
    >>> best.point.round(4)
    array([[0., 1., 0.]])
    """
    permitted = _permitted(allowed, starts.shape[1:])
    logs = _limited(_normalised(np.log(np.maximum(starts, np.exp(_FLOOR))), permitted), project)
    points = np.exp(logs)
    values, slopes = _evaluate(value_and_gradient, points)

    rows = np.flatnonzero(values > -np.inf)  # restarts still moving
    x, f, g = logs[rows], values[rows], slopes[rows]
    # (r, C, 1)
    step = _FIRST_STEP / np.maximum(np.abs(g).max(axis=2, keepdims=True), np.finfo(float).tiny)
    past = np.tile(f, (_PATIENCE, 1))  # values of the last steps, newest first
    for count in range(iterations):
        if not rows.size:
            break
        trial = _limited(
            _normalised(x + np.clip(step * g, -_FURTHEST, _FURTHEST), permitted), project
        )
        trial_f, trial_g = _evaluate(value_and_gradient, np.exp(trial))
        risen = trial_f > f
        x[risen], f[risen], g[risen] = trial[risen], trial_f[risen], trial_g[risen]
        step = step * np.where(risen, _LONGER, _SHORTER)[:, None, None]

        points[rows], values[rows] = np.exp(x), f
        gained = f - past[-1] > tolerance * np.maximum(np.abs(f), np.abs(past[-1]))
        past = np.concatenate([f[None], past[:-1]])
        on = gained | (count < _PATIENCE)
        rows, x, f, g, step, past = rows[on], x[on], f[on], g[on], step[on], past[:, on]

    cleared = np.log(points, out=np.full(points.shape, _CLEARED), where=points > _DROPPED)
    cleared = np.exp(_limited(_normalised(cleared, permitted, floor=_CLEARED), project))
    cleared_values, _ = _evaluate(value_and_gradient, cleared)
    better = cleared_values >= values
    points[better], values[better] = cleared[better], cleared_values[better]
    return best_first(points, values)


def simplex_starts(
    best: Float[np.ndarray, "b C A"],
    count: int,
    seed: int,
    *,
    allowed: Bool[np.ndarray, "C A"] | None = None,
) -> Float[np.ndarray, "count C A"]:
    """Tables to start from, `(count, C, A)`: the best seen so far for one half, random ones for the other.

    The random ones are softmaxes of normals, from nearly uniform (scale .3) to nearly a vertex
    (scale 10): starts that are all near uniform miss the best vertices.

    Args:
        best: the best tables seen so far, best first, `(b, C, A)`; none (`b = 0`) is fine.
        count: how many starts.
        seed: a whole number; the same one gives the same starts.
        allowed: as for `maximise_simplex`.

    >>> simplex_starts(np.empty((0, 2, 3)), 4, seed=0).sum(axis=2).round(9)
    array([[1., 1.],
           [1., 1.],
           [1., 1.],
           [1., 1.]])
    """
    shape = best.shape[1:]
    kept = best[: (count + 1) // 2]
    scales = np.geomspace(*_SCALES, num=count - len(kept))
    normals = np.random.Generator(np.random.Philox(seed)).standard_normal((scales.size, *shape))
    logs = np.concatenate(
        [np.log(np.maximum(kept, np.exp(_FLOOR))), scales[:, None, None] * normals]
    )
    tables: Float[np.ndarray, "count C A"] = np.exp(_normalised(logs, _permitted(allowed, shape)))
    return tables


def _permitted(
    allowed: Bool[np.ndarray, "C A"] | None, shape: tuple[int, ...]
) -> Bool[np.ndarray, "C A"]:
    permitted = np.ones(shape, dtype=bool) if allowed is None else np.broadcast_to(allowed, shape)
    if not permitted.any(axis=1).all():
        c = int(np.argmin(permitted.any(axis=1)))
        raise InvalidRequest(
            f"allowed[{c}]", permitted[c].tolist(), "at least one allowed action in every context"
        )
    return permitted


def _normalised(
    logs: Float[np.ndarray, "r C A"], permitted: Bool[np.ndarray, "C A"], floor: float = _FLOOR
) -> Float[np.ndarray, "r C A"]:
    """Logs of shares that sum to one in every context, none below the floor but the forbidden ones."""
    logs = np.where(permitted, logs, -np.inf)
    logs = logs - logs.max(axis=2, keepdims=True)
    logs = np.where(permitted, np.maximum(logs, floor), -np.inf)
    normal: Float[np.ndarray, "r C A"] = logs - np.log(np.exp(logs).sum(axis=2, keepdims=True))
    return normal


def _limited(
    logs: Float[np.ndarray, "r C A"], project: Projection | None
) -> Float[np.ndarray, "r C A"]:
    """Logs of the nearest shares within further limits."""
    if project is None:
        return logs
    shares = project(np.exp(logs))
    return np.log(shares, out=np.full(shares.shape, -np.inf), where=shares > 0)


def _evaluate(
    value_and_gradient: ValueAndGradient, points: Float[np.ndarray, "r C A"]
) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r C A"]]:
    """Values, and gradients less their mean under each distribution, which the normalising takes away anyway."""
    values, gradients = value_and_gradient(points)
    # an unknown slope is taken for none
    gradients = np.where(np.isfinite(gradients), gradients, 0.0)
    return finite(values), gradients - (points * gradients).sum(axis=2, keepdims=True)
