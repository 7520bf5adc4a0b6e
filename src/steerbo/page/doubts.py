"""Numbers that can hardly be meant: the page asks before it saves them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import SteerboError
from ..rounds import Reading, numeral

_FEW, _SOME = 3, 8  # values from which a usual range is known; from which it is known well
_WIDE = 3.0  # widths beyond the range that are likely, as long as it is not known well
_FACTOR = 10.0  # times a stated price


@dataclass(frozen=True)
class Usual:
    """The range that values had so far.

    Args:
        low, high: its ends.
        least, most: beyond these a value looks mistyped.
    """

    low: float
    high: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Usual | None:
        """The range of these values; None: there are too few of them to say.

        >>> Usual.of([3.0, 10.0, 5.0]), Usual.of([3.0])
        (Usual(low=3.0, high=10.0, least=-18.0, most=31.0), None)
        """
        known = list(values)
        if len(known) < _FEW:
            return None
        low, high = min(known), max(known)
        width = max(high - low, 0.1 * max(abs(low), abs(high)))
        beyond = width * (1.0 if len(known) >= _SOME else _WIDE)
        return cls(low, high, low - beyond, high + beyond)

    @property
    def text(self) -> str:
        """In words."""
        low, high = numeral(self.low, beside=self.high), numeral(self.high, beside=self.low)
        return low if low == high else f"{low} to {high}"


def doubts(study: Reading, given: Mapping[str, Any], token: str = "") -> dict[str, str]:
    """Say which values look mistyped, by field of the form.

    Args:
        study: its earlier values say what is usual.
        given: some of value and cost, and by variable realised, context (looked at) and seen (before choosing).
        token: of the round; "" where there is none. Values that stand there already are not doubted.
    """
    found: dict[str, str] = {}
    data = study.history.data.get(token)
    played = study.history[token] if token and data is None else None
    known = data.outcome if data is not None else played.outcome if played is not None else None
    stands = known.realised if known is not None else {}
    for part in ("seen", "context", "realised"):
        for name, value in (given.get(part) or {}).items():
            if stands.get(name) != value and (said := _of_variable(study, name, value)):
                found[f"{part}:{name}"] = said
    value, cost = given.get("value"), given.get("cost")
    if (known is None or value != known.value) and (said := _far(value, usual(study), "outcomes so far were")):
        found["value"] = said
    if cost is not None and (known is None or cost != known.cost):
        price = study.problem.price(played.suggestion) if played is not None else None
        if isinstance(price, float) and price > 0:
            if isinstance(cost, float) and not price / _FACTOR <= cost <= price * _FACTOR:
                found["cost"] = f"{numeral(cost)} is far from the stated price, {numeral(price)}"
        elif said := _far(cost, usual_cost(study), "costs so far were"):
            found["cost"] = said
    return found


def usual(study: Reading) -> Usual | None:
    """The range of outcomes so far."""
    scalar = study.problem.scalar
    return Usual.of(scalar(r.outcome) for r in study.history if r.state == "told" and r.outcome)


def usual_cost(study: Reading) -> Usual | None:
    """The range of costs so far."""
    return Usual.of(r.paid for r in study.history if r.paid is not None)


def _far(value: Any, range: Usual | None, so_far: str) -> str:
    """A value far outside a range, in words; empty where it is not, or is no number."""
    if range is None or not isinstance(value, float) or range.least <= value <= range.most:
        return ""
    return f"{numeral(value)} is unusual: {so_far} {range.text}"


def _of_variable(study: Reading, name: str, value: Any) -> str:
    space = study.problem.space
    if name not in space:  # a further outcome
        told = (r.outcome.realised.get(name) for r in study.history if r.state == "told" and r.outcome)
        return _far(value, Usual.of(x for x in told if isinstance(x, float)), f"{name} so far was")
    try:
        far = space[name].is_far(value)
    except (SteerboError, TypeError):  # no value of this variable, which whoever takes it says
        return ""
    return f"{numeral(float(value))} is far outside the range of {name}, {space[name].range_text}" if far else ""
