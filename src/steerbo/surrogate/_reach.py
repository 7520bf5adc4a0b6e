"""Distance that plays may go from today's settings: step by step, twice as far as the plays that were better.

Settings that a person tells as today's were chosen, and their use has shown that they are good. A
model of a few outcomes near them does not know it: far from all data its mean returns to theirs,
which are all good, and its width is largest in the corners, so it takes a corner for the best of
all. Plays therefore stay within a box around today's settings that grows as trust regions do
(Eriksson et al. 2019): settings that are better than today's let others go twice as far. Beyond
those that are only expected to be no worse half of the plays would be worse.

How sure that has to be hangs on what a lesson is worth. Where it serves an answer that is used after
the study, they have to be likely better; where every play is production, better by their lower
bound, as in safe sets (Sui et al. 2015).

Where every play is production, today's settings are played again after each play that noise leaves
open, until others are surely better: a comparison needs both halves, and to hold costs nothing. If
plays only left them, the model would forget their worth, and go on trying what is as good as a
corner of the box.

Today's settings may break a limit on an outcome, or often fail: it may be why the study is made.
Settings that are likelier to satisfy it, or to work, are then better than today's, whatever their
value: if the value alone counted, and grew with the outcome that is limited, plays would stay at the
box's edge for ever. Where plays fail, and nothing that was played is likely enough to work and to
satisfy limits, there is nothing to stay near.

The box is a function of the outcomes as they stand: an outcome that proves to be a mistake closes
again the part that it had opened.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .._arrays import Bool, Float
from .._evidence import BOUND
from ..core import Reason, Recommendation, gain_over_current
from ..gp import Averaged, GPRegression
from ..space import Variable

FIRST_STEP = 0.1
"""Half-width of the box before anything is known, as a share of the range."""
LIKELY = 1.0
"""Deviations by which settings are expected to be better, where a lesson lasts: five of six are then."""
FURTHER = 2.0
"""How much further plays may go than those that are better; a trust region doubles, too (Eriksson et al. 2019)."""


Margins = tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]
"""Margins by which rows, and today's beside them, satisfy limits and work: see `Feasibility.margins`."""


def gains(
    model: GPRegression[Any], rows: Float[np.ndarray, "n d"], others: Float[np.ndarray, "n d"]
) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
    """Mean and deviation of f at each row less f at the other one beside it, standardised, (n,) each."""
    if not len(rows) or not len(model):
        return np.zeros(len(rows)), np.zeros(len(rows))
    n, both = len(rows), np.vstack([rows, others])
    half = model.factor.half_solve(model.kernel(model.inputs[model.counted], both))
    beside = np.diagonal(model.kernel(rows, others))
    apart = model.kernel.diagonal(rows) + model.kernel.diagonal(others) - 2.0 * beside
    variance = apart - ((half[:, :n] - half[:, n:]) ** 2).sum(axis=0)
    means = model.means(both)
    return means[:n] - means[n:], np.sqrt(np.maximum(variance, 0.0))


def average_gain(
    model: Averaged[Any],
    rows: Float[np.ndarray, "n d"],
    others: Float[np.ndarray, "n d"],
) -> Reason:
    """Reason that says by how much f at rows is on average above f at the others beside them, and how sure that is.

    The draws of the hyperparameters count as one mixture. Deviations at the rows count as fully
    correlated: a policy is optimised by the model, which errs alike in all contexts.
    """
    each = [gains(member, rows, others) for member in model.members]
    means = np.array([found.mean() for found, _ in each])
    spreads = np.array([spread.mean() for _, spread in each])
    deviation = float(np.sqrt((spreads**2).mean() + means.var()))
    return gain_over_current(model.scale * float(means.mean()), BOUND * model.scale * deviation)


def gain_between(
    best: Recommendation, stay: Recommendation, sign: float, worth: float | None = None
) -> Reason:
    """The same of two answers of which only bounds are known: its uncertainty is at most the sum of both.

    With the `worth` of one unit of the value it is net of costs, where both are known.
    """
    gain = sign * ((best.mean or 0.0) - (stay.mean or 0.0))
    unsure = 0.5 * sum((each.upper or 0.0) - (each.lower or 0.0) for each in (best, stay))
    if worth is None or stay.cost is None or best.cost is None:
        return gain_over_current(gain, unsure)
    saved = stay.cost - best.cost
    return gain_over_current(worth * gain + saved, worth * unsure, net=True)


def better(
    model: GPRegression[Any],
    rows: Float[np.ndarray, "n d"],
    today: Float[np.ndarray, "n d"],
    margins: Margins,
    lasting: bool = False,
) -> Bool[np.ndarray, " n"]:
    """Whether each row is better than today's beside it: likely, if a lesson is `lasting`, else surely.

    Where today's are too unlikely to satisfy limits, or to work, likelier rows are better, too.
    """
    gain, deviation = gains(model, rows, today)
    improved = (gain > 0.0) & (gain >= (LIKELY if lasting else BOUND) * deviation)
    return np.asarray(improved | likelier(margins))


def likelier(margins: Margins) -> Bool[np.ndarray, " n"]:
    """Whether each row is likelier to satisfy limits and to work than today's beside it, which is too unlikely to.

    >>> likelier((np.array([-1.0, 0.5, -3.0]), np.array([-2.0, 0.2, -2.0])))
    array([ True, False, False])
    """
    here, there = margins
    return np.asarray((there < 0.0) & (here > there))


def undecided(
    model: GPRegression[Any],
    rows: Float[np.ndarray, "n d"],
    today: Float[np.ndarray, "n d"],
    margins: Margins,
) -> bool:
    """Whether no row is surely better than today's beside it, and the last one is not surely worse either.

    Nothing is undecided where today's are too unlikely to satisfy limits, or to work: they are not
    played again.
    """
    if (margins[1][-1:] < 0.0).any():
        return False
    gain, deviation = gains(model, rows, today)
    sure = BOUND * deviation
    improved = (gain > 0.0) & (gain >= sure)
    return not improved.any() and not (gain[-1:] <= -sure[-1:]).any()


def first_steps(
    variables: Iterable[Variable], *, anywhere: bool = False
) -> Float[np.ndarray, " d"]:
    """Encoded distances that are always within reach: one level of a variable at least.

    Where plays may be `anywhere`, that is the whole range.

    >>> from steerbo.space import Float, Integer
    >>> first_steps([Integer("vans", 0, 4), Float("pay", 0, 1)])
    array([0.25, 0.1 ])
    """
    gaps = [0.0 if v.levels is None else np.diff(v.levels).max(initial=0.0) for v in variables]
    return np.maximum(gaps, 1.0 if anywhere else FIRST_STEP)


def reach(
    offsets: Float[np.ndarray, "n d"],
    kept: Bool[np.ndarray, " n"],
    least: Float[np.ndarray, " d"],
) -> tuple[Float[np.ndarray, " d"], Float[np.ndarray, " d"]]:
    """Distances below and above today's settings within which the next play lies, (d,) each.

    Args:
        offsets: encoded settings that were played, less today's.
        kept: which of them are better than today's.
        least: distances that are allowed in any case.

    >>> reach(np.array([[0.08], [-0.1], [0.2]]), np.array([True, False, True]), np.array([0.1]))
    (array([0.1]), array([0.4]))
    """
    good = offsets[kept]
    up = FURTHER * good.max(axis=0, initial=0.0)
    down = FURTHER * -good.min(axis=0, initial=0.0)
    return np.maximum(down, least), np.maximum(up, least)
