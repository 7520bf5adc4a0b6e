"""A problem: a name, a version that never changes its meaning, a budget, seeds, and how its world is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from .errors import BenchError
from .protocol import World

WINGS = ("cost-varying", "time-varying", "causal", "mean-field")

MEASURES = {
    "cost-varying": "simple",
    "time-varying": "cumulative",
    "causal": "cumulative",
    "mean-field": "simple",
}
"""What is compared in each wing: regret of the best so far where one searches, summed where every round counts."""


@dataclass(frozen=True)
class Budget:
    """How long is played: so many rounds, and where `money` is given until the next round would cost more than is left.

    Attributes:
        rounds: at most.
        money: in all; None where only rounds count.
        marks: the rounds (or sums of money) at which regret is written down.
    """

    rounds: int
    money: float | None = None
    marks: tuple[float, ...] = ()

    @property
    def unit(self) -> str:
        """What marks count."""
        return "rounds" if self.money is None else "money"

    def until(self, end: float) -> Budget:
        """The same, but over after so many rounds, or so much money.

        Raises:
            BenchError: that is nothing, or more than there is.

        >>> Budget(400, marks=(25, 50, 400)).until(50)
        Budget(rounds=50, money=None, marks=(25, 50))
        """
        most = self.rounds if self.money is None else self.money
        if not 0 < end <= most or (self.money is None and end != int(end)):
            whole = "a whole number " if self.money is None else ""
            raise BenchError(
                f"until {end:g}: must be {whole}above 0 and at most the budget, {most:g} {self.unit}"
            )
        marks = (*(mark for mark in self.marks if mark < end), end)
        return (
            Budget(int(end), None, marks) if self.money is None else Budget(self.rounds, end, marks)
        )


@dataclass(frozen=True)
class Seeds:
    """Which seeds may be looked at while a method is made, and which are for reporting alone.

    Whatever is not reported may be looked at; `tuning` are those that are proposed for it.

    >>> Seeds().split(1003), Seeds().split(3), Seeds().split(5000)
    ('reported', 'tuning', 'tuning')
    """

    tuning: range = range(100)
    reported: range = range(1000, 1200)

    def split(self, seed: int) -> str:
        """Where a seed belongs."""
        return "reported" if seed in self.reported else "tuning"


@dataclass(frozen=True)
class Problem:
    """A frozen definition.

    Attributes:
        name: what it is called.
        wing: one of `WINGS`.
        title: one line.
        make: from a seed to its world.
        budget: how long is played.
        source: where it comes from.
        version: goes up whenever anything that decides a figure changes.
        seeds: tuning and reported ones.
        data: files that it needs (`pcb data` says where they come from).
        measure: what is compared: "simple", regret of the best round so far, or "cumulative",
            summed over rounds; "" what is usual in its wing.
        seed_moves: what a seed decides: "everything"; "the start" where truth is always the same
            and there is no noise.
    """

    name: str
    wing: str
    title: str
    make: Callable[[int], World]
    budget: Budget
    source: str
    version: int = 1
    seeds: Seeds = Seeds()
    data: tuple[str, ...] = ()
    measure: str = ""
    seed_moves: str = "everything"

    @property
    def compared(self) -> str:
        """The measure."""
        return self.measure or MEASURES[self.wing]

    def until(self, end: float | None) -> Problem:
        """The same with a smaller budget, for entrants that are slow; None: as it is."""
        return self if end is None else replace(self, budget=self.budget.until(end))
