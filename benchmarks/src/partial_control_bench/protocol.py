"""What a problem and an entrant say to each other: plain data only, so that anybody can enter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from .errors import BenchError

Values = Mapping[str, Any]
"""What is set, by the name of a variable. What is left out is left to nature."""


@dataclass(frozen=True)
class Look:
    """An entrant wants to look at these variables before it decides; `values` are set already.

    >>> Look(["age"]).names
    ('age',)
    """

    names: Iterable[str]
    values: Values = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))


@dataclass(frozen=True)
class Outcome:
    """What came of a round.

    Attributes:
        value: measured, with its noise; large is good unless the problem says that it is to be made
            small.
        cost: what the round cost.
        realised: what was measured of other variables, by name.
    """

    value: float
    cost: float = 1.0
    realised: Mapping[str, Any] = field(default_factory=dict)


class Entrant(Protocol):
    """One class: made from what is known of a problem, a seed and options; then asked and told by turns.

    `known` is plain data: README says what it holds in each wing. Where there is something to look
    at before acting, `ask` may return a `Look`, and `decide(seen)` is then called until values
    come.
    """

    def __init__(self, known: Mapping[str, Any], seed: int, **options: Any) -> None: ...

    def ask(self, now: Mapping[str, Any]) -> Values | Look:
        """What to set in this round.

        Args:
            now: "round" (from 1); where the problem has them "time", "available" (of a finite
                domain, a list of true and false; left out where all points are), and "context", by
                name.
        """

    def tell(self, values: Values, outcome: Outcome) -> None:
        """What came of it. Data from before the first round come in here, too, before the first `ask`."""


class World(Protocol):
    """A problem with a seed: what an entrant plays against. It knows the truth; entrants see `known` alone."""

    @property
    def known(self) -> Mapping[str, Any]:
        """What an entrant is told."""

    def before(self) -> Iterable[tuple[Values, Outcome]]:
        """What is given before the first round, and costs nothing."""

    def now(self, number: int) -> dict[str, Any]:
        """What is known before a round is played."""

    def look(self, number: int, look: Look) -> dict[str, Any]:
        """What is seen in a round, after `look.values` were set."""

    def play(self, number: int, values: Values, seen: Values) -> Outcome:
        """What comes of setting these values in a round in which that was seen."""

    def regret(self, number: int, values: Values, seen: Values) -> float:
        """How far that falls short of the best that could have been done, without noise."""


class Blind:
    """A world in which there is nothing to look at before a round; unless it says so, nothing is given or known."""

    def before(self) -> Iterable[tuple[Values, Outcome]]:
        """Nothing is given."""
        return ()

    def now(self, number: int) -> dict[str, Any]:
        """Nothing more."""
        return {}

    def look(self, number: int, look: Look) -> dict[str, Any]:
        """There is nothing to look at.

        Raises:
            BenchError: always.
        """
        raise BenchError(
            f"{', '.join(look.names)}: there is nothing to look at in this problem; return values"
        )
