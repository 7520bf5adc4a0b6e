"""What can happen to a study, one record each. The log of these events is read back, never recomputed."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from ..record import record

FORMAT = 1


@record
class Outcome:
    """What an evaluation gave.

    Args:
        value: the objective, in the user's units (mean-field feedback may hold several numbers).
        cost: what it cost, in units of the budget; None where nobody counts.
        realised: what really happened, by variable: also what nature chose.
    """

    value: Any
    cost: float | None = None
    realised: dict[str, Any] = Field(default_factory=dict)


@record
class Created:
    """A study begins: its problem, method, seed and limits, and what decides the last bits of its arithmetic."""

    method: str
    options: dict[str, Any]
    seed: int
    fingerprint: dict[str, str]
    problem: dict[str, Any] | None = None
    budget: float | None = None
    rounds: int | None = None
    format: int = FORMAT
    kind: Literal["created"] = "created"


@record
class Refitted:
    """A model's hyperparameters were learned anew before the given round; floats as hexadecimal text, bit for bit."""

    round: int
    hyperparameters: dict[str, Any]
    kind: Literal["refitted"] = "refitted"


@record
class Asked:
    """A suggestion was made: the request, how much of the log it was based on, the choice and the reasons behind it."""

    round: int
    token: str
    request: dict[str, Any]
    based_on: int
    values: dict[str, Any]
    scope: Any = None
    observe: tuple[str, ...] = ()
    expected_cost: float | None = None
    note: dict[str, Any] = Field(default_factory=dict)
    kind: Literal["asked"] = "asked"


@record
class Decided:
    """Something was looked at, and the values that depend on it were set."""

    token: str
    context: dict[str, Any]
    values: dict[str, Any]
    observe: tuple[str, ...] = ()
    note: dict[str, Any] = Field(default_factory=dict)
    kind: Literal["decided"] = "decided"


@record
class Told:
    """An outcome arrived."""

    token: str
    outcome: Outcome
    kind: Literal["told"] = "told"


@record
class Failed:
    """The evaluation broke: its point and cost count, a value there is none."""

    token: str
    reason: str = ""
    cost: float | None = None
    realised: dict[str, Any] = Field(default_factory=dict)
    kind: Literal["failed"] = "failed"


@record
class Amended:
    """An outcome was corrected (a new one) or voided (none); the log keeps the old one."""

    token: str
    outcome: Outcome | None = None
    reason: str = ""
    kind: Literal["amended"] = "amended"


@record
class Abandoned:
    """Nobody is evaluating the suggestion any more; an outcome that comes all the same is kept and used."""

    token: str
    reason: str = ""
    kind: Literal["abandoned"] = "abandoned"


@record
class Added:
    """Data that nobody suggested: it feeds the posterior, never counts or elimination sums."""

    outcome: Outcome
    kind: Literal["added"] = "added"


Event = Annotated[
    Created | Refitted | Asked | Decided | Told | Failed | Amended | Abandoned | Added,
    Field(discriminator="kind"),
]
"""Any of the events, told apart by `kind` in their JSON form."""
