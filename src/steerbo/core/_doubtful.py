"""Remarks on answers, for their `note`: what an expected value and its bounds do not say by themselves.

- How often plays work where the answer is: the expected value is that of plays that give an outcome.
- An expected value far beyond the best outcome: no outcome supports it, so that it is a guess.
- Outcomes near the answer that are taken for wrong, and are worse than all others: if they are right, it is not safe.
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
    worse = [
        value
        for wrong, value, settings in known
        if wrong and value < counting.min() and _near(problem.space, answer.values, settings)
    ]
    return [beyond_said(problem.sign * answer.mean, counting), worse_said(problem.sign, worse)]


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


def worse_said(sign: float, values: Sequence[float]) -> str:
    """Name outcomes near an answer that are taken for wrong and worse than all others, in units of `sign · value`.

    >>> worse_said(1.0, [-52.0, -60.0]), worse_said(1.0, [])
    ('2 outcomes near it are taken for wrong and are worse than all others (-60 to -52): if they are right it is not \
safe', '')
    """
    if not values:
        return ""
    low, high = (numeral(end) for end in sorted(sign * end for end in (min(values), max(values))))
    if len(values) == 1:
        return (
            f"1 outcome near it is taken for wrong and is worse than all others ({low}): if it is right it is not safe"
        )
    return (
        f"{counted(len(values), 'outcome')} near it are taken for wrong and are worse than all others ({low} to "
        f"{high}): if they are right it is not safe"
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
