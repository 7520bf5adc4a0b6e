"""The arms by what they are expected to give, each under its own best policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..rounds import TIME, History
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
            arm, bandit.model(i), bandit.greedy(history, i, known), bandit.pool(history, i, known), sign, known=known
        )
        if len(bandit.model(i))
        else Policy.unknown(arm.scope)
        for i, arm in enumerate(bandit.arms)
    ]
    means = [-np.inf if answer.mean is None else sign * answer.mean for answer in answers]
    order = sorted(range(len(answers)), key=lambda i: means[i], reverse=True)
    if bandit.problem.timed and answers[order[0]].mean is not None:
        answers[order[0]] = replace(answers[order[0]], note=f"as of time {known[TIME.name]:g}")
    return [(i, answers[i]) for i in order]
