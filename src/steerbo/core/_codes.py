"""Codes for missing values: numbers that come again, to the last bit, at other settings, where others do not.

Instruments and tables write -200, -999, 0 or 9999 where nothing was measured, and one that is stuck
writes the same for ever. No model can tell such a number from a measurement by its size alone: 0
and 99 may lie within the range. That it comes again does tell it, unless outcomes are rounded so
that any of them may.

The rule, for outcomes, for those that have a limit, and for the costs of one scope. A number is a
code where

- it was told at three different settings or more, and at least as many others were known when it
  was found;
- most others are unique, and rounding alone brings so many together in at most one study of a
  hundred: see `by_chance`; or it lies far beyond all others, as 99 does of ratings from 1 to 5;
- it does not stand together at neighbouring settings, as do yields of 0 or 100 % on a plateau,
  penalties where a simulation breaks, and rounded outcomes at an optimum: see `stand_together`. But
  a value that all rounds have given since may: it is an instrument that is stuck;
- it is not brought by one setting, as no harm is by a dose of 0: see `brought_by_one_setting`;
- it is no end that the others reach, as a yield of 0 among small ones: see `adjoins`. Such an end may
  be a code all the same, as is 0 among values from 0 to 100. It counts, and is asked about.

A number beyond `LARGEST`, which no door takes, is one at once: some other program wrote it into the
log.

A cost that equals the sum of all stated prices so far, for the second time, is a total.

A result that holds a code is kept as it was told, and does not count: an outcome as if it were
void, one that has a limit as if it had not been measured, a cost as if the stated one had been
paid, or an unknown one. Amending such an outcome to the same value confirms it: then the
number counts wherever it stands, and nobody is asked about it.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from .._arrays import Bool, Float
from .._evidence import ALPHA
from ..errors import SteerboError
from ..space import Categorical, Space
from ._context import TIME
from ._findings import Finding, Reason, finding, reason
from ._history import History
from ._problem import ConstrainedProblem, Problem
from .answers import Scope
from .events import Amended, DataAdded, Outcome, OutcomeTold, Reported
from .request import LARGEST

_SETTINGS = 3  # different settings from which on a number that comes again is noticed
_COMPARED = 200  # latest outcomes that neighbours are looked for among
# standard deviations that a normal deviate exceeds in five, and in one, of a hundred
_FIND, _RELEASE = 1.645, 2.326

FINEST = 1e-9
"""Part of the largest number: two that are no further apart are one."""

FarBeyond = Callable[[float, Sequence[float]], bool]


Place = tuple[float, ...]
"""Settings at which an outcome was measured, encoded so that equal distances count alike."""

Repeated = Literal["", "code", "end"]
"""Judgement of a number that comes again: nothing to speak of, a code, or a code unless outcomes are cut off there."""


class _Told(NamedTuple):
    """A number of a column, and where it was told."""

    number: float
    place: Place
    played: bool = True  # in a round, so that it came after those before it; a table may be sorted


class Column:
    """Numbers of one column, by the names of the outcomes that they belong to, and those of them that are codes.

    Args:
        far_beyond: whether a number lies far beyond all others.

    Attributes:
        codes: numbers that are codes.
        ends: numbers that are codes unless outcomes are cut off there.

    >>> column = Column(lambda number, others: False)
    >>> for place, number in enumerate([5.13, 4.27, -200, 3.99, -200, 4.71]):
    ...     column.state(f"round {place}", number, (place / 10,))
    >>> column.foresee(-200, (0.6,)), column.foresee(3.52, (0.6,))
    (('code', 3), ('', 1))
    """

    def __init__(self, far_beyond: FarBeyond) -> None:
        self._far_beyond = far_beyond
        self._told: dict[str, _Told] = {}
        self._places: dict[float, Counter[Place]] = defaultdict(Counter)
        self._sorted: list[float] = []  # each number once
        self._several: set[float] = set()  # numbers at more than one setting
        self._confirmed: set[float] = set()
        self.codes: set[float] = set()
        self.ends: set[float] = set()

    def __len__(self) -> int:
        return len(self._told)

    def names(self, number: float) -> list[str]:
        """Names of the outcomes with a number, in the order in which they came."""
        return [name for name, told in self._told.items() if told.number == number]

    def about(self, number: float) -> dict[str, Any]:
        """Values of a finding on a number that comes again, by name."""
        names = self.names(number)
        return {"value": number, "times": len(names), "outcomes": len(self), "latest": names[-1]}

    def number(self, name: str) -> float | None:
        """Number of an outcome; None: it has none."""
        return self._told[name].number if name in self._told else None

    def has(self, name: str, number: float | None, place: Place) -> bool:
        """Whether an outcome has this number, and was measured at this place; None: it has none."""
        told = self._told.get(name)
        return number is None if told is None else (told.number, told.place) == (number, place)

    def confirm(self, number: float) -> None:
        """Count a number from the next outcome on, however often it comes."""
        self._confirmed.add(number)

    def state(self, name: str, number: float | None, place: Place, *, played: bool = True) -> None:
        """Replace the number of an outcome, and find codes anew.

        Args:
            name: of the outcome.
            number: None: it has none any more.
            place: where it was told.
            played: whether it is a round's, and came after those before it: data may be sorted.
        """
        if name in self._told:
            self._remove(self._told.pop(name))
        if number is not None:
            self._told[name] = _Told(number, place, played)
            self._add(self._told[name])
            if self._judged(number) == "code":
                self.codes = self.codes | {number}
        before = self.codes | self.ends if number is None else self.codes | self.ends | {number}
        self.codes = {code for code in self.codes if self._judged(code) == "code"}
        self.ends = {each for each in before - self.codes if self._judged(each)}

    def foresee(self, number: float, place: Place) -> tuple[Repeated, int]:
        """Judgement of a number with one more of it, and the number of settings at which it will have been told."""
        told = _Told(number, place)
        self._add(told)
        found = self._judged(number), len(self._places[number])
        self._remove(told)
        return found

    def _add(self, told: _Told) -> None:
        if told.number not in self._places:
            insort(self._sorted, told.number)
        places = self._places[told.number]
        places[told.place] += 1
        if len(places) > 1:
            self._several.add(told.number)

    def _remove(self, told: _Told) -> None:
        places = self._places[told.number]
        places[told.place] -= 1
        if not places[told.place]:
            del places[told.place]
        if len(places) < 2:
            self._several.discard(told.number)
        if not places:
            del self._places[told.number]
            del self._sorted[bisect_left(self._sorted, told.number)]

    def _judged(self, number: float) -> Repeated:
        times = len(self._places.get(number, ()))
        if abs(number) > LARGEST:  # which no door takes: the log was written by other hands
            return "code" if times > 0 else ""
        if times < _SETTINGS or number in self._confirmed:
            return ""
        tied = [len(self._places[each]) for each in self._several - self.codes if each != number]
        unique = len(self._places) - len(self._several)
        others = unique + sum(tied)
        if others < _SETTINGS or (times > others and number not in self.codes):
            return ""
        ties = sum(math.comb(each, 2) for each in tied)
        by_itself = (
            2 * unique >= others and by_chance(times, others, ties, self._cells(number)) <= ALPHA
        )
        if not by_itself:
            by_itself = self._far_beyond(
                number, [x for x in self._sorted if x != number and x not in self.codes]
            )
        return self._judged_by_place(number) if by_itself else ""

    def _judged_by_place(self, number: float) -> Repeated:
        latest = list(islice(reversed(self._told.values()), _COMPARED))
        theirs = [told.number == number for told in latest]
        since = latest[: theirs.count(True)]
        width = max(len(told.place) for told in latest)  # a log may leave out some values
        places = np.array([(*told.place, *[0.0] * (width - len(told.place))) for told in latest])
        if brought_by_one_setting(places, np.array(theirs)):
            return ""
        # nothing else came: a stuck instrument
        if all(told.number == number and told.played for told in since):
            return "code"
        deviate = _RELEASE if number in self.codes else _FIND
        if stand_together(places, np.array(theirs), deviate):
            return ""
        once = [x for x in self._sorted if x not in self._several]  # other codes reach no end
        return "end" if adjoins(number, once) else "code"

    def _cells(self, number: float) -> float:
        """Count the numbers that could have come as well, by the step that all are multiples of.

        They lie in twice the middle half of all, or between this one and the next, whichever is
        wider.
        """
        k, n = bisect_left(self._sorted, number), len(self._sorted)
        next_ones = [*self._sorted[max(k - 1, 0) : k], *self._sorted[k + 1 : k + 2]]
        apart = min((abs(number - other) for other in next_ones), default=0.0)
        middle = self._sorted[3 * n // 4] - self._sorted[n // 4]
        return max(apart, 2.0 * middle) / max(common_step(self._sorted), 1e-300)


def by_chance(times: int, others: int, ties: int, cells: float) -> float:
    """Bound on the probability that rounding alone makes a number come so often.

    Among n outcomes C(n, k) ρ^(k - 1) groups of k equal ones are expected, where two are equal with
    probability ρ: that of so many cells, or the share of tied pairs among the others, whichever is
    larger. At most 1 is returned.

    Args:
        times: k.
        others: outcomes beside them.
        ties: pairs of these that are the same.
        cells: numbers that are as likely to come.

    >>> round(by_chance(3, 7, 0, 20.0), 3)
    0.3
    """
    alike = max(
        1.0 / min(max(cells, 1.0), 1e300), ties / math.comb(others, 2) if others > 1 else 1.0
    )
    # logarithm of C(n, k)
    groups = math.lgamma(times + others + 1) - math.lgamma(times + 1) - math.lgamma(others + 1)
    return math.exp(min(groups + (times - 1) * math.log(alike), 0.0))


def brought_by_one_setting(
    places: Float[np.ndarray, "n d"], chosen: Bool[np.ndarray, " n"]
) -> bool:
    """Whether all chosen ones of n places, and no other one, have the same number in a coordinate.

    A dose of 0 does no harm whatever the age: that 0 comes again is a law, and no code. Coordinates
    of choices, which have two values, do not count.

    Args:
        places: (n, d).
        chosen: which of them, (n,); at least one.

    >>> places = np.array([[0.0, 0.3], [0.0, 0.8], [0.0, 0.1], [0.4, 0.2], [0.9, 0.6]])
    >>> brought_by_one_setting(places, places[:, 0] == 0.0), brought_by_one_setting(places, places[:, 1] > 0.25)
    (True, False)
    """
    theirs, others = places[chosen], places[~chosen]
    alike = (theirs == theirs[0]).all(axis=0) & ~(others == theirs[0]).any(axis=0)
    return any(len({*places[:, j].tolist()}) > 2 for j in np.flatnonzero(alike))


def adjoins(number: float, others: Sequence[float]) -> bool:
    """Whether a number is an end of all others, no further from them than those near it are from each other.

    Then it is where outcomes are cut off, as a yield of 0, a share of 100 % or what a device can
    just detect: such an end comes again wherever nothing better does. Of numbers that are all of
    one sign that is 0 at most: -1 among positive ones is none.

    Args:
        number: that comes again.
        others: in ascending order, each once; their half that is nearer to the number is compared.

    >>> adjoins(0.0, [0.2, 0.5, 0.9, 1.6, 2.0]), adjoins(-200.0, [0.2, 0.5, 0.9]), adjoins(0.5, [0.2, 0.9, 1.0])
    (True, False, False)
    """
    far = sorted(abs(number - other) for other in others)
    if len(far) < 2 or others[0] < number < others[-1]:
        return False
    if number < 0.0 <= others[0] or others[-1] <= 0.0 < number:
        return False
    near = far[: len(far) // 2 + 1]
    return near[0] <= max(after - before for before, after in pairwise(near))


def stand_together(
    places: Float[np.ndarray, "n d"], chosen: Bool[np.ndarray, " n"], deviate: float
) -> bool:
    """Whether some of n places stand next to one another more often than by chance.

    The number of chosen ones whose nearest neighbour is one, too, as in the test of Cuzick and
    Edwards (1990), against its mean and twice its binomial variance, since neighbours are often
    mutual.

    Args:
        places: (n, d).
        chosen: which of them, (n,).
        deviate: standard deviations by which the number is to exceed its mean.

    >>> places, chosen = np.arange(12.0)[:, None], np.arange(12) < 6
    >>> stand_together(places, chosen, 1.645), stand_together(places, np.arange(12) % 2 == 0, 1.645)
    (True, False)
    """
    n, k = len(places), int(chosen.sum())
    distances = np.abs(places[chosen][:, None, :] - places).sum(axis=-1)
    distances[np.arange(k), np.flatnonzero(chosen)] = np.inf
    together, share = int(chosen[distances.argmin(axis=1)].sum()), (k - 1) / max(n - 1, 1)
    return together - k * share > deviate * math.sqrt(2.0 * k * share * (1.0 - share))


def common_step(numbers: Sequence[float]) -> float:
    """Largest step that all differences of ascending numbers are multiples of.

    Shares of thirty trials have steps of a thirtieth, however many decimals are written. Numbers
    without a step have one of a thousand millionth of their size. Small numbers are taken first:
    one whose own rounding hides the step that they have says nothing of it.

    >>> common_step([0.25, 1.5, 2.25]), round(common_step([1 / 30, 7 / 30, 11 / 30]) * 30, 6)
    (0.25, 2.0)
    >>> common_step([0.25, 1.5, 2.25, 1e20])
    0.25
    """
    step = finest = 0.0
    for size, apart in sorted((max(abs(a), abs(b)), b - a) for a, b in pairwise(numbers)):
        finest = FINEST * size
        if 0.0 < step <= finest:
            return step
        step = common_divisor(step, apart, finest)
    return step or finest


def common_divisor(one: float, other: float, finest: float) -> float:
    """Common divisor of two numbers from 0, by Euclid's algorithm; what is not above `finest`, or no float, is 0.

    >>> common_divisor(0.75, 0.5, 1e-9), common_divisor(0.0, 0.3, 1e-9)
    (0.25, 0.3)
    """
    while finest < other < math.inf:
        one, other = other, abs(math.remainder(one, other))
    return one


class Totals:
    """Costs of rounds, in the order in which they came, that are the sum of all stated prices so far.

    >>> totals = Totals()
    >>> for number in range(1, 5):
    ...     totals.state(f"round {number}", 1.0, float(number))
    >>> sorted(totals.found)
    ['round 2', 'round 3', 'round 4']
    """

    def __init__(self) -> None:
        self._sum = 0.0  # of the prices of all rounds that have ended
        self._sums: dict[str, float] = {}  # up to each of them
        self._equal: set[str] = set()
        self._confirmed = False

    @property
    def found(self) -> set[str]:
        """Names of the rounds whose cost is a total; a single one may be chance."""
        return {*self._equal} if len(self._equal) > 1 and not self._confirmed else set()

    def confirm(self) -> None:
        """Count all costs from now on as they were told."""
        self._confirmed = True

    def state(self, name: str, price: float | None, cost: float | None) -> None:
        """Replace the cost of a round that has a price; None: it is unknown."""
        if price is None:
            return
        if name not in self._sums:
            self._sum += price
            self._sums[name] = self._sum
        equal = cost is not None and _is_total(cost, price, self._sums[name])
        (self._equal.add if equal else self._equal.discard)(name)

    def foresee(self, price: float | None, cost: float | None) -> bool:
        """Whether the cost of the next round will be found to be a total."""
        if price is None or cost is None or self._confirmed or not self._equal:
            return False
        return _is_total(cost, price, self._sum + price)


def _is_total(cost: float, price: float, total: float) -> bool:
    """Whether a cost equals a sum of prices, but for rounding, and not the price itself."""
    return math.isclose(cost, total) and not math.isclose(cost, price)


def _encoded(space: Space, name: str, value: Any) -> Iterator[float]:
    """Coordinates of a value: of a number its place in the range, of a choice one for each that there is."""
    if isinstance(value, Mapping):
        for part in value.values():
            yield from _encoded(space, "", part)
    elif name in space and isinstance(variable := space[name], Categorical):
        yield from (0.5 * (choice == value) for choice in variable.choices)
    elif name in space:
        try:
            yield float(space[name].encode([value])[0])
        except (SteerboError, TypeError):  # not measured, or outside its domain
            yield -1.0
    elif isinstance(value, int | float):
        yield float(value)


class Codes:
    """Codes among the outcomes and costs of a study: a fold over its events, which names the results that do not count.

    Args:
        problem: of the study.
        far_beyond: see `Column`.
    """

    def __init__(self, problem: Problem, far_beyond: FarBeyond) -> None:
        self._problem = problem
        self._values = Column(far_beyond)
        self._costs: dict[Scope | None, Column] = defaultdict(partial(Column, far_beyond))
        limited = problem.measured if isinstance(problem, ConstrainedProblem) else ()
        self._limited = {name: Column(far_beyond) for name in limited}
        self._totals = Totals()

    def take(self, event: Reported, history: History) -> Iterator[Amended]:
        """Take in an event that `history` has already; yield corrections of results, which it has then, too.

        They are no events of the log: they follow from it.
        """
        name = history.latest_data if isinstance(event, DataAdded) else event.token
        before, told = history.coded.pop(name, None), history.standing(name)
        place = () if told is None else self._place(told, history, name)
        numbers = {} if told is None else self._numbers(told, name, history)
        if isinstance(event, Amended) and before in (None, told):
            self._confirm(name, numbers, place, history)
        cost = None if told is None else told.cost
        for each in sorted({name, *self._state(name, numbers, place, cost, history)}):
            counted = self._counted(each, history)
            if counted != history.standing(each):
                yield history.count_as(each, counted)

    def foresee(self, event: Reported, history: History) -> Iterator[Finding]:
        """Find that an outcome which is not logged yet, and not in `history`, holds a code."""
        scope: Scope | None
        if isinstance(event, OutcomeTold):
            played = history[event.token]
            name, where, scope = event.token, f"round {played.number}", played.suggestion.scope
        elif isinstance(event, DataAdded):
            name = where = history.next_data
            scope = event.scope
        else:
            return
        outcome = event.outcome
        place = self._place(outcome, history, name)
        numbers = self._numbers(outcome, name, history)
        for field, column in self._columns(scope).items():
            if field not in numbers:
                continue
            kind, times = column.foresee(numbers[field], place)
            called = history.value_name if field == "value" else field
            about = {"name": called, "value": numbers[field], "times": times, "token": name}
            entry = f"realised.{field}" if field in self._limited else field
            if kind == "code":
                yield Finding("code", where, entry, about)
            elif kind == "end" and numbers[field] not in column.ends:  # it is asked about once
                yield Finding("end", where, entry, about)
        price = self._price(name, history)
        if self._totals.foresee(price, outcome.cost):
            yield Finding(
                "total", where, "cost", {"cost": outcome.cost, "price": price, "token": name}
            )

    def findings(self, history: History) -> Iterator[Finding]:
        """Name the codes, the results that are left out for them, and the ends that may be codes."""
        costs = (("cost", column) for column in self._costs.values())
        values = history.value_name, self._values
        for field, column in [values, *costs, *self._limited.items()]:
            for code in sorted(column.codes):
                yield finding("codes", name=field, **column.about(code))
            for end in sorted(column.ends):
                yield finding("ends", name=field, **column.about(end))
        if self._totals.found:
            yield finding("totals", rounds=len(self._totals.found), latest=max(self._totals.found))

    def left_out(self) -> Iterator[Reason]:
        """Say of an answer which outcomes are left out."""
        if codes := sorted(self._values.codes):
            outcomes = sum(len(self._values.names(code)) for code in codes)
            yield reason("left-out", outcomes=outcomes, values=codes)

    def _confirm(
        self, name: str, numbers: Mapping[str, float], place: Place, history: History
    ) -> None:
        """Take an outcome that was amended to what it is as a statement that it was measured."""
        columns = self._columns(history.scope_of(name))
        if not all(
            column.has(name, numbers.get(field), place) for field, column in columns.items()
        ):
            return
        for column in columns.values():
            number = column.number(name)
            if number in column.codes | column.ends:
                column.confirm(number)
        if name in self._totals.found:
            self._totals.confirm()

    def _state(
        self,
        name: str,
        numbers: Mapping[str, float],
        place: Place,
        cost: float | None,
        history: History,
    ) -> Iterator[str]:
        """Note an outcome as it was told; yields the names of others that count otherwise now."""
        for field, column in self._columns(history.scope_of(name)).items():
            before = column.codes
            column.state(name, numbers.get(field), place, played=history.round_of(name) is not None)
            for code in before ^ column.codes:
                yield from column.names(code)
        found = self._totals.found
        self._totals.state(name, self._price(name, history), cost)
        yield from found ^ self._totals.found

    def _columns(self, scope: Scope | None) -> dict[str, Column]:
        """Columns that an outcome of a scope has numbers in, by name."""
        return {"value": self._values, "cost": self._costs[scope], **self._limited}

    def _numbers(self, told: Outcome, name: str, history: History) -> dict[str, float]:
        """Numbers of an outcome, by column."""
        value, cost = self._problem.scalar(told), self._measured_cost(told, name, history)
        numbers = {"value": value} if math.isfinite(value) else {}
        numbers |= {} if cost is None else {"cost": cost}
        return numbers | {
            each: told.realised[each] for each in self._limited if each in told.realised
        }

    def _place(self, outcome: Outcome, history: History, name: str) -> Place:
        """Place of an outcome as it was measured; settings count where nothing else was."""
        played = history.round_of(name)
        known: Mapping[str, Any] = {**(played.realised if played else {}), **outcome.realised}
        # counts follow from shares; the others were measured there
        others = (TIME.name, "counts", *self._limited)
        names = [each for each in self._problem.columns if each not in others]
        return tuple(
            x for each in names for x in _encoded(self._problem.space, each, known.get(each))
        )

    def _price(self, name: str, history: History) -> float | None:
        """Cost of a round by the stated prices, changes included; None: it has none."""
        played = history.round_of(name)
        return None if played is None else self._problem.price(played.suggestion)

    def _measured_cost(self, outcome: Outcome, name: str, history: History) -> float | None:
        """Cost that somebody measured; None: there is none, or it is the stated price, which is equal by itself."""
        price = self._price(name, history)
        stated = (
            price is not None and outcome.cost is not None and math.isclose(outcome.cost, price)
        )
        return None if stated else outcome.cost

    def _counted(self, name: str, history: History) -> Outcome | None:
        """Part of an outcome that counts, without codes; None: nothing does."""
        told = history.coded.get(name) or history.standing(name)
        if told is None or self._problem.scalar(told) in self._values.codes:
            return None
        coded = {
            each
            for each, column in self._limited.items()
            if told.realised.get(each) in column.codes
        }
        if coded:
            told = replace(
                told, realised={k: value for k, value in told.realised.items() if k not in coded}
            )
        if told.cost in self._costs[history.scope_of(name)].codes or name in self._totals.found:
            told = replace(told, cost=self._price(name, history))
        return told
