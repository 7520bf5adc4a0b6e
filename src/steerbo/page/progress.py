"""How far it has come: every outcome, and a line through them, as places for a drawing."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..rounds import Reading, numeral, time_of
from ..study.progress import LATELY, best_round

_FLAT = 0.5  # the height of outcomes that are all alike


@dataclass(frozen=True)
class Progress:
    """A drawing, in hundredths of its width from the left and of its height from the top.

    Args:
        dots: every outcome: where, and what it was.
        line: the best so far; where the optimum moves, the mean of the latest outcomes.
        high, low: at the top and at the bottom.
        first, last: at the left and at the right.
        along: what is from left to right.
        says: what the line is.
        text: for those who cannot see it.
    """

    dots: tuple[tuple[str, str, str], ...]
    line: str
    high: str
    low: str
    first: str
    last: str
    along: str
    says: str
    text: str


def progress(study: Reading) -> Progress | None:
    """Outcomes against the money spent, the rounds where nobody counts money, or the time where the optimum moves.

    What was best once is over where the optimum moves: the line is then what is earned by now.

    Returns:
        The drawing; None before anything is observed.
    """
    problem, timed, counted = study.problem, study.problem.timed, study.history.spent > 0
    points: list[tuple[float, float, str]] = []
    spent = 0.0
    for r in study.history:
        spent += r.charged if counted else 1.0
        if r.state == "told" and r.outcome:
            value = problem.scalar(r.outcome)
            points.append(
                (time_of(r) if timed else spent, value, f"round {r.number}: {r.suggestion.scope}, {numeral(value)}")
            )
    if not points:
        return None
    points.sort(key=lambda point: point[0])  # rounds may have been asked for in another order than that of their times
    first, last = (points[0][0], points[-1][0]) if timed else (0.0, points[-1][0])
    values = [value for _, value, _ in points]
    high, low = max(values), min(values)
    lately = [math.fsum(some := values[max(k - LATELY, 0) : k]) / len(some) for k in range(1, len(values) + 1)]
    better = max if problem.sign > 0 else min
    best = [better(values[:1])]
    for value in values[1:]:
        best.append(better(best[-1], value))

    def x(at: float) -> float:
        return 100.0 * (at - first) / (last - first) if last > first else 100.0

    def y(value: float) -> float:
        return 100.0 * ((high - value) / (high - low) if high > low else _FLAT)

    found = best_round(study.history, problem)
    steps = zip(points, [best[0], *best], best, strict=False)
    line = (
        [(x(at), y(mean)) for (at, _, _), mean in zip(points, lately, strict=True)]
        if timed
        else [place for (at, _, _), before, now in steps for place in ((x(at), y(before)), (x(at), y(now)))]
    )
    says = f"mean of the last {LATELY} outcomes: what is reached by now" if timed else "best so far"
    return Progress(
        dots=tuple((f"{x(at):.2f}%", f"{y(value):.2f}%", text) for at, value, text in points),
        line=" ".join(f"{px:.2f},{py:.2f}" for px, py in line),
        high=numeral(high),
        low=numeral(low),
        first=numeral(first),
        last=numeral(last),
        along="time" if timed else "money spent" if counted else "rounds",
        says=f"line: {says}; dots: every outcome",
        text=f"best single outcome in round {found.number}" if found and not timed else says,
    )
