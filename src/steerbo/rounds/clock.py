"""What time it is: as `ask` is told, else the number of the round. It never runs backwards."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ..errors import InvalidOutcome, InvalidRequest
from ..space.fields import as_number
from .history import History
from .request import SEEN, RequestField
from .round import Round

TIME = RequestField("time", "What time it is, where the optimum moves: a number; left out, the number of the round")
"""Of a problem that is `timed`; in the same units in every round."""


def time_of(played: Round) -> float:
    """When a round of a problem that is `timed` was asked for."""
    return float(played.request[TIME.name])


def now(history: History) -> float:
    """What time it is for answers: that of the last round; 0 before the first one."""
    return time_of(history.latest) if history.latest else 0.0


def known_before(request: Mapping[str, Any]) -> dict[str, Any]:
    """What is known before a choice, by name: what time it is, where that matters, and what is seen."""
    when = {TIME.name: request[TIME.name]} if TIME.name in request else {}
    return {**when, **request.get(SEEN.name, {})}


def horizon(history: History, elapsed: float) -> float:
    """How much time a study is about, of which so much has passed: to judge by how far its limits are."""
    shares = [len(history) / history.limit] if history.limit else []
    shares += [history.spent / history.budget] if history.budget else []
    done = max(shares, default=1.0)
    return elapsed / done if 0 < done < 1 else elapsed


def read_time(request: Mapping[str, Any], history: History) -> float:
    """What time it is in a round, checked.

    Raises:
        InvalidRequest: no finite number, or before the last round's.
    """
    before = time_of(history.latest) if history.latest else -math.inf
    if TIME.name in request:
        time, hint = as_number(request[TIME.name]), ""
        if time is None:
            raise InvalidRequest(TIME.name, request[TIME.name], "a finite number")
    else:
        time = float(len(history) + 1)
        hint = "Where none is given it is the number of the round: give it in every round."
    if time < before:
        raise InvalidRequest(TIME.name, time, f"at least {before:g}, the time of the last round", hint)
    return time


def read_when(realised: Any) -> tuple[float | None, dict[str, Any]]:
    """When data that nobody suggested were measured, None where they do not say; and the rest of what they say.

    Raises:
        InvalidOutcome: a time that is no finite number.
    """
    rest = dict(realised)
    if TIME.name not in rest:
        return None, rest
    time = as_number(given := rest.pop(TIME.name))
    if time is None:
        raise InvalidOutcome(f"realised.{TIME.name}", given, "a finite number")
    return time, rest
