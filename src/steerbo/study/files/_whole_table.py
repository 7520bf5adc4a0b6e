"""Doubts about a table as a whole, which no line shows by itself.

- A variable outside its range in half of the lines and more: another unit, or another column.
- A block of lines that comes twice.
- Outcomes that have nothing to do with the settings: a column that was shifted by a row, sorted by
  itself, or swapped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import scipy

from ..._arrays import Float
from ...core import TIME, Finding, Outcome, Problem, finding
from ...space import Categorical

_MANY = 30  # lines from which on a table is judged as a whole
_COMPARED = 500  # lines that are compared with one another
_BLOCK = 3  # lines in a row that are others again
# probability of a regression this good or better, above which nothing is seen of an effect
_LEVEL = 0.05

Lines = Sequence[tuple[int, Outcome]]
"""Numbers of lines of new data, and their contents."""


def doubts(problem: Problem, lines: Lines) -> Iterator[Finding]:
    """Find unlikely patterns in new data of a table as a whole; each is reported once.

    Args:
        problem: of the study.
        lines: in the order of the table.
    """
    yield from _outside(problem, [outcome for _, outcome in lines])
    yield from _twice(lines)
    yield from _unrelated(problem, [outcome for _, outcome in lines])


def _outside(problem: Problem, outcomes: Sequence[Outcome]) -> Iterator[Finding]:
    for variable in problem.space:
        values = [
            outcome.realised[variable.name]
            for outcome in outcomes
            if variable.name in outcome.realised
        ]
        if isinstance(variable, Categorical) or len(values) < _BLOCK:
            continue
        outside = sum(not variable.low <= value <= variable.high for value in values)
        if 2 * outside >= len(values):
            about = {
                "name": variable.name,
                "range": variable.range_text,
                "low": min(values),
                "high": max(values),
            }
            yield finding(
                "column-outside", variable.name, outside=outside, lines=len(values), **about
            )


def _twice(lines: Lines) -> Iterator[Finding]:
    """Find the longest block of lines that repeats earlier ones in the same order."""
    first: dict[str, int] = {}
    best, length, before = (0, 0, 0), 0, -2
    for at, (_, outcome) in enumerate(lines):
        place = first.setdefault(
            repr((outcome.value, sorted(outcome.realised.items(), key=str))), at
        )
        repeats = place < at
        length = 0 if not repeats else length + 1 if place == before + 1 else 1
        before = place if repeats else -2
        best = max(best, (length, at, place))
    length, at, place = best
    if (
        length >= _BLOCK
        and len({outcome.value for _, outcome in lines[at - length + 1 : at + 1]}) > 1
    ):
        again = [lines[k][0] for k in (at - length + 1, at, place - length + 1, place)]
        yield finding(
            "block-twice",
            first=again[0],
            last=again[1],
            first_before=again[2],
            last_before=again[3],
        )


def _unrelated(problem: Problem, outcomes: Sequence[Outcome]) -> Iterator[Finding]:
    """Find that outcomes have no more to do with the settings, or with the time, than shuffled ones."""
    lines = len(outcomes)
    if lines < _MANY:
        return
    chosen = np.linspace(0, lines - 1, min(lines, _COMPARED)).astype(int)
    outcomes = [outcomes[k] for k in chosen]
    columns = [*_columns(problem, outcomes)]
    times = [each.realised.get(TIME.name) for each in outcomes] if problem.timed else [None]
    if None in times:
        times = []
    if not columns and not times:
        return
    y = _ranks([problem.scalar(outcome) for outcome in outcomes])
    tested = []
    if columns:
        X = np.column_stack(columns)
        tested = [_of_regression(X, y), _of_neighbours(X, y)]
    if times:
        tested.append(_of_neighbours(np.array(times, dtype=float)[:, None], y))
    if min(tested) > _LEVEL:
        yield finding("like-shuffled", lines=lines)


def _columns(problem: Problem, outcomes: Sequence[Outcome]) -> Iterator[Float[np.ndarray, " n"]]:
    """Coordinates of what was set and measured, each (n,): of a choice, and of a spread, one for each that there is."""
    rows = [outcome.realised for outcome in outcomes]
    for variable in problem.space:
        values = [row.get(variable.name) for row in rows]
        if None in values:
            continue
        if isinstance(variable, Categorical):
            for choice in variable.choices[1:]:
                yield np.array([float(value == choice) for value in values])
        else:
            yield np.clip(variable.encode(values), -1.0, 2.0)
    if problem.cells:  # numbers of agents, or shares
        agents = np.array([[*problem.by_cell(row).values()] for row in rows], dtype=float)
        yield from (agents / agents.sum(axis=1, keepdims=True)).T


def _ranks(values: Sequence[float]) -> Float[np.ndarray, " n"]:
    return np.argsort(np.argsort(values)).astype(float)


def _of_regression(X: Float[np.ndarray, "n d"], y: Float[np.ndarray, " n"]) -> float:
    """Probability that values without an effect fit a parabola in each column as well (F test); 1: too few values."""
    A = np.column_stack([np.ones(len(y)), X, X**2])
    fitted, _, rank, _ = np.linalg.lstsq(A, y, rcond=None)
    left, k, m = y - A @ fitted, int(rank) - 1, len(y) - int(rank)
    if k < 1 or m < 1:
        return 1.0
    explained = float(((y - y.mean()) ** 2).sum() - (left**2).sum())
    return float(
        scipy.special.fdtrc(k, m, (explained / k) / max(float((left**2).sum()) / m, 1e-300))
    )


def _of_neighbours(X: Float[np.ndarray, "n d"], y: Float[np.ndarray, " n"]) -> float:
    """Probability that values without an effect are as much like those of their nearest neighbours."""
    distances = np.abs(X[:, None, :] - X).sum(axis=-1)
    np.fill_diagonal(distances, np.inf)
    theirs = y[distances.argmin(axis=1)]
    if not y.std() or not theirs.std():
        return 1.0
    r = float(np.corrcoef(y, theirs)[0, 1])
    if r <= 0.0:
        return 1.0
    degrees = len(y) - 2
    return float(scipy.special.fdtrc(1, degrees, r * r * degrees / max(1.0 - r * r, 1e-12)) / 2.0)
