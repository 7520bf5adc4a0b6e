"""The log, folded: rounds, outcomes, what is pending and what was spent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, assert_never

from ..errors import UnknownSuggestion, show
from ..record import with_checked
from .accounts import Accounts
from .events import (
    Abandoned,
    Added,
    Amended,
    Asked,
    Created,
    Decided,
    Event,
    Extended,
    Failed,
    Outcome,
    Refitted,
    Revised,
    Told,
)
from .round import Round
from .scope import Scope
from .suggestion import Suggestion


class History:
    """Rounds in the order they were asked, and data that was added.

    It only grows by `apply`. `budget` (money), `limit` (rounds) and `stop` are None where there is no such limit. What
    stands by name is put in the problem's `order`.
    """

    def __init__(self, created: Created, order: Callable[[Any], Any]) -> None:
        self.created, self._order = created, order
        self.budget, self.limit, self.stop = created.budget, created.rounds, created.stop
        self.columns: dict[str, str] = {}  # how the lab heads columns of tables, by their own names
        self.revisions: list[Revised] = []
        self.events = 1
        self.data: dict[str, Added] = {}  # that nobody suggested, by the name that `amend` takes
        self.removed: dict[str, Added] = {}  # those of them that are void by now, as they were
        self._added = 0
        self._rounds: dict[str, Round] = {}
        self._unknown: dict[str, None] = {}  # tokens of rounds without an outcome to learn from, in order
        self._open: dict[str, None] = {}  # those of them that are pending: a long stream may have many failures
        self._waiting: dict[str, None] = {}  # and these with those that were abandoned
        self._accounts, self._failed = Accounts(), 0

    def __iter__(self) -> Iterator[Round]:
        return iter(list(self._rounds.values()))  # a copy: another thread may go on

    def __len__(self) -> int:
        return len(self._rounds)

    def __getitem__(self, token: str) -> Round:
        try:
            return self._rounds[token]
        except KeyError:
            pending = ", ".join(r.suggestion.token for r in self.pending) or "none"
            raise UnknownSuggestion(f"suggestion {show(token)} was never made here; pending: {pending}") from None

    @property
    def added(self) -> list[Outcome]:
        """Outcomes that nobody suggested, in order."""
        return [event.outcome for event in list(self.data.values())]

    def outcomes(self) -> Iterator[tuple[str, Outcome, Round | None]]:
        """Everything to learn from, as it stands now: by name the data that nobody suggested, then the rounds told."""
        for name, event in list(self.data.items()):
            yield name, event.outcome, None
        for token, played in list(self._rounds.items()):
            if played.state == "told" and played.outcome is not None:
                yield token, played.outcome, played

    @property
    def latest_data(self) -> str:
        """The name of the data added last."""
        return f"added-{self._added}"

    @property
    def next_data(self) -> str:
        """The name that the data added next will have."""
        return f"added-{self._added + 1}"

    @property
    def pending(self) -> tuple[Round, ...]:
        """Rounds whose outcome is still to come."""
        return tuple(self._rounds[token] for token in list(self._open))

    @property
    def latest(self) -> Round | None:
        """The round asked last."""
        return next(reversed(self._rounds.values()), None)

    def before(self, played: Round) -> Round | None:
        """The round asked before another one; None: that is the first."""
        return None if played.number == 1 else self.last(len(self) - played.number + 2)[0]

    def last(self, n: int) -> list[Round]:
        """The last n rounds, or as many as there are, in order: O(n), however long the history."""
        return list(islice(reversed(self._rounds.values()), n))[::-1]

    @property
    def unknown(self) -> tuple[Round, ...]:
        """Pending, abandoned, failed and voided rounds: tried or being tried, with no value to learn from."""
        return tuple(self._rounds[token] for token in list(self._unknown))

    @property
    def waiting(self) -> tuple[Round, ...]:
        """Rounds that may still have an outcome: pending, or abandoned and perhaps late."""
        return tuple(self._rounds[token] for token in list(self._waiting))

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
        """Money spent, failed and voided rounds included; with what is charged for rounds whose cost nobody knows."""
        return self._accounts.spent

    @property
    def estimated(self) -> float:
        """That part of `spent` that is charged for rounds whose cost nobody knows."""
        return self._accounts.estimated

    @property
    def unpriced(self) -> int:
        """How many rounds have ended, or are charged for, whose cost nobody knows."""
        return self._accounts.unpriced

    def mean_cost(self, scope: Scope) -> float | None:
        """What a play of `scope` has cost on average, here and in data that was added; None where nobody knows."""
        return self._accounts.mean_cost(scope)

    def estimate(self, token: str) -> float | None:
        """What to charge for a round that broke where nobody can be asked what it cost; None without a budget.

        What it was expected to cost, else the mean cost of all rounds; nothing as long as no cost is known.
        """
        if self.budget is None:
            return None
        expected = self[token].expected_cost
        return expected if expected is not None else self._accounts.usual or 0.0

    @property
    def reserved(self) -> float:
        """Money that the pending rounds are expected to cost."""
        return sum(r.expected_cost or 0.0 for r in self.pending)

    @property
    def rounding(self) -> float:
        """Less money than this is nothing: ten times 0.1 is 0.9999999999999999 to a computer."""
        return 0.0 if self.budget is None else 1e-12 * self.budget

    @property
    def remaining(self) -> float:
        """Money neither spent nor reserved; infinite without a budget."""
        return float("inf") if self.budget is None else self.budget - self.spent - self.reserved

    def apply(self, event: Event) -> None:
        """Take one event in."""
        self.events += 1
        match event:
            case Asked():
                self._begin(event)
            case Decided():
                old = self[event.token].suggestion
                self._change(
                    event.token,
                    suggestion=with_checked(
                        old,
                        values=self._order({**old.values, **event.values}),
                        context=self._order({**old.context, **event.context}),
                        observe=event.observe,
                        note=self._order({**old.note, **event.note}),
                    ),
                )
            case Told():
                self._change(event.token, state="told", outcome=event.outcome)
            case Failed():
                self._change(event.token, state="failed", failure=event, charge=event.charge)
            case Amended() if event.token in self.data:
                self._correct(event)
            case Amended(outcome=Outcome()):
                self._change(event.token, state="told", outcome=event.outcome)
            case Amended(failure=Failed() as failure):
                charge = failure.charge if failure.cost is None else self[event.token].charge
                self._change(event.token, state="failed", failure=failure, charge=charge)
            case Amended():
                self._change(event.token, state="void")
            case Abandoned():
                self._change(event.token, state="abandoned", charge=event.charge)
            case Added():
                self._added += 1
                self.data[self.latest_data] = event
                self._accounts.add(event)
            case Revised():
                now = {name: new for name, (_, new) in event.changes.items()}
                self.budget, self.limit = now.get("budget", self.budget), now.get("rounds", self.limit)
                self.stop = now.get("stop", self.stop)
                self.columns = now.get("columns", self.columns)
                self.revisions.append(event)
            case Created() | Refitted() | Extended():
                pass
            case _:
                assert_never(event)

    def rewind(self, asked: Asked, decided: Sequence[Decided]) -> None:
        """Have a waiting round as it was after these of its looks; only of a copy, whose events are not its own."""
        now, self._rounds = self[asked.token], dict(self._rounds)
        first = History(self.created, self._order)
        first.apply(asked)
        for event in decided:
            first.apply(event)
        then = first[asked.token]
        self._rounds[asked.token] = replace(now, suggestion=then.suggestion, realised=then.realised)

    def _begin(self, event: Asked) -> None:
        seen = event.request.get("context", {})
        said = event.token, event.round, event.scope, event.values, event.observe, seen, event.note
        known = Suggestion(*said, change_cost=event.change_cost), event.request, event.expected_cost
        realised = self._order({**seen, **event.values})
        self._rounds[event.token] = Round(*known, realised=realised, gain=event.gain)
        self._unknown[event.token] = self._open[event.token] = self._waiting[event.token] = None

    def _correct(self, event: Amended) -> None:
        """Data that nobody suggested, put right or, void, taken out; what it cost is spent all the same."""
        before = self.data[event.token]
        if event.outcome is None:
            self._accounts.void(before)
            self.removed[event.token] = self.data.pop(event.token)
            return
        charge = before.charge if event.charge is None else event.charge
        after = replace(before, outcome=event.outcome, charge=charge, scope=event.scope or before.scope)
        self.data[event.token] = after
        self._accounts.correct(before, after)

    def _change(self, token: str, **changes: Any) -> None:
        before = self[token]
        outcome, failure = changes.get("outcome", before.outcome), changes.get("failure", before.failure)
        known, suggestion = outcome or failure, changes.get("suggestion", before.suggestion)
        told = {**before.request.get("context", {}), **suggestion.values, **(known.realised if known else {})}
        after = with_checked(before, realised=self._order(told), **changes)
        self._rounds[token] = after
        self._accounts.change(before, after)
        self._failed += (after.state == "failed") - (before.state == "failed")
        for tokens, stays in ((self._open, after.state == "open"), (self._waiting, after.waiting)):
            if not stays:
                tokens.pop(token, None)
        if after.state == "told":
            self._unknown.pop(token, None)
        else:
            self._unknown.setdefault(token)
