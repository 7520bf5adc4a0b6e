"""Remarks on answers, for their `note`: what an expected value and its bounds do not say by themselves.

- How often plays work where the answer is: the expected value is that of plays that give an outcome.
- An expected value far beyond the best outcome: no outcome supports it, so that it is a guess.
- Outcomes near the answer that are taken for wrong, and are worse than all others: if they are right, it is not safe.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._wording import counted
from ..errors import SteerboError
from ..space import Space
from ._history import History
from ._problem import Problem
from .answers import numeral

_WORKS = 0.9
"""Probability to work below which an answer says it."""
_ROUNDED = 20  # such probabilities are said in twentieths
_BEYOND = 0.5
"""Share of the range of the outcomes beyond the best of them, from which on an expected value is a guess."""
_LEAST = 1e-6  # share of the size of the outcomes that is no difference
_NEAR = 0.15
"""Largest distance in any variable, as a share of its range, at which an outcome is near an answer."""


def answer_remarks(
    problem: Problem,
    history: History,
    values: Mapping[str, Any],
    mean: float,
    *,
    works: float | None,
    doubted: Sequence[str],
) -> list[str]:
    """List what is to be said of an answer.

    Args:
        problem: it is about.
        history: of the study.
        values: that are set.
        mean: the expected value.
        works: the probability to work, see `Method.success_probability`.
        doubted: names of the outcomes that are taken for wrong, see `Method.outliers`.
    """
    known = [
        (name in {*doubted}, problem.scalar(outcome), outcome.realised if played is None else played.realised)
        for name, outcome, played in history.outcomes()
    ]
    counting = np.array([problem.sign * value for wrong, value, _ in known if not wrong])
    if not len(counting):
        return [each for each in [works_said(works)] if each]
    wrong = [(problem.sign * value, settings) for wrong, value, settings in known if wrong]
    worse = [value for value, settings in wrong if value < counting.min() and _near(problem.space, values, settings)]
    said = works_said(works), beyond_said(problem.sign * mean, counting), worse_said(problem.sign, worse)
    return [each for each in said if each]


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


def beyond_said(mean: float, outcomes: np.ndarray) -> str:
    """Say that no outcome was nearly as good as an expected value; empty where one was. Larger is better.

    >>> outcomes = np.array([1.0, 3.0])
    >>> beyond_said(5.0, outcomes), beyond_said(3.9, outcomes)
    ('no outcome was nearly as good: this is a guess', '')
    """
    best, least = float(outcomes.max()), _LEAST * float(np.abs(outcomes).max())
    beyond = mean - best > max(_BEYOND * float(np.ptp(outcomes)), least)
    return "no outcome was nearly as good: this is a guess" if beyond else ""


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
    """Distance as a share of the range; 1 of different choices."""
    return max(space[name].apart(one, other), float(isinstance(one, str | bool) and one != other))
