"""Evaluations that failed: what is said of them, and what of their answers can be used all the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput, InvalidOutcome, ObjectiveFailure
from ..rounds import Suggestion
from ..words import SHELL

if TYPE_CHECKING:
    from .study import Study


def raised(error: BaseException) -> ObjectiveFailure:
    """What the objective raised, as a failure."""
    return ObjectiveFailure(f"the objective raised {type(error).__name__}: {' '.join(str(error).split())}")


def unusable(error: InvalidInput) -> ObjectiveFailure:
    """An answer that was refused, as a failure."""
    told = type(error)(error.field, error.value, error.allowed).worded(SHELL)  # answers are JSON, or like it
    return ObjectiveFailure(f"the objective's answer cannot be used: {told}")


def tell_failure(study: Study, suggestion: Suggestion, reason: str, answer: Any) -> None:
    """Tell it with the raw answer, and what of it can be used: money that was spent is spent.

    Where there is a budget and no cost in the answer, `History.estimate` is charged: a run neither stops for want of a
    number, nor goes on for nothing.
    """
    known = answer if isinstance(answer, Mapping) else {}
    full = reason if answer is None else f"{reason}; it answered {json.dumps(answer, default=repr)}"
    for given in ({"cost": known.get("cost"), "realised": known.get("realised")}, {"cost": known.get("cost")}, {}):
        priced = given.get("cost") is not None or study.problem.price(suggestion) is not None
        charge = None if priced else study.history.estimate(suggestion.token)
        try:
            study.fail(suggestion, full, charge=charge, **given)
        except InvalidOutcome:
            continue
        return


def short(failure: Exception) -> str:
    """For one line."""
    text = str(failure)
    return text if len(text) <= 300 else text[:300] + "…"
