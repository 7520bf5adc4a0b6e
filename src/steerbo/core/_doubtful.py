"""Remarks on answers, for their `note`: what an expected value and its bounds do not say by themselves.

- How often plays work where the answer is: the expected value is that of plays that give an outcome.
- An expected value far beyond the best outcome: no outcome supports it, so that it is a guess.
- Outcomes near the answer that are taken for wrong, and are worse than all others there: what is to be expected if they
  are right. Mishaps in one play of ten cannot be told from slips of the pen, so that both are said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._arrays import Float
from .._wording import counted
from ..errors import SteerboError
from ..space import Categorical, Space
from ._history import History
from ._problem import Problem
from .answers import PolicyStep, Recommendation, numeral

_WORKS = 0.9
"""Probability to work below which an answer says it."""
_ROUNDED = 20  # such probabilities are said in twentieths
_SLIGHT, _NOTHING = 0.02, 1e-6  # shares of the range, and of the size, of outcomes: no less is far beyond them
_NEAR = 0.15
"""Largest distance in any variable, as a share of its range, at which an outcome is near an answer."""


def noted(
    problem: Problem,
    history: History,
    answer: Recommendation | PolicyStep,
    *,
    works: float | None,
    doubted: Sequence[str],
) -> str:
    """Note of an answer with what is to be said of it.

    Args:
        problem: it is about.
        history: of the study.
        answer: with an expected value.
        works: its probability to work, see `Method.success_probability`.
        doubted: names of the outcomes that are taken for wrong, see `Method.outliers`.
    """
    remarks = [works_said(works), *_against_outcomes(problem, history, answer, {*doubted})]
    return "; ".join(filter(None, [answer.note, *remarks]))


def bad_said(problem: Problem, history: History, doubted: Sequence[str]) -> str:
    """Say where to read what is to be expected if bad outcomes that are taken for wrong are right; empty: none are bad.

    Args:
        problem: of the study.
        history: of the study.
        doubted: names of the outcomes that are taken for wrong, see `Method.outliers`.
    """
    if not doubted:
        return ""
    values = {name: problem.sign * problem.scalar(outcome) for name, outcome, _ in history.outcomes()}
    usual = float(np.median([*values.values()]))
    if not (bad := sum(value < usual and name in doubted for name, value in values.items())):
        return ""
    these = "1 of them is bad: if it is" if bad == 1 else f"{bad} of them are bad: if they are"
    return f"{these} right, and near the answer, the note of the answer says what is to be expected."


def _against_outcomes(
    problem: Problem, history: History, answer: Recommendation | PolicyStep, doubted: set[str]
) -> list[str]:
    """Remarks on an answer that outcomes speak against."""
    known = [
        (name in doubted, problem.sign * problem.scalar(outcome), outcome.realised if r is None else r.realised)
        for name, outcome, r in history.outcomes()
    ]
    counting = np.array([value for wrong, value, _ in known if not wrong])
    if answer.mean is None or not len(counting):
        return []
    near = [(wrong, value) for wrong, value, settings in known if _near(problem.space, answer.values, settings)]
    mean = problem.sign * answer.mean
    least = min((value for wrong, value in near if not wrong), default=mean)
    worse = [value for wrong, value in near if wrong and value < min(least, mean)]
    return [beyond_said(mean, counting), worse_said(problem.sign, worse, len(near), mean)]


def works_said(probability: float | None) -> str:
    """Say how often plays work; empty where nearly all do, as far as is known.

    >>> works_said(0.42), works_said(0.93), works_said(0.01)
    ('works in about 40 % of plays: the expected value counts only plays that work', '', \
'works in less than 5 % of plays: the expected value counts only plays that work')
    """
    if probability is None or probability >= _WORKS:
        return ""
    share = round(_ROUNDED * probability) * 100 // _ROUNDED
    often = f"about {share} %" if share else f"less than {100 // _ROUNDED} %"
    return f"works in {often} of plays: the expected value counts only plays that work"


def beyond_said(mean: float, outcomes: Float[np.ndarray, " n"]) -> str:
    """Say that no outcome was nearly as good as an expected value; empty where one was. Larger is better.

    It is to be further beyond the best outcome than that is beyond the median: half of the range, where outcomes are
    spread evenly. A few disasters among them do not stretch that range.

    >>> outcomes = np.array([-1000.0, 1.0, 2.0, 3.0])
    >>> beyond_said(25.0, outcomes), beyond_said(4.0, outcomes)
    ('no outcome was nearly as good: this is a guess', '')
    """
    best, whole = float(outcomes.max()), float(np.ptp(outcomes))
    usual = max(best - float(np.median(outcomes)), _SLIGHT * whole, _NOTHING * float(np.abs(outcomes).max()))
    return "no outcome was nearly as good: this is a guess" if mean - best > usual else ""


def worse_said(sign: float, worse: Sequence[float], near: int, mean: float) -> str:
    """Say what to expect if outcomes near an answer that are taken for wrong are right, and come as often again.

    Args:
        sign: −1 if smaller values are better.
        worse: outcomes near the answer that are taken for wrong and are worse than all others there, `sign · value`.
        near: number of all outcomes near it.
        mean: expected value of the answer, `sign · value`.

    >>> worse_said(1.0, [-52.0, -60.0], 20, 10.0), worse_said(1.0, [], 20, 10.0)
    ('2 of 20 outcomes near it are taken for wrong and are worse than all others there (-60 to -52): if they are right \
the expected value is about 3.4', '')
    """
    if not worse:
        return ""
    low, high = (numeral(end) for end in sorted(sign * end for end in (min(worse), max(worse))))
    then = numeral(sign * (mean + sum(value - mean for value in worse) / near), 2)
    if len(worse) == 1:
        return (
            f"1 of {counted(near, 'outcome')} near it is taken for wrong and is worse than all others there ({low}): "
            f"if it is right the expected value is about {then}"
        )
    return (
        f"{len(worse)} of {counted(near, 'outcome')} near it are taken for wrong and are worse than all others there "
        f"({low} to {high}): if they are right the expected value is about {then}"
    )


def _near(space: Space, values: Mapping[str, Any], settings: Mapping[str, Any]) -> bool:
    """Whether all variables that an answer sets were near its values."""
    try:
        return any(name in space.names for name in values) and all(
            name in settings and _distance(space, name, value, settings[name]) <= _NEAR
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
