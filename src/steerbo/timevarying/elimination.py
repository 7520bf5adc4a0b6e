"""What methods that reject priors share: who is alive, who was dropped and why, and what to do when nobody is left."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

import numpy as np
from jaxtyping import Bool, Int
from pydantic import Field

from ..bandit import ActiveArms, WhenExhausted
from ..core import Choice, Explanation, History, Round, Streams
from ..errors import ModelFailure
from ..records import record
from .confidence import Width
from .method import CandidatePriors
from .prediction import table_of_last
from .prior_table import table_of_priors
from .priors import PriorWarning
from .problem import TimeVarying

O = TypeVar("O", bound="_Exhaustible")  # noqa: E741


class _Exhaustible(Protocol):
    @property
    def on_exhausted(self) -> WhenExhausted: ...


@record
class EliminationOptions:
    """Options of the methods that reject priors.

    Args:
        confidence: a number for β, or the word "theory" (Theorem 4.1). ξ is always the theory's.
        delta: δ, the probability with which the theory may fail.
        on_exhausted: what to do when all priors are rejected, beside a warning: "keep-last" goes on with the likeliest
            of all of them, also of those rejected long ago; "restart" takes all of them back; "raise" stops with
            `ModelFailure`.
    """

    confidence: Width = "theory"
    delta: float = Field(0.1, gt=0, lt=1)
    on_exhausted: WhenExhausted = "keep-last"


class Eliminating(CandidatePriors[O]):
    """A method that drops priors for good."""

    def __init__(self, problem: TimeVarying, options: O, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self.forget()

    def forget(self) -> None:
        """All priors are alive, and nothing is booked."""
        self.survivors = ActiveArms.all_of(len(self.names))
        self.open_books()

    @abstractmethod
    def open_books(self) -> None:
        """Nothing is booked."""

    @property
    def alive(self) -> Bool[np.ndarray, " P"]:
        """Which priors are alive."""
        return self.survivors.alive

    def drop(self, overrun: Mapping[int, float], number: int) -> None:
        """Drop priors after round `number`; `overrun` says by how much each of them left its band."""
        if not overrun:
            return
        before, likeliest = self.survivors, int(np.argmax(self.surrogate.evidence))
        self.survivors = before.drop(overrun, number, likeliest, self.options.on_exhausted)
        if self.survivors.restarted(before):
            self.open_books()

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """Choose among the priors that are alive; say so when all were rejected since the last choice."""
        exhausted, candidates = self.survivors.exhausted, self.survivors.candidates
        if exhausted and exhausted[-1] == len(history):
            meant = f"all {len(self.names)} priors were rejected by round {exhausted[-1]}: none of them fits"
            if self.options.on_exhausted == "raise":
                raise ModelFailure(f"{meant}; add other candidates, or set on_exhausted to 'keep-last' or 'restart'")
            left = "all of them are back" if self.alive.all() else f"{self.names[int(candidates[0])]} goes on"
            warnings.warn(f"{meant}; {left} (on_exhausted={self.options.on_exhausted!r})", PriorWarning, stacklevel=6)
        return self.choose_among(history, request, candidates)

    @abstractmethod
    def choose_among(self, history: History, request: Mapping[str, Any], candidates: Int[np.ndarray, " k"]) -> Choice:
        """Choose among these priors."""

    @abstractmethod
    def learn_from_round(self, told: Round) -> None:
        """Count an outcome, and drop whom it rejects."""

    def trusted(self) -> list[int]:
        """Those alive, most probable first."""
        return [p for p in super().trusted() if self.alive[p]]

    def explain(self, history: History) -> Explanation:
        """Which priors are alive, when each was dropped and by how much it overran its band."""
        rows: dict[int, tuple[Any, ...]] = {
            p: (bool(self.alive[p]), *self.survivors.dropped.get(p, (None, None))) for p in range(len(self.names))
        }
        summary = f"priors alive: {int(self.alive.sum())} of {len(self.names)}; one that outcomes contradict is dropped"
        if self.survivors.exhausted:
            rounds = ", ".join(map(str, self.survivors.exhausted[-5:]))
            summary += (
                f"; all were rejected by round {rounds} (on_exhausted = {self.options.on_exhausted}): none of them fits"
            )
        table = table_of_priors(self, rows, ("alive", "dropped in round", "overran its band by"))
        return Explanation(summary, (table, table_of_last(history, self.names)))
