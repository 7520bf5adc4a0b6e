"""How far off the model was about what a round gave, as the log has it: nothing is computed again."""

from __future__ import annotations

import math

from ..rounds import Round
from .problem import MeanField


def surprise_of(problem: MeanField, told: Round) -> float:
    """By how many predictive deviations the population's average was off; not a number where nothing was expected.

    That is so of distributions drawn at random, of rounds that did not play what was suggested, of older logs, and of
    feedback from single agents, whose payoffs differ by more than noise.
    """
    note, outcome = told.suggestion.note, told.outcome
    asked, played = told.suggestion.values, told.realised
    if outcome is None or "noise" not in note or problem.feedback != "population":
        return math.nan
    if played["distribution"] != asked["distribution"]:
        return math.nan
    deviation = math.hypot(note["deviation"], note["noise"])
    return (problem.average(outcome) - note["expected"]) / max(deviation, 1e-300)
