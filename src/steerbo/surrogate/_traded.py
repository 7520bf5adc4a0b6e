"""The answer where outcomes are traded: plays that none is expected to better in everything, and their middle.

`Trades` is the part that methods of several outcomes share, whatever kind of problem they are for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from .._arrays import Float
from .._evidence import ALIKE
from ..core import (
    ExpectedOutcome,
    Method,
    Reason,
    Recommendation,
    Suggestion,
    read_note,
    reason,
)
from ..gp import GPRegression
from ..records import record
from ._trade_off import even_weights, undominated

VALUE = "value"
_ANSWERS_OF_TWO, _ANSWERS_OF_MORE = 13, 24
"""Weights by which a trade-off of two outcomes, and of more, is found in every scope."""


@record
class Gain:
    """Why a play was chosen, as logged: its expected addition, as a share of the volume dominated so far."""

    gain: float


class Trades:
    """A method for several outcomes: it comes before the base of its kind, and logs a `Gain` with each choice."""

    rule: ClassVar[str] = "each round goes where the trade-off is expected to gain most"
    trades: ClassVar[bool] = True
    gain_at = Method.gain_at  # there are no bounds on another trade-off's gain

    @property
    def ways(self) -> dict[str, float]:
        """+1 by outcome where larger is better, else −1; the value first."""
        problem: Any = self.problem  # type: ignore[attr-defined]
        return {VALUE: problem.sign, **problem.traded}

    def middle(self, found: Sequence[Recommendation]) -> Recommendation:
        """Middle of the trade-off between some answers, see `middle_of`; the others of it are its alternatives."""
        return middle_of(trade_off(found, self.ways), self.ways)

    def why(self, asked: Suggestion) -> Sequence[Reason]:
        """Say how much the trade-off is expected to gain."""
        if "gain" not in asked.note:
            return super().why(asked) or [reason("first-play")]  # type: ignore[misc]
        return [reason("volume", gain=read_note(Gain, asked.note).gain)]

    def read_logged(self, asked: Suggestion) -> None:
        """See `Method.read_logged`; with the expected gain."""
        super().read_logged(asked)  # type: ignore[misc]
        if "gain" in asked.note:
            read_note(Gain, asked.note)


def scales_of(models: Mapping[str, GPRegression[Any]]) -> tuple[list[float], list[float]]:
    """Units of all outcomes, and where their standardised numbers are 0."""
    outputs = [each.output for each in models.values()]
    return [each.scale for each in outputs], [each.offset for each in outputs]


def answer_weights(k: int) -> Float[np.ndarray, "n k"]:
    """Weights of k outcomes by which the plays of a trade-off are found."""
    return even_weights(k, _ANSWERS_OF_TWO if k == 2 else _ANSWERS_OF_MORE)


def expected_outcome(
    model: GPRegression[Any], sign: float, mean: float, ends: Sequence[float]
) -> ExpectedOutcome:
    """Expected further outcome with its bounds, by standardised ones in units of `sign · outcome`."""
    lower, upper = sorted(sign * float(model.unstandardise(end)) for end in ends)
    return ExpectedOutcome(sign * float(model.unstandardise(mean)), lower, upper)


def trade_off(found: Sequence[Recommendation], ways: Mapping[str, float]) -> list[Recommendation]:
    """Answers that no other one is expected to better in everything, the best value first; alike ones but once.

    Args:
        found: answers, with all outcomes.
        ways: +1 by outcome where larger is better, else −1; "value" first.
    """
    outcomes, k = _signed(found, ways), len(ways)
    left = np.flatnonzero(undominated(outcomes)).tolist()
    left.sort(key=lambda j: (found[j].cost or 0.0, -outcomes[j, 0]))
    range_of = np.ptp(outcomes[left], axis=0)
    kept = list[int]()  # of answers that are alike the cheapest
    for j in left:
        near = np.abs(outcomes[kept] - outcomes[j])[:, :k] <= ALIKE * range_of[:k]
        if not near.all(axis=1).any():
            kept.append(j)
    kept.sort(key=lambda j: -outcomes[j, 0])
    return [found[j] for j in kept]


def middle_of(rows: Sequence[Recommendation], ways: Mapping[str, float]) -> Recommendation:
    """The answer in the middle of a trade-off, with the others as its alternatives.

    The worst of its outcomes, each as a share of its range among all, is the best.
    """
    outcomes = _signed(rows, ways)
    width = np.ptp(outcomes, axis=0)
    shares = (outcomes - outcomes.min(axis=0)) / np.where(width > 0.0, width, 1.0)
    shares = np.where(width > 0.0, shares, 1.0)
    middle = rows[int(shares.min(axis=1).argmax())]
    others = [row for row in rows if row is not middle]
    reasons = (*middle.reasons, reason("trade-off", plays=len(rows)))
    return replace(middle, reasons=reasons, alternatives=tuple(others))


def _signed(rows: Sequence[Recommendation], ways: Mapping[str, float]) -> Float[np.ndarray, "n K"]:
    """Outcomes of answers, and minus their price, in units in which larger is better."""
    others = [(name, sign) for name, sign in ways.items() if name != VALUE]
    table = []
    for row in rows:
        further = [sign * (row.outcomes[name].mean or 0.0) for name, sign in others]
        table.append([ways[VALUE] * (row.mean or 0.0), *further, -(row.cost or 0.0)])
    return np.array(table)
