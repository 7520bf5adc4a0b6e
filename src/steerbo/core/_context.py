"""Contexts of a round: its time, the values seen before choosing, and typical ones among them.

The time of a round is given to `ask`, or counted: it is the number of the round, or follows the
latest time that data say (`History.next_time`). It never runs backwards, but that abandoned rounds
and those of void outcomes do not count: their time may have been mistyped. A few typical contexts
stand for those seen before the latest choices, and an answer for each is averaged into one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from typing import Any

import numpy as np

from .._arrays import Float
from .._wording import number_hint
from ..errors import InvalidInput, InvalidOutcome, InvalidRequest
from ..space import Categorical, Space
from ..space.fields import as_number, single
from ._findings import reason
from ._history import History, Round
from .answers import Recommendation
from .request import LARGEST, SEEN, RequestField

TIME = RequestField(
    "time",
    "The time, if the optimum moves: a number; default: rounds are counted, on from past data",
)
"""Of a problem that is `timed`; in the same units in every round."""


def time_of(played: Round) -> float:
    """Time at which a round of a problem that is `timed` was asked for."""
    return float(played.request[TIME.name])


def now(history: History) -> float:
    """Time that answers are for: that of the last round that holds the clock, or that of later data.

    A time that was given to a round is believed over the times of data that were known then.
    """
    last, time = history.clock, last_time(history)
    dated = history.latest_dated if history.dates.reach(time) else None
    if dated is not None and last is not None and not history.is_counted(last):
        dated = history.dates.stated_since(last.number, dated, time)
    return time if dated is None else max(time, dated.time)


def last_time(history: History) -> float:
    """Time of the last round that holds the clock, and of data that say none; before the first see `beginning`."""
    return history.last_time


def context_of(request: Mapping[str, Any]) -> dict[str, Any]:
    """Context of a choice by name: values seen before choosing and, where the problem drifts, the time."""
    when = {TIME.name: request[TIME.name]} if TIME.name in request else {}
    return {**when, **request.get(SEEN.name, {})}


def horizon(history: History, elapsed: float) -> float:
    """Expected duration of a study of which `elapsed` has passed, by the share of its limits that is used."""
    shares = [len(history) / history.limit] if history.limit else []
    shares += [history.spent / history.budget] if history.budget else []
    done = max(shares, default=1.0)
    return elapsed / done if 0 < done < 1 else elapsed


def read_time(request: Mapping[str, Any], history: History) -> float:
    """Check the time of a round.

    Raises:
        InvalidRequest: no finite number, one beyond `LARGEST`, or before that of the last round that
            holds the clock.
    """
    last = history.clock
    if TIME.name in request:
        time, hint = _as_time(TIME.name, request[TIME.name], InvalidRequest), ""
    else:
        time = history.next_time
        hint = "Where none is given it is the number of the round: give it in every round."
    if last is not None and time < (before := time_of(last)):
        token = last.suggestion.token
        undo = f"use ‹abandon› for {token}" if last.waiting else f"void {token} by ‹void›"
        again = (
            " (and give its outcome with the right time by ‹add›)" if last.state == "told" else ""
        )
        wrong = f"If {before:.15g} is a wrong time, {undo}{again}: then it no longer counts."
        allowed = f"at least {before:.15g}, the time of round {last.number}"
        raise InvalidRequest(TIME.name, time, allowed, f"{hint} {wrong}".strip())
    return time


def read_when(realised: Any) -> tuple[float | None, dict[str, Any]]:
    """Split external data into the time of its measurement (None where it has none) and its other values.

    Raises:
        InvalidOutcome: a time that is no finite number, or beyond `LARGEST`.
    """
    rest = dict(realised)
    if TIME.name not in rest:
        return None, rest
    return _as_time(f"realised.{TIME.name}", rest.pop(TIME.name), InvalidOutcome), rest


def _as_time(field: str, given: Any, error: type[InvalidInput]) -> float:
    """Check a time by itself."""
    time = as_number(single(given))
    if time is None:
        raise error(field, given, "a finite number", _dates_are_numbers(given))
    if abs(time) > LARGEST:
        raise error(field, given, f"a number of at most {LARGEST:g} in size")
    return time


def _dates_are_numbers(given: object) -> str:
    """Hint for a date in place of a time: a text, or an object of Python, NumPy or pandas.

    >>> _dates_are_numbers("2026-11-27")
    'A date is written as a number, such as the days since the first one.'
    >>> _dates_are_numbers("3 Nov") == _dates_are_numbers("2026-11-27")
    True
    >>> _dates_are_numbers(date(2026, 11, 27)) == _dates_are_numbers("2026-11-27")
    True
    """
    a_text = isinstance(given, str) and not number_hint(given)
    a_date = a_text or isinstance(given, date | np.datetime64)  # a timestamp of pandas is a date
    return "A date is written as a number, such as the days since the first one." * a_date


MOST_TYPICAL = 5
"""Typical contexts at most, where there are no more categories: as many as a person reads."""
RECENT = 200
"""Rounds, and as many pieces of data, by which typical values are judged."""
_TURNS = 10  # of the k-medoids rule, at most: it ends where no middle moves


@dataclass(frozen=True)
class Typical:
    """A context that was really seen, and the share of the latest ones that it is nearest to."""

    context: dict[str, Any]
    share: float


def typical(space: Space, history: History, most: int = MOST_TYPICAL) -> list[Typical]:
    """Contexts that stand for the latest ones, the commonest first; before there are any, the middle of their ranges.

    The latest are grouped about `most` of them by k-medians' rule with Euclidean distances, begun
    at points that lie far apart, so that nothing is drawn; each group is told by that one of its
    contexts which is nearest to its mean. A group has one category: where there are more than
    `most`, each has a group.

    >>> from steerbo.core.events import Created
    >>> import steerbo as sb
    >>> nothing = History(Created("random", {}, 0, {}), dict)
    >>> typical(Space([sb.Float("weather", 10, 30, seen=True)]), nothing)
    [Typical(context={'weather': 20.0}, share=1.0)]
    """
    seen = space.subset(space.seen)
    added = (
        event.outcome.realised
        for event in reversed(list(history.data.values()))
        if event.source is None
    )
    rows = [r.realised for r in history.last(RECENT) if r.realised.keys() >= {*seen.names}]
    rows += [*islice((row for row in added if row.keys() >= {*seen.names}), RECENT)][::-1]
    if not rows:
        return [Typical(seen.decode(np.array([[_middle(v) for v in seen]]))[0], 1.0)]
    encoded = seen.encode(rows)
    points = _distances_count(seen, encoded)
    kinds = len(np.unique(encoded[:, np.array(seen.categorical)], axis=0))
    centres = _medoids(points, max(most, kinds))
    nearest = _nearest(points, points[centres])
    shares = np.bincount(nearest, minlength=len(centres)) / len(points)
    order = sorted(range(len(centres)), key=lambda k: (-shares[k], centres[k]))
    return [
        Typical({name: rows[centres[k]][name] for name in seen.names}, float(shares[k]))
        for k in order
    ]


def _middle(variable: Any) -> float:
    if variable.law is not None:
        return float(variable.encoded_ppf(np.array([0.5]))[0])
    return 0.0 if isinstance(variable, Categorical) else 0.5


def _distances_count(space: Space, encoded: Float[np.ndarray, "n c"]) -> Float[np.ndarray, "n k"]:
    """Coordinates whose distances mean something: a category becomes one column for each of its choices.

    Contexts of different categories are farther apart than numbers, from 0 to 1, can be.
    """
    apart = math.sqrt((1 + len(space)) / 2)
    columns = [
        np.equal.outer(column, variable.levels) * apart
        if isinstance(variable, Categorical)
        else column[:, None]
        for column, variable in zip(encoded.T, space, strict=True)
    ]
    return np.hstack(columns)


def _medoids(points: Float[np.ndarray, "n k"], most: int) -> list[int]:
    """Places of at most `most` points, one in the middle of each group."""
    _, firsts = np.unique(points, axis=0, return_index=True)
    centres = [int(((points - points.mean(0)) ** 2).sum(1).argmin())]
    while len(centres) < min(most, len(firsts)):
        centres.append(int(_squares(points, points[centres]).min(1).argmax()))
    for _ in range(_TURNS):
        nearest = _nearest(points, points[centres])
        moved = [_central(points, np.flatnonzero(nearest == k)) for k in range(len(centres))]
        if moved == centres:
            break
        centres = moved
    return centres


def _central(points: Float[np.ndarray, "n k"], members: np.ndarray) -> int:
    group = points[members]
    return int(members[((group - group.mean(0)) ** 2).sum(1).argmin()])


def _squares(
    points: Float[np.ndarray, "n k"], centres: Float[np.ndarray, "c k"]
) -> Float[np.ndarray, "n c"]:
    return np.asarray(((points[:, None] - centres) ** 2).sum(2))


def _nearest(points: Float[np.ndarray, "n k"], centres: Float[np.ndarray, "c k"]) -> np.ndarray:
    return np.asarray(_squares(points, centres).argmin(1))


def average_over(contexts: Sequence[Typical], at: Callable[[dict[str, Any]], float]) -> float:
    """The mean of a number over typical contexts, by their shares."""
    return math.fsum(each.share * at(each.context) for each in contexts)


def average_recommendation(
    contexts: Sequence[Typical], answers: Sequence[Recommendation]
) -> Recommendation:
    """Answer where variables are seen before choosing: a row for each typical context, the commonest first.

    `answers` are those in the contexts. Reasons are of the first row's context; what to expect over
    all contexts stands last.
    """
    rows = [
        replace(answer, context=each.context)
        for each, answer in zip(contexts, answers, strict=True)
    ]
    if len(rows) == 1:
        return replace(rows[0], alternatives=())
    averages = {}
    for name, values in (
        ("mean", [row.mean for row in rows]),
        ("cost", [row.cost for row in rows]),
    ):
        known = [value for value in values if value is not None]
        if len(known) == len(rows):
            weighted = zip(contexts, known, strict=True)
            averages[name] = math.fsum(each.share * value for each, value in weighted)
    like = reason("typical-context", share=contexts[0].share)
    over = (reason("over-contexts", **averages),) if averages else ()
    others = tuple(replace(row, alternatives=(), reasons=()) for row in rows[1:])
    return replace(rows[0], reasons=(like, *rows[0].reasons, *over), alternatives=others)
