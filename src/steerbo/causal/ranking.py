"""The arms by what they are expected to give, each under its own best policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import TIME, History
from ..surrogate import NO_FEASIBLE_NOTE
from .policy import Policy, recommended

if TYPE_CHECKING:
    from .method import ScopeBandit


def ranked(bandit: ScopeBandit[Any], history: History, known: Mapping[str, Any]) -> list[tuple[int, Policy]]:
    """The arms and their policies, best first; of an arm without outcomes nothing is expected, and it comes last.

    Args:
        bandit: has the arms and their models.
        history: what happened so far.
        known: what is seen before choosing, and the time where that matters.
    """
    sign = bandit.problem.sign
    answers = [
        recommended(
            arm,
            bandit.answering(i),
            bandit.greedy(history, i, known),
            bandit.pool(history, i, known),
            sign,
            known=known,
        )
        if len(bandit.model(i))
        else Policy.unknown(arm.scope)
        for i, arm in enumerate(bandit.arms)
    ]
    unlikely = [bandit.unlikely(history, i, known) for i in range(len(answers))]
    answers = [
        replace(a, note=a.note or NO_FEASIBLE_NOTE) if short else a for a, short in zip(answers, unlikely, strict=True)
    ]
    means = [-np.inf if answer.mean is None else sign * answer.mean for answer in answers]
    worths = bandit.weighed(np.array(means))
    order = sorted(range(len(answers)), key=lambda i: (means[i] > -np.inf, -unlikely[i], worths[i]), reverse=True)
    if bandit.problem.timed and answers[order[0]].mean is not None:
        when = f"as of time {known[TIME.name]:g}"
        answers[order[0]] = replace(answers[order[0]], note="; ".join(filter(None, (when, answers[order[0]].note))))
    return [(i, answers[i]) for i in order]
