"""Reasons to doubt an answer: facts that an expected value and its bounds do not show.

- Cheaper scopes that may be good enough, too: of several unsure expected values the highest is
  mostly too high, and an answer that is dearer for it may buy nothing.
- How often plays work where the answer is: the expected value is that of plays that give an
  outcome.
- An expected value far beyond the best outcome: no outcome supports it, so that it is a guess.
- Outcomes near the answer that are taken for wrong, and are worse than all others there: the
  expected value if they are right. Mishaps in one play of ten cannot be told from slips of the pen,
  so that both are said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .._arrays import Float
from .._evidence import ALIKE, COMPARABLE, FALSE_ALARM
from ..errors import SteerboError
from ..space import Categorical, Space
from ..space.variables import NEAR
from ._findings import Finding, Reason, finding, least_acceptable, reason
from ._history import History
from ._problem import Problem
from ._words import NOT_WORKING
from .answers import PolicyStep, Recommendation
from .tolerance import Absolute, Threshold


def against(
    problem: Problem,
    history: History,
    answer: Recommendation | PolicyStep,
    *,
    works: float | None,
    doubted: Sequence[str],
) -> Iterator[Reason]:
    """Name the reasons to doubt an answer: cheaper scopes, failures, and outcomes.

    Args:
        problem: it is about.
        history: of the study.
        answer: with an expected value.
        works: its probability to work, see `Method.success_probability`.
        doubted: names of the outcomes that are taken for wrong, see `Method.outliers`.
    """
    if cheaper := _perhaps_enough(problem, answer):
        yield reason("perhaps-enough", scopes=cheaper)
    if works is not None and works < 1.0 - NOT_WORKING:
        yield reason("works-seldom", probability=works)
    yield from _against_outcomes(problem, history, answer, {*doubted})


def _perhaps_enough(problem: Problem, answer: Recommendation | PolicyStep) -> list[str]:
    """Names of cheaper alternatives whose bounds reach the least acceptable value, where one is stated."""
    least = least_acceptable(answer.reasons)
    if not isinstance(answer, Recommendation) or least is None or answer.cost is None:
        return []
    return [
        str(each.scope)
        for each in answer.alternatives
        if each.cost is not None
        and each.cost < answer.cost
        and each.lower is not None
        and each.upper is not None
        and (each.lower <= least if problem.minimize else each.upper >= least)
        and each.context == answer.context
        and not each.says("none-keeps")
    ]


def bad_outliers(problem: Problem, history: History, doubted: Sequence[str]) -> Iterator[Finding]:
    """Point to the answer's worst case where bad outcomes are taken for wrong.

    Args:
        problem: of the study.
        history: of the study.
        doubted: names of the outcomes that are taken for wrong, see `Method.outliers`.
    """
    if not doubted:
        return
    values = {
        name: problem.sign * problem.scalar(outcome) for name, outcome, _ in history.outcomes()
    }
    usual = float(np.median([*values.values()]))
    if bad := sum(value < usual and name in doubted for name, value in values.items()):
        yield finding("bad-outliers", number=bad, of=len({*doubted} & {*values}))


def idle_tolerance(problem: Problem, history: History) -> Iterator[Finding]:
    """Find that a tolerance tells no outcomes apart: it accepts all of them, or a threshold is reached by none."""
    tolerance = getattr(problem, "tolerance", None)
    values = [problem.scalar(outcome) for _, outcome, _ in history.outcomes()]
    if len(values) < COMPARABLE or not isinstance(tolerance, Absolute | Threshold):
        return
    low, high = min(values), max(values)
    best = low if problem.minimize else high
    if isinstance(tolerance, Threshold):
        if problem.sign * (best - tolerance.value) < 0:
            yield finding(
                "threshold-unreached", threshold=tolerance.value, best=best, outcomes=len(values)
            )
    elif tolerance.difference >= high - low:
        yield finding(
            "tolerance-idle",
            difference=tolerance.difference,
            low=low,
            high=high,
            outcomes=len(values),
        )


def costs_hang(problem: Problem, history: History) -> Iterator[Finding]:
    """Find variables along which told costs surely rise or fall, where these are taken for luck.

    By Spearman's rank correlation of each numeric variable with the costs, less the mean of their
    scope, at `FALSE_ALARM`. Costs that the problem states, by prices or
    formulas, depend on the problem alone.
    """
    told = [
        (each.cost, each.shown, each.scope)
        for each in history.results
        if each.cost is not None
        and each.outcome is not None
        and (each.played is None or problem.paid(each.played, history) is None)
    ]
    if len(told) < COMPARABLE:
        return
    costs = np.array([cost for cost, _, _ in told])
    scopes = [scope for _, _, scope in told]
    for scope in set(scopes):
        same = [each == scope for each in scopes]
        costs[same] -= costs[same].mean()
    numbers = [variable.name for variable in problem.space if not isinstance(variable, Categorical)]
    names = [name for name in numbers if all(name in shown for _, shown, _ in told)]
    found = {}
    for name in names:
        correlation = rank_correlation(
            np.array([float(shown[name]) for _, shown, _ in told]), costs
        )
        if _by_chance(correlation, len(told)) * len(names) < FALSE_ALARM:
            found[name] = correlation > 0.0
    if found:
        yield finding("costs-hang", names=[*found], rising=[*found.values()], plays=len(told))


def rank_correlation(x: Float[np.ndarray, " n"], y: Float[np.ndarray, " n"]) -> float:
    """Spearman's rank correlation; equal numbers share their mean rank. 0 where one of both is constant.

    SciPy has the same, but its statistics take longer to import than all else of a `tell`.

    >>> round(rank_correlation(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 4.0, 9.0, 9.0])), 3)
    0.949
    """
    ranks = [_ranks(each) - 0.5 * (len(x) + 1) for each in (x, y)]
    sizes = [float(np.sqrt(each @ each)) for each in ranks]
    return float(ranks[0] @ ranks[1]) / (sizes[0] * sizes[1]) if min(sizes) > 0.0 else 0.0


def _ranks(x: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """Ranks from 1, the mean rank of equal numbers.

    >>> _ranks(np.array([5.0, 1.0, 5.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, number, counts = np.unique(x, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - 0.5 * (counts - 1))[number]


def _by_chance(correlation: float, n: int) -> float:
    """Probability that the ranks of n independent pairs are correlated as much, by Student's law."""
    from scipy.special import stdtr  # start-up time

    t = abs(correlation) * np.sqrt((n - 2) / max(1.0 - correlation**2, 1e-12))
    return 2.0 * float(stdtr(n - 2, -t))


def _against_outcomes(
    problem: Problem, history: History, answer: Recommendation | PolicyStep, doubted: set[str]
) -> Iterator[Reason]:
    """Outcomes that speak against an answer."""
    known = []
    for name, outcome, played in history.outcomes():
        settings = outcome.realised if played is None else played.realised
        known.append((name in doubted, problem.sign * problem.scalar(outcome), settings))
    counting = np.array([value for wrong, value, _ in known if not wrong])
    if answer.mean is None or not len(counting):
        return
    mean = problem.sign * answer.mean
    if is_beyond(mean, counting):
        yield reason("beyond-outcomes")
    near = [
        (wrong, value)
        for wrong, value, settings in known
        if _near(problem.space, answer.values, settings)
    ]
    least = min((value for wrong, value in near if not wrong), default=mean)
    worse = [value for wrong, value in near if wrong and value < min(least, mean)]
    if worse:
        low, high = sorted(problem.sign * end for end in (min(worse), max(worse)))
        then = mean_if_right(mean, worse, len(near))
        yield reason(
            "worse-outcomes",
            number=len(worse),
            near=len(near),
            low=low,
            high=high,
            mean=problem.sign * then,
        )


def is_beyond(mean: float, outcomes: Float[np.ndarray, " n"]) -> bool:
    """Whether no outcome was nearly as good as an expected value. Larger is better.

    It is to be further beyond the best outcome than that is beyond the median: half of the range,
    where outcomes are spread evenly. A few disasters among them do not stretch that range. Where
    most plays are at the best place, as late in a study, outcomes that are `ALIKE` are no less good.

    >>> outcomes = np.array([-1000.0, 1.0, 2.0, 3.0])
    >>> is_beyond(25.0, outcomes), is_beyond(4.0, outcomes)
    (True, False)
    >>> is_beyond(5.001, np.array([0.0, 4.9999, 5.0, 5.0]))
    False
    """
    best = float(outcomes.max())
    usual = max(best - float(np.median(outcomes)), ALIKE * (best - float(outcomes.min())))
    return 0.0 < usual < mean - best


def mean_if_right(mean: float, worse: Sequence[float], near: int) -> float:
    """Expected value if outcomes near an answer that are taken for wrong are right, and come as often again.

    Args:
        mean: expected value of the answer.
        worse: outcomes near the answer that are taken for wrong.
        near: number of all outcomes near it.

    >>> mean_if_right(10.0, [-50.0], 20)
    7.0
    """
    return mean + sum(value - mean for value in worse) / near


def _near(space: Space, values: Mapping[str, Any], settings: Mapping[str, Any]) -> bool:
    """Whether all variables that an answer sets were near its values."""
    try:
        return any(name in space.names for name in values) and all(
            name in settings and _distance(space, name, value, settings[name]) <= NEAR
            for name, value in values.items()
            if name in space.names
        )
    except (SteerboError, TypeError):
        return False


def _distance(space: Space, name: str, one: Any, other: Any) -> float:
    """Distance as a share of the range; 1 of different choices, which may be numbers."""
    if isinstance(variable := space[name], Categorical):
        return float(one != other)
    return variable.apart(one, other)
