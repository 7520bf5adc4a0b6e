"""How far a study has come: every outcome, and a line through them."""

from __future__ import annotations

import math

from ..core import BaseStudy, numeral, time_of
from ..study.progress import LATELY, best_round
from .chart import Axis, Chart, Mark, points, thinned
from .wording import Words

_FLAT = 0.5  # half the height of an axis along which outcomes are all alike


def progress(study: BaseStudy) -> Chart | None:
    """Outcomes against the money spent, the rounds where nobody counts money, or the time where the optimum moves.

    A former best is over where the optimum moves: the line is then the mean of the latest outcomes.

    Returns:
        The drawing; None before anything is observed.
    """
    problem, words, timed, counted = study.problem, Words.of(study), study.problem.timed, study.history.spent > 0
    told: list[tuple[float, float, str]] = []
    spent = 0.0
    for r in study.history:
        spent += r.charged if counted else 1.0
        if r.state == "told" and r.outcome:
            value = problem.scalar(r.outcome)
            said = f"round {r.number}: {words.worth(numeral(value))} with {r.suggestion.scope}"
            told.append((time_of(r) if timed else spent, value, said))
    if not told:
        return None
    told.sort(key=lambda point: point[0])  # rounds may have been asked for in another order than that of their times
    at, values = [x for x, _, _ in told], [value for _, value, _ in told]
    first, last = (at[0], at[-1]) if timed else (0.0, at[-1])
    high, low = max(values), min(values)
    half = 0.0 if high > low else _FLAT * (abs(high) or 1.0)
    across, up = Axis(first, last), Axis(low - half, high + half, rising=True)
    found = best_round(study.history, problem)
    if timed:
        lately = [math.fsum(some := values[max(k - LATELY, 0) : k]) / len(some) for k in range(1, len(values) + 1)]
        line = points(at, lately, across, up)
        says = f"Line: mean of the last {LATELY} outcomes, which is reached by now. Dots: every outcome."
    else:
        line = _steps(at, _best(values, problem.sign), across, up)
        says = "Line: the best so far. Dots: every outcome."
    return Chart(
        line=line,
        band="",
        dots=thinned([Mark(across.at(x), up.at(y), text) for x, y, text in told]),
        marks=(),
        across=across.ticks(),
        up=up.ticks(6),
        along="time" if timed else f"spent ({words.money})" if counted and words.money else _along(counted),
        says=says,
        text=f"Best single outcome: round {found.number}." if found and not timed else says,
    )


def _along(counted: bool) -> str:
    return "money spent" if counted else "rounds"


def _best(values: list[float], sign: float) -> list[float]:
    """The best so far, at every value."""
    better = max if sign > 0 else min
    best = values[:1]
    for value in values[1:]:
        best.append(better(best[-1], value))
    return best


def _steps(at: list[float], best: list[float], across: Axis, up: Axis) -> str:
    """A line of steps, with a corner only where the best changes."""
    xs, ys = [at[0]], [best[0]]
    for x, value in zip(at[1:], best[1:], strict=True):
        if value != ys[-1]:
            xs += [x, x]
            ys += [ys[-1], value]
    return points([*xs, at[-1]], [*ys, best[-1]], across, up)
