"""The log, folded: rounds, outcomes, what is pending and what was spent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal, assert_never

from ..errors import UnknownSuggestion
from .events import Abandoned, Added, Amended, Asked, Created, Decided, Event, Failed, Outcome, Refitted, Told
from .suggestion import Suggestion

State = Literal["open", "told", "failed", "void", "abandoned"]


@dataclass(frozen=True)
class Round:
    """One round as it stands now."""

    suggestion: Suggestion
    request: dict[str, Any]
    expected_cost: float | None
    state: State = "open"
    outcome: Outcome | None = None
    failure: Failed | None = None

    @property
    def number(self) -> int:
        """From 1."""
        return self.suggestion.round

    @property
    def paid(self) -> float | None:
        """What it is known to have cost so far; None where nobody counts."""
        known = self.outcome or self.failure
        return known.cost if known else None

    @property
    def cost(self) -> float:
        """What it cost so far: a voided outcome's money is spent all the same."""
        return self.paid or 0.0

    @property
    def waiting(self) -> bool:
        """Whether an outcome may still be told: it is open, or abandoned and may come late."""
        return self.state in ("open", "abandoned")

    @property
    def realised(self) -> dict[str, Any]:
        """What is known to have really happened, also of a failed round; what was set where nothing else is known."""
        measured = self.outcome.realised if self.outcome else self.failure.realised if self.failure else {}
        return {**self.suggestion.values, **measured}


class History:
    """Rounds in the order they were asked, and data that was added.

    It only grows by `apply`; reading it changes nothing. `budget` (money) and `limit` (rounds) are None where there is
    no such limit.
    """

    def __init__(self, created: Created) -> None:
        self.created = created
        self.budget, self.limit = created.budget, created.rounds
        self.events = 1
        self.added: list[Outcome] = []
        self._rounds: dict[str, Round] = {}
        self._unknown: dict[str, None] = {}  # tokens of rounds without an outcome to learn from, in order
        self._open: dict[str, None] = {}  # those of them that are pending: a long stream may have many failures
        self._charged = 0.0
        self._failed = 0

    def __iter__(self) -> Iterator[Round]:
        return iter(self._rounds.values())

    def __len__(self) -> int:
        return len(self._rounds)

    def __getitem__(self, token: str) -> Round:
        try:
            return self._rounds[token]
        except KeyError:
            pending = ", ".join(r.suggestion.token for r in self.pending) or "none"
            raise UnknownSuggestion(f"suggestion {token!r} was never made here; pending: {pending}") from None

    @property
    def pending(self) -> tuple[Round, ...]:
        """Rounds whose outcome is still to come."""
        return tuple(self._rounds[token] for token in self._open)

    @property
    def latest(self) -> Round | None:
        """The round asked last."""
        return next(reversed(self._rounds.values()), None)

    def last(self, n: int) -> list[Round]:
        """The last n rounds, or as many as there are, in order: O(n), however long the history."""
        return list(islice(reversed(self._rounds.values()), n))[::-1]

    @property
    def unknown(self) -> tuple[Round, ...]:
        """Pending, abandoned, failed and voided rounds: tried or being tried, with no value to learn from."""
        return tuple(self._rounds[token] for token in self._unknown)

    @property
    def told(self) -> int:
        """How many rounds have an outcome to learn from."""
        return len(self._rounds) - len(self._unknown)

    @property
    def failed(self) -> int:
        """How many rounds have failed and were not mended since."""
        return self._failed

    @property
    def spent(self) -> float:
        """Money spent, failed and voided rounds included."""
        return self._charged

    @property
    def reserved(self) -> float:
        """Money that the pending rounds are expected to cost."""
        return sum(r.expected_cost or 0.0 for r in self.pending)

    @property
    def remaining(self) -> float:
        """Money neither spent nor reserved; infinite without a budget."""
        return float("inf") if self.budget is None else self.budget - self.spent - self.reserved

    def apply(self, event: Event) -> None:
        """Take one event in."""
        self.events += 1
        match event:
            case Asked():
                suggestion = Suggestion(
                    event.token, event.round, event.scope, event.values, event.observe, {}, event.note
                )
                self._rounds[event.token] = Round(suggestion, event.request, event.expected_cost)
                self._unknown[event.token] = self._open[event.token] = None
            case Decided():
                old = self[event.token].suggestion
                self._change(
                    event.token,
                    suggestion=replace(
                        old,
                        values={**old.values, **event.values},
                        context={**old.context, **event.context},
                        observe=event.observe,
                        note={**old.note, **event.note},
                    ),
                )
            case Told():
                self._change(event.token, state="told", outcome=event.outcome)
            case Failed():
                self._change(event.token, state="failed", failure=event)
            case Amended(outcome=None):
                self._change(event.token, state="void")
            case Amended():
                self._change(event.token, state="told", outcome=event.outcome)
            case Abandoned():
                self._change(event.token, state="abandoned")
            case Added():
                self.added.append(event.outcome)
                self._charged += event.outcome.cost or 0.0
            case Created() | Refitted():
                pass
            case _:
                assert_never(event)

    def _change(self, token: str, **changes: Any) -> None:
        before = self[token]
        after = replace(before, **changes)
        self._rounds[token] = after
        self._charged += after.cost - before.cost
        self._failed += (after.state == "failed") - (before.state == "failed")
        if after.state != "open":
            self._open.pop(token, None)
        if after.state == "told":
            self._unknown.pop(token, None)
        else:
            self._unknown.setdefault(token)
