"""History of a study: its rounds as they stand now, its external data, and the money spent."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import islice
from typing import Any, Literal, assert_never

from .._wording import parted
from ..errors import UnknownSuggestion, short_repr
from ..records import of_checked, with_checked
from ._dates import COMPARED, Dated, Dates, Leap, beginning, far_ahead
from .answers import Scope, Suggestion
from .events import (
    Abandoned,
    Amended,
    Asked,
    BoundsExtended,
    Created,
    DataAdded,
    Decided,
    Event,
    Failed,
    KeptFile,
    LimitsRevised,
    Outcome,
    OutcomeTold,
    Refitted,
    Remarked,
)

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
    abandoned: Abandoned | None = None
    charge: float | None = None
    gain: float | None = None
    realised: dict[str, Any] = field(default_factory=dict)
    """Realised values, also of a failed round; settings where nothing else is known."""

    @property
    def number(self) -> int:
        """Number of the round, from 1."""
        return self.suggestion.round

    @property
    def paid(self) -> float | None:
        """Known cost so far; voiding does not change it. None where it is unknown."""
        known = self.outcome or self.failure
        return known.cost if known else None

    @property
    def charged(self) -> float:
        """Money that counts as spent: the cost, or the charge while the cost is unknown."""
        return self.paid if self.paid is not None else self.charge or 0.0

    @property
    def unpriced(self) -> bool:
        """Whether the round has ended, or is charged, at an unknown cost."""
        return self.paid is None and (not self.waiting or self.charge is not None)

    @property
    def waiting(self) -> bool:
        """Whether an outcome may still be told: it is open, or abandoned and may come late."""
        return self.state in ("open", "abandoned")

    @property
    def holds_clock(self) -> bool:
        """Whether no later round may be earlier: not of an abandoned or void one, whose time may have been mistyped."""
        return self.state not in ("abandoned", "void")


@dataclass(frozen=True)
class Result:
    """Record of one evaluation as it stands now: of a round that has ended, or of external data.

    Attributes:
        name: token of the round, or name of the data.
        played: the round; None: external data.
        outcome: the outcome; None: the evaluation failed, or its outcome is void.
        failed: whether it failed.
        realised: realised values, as far as they are known.
        scope: the scope played, where that is known.
        cost: of the play, switching included, where that is known; of a void outcome, too.
        number: of the round; of data the number of rounds when they came.
        time: of data that do not say theirs: of the clock when they came.
        source: of data that are not of here; None: they are.
    """

    name: str
    played: Round | None
    outcome: Outcome | None
    failed: bool
    realised: Mapping[str, Any]
    scope: Scope | None
    cost: float | None
    number: int
    time: float
    source: str | None = None

    @classmethod
    def of_round(cls, played: Round, time: float) -> Result:
        """Result of a round that has ended; `time` of the clock when it came."""
        told, asked = played.outcome if played.state == "told" else None, played.suggestion
        realised = played.realised if told is None else told.realised
        failed = played.state == "failed"
        return cls(
            asked.token,
            played,
            told,
            failed,
            realised,
            asked.scope,
            played.paid,
            played.number,
            time,
        )

    @classmethod
    def of_data(cls, name: str, data: DataAdded, rounds: int, time: float) -> Result:
        """Result of external data that came after so many rounds, at a time of the clock."""
        said = data.outcome
        scope, cost, source = data.scope, said.cost, data.source
        return cls(name, None, said, False, said.realised, scope, cost, rounds, time, source)

    @property
    def shown(self) -> Mapping[str, Any]:
        """Values by name, those derived from others included."""
        return self.realised if self.played is None else self.played.realised

    @property
    def worked(self) -> bool:
        """Whether there is, or was before it was voided, an outcome."""
        return self.played is None or self.played.outcome is not None


@dataclass(frozen=True, eq=False)
class Fit:
    """Hyperparameters that were learned, and the data behind them.

    Attributes:
        round: number of the round before which they were learned.
        hyperparameters: plain data, as `Method.refit` returned them, or those of one model among
            them.
        results: all results as they stood.

    It belongs to the ask of that round: if something else is logged first, it does not count, and
    is made again.
    """

    round: int
    hyperparameters: Any
    results: tuple[Result, ...]

    def part(self, *keys: str) -> Any:
        """Hyperparameters under these keys, one within the other; None: there are none."""
        found = self.hyperparameters
        for key in keys:
            if not isinstance(found, Mapping) or key not in found:
                return None
            found = found[key]
        return found


@dataclass(frozen=True)
class Costs:
    """Charges and known costs of rounds and of external data as they stand.

    Attributes:
        spent: total charge.
        estimated: part of it that is charged for unknown costs.
        unpriced: number of rounds that have ended, or are charged for, of unknown cost.
        usual: mean cost of a round; None where no cost is known.
        by_scope: mean cost of a play of each scope, external data included, where one is known.
        working: the same of plays that have an outcome.
    """

    spent: float
    estimated: float
    unpriced: int
    usual: float | None
    by_scope: Mapping[Scope, float]
    working: Mapping[Scope, float]

    @classmethod
    def of(
        cls, rounds: Collection[Round], data: Iterable[DataAdded], void: Iterable[DataAdded]
    ) -> Costs:
        """Sum up; `void` data stay paid, and no longer count in mean costs."""
        paid, working = defaultdict[Scope, list[float]](list), defaultdict[Scope, list[float]](list)
        charges = [each.charged for each in (*data, *void)]
        unpriced = list[float]()
        known = list[float]()
        for played in rounds:
            cost = played.paid
            charges.append(played.charged if cost is None else cost)
            if cost is not None:
                known.append(cost)
                paid[played.suggestion.scope].append(cost)
                if played.outcome is not None:
                    working[played.suggestion.scope].append(cost)
            elif played.unpriced:
                unpriced.append(played.charged)
        for each in data:
            cost = each.outcome.cost
            if each.scope is not None and cost is not None and each.source is None:
                paid[each.scope].append(cost)
                working[each.scope].append(cost)
        usual = math.fsum(known) / len(known) if known else None
        means = (
            {scope: math.fsum(some) / len(some) for scope, some in by.items()}
            for by in (paid, working)
        )
        return cls(math.fsum(charges), math.fsum(unpriced), len(unpriced), usual, *means)


def number_of(name: str) -> int:
    """Number in the name of external data, by which it is ordered.

    >>> number_of("added-12")
    12
    """
    return int(name.rpartition("-")[2])


class History:
    """Rounds in the order they were asked, and data that was added.

    It only grows by `apply`. `budget` (money), `limit` (rounds) and `stop` are None where there is
    no such limit. Values by name are put in the problem's `order`; realised ones are `completed` by
    values derived from them; those of suggestions are also `shown` as people set them.
    """

    def __init__(
        self,
        created: Created,
        order: Callable[[Any], Any],
        completed: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict,
        shown: Callable[[Mapping[str, Any], Mapping[str, Any]], dict[str, str]] = (
            lambda values, request: {}
        ),
    ) -> None:
        self.created, self._order, self.completed, self._shown = created, order, completed, shown
        self.budget, self.limit, self.stop = created.budget, created.rounds, created.stop
        self.columns: dict[str, str] = {}  # how the lab heads columns of tables, by their own names
        self.revisions: list[LimitsRevised] = []
        self.event_count = 1
        self.data: dict[str, DataAdded] = {}  # external data, by the name that `amend` takes
        self.removed: dict[str, DataAdded] = {}  # those of them that are void by now, as they were
        self.first_data: dict[str, DataAdded] = {}  # external data as it came, by name
        # names of external data by the identity that they came with
        self.identified: dict[str, str] = {}
        # outcomes as they were told, where they hold a code and do not count whole
        self.coded: dict[str, Outcome] = {}
        # of people, by token or name of data, in order
        self.remarks: dict[str, tuple[str, ...]] = {}
        self.files: dict[str, tuple[KeptFile, ...]] = {}  # likewise
        self._added = 0
        # rounds and clock when each result came, in that order; None: before any round
        self._came: dict[str, tuple[int, float | None]] = {}
        self._known: dict[str, tuple[Round | DataAdded, Result]] = {}
        self._results: tuple[Result, ...] | None = ()  # None: to be gathered anew
        self._gathered = 0  # how many of `_came` are in them: later ones are to be added
        # results of all sources, and those of here among them
        self._of_here: tuple[tuple[Result, ...], tuple[Result, ...]] = (), ()
        self.sources: dict[str, None] = {}  # names of sources other than here, in order
        self._latest: dict[tuple[int | str, ...], tuple[tuple[Fit, ...], Fit | None]] = {}
        # oldest first; those that are of bounds before the present ones do not count
        self.fits: tuple[Fit, ...] = ()
        self._rounds: dict[str, Round] = {}
        # tokens of rounds without an outcome to learn from, in order
        self._unknown: dict[str, None] = {}
        # those of them that are pending: a long stream may have many failures
        self._open: dict[str, None] = {}
        self._waiting: dict[str, None] = {}  # and these with those that were abandoned
        self._costs: Costs | None = None  # None: to be summed up anew
        self._failed = 0
        # heap, latest first: negative time and number, and token
        self._clock: list[tuple[float, int, str]] = []
        self._held: str | None = None  # token of the first of them
        self.dates = Dates()  # times that external data say
        # tokens of rounds whose time was counted on from that of data
        self._counted: set[str] = set()
        self.undated = False  # whether data came before any round and say no time themselves
        self.asked_for: float | None = None  # time that is asked for before any round
        self._began = 0.0  # `beginning` when results were gathered

    def __copy__(self) -> History:
        """Copy to which other events can be applied."""
        other = object.__new__(History)
        for name, value in vars(self).items():
            setattr(other, name, copy(value) if isinstance(value, dict | list | set) else value)
        other.dates = deepcopy(self.dates)
        return other

    def __iter__(self) -> Iterator[Round]:
        return iter(list(self._rounds.values()))  # a copy: another thread may go on

    def __len__(self) -> int:
        return len(self._rounds)

    def __getitem__(self, token: str) -> Round:
        try:
            return self._rounds[token]
        except KeyError:
            if token in self.data or token in self.removed:
                raise UnknownSuggestion(
                    f"{token} is data, and no suggestion: to correct it, use ‹amend›"
                ) from None
            pending = ", ".join(r.suggestion.token for r in self.pending) or "none"
            raise UnknownSuggestion(
                f"suggestion {short_repr(token)} is unknown here; open: {pending}"
            ) from None

    def datum(self, name: str) -> DataAdded | None:
        """External data of that name, void or not; None: there is none."""
        return self.data.get(name) or self.removed.get(name)

    def round_of(self, name: str) -> Round | None:
        """Round with this token; None: it is the name of data."""
        return self._rounds.get(name)

    def scope_of(self, name: str) -> Scope | None:
        """Scope of a round, or of data that say it."""
        if (played := self._rounds.get(name)) is not None:
            return played.suggestion.scope
        datum = self.datum(name)
        return None if datum is None else datum.scope

    def standing(self, name: str) -> Outcome | None:
        """Outcome that counts, of a round or of data; None: there is none, or it is void."""
        if name in self.data:
            return self.data[name].outcome
        played = self._rounds.get(name)
        return played.outcome if played is not None and played.state == "told" else None

    def as_told(self, name: str) -> Outcome | None:
        """Outcome as it was told, whether it counts or holds a code; None: there is none, or it is void."""
        return self.coded.get(name) or self.standing(name)

    def count_as(self, name: str, outcome: Outcome | None) -> Amended:
        """Count an outcome otherwise than it was told; returns the correction that says so.

        A cost that is taken out counts as one that is unknown: the budget is charged the
        expected cost.
        """
        told, correction = self.as_told(name), Amended(name, outcome)
        self.apply(correction)
        if told is not None and told != outcome:
            self.coded[name] = told
        else:
            self.coded.pop(name, None)
        if (
            name in self._rounds
            and outcome is not None
            and outcome.cost is None
            and told is not None
            and told.cost
        ):
            self._change(name, charge=self.estimate(name))
        return correction

    @property
    def added(self) -> list[Outcome]:
        """External data, in order."""
        return [event.outcome for event in list(self.data.values())]

    def outcomes(self) -> Iterator[tuple[str, Outcome, Round | None]]:
        """All outcomes of here as they stand now, by name: external data first, then completed rounds."""
        for name, event in list(self.data.items()):
            if event.source is None:
                yield name, event.outcome, None
        for played, outcome in self.told:
            yield played.suggestion.token, outcome, played

    @property
    def results(self) -> tuple[Result, ...]:
        """All outcomes and failures of here as they stand now, in the order in which they came."""
        everywhere = self.results_everywhere
        if not self.sources:
            return everywhere
        if self._of_here[0] is not everywhere:
            here = tuple(each for each in everywhere if each.source is None)
            self._of_here = everywhere, here
        return self._of_here[1]

    @property
    def results_everywhere(self) -> tuple[Result, ...]:
        """All outcomes and failures, of other sources, too.

        One that is corrected keeps its place. Those that are as they were before are the same
        objects, so that tuples are compared quickly.
        """
        if self._results is None:
            self._results, self._gathered = (), 0
        if self._gathered < len(self._came):
            standing = (self._result(name) for name in islice(self._came, self._gathered, None))
            self._results = (*self._results, *(each for each in standing if each is not None))
            self._gathered = len(self._came)
        return self._results

    def _result(self, name: str) -> Result | None:
        """A result as it stands; None: data that are void."""
        source = self.data.get(name) or self._rounds.get(name)
        if source is None:
            return None
        before, time = self._known.get(name), self.clock_at(name)
        if before is None or before[0] is not source or before[1].time != time:
            rounds, _ = self._came[name]
            if isinstance(source, Round):
                made = Result.of_round(source, time)
            else:
                made = Result.of_data(name, source, rounds, time)
            before = self._known[name] = source, made
        return before[1]

    def _arrive(self, name: str) -> None:
        """Add a result, or take note that one of them is another now."""
        if name in self._came:
            self._results = None
            return
        self._came[name] = len(self), None if self._held is None else self.last_time

    def fit(self, *keys: str, since: int = 0) -> Fit | None:
        """The latest fit of one model, whose hyperparameters are under these keys; None: there is none.

        It is the same object as long as there is no later one. The first `since` fits are left out.
        """
        among, latest = self._latest.get((since, *keys), ((), None))
        if among is not self.fits:
            later = reversed(self.fits[since:])
            with_it = ((fit, part) for fit in later if (part := fit.part(*keys)) is not None)
            fit, part = next(with_it, (None, None))
            if fit is None:
                latest = None
            elif (
                latest is None
                or latest.hyperparameters is not part
                or latest.results is not fit.results
            ):
                latest = replace(fit, hyperparameters=part)
            self._latest[since, *keys] = self.fits, latest
        return latest

    def clock_at(self, name: str) -> float:
        """Time of the clock when an outcome or a failure came; 0 before it has."""
        time = self._came.get(name, (0, 0.0))[1]
        return self.beginning if time is None else time

    @property
    def beginning(self) -> float:
        """Time of data that came before any round and say none: that of the first round, once it is known."""
        if not self.undated:
            return 0.0
        if (first := self.first) is None:
            return self.asked_for or 0.0
        time = first.request.get("time")
        return 0.0 if time is None else beginning(first.number, float(time), self.is_counted(first))

    @property
    def last_time(self) -> float:
        """Time of the last round that holds the clock, and of data that say none; before the first see `beginning`."""
        return (
            self.beginning
            if self._held is None
            else float(self._rounds[self._held].request["time"])
        )

    @property
    def told(self) -> tuple[tuple[Round, Outcome], ...]:
        """Rounds with an outcome to learn from, each with it, in the order they were asked."""
        return tuple((r, r.outcome) for r in self if r.state == "told" and r.outcome is not None)

    @property
    def value_name(self) -> str:
        """Name that the lab gives the outcome, as tables head it, without its unit; "value" where it gives none."""
        return parted(self.columns.get("value", "value"))[0]

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

    @property
    def clock(self) -> Round | None:
        """The round of the latest time, of rounds that have a time and hold the clock; of several the one asked last.

        It need not be the last one: an abandoned round may have an outcome after all.
        """
        return None if self._held is None else self._rounds[self._held]

    @property
    def first(self) -> Round | None:
        """The round asked first, of rounds that hold the clock."""
        return next((played for played in self._rounds.values() if played.holds_clock), None)

    @property
    def latest_dated(self) -> Dated | None:
        """The latest time that external data say; None: none do.

        One that is far ahead of all other times is left out until another is near it: it may have
        been mistyped.
        """
        latest, far = self.dates.last(COMPARED + 1), len(self.far_dated)
        return latest[-1 - far] if far < len(latest) else None

    @property
    def far_dated(self) -> tuple[Dated, ...]:
        """Times of external data that are far ahead of all others, the latest first: see `latest_dated`."""
        latest, far = self.dates.last(COMPARED + 1), list[Dated]()
        while latest and self.leap_to(latest[-1].time, latest[:-1]):
            far.append(latest.pop())
        return tuple(far)

    def leap_to(self, time: float, dates: Sequence[Dated]) -> Leap | None:
        """The leap to a time of data from those of other data and of the latest rounds; None: it is not far ahead.

        Only rounds that hold the clock count.
        """
        rounds = [
            r.request["time"] for r in self.last(COMPARED) if r.holds_clock and "time" in r.request
        ]
        return far_ahead(time, [dated.time for dated in dates] + rounds)

    def continues_data(self, token: str) -> bool:
        """Whether the time of a round is counted on from that of data."""
        return token in self._counted

    def is_counted(self, played: Round) -> bool:
        """Whether the time of a round may have been counted, and not given: it is its number, or follows data."""
        return (
            self.continues_data(played.suggestion.token)
            or played.request.get("time") == played.number
        )

    @property
    def next_round(self) -> int:
        """Number of the round that is asked for next; rounds are counted from 1."""
        return len(self) + 1

    @property
    def next_time(self) -> float:
        """Time of the next round where none is given.

        Rounds are counted, from 1 or from the time of the round before; where data are later, from
        theirs. Where the round before was given a time, the number of the round.
        """
        number, last = self.next_round, self.clock
        if last is not None and not self.is_counted(last):
            return float(number)
        time = (
            float(number) if last is None else float(last.request["time"]) + (number - last.number)
        )
        dated = self.latest_dated if self.dates.reach(time) else None
        return time if dated is None or dated.time <= time else dated.time + 1.0

    def before(self, played: Round) -> Round | None:
        """Round asked before another one; None: that one is the first."""
        return None if played.number == 1 else self.last(len(self) - played.number + 2)[0]

    def last(self, n: int) -> list[Round]:
        """The last n rounds, or as many as there are, in order: O(n), however long the history."""
        return list(islice(reversed(self._rounds.values()), n))[::-1]

    @property
    def unresolved(self) -> tuple[Round, ...]:
        """Pending, abandoned, failed and voided rounds: tried or being tried, with no value to learn from."""
        return tuple(self._rounds[token] for token in list(self._unknown))

    @property
    def waiting(self) -> tuple[Round, ...]:
        """Rounds that may still have an outcome: pending, or abandoned and perhaps late."""
        return tuple(self._rounds[token] for token in list(self._waiting))

    @property
    def n_completed(self) -> int:
        """Number of rounds with an outcome to learn from."""
        return len(self._rounds) - len(self._unknown)

    @property
    def failed(self) -> int:
        """Number of rounds that failed and were not corrected since."""
        return self._failed

    @property
    def costs(self) -> Costs:
        """Charges and known costs as they stand."""
        if self._costs is None:
            self._costs = Costs.of(self._rounds.values(), self.data.values(), self.removed.values())
        return self._costs

    @property
    def spent(self) -> float:
        """Money spent, failed and voided rounds included, with the charges for unknown costs."""
        return self.costs.spent

    @property
    def estimated(self) -> float:
        """Part of `spent` that is charged for unknown costs."""
        return self.costs.estimated

    @property
    def unpriced(self) -> int:
        """Number of rounds that have ended, or are charged, at an unknown cost."""
        return self.costs.unpriced

    def mean_cost(self, scope: Scope) -> float | None:
        """Mean cost of a play of `scope`, external data included; None where no cost is known."""
        return self.costs.by_scope.get(scope)

    def mean_cost_working(self, scope: Scope) -> float | None:
        """Mean cost of a play of `scope` that has an outcome, external data included; None where none is known.

        The cost of a failure, which may have ended early, is not the price of a play that works.
        """
        return self.costs.working.get(scope)

    def estimate(self, token: str) -> float | None:
        """Charge for a failed round of unknown cost; None without a budget.

        Its expected cost, else the mean cost of all rounds; 0 as long as no cost is known.
        """
        if self.budget is None:
            return None
        expected = self[token].expected_cost
        return expected if expected is not None else self.costs.usual or 0.0

    @property
    def reserved(self) -> float:
        """Money that the pending rounds are expected to cost."""
        return sum(r.expected_cost or 0.0 for r in self.pending)

    @property
    def rounding(self) -> float:
        """Tolerance for rounding of sums of money: ten times 0.1 is 0.9999999999999999 to a computer."""
        return 0.0 if self.budget is None else 1e-12 * self.budget

    @property
    def remaining(self) -> float:
        """Money neither spent nor reserved; infinite without a budget."""
        return float("inf") if self.budget is None else self.budget - self.spent - self.reserved

    def affords(self, cost: float | None) -> bool:
        """Whether a cost fits into the money left; an unknown one does."""
        return cost is None or not cost > self.remaining + self.rounding

    def apply(self, event: Event) -> None:
        """Take in one event."""
        self.event_count += 1
        self._costs = None
        self._apply(event)
        self._date()

    def ask_for(self, time: float) -> None:
        """Let data from before any round that say no time have come at a time; only in a copy."""
        self.asked_for = time
        self._date()

    def _date(self) -> None:
        """Date results from before any round anew, where the first round has another time."""
        if not self.undated or self.beginning == self._began:
            return
        self._began, self._results = self.beginning, None
        before = {name for name, (_, time) in self._came.items() if time is None}

        def dated(result: Result) -> Result:
            return replace(result, time=self._began) if result.name in before else result

        self.fits = tuple(replace(fit, results=tuple(map(dated, fit.results))) for fit in self.fits)

    def _apply(self, event: Event) -> None:
        is_chosen = isinstance(event, Asked) and not event.note.get("own")
        if self.fits and self.fits[-1].round > len(self) and not is_chosen:
            self.fits = self.fits[:-1]  # its ask was lost: the next one learns from this event, too
        match event:
            case Asked():
                self._begin(event)
            case Decided():
                old, request = self[event.token].suggestion, self[event.token].request
                values = self._order({**old.values, **event.values})
                context = self._order({**old.context, **event.context})
                self._change(
                    event.token,
                    suggestion=with_checked(
                        old,
                        values=values,
                        context=context,
                        shown=self._shown({**context, **values}, request),
                        observe=event.observe,
                        note=self._order({**old.note, **event.note}),
                        limits=dict(event.limits),
                    ),
                )
            case OutcomeTold():
                self._change(event.token, state="told", outcome=event.outcome)
            case Failed():
                self._change(event.token, state="failed", failure=event, charge=event.charge)
            case Amended() if self.datum(event.token) is not None:
                self._correct(event)
            case Amended(outcome=Outcome()):
                self._change(event.token, state="told", outcome=event.outcome)
            case Amended(failure=Failed() as failure):
                charge = failure.charge if failure.cost is None else self[event.token].charge
                self._change(event.token, state="failed", failure=failure, charge=charge)
            case Amended():
                self._change(event.token, state="void")
            case Abandoned():
                self._change(event.token, state="abandoned", abandoned=event, charge=event.charge)
            case DataAdded():
                self._add(event)
            case LimitsRevised():
                now = {name: new for name, (_, new) in event.changes.items()}
                self.budget = now.get("budget", self.budget)
                self.limit = now.get("rounds", self.limit)
                self.stop = now.get("stop", self.stop)
                self.columns = now.get("columns", self.columns)
                self.revisions.append(event)
            case Remarked():
                self._remark(event)
            case Refitted():
                self.fits = (
                    *self.fits,
                    Fit(event.round, event.hyperparameters, self.results_everywhere),
                )
            case BoundsExtended():
                self.fits = ()
            case Created():
                pass
            case _:
                assert_never(event)

    def _add(self, event: DataAdded) -> None:
        self._added += 1
        self.undated = self.undated or (self._held is None and "time" not in event.outcome.realised)
        self.data[self.latest_data] = self.first_data[self.latest_data] = event
        if event.id is not None:
            self.identified[event.id] = self.latest_data
        if event.source is not None:
            self.sources[event.source] = None
        self._arrive(self.latest_data)
        self.dates.state(self.latest_data, event.outcome.realised.get("time"), len(self))

    def _remark(self, event: Remarked) -> None:
        name = event.token
        if event.text:
            self.remarks[name] = (*self.remarks.get(name, ()), event.text)
        if event.file is not None:
            self.files[name] = (*self.files.get(name, ()), event.file)

    def rewind(self, asked: Asked, decided: Sequence[Decided]) -> None:
        """Reset a waiting round to its state after some of its looks; only in a copy, whose events are not its own."""
        now = self[asked.token]
        first = History(self.created, self._order, self.completed, self._shown)
        first.apply(asked)
        for event in decided:
            first.apply(event)
        then = first[asked.token]
        self._rounds[asked.token] = replace(now, suggestion=then.suggestion, realised=then.realised)

    def _begin(self, event: Asked) -> None:
        seen = event.request.get("context", {})
        realised = self._order({**seen, **event.values})
        suggestion = of_checked(
            Suggestion,
            token=event.token,
            round=event.round,
            scope=event.scope,
            values=dict(event.values),
            observe=event.observe,
            context=dict(seen),
            note=dict(event.note),
            change_cost=event.change_cost,
            warnings=(),
            shown=self._shown({**seen, **event.values}, event.request),
            limits=dict(event.limits),
        )
        known = suggestion, event.request, event.expected_cost
        if self.dates and event.request.get("time") == self.next_time != event.round:
            self._counted.add(event.token)
        self._rounds[event.token] = Round(*known, realised=realised, gain=event.gain)
        self._unknown[event.token] = self._open[event.token] = self._waiting[event.token] = None
        self._set_clock(self._rounds[event.token])

    def _set_clock(self, after: Round) -> None:
        """Count the time of a round that holds the clock from now on, and no more those that do not."""
        if after.holds_clock and isinstance(time := after.request.get("time"), int | float):
            heappush(self._clock, (-time, -after.number, after.suggestion.token))
        while self._clock and not self._rounds[self._clock[0][2]].holds_clock:
            heappop(self._clock)
        self._held = self._clock[0][2] if self._clock else None

    def _correct(self, event: Amended) -> None:
        """Correct or void external data, whose cost stays spent; a value brings void data back to its place."""
        name, before = event.token, self.datum(event.token)
        assert before is not None
        if event.outcome is None:
            if name in self.data:
                self._results = None
                self.removed[name] = self.data.pop(name)
                self.dates.state(name, None, len(self))
            return
        charge = before.charge if event.charge is None else event.charge
        after = replace(
            before, outcome=event.outcome, charge=charge, scope=event.scope or before.scope
        )
        self._results = None
        self.dates.state(name, after.outcome.realised.get("time"), len(self))
        if name in self.data:
            self.data[name] = after
        else:
            del self.removed[name]
            self.data = dict(
                sorted({**self.data, name: after}.items(), key=lambda item: number_of(item[0]))
            )

    def _change(self, token: str, **changes: Any) -> None:
        before = self[token]
        outcome = changes.get("outcome", before.outcome)
        failure = changes.get("failure", before.failure)
        known, suggestion = outcome or failure, changes.get("suggestion", before.suggestion)
        told = {
            **before.request.get("context", {}),
            **suggestion.values,
            **(known.realised if known else {}),
        }
        after = with_checked(before, realised=self._order(self.completed(told)), **changes)
        self._rounds[token] = after
        self._costs = None
        if before.holds_clock != after.holds_clock:
            self._set_clock(after)
        if token in self._came or after.state in ("told", "failed"):
            self._arrive(token)
        self._failed += (after.state == "failed") - (before.state == "failed")
        for tokens, stays in ((self._open, after.state == "open"), (self._waiting, after.waiting)):
            if not stays:
                tokens.pop(token, None)
        if after.state == "told":
            self._unknown.pop(token, None)
        else:
            self._unknown.setdefault(token)
