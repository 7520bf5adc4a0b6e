"""Implausible values: one rule for all ways in which a value is given, before or after it is logged.

A value is never refused for it. It is kept and warned of; the page asks before it saves.

- A *variable* (measured, looked at, or seen before choosing) is far when it lies more than half the
  range's width beyond the range's ends, or a tenth of a range above 0 is larger: see
  `Float.is_far`. One that was to be set is unlikely where it was measured more than half the width
  away; one that was left to nature, where its stated law gives it by chance in `FALSE_ALARM` of
  looks, and it is `DEVIATIONS` from the law's mean.
- Any other *number of an outcome* is unlikely beyond the ends of its usual range (`_numbers`):
  - an outcome, `DEVIATIONS` standard deviations from the posterior's expectation there
    (`Method.expected_outcome`); where no posterior says, where it extrapolates, and for an outcome
    that replaces another, the ends are those of the latest others: see `usual`. With the first few
    others to compare with, an earlier outcome may turn out to be so: it is reported then;
  - a further outcome, that a limit is on, those of the latest others, and `DEVIATIONS` from what
    its model expects there (`Method.expected_further`);
  - a standard error, the range of all outcomes;
  - a cost, `_FACTOR` times the stated price and a `_FACTOR`th of it; without a price, the costs of
    the latest plays of the same scope, and the same factor: they are often all the same.
- A number that comes again to the last digit at other settings, where others do not, is a *code*
  for a missing value, or of an instrument that is stuck: see `_codes`. It is left out, and nothing
  else is said of it.
- A *time* of a round is unlikely when it is further after the last one than steps between the
  latest rounds let expect (a Unix time, a typed date, a decimal point that was left out: see
  `gaps_ahead`), or when it was given and is earlier than that of data that were known. A time of data is, when it is as
  far after those of all other data and rounds.

Outcomes that a method's model takes for wrong once others have come (`Method.outliers`) count for
little in it: `outliers_found` names them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from .._evidence import COMPARABLE, DEVIATIONS, FALSE_ALARM, ranges_beyond
from .._parsing import is_number
from ..errors import SteerboError
from ..space import Categorical, Space
from ..space.variables import NEAR, WIDTHS
from ._context import TIME, context_of, now, time_of
from ._dates import COMPARED, far_ahead
from ._findings import Finding, Reason, finding, reason
from ._history import History, Round
from ._problem import Problem, StatedLaw, with_unit
from .answers import Scope, Suggestion
from .events import Amended, DataAdded, Failed, Outcome, Reported
from .request import SMALLEST

_LATEST = 100  # rounds, and as many pieces of data, that give the usual range
_FACTOR = 10.0  # times a stated price
_NAMED = 5  # outliers that are named
_ROUNDING = 1e-9  # share of a range's width that is none

Expectation = tuple[float, float, float]
"""An objective's value, and mean and standard deviation that were expected: see `Method.expected_outcome`."""
Further = Mapping[str, tuple[float, float]]
"""Mean and standard deviation that were expected of further outcomes, by name: see `Method.expected_further`."""


def warn_implausible(
    event: Reported,
    problem: Problem,
    history: History,
    expected: Expectation | None = None,
    further: Further = MappingProxyType({}),
) -> list[Finding]:
    """List the values of an outcome, a failure, a correction or data that are hard to believe.

    Args:
        event: taken into `history` already or not: it is not compared with itself. Values that a
            correction leaves as they stand are not reported again.
        problem: its ranges and prices.
        history: the other outcomes.
        expected: by the method's posterior; None: no posterior says.
        further: the same of outcomes that limits are on, by name.
    """
    if (place := _Place.of(event, history)) is None:
        return []
    if isinstance(event, Amended):
        expected = None  # the posterior has learned from the value that is corrected
    found = [*_tiny(place, history), *_variables(place, problem.space, "realised", place.measured)]
    found += _unlike_laws(place, problem, history, {each.field for each in found})
    data = event if isinstance(event, DataAdded) else history.datum(place.name)
    if data is not None and data.source is not None:
        return found  # values of elsewhere are not compared with those of here
    doubted: dict[str, Finding] = {}
    for each in _numbers(place, problem, history, expected, further):
        if not each.low <= each.number <= each.high:
            said = place.finding(each.kind, each.field, value=each.number, **each.about)
            doubted.setdefault(each.field, said)
    found += [*doubted.values(), *_earlier(place, problem, history)]
    return [*found, *_date(place, problem, history)]


def implausible_in_looks(suggestion: Suggestion, history: History, space: Space) -> list[Finding]:
    """List the values seen before choosing, or looked at since, that are far outside their ranges, and a far time."""
    request = history[suggestion.token].request
    first = {
        name: value for name, value in suggestion.context.items() if name in context_of(request)
    }
    later = {name: value for name, value in suggestion.context.items() if name not in first}
    number, token = suggestion.round, suggestion.token
    return [
        *implausible_time(request.get(TIME.name), history, number, token),
        *implausible_in_look(first, space, number, token, seen=True),
        *implausible_in_look(later, space, number, token),
    ]


def implausible_in_look(
    look: Mapping[str, Any], space: Space, number: int, token: str, *, seen: bool = False
) -> Iterator[Finding]:
    """List the values of one look of a round that lie far outside their ranges; `seen`: it was before choosing."""
    again = (
        f"abandon {token} and ask again"
        if seen
        else f"decide {token} again (`--again`; in Python again=True), before anything is set by it"
    )
    place = _Place(f"round {number}", token, f"{again}, or tell it right among `realised`")
    return _variables(place, space, "context", look)


def implausible_time(time: Any, history: History, number: int, token: str) -> Iterator[Finding]:
    """Yield the time of a round where it is unlikely.

    It may lie far beyond the pattern of the rounds before it that hold the clock. It may be the
    number of the round, which counts where none is given, though those before stated theirs. And
    one that was given may be earlier than that of data that were known; a counted one follows these.

    Args:
        time: of the request; None: it has none.
        history: with that round in it, or not yet.
        number: of the round.
        token: of the round, or another name of it.
    """
    if not is_number(time):
        return
    earlier = [
        r
        for r in history.last(_LATEST + len(history) - number + 1)
        if r.number < number and r.holds_clock
    ]
    counted = (
        history.continues_data(token)
        if number <= len(history)
        else time == history.next_time != number
    )
    leap = (
        None
        if counted
        else far_ahead(time, [time_of(r) for r in earlier if TIME.name in r.request])
    )
    if leap is not None:
        values = {"time": time, "step": leap.step, "largest": leap.largest}
        yield Finding(
            "far-time", f"round {number}", "time", values, f"abandon {token} and ask again"
        )
    elif time == number and earlier and not history.is_counted(earlier[-1]):
        values = {"time": time, "last": time_of(earlier[-1])}
        yield Finding(
            "time-is-number", f"round {number}", "time", values, f"abandon {token} and ask again"
        )
    if history.dates.reach(time) and (latest := history.latest_dated) is not None:
        later = history.dates.later(time, number - 1)
        if later is not None and later <= latest:
            earlier_than: dict[str, Any] = {"time": time, "name": later.name, "later": later.time}
            remedy = f"abandon {token} and ask again, or amend {later.name}"
            yield Finding("early-time", f"round {number}", "time", earlier_than, remedy)


def far_dates(history: History) -> Iterator[Finding]:
    """Name the data whose time is far ahead of all others, and does not count yet."""
    present = now(history)
    for far in reversed(history.far_dated):
        if far.time > present:
            yield finding("far-date", far.name, name=far.name, time=far.time, now=present)


def outliers_found(history: History, names: Sequence[str]) -> Iterator[Finding]:
    """Name the outcomes that count for little, the latest `_NAMED` of them.

    Args:
        history: of the study.
        names: tokens of rounds and names of data: see `Method.outliers`.
    """
    if not names:
        return
    found = [
        (name, outcome, played) for name, outcome, played in history.outcomes() if name in {*names}
    ]
    shown = [
        (outcome.value, name if played is None else f"round {played.number} ({name})")
        for name, outcome, played in found[-_NAMED:]
    ]
    yield finding("outliers", number=len(found), shown=shown)


def strange_outcomes(problem: Problem, history: History) -> Iterator[Finding]:
    """Name early outcomes far from all others, and the latest ones where they repeat."""
    told = _latest_told(problem, history)
    few = history.n_completed <= COMPARABLE
    for k in _far_from_others([value for _, _, value, _ in told]) if few else []:
        where, name, value, _ = told[k]
        yield finding("strange-outcome", value=value, where=where, name=name)


def unreached(problem: Problem, history: History) -> Iterator[Finding]:
    """Name the variables that were to be set beyond all that was ever measured, again and again."""
    latest = [r for r in history.last(_LATEST) if r.state == "told"]
    for variable in problem.space:
        if isinstance(variable, Categorical):
            continue
        name = variable.name
        rounds = [
            (r.suggestion.values[name], r.realised[name])
            for r in latest
            if name in r.suggestion.values
        ]
        asked = [x for x, _ in rounds[-COMPARABLE:]]
        missed = sum(variable.apart(*each) > NEAR for each in rounds[-COMPARABLE:])
        # a setting that was never reached was missed in its own round: only then look at all others
        if missed <= COMPARABLE / 2:
            continue
        rows = (
            outcome.realised if played is None else played.realised
            for _, outcome, played in history.outcomes()
        )
        reached = [row[name] for row in rows if name in row]
        yield from _unreached(variable, asked, max(reached), above=True)
        yield from _unreached(variable, asked, min(reached), above=False)


def _unreached(
    variable: Any, asked: Sequence[float], end: float, *, above: bool
) -> Iterator[Finding]:
    """Find that a variable was often to be set beyond the end of its measured range."""
    beyond = [x for x in asked if (x > end) == above and x != end and variable.apart(x, end) > NEAR]
    if len(beyond) > COMPARABLE / 2:
        yield finding(
            "unreached",
            variable.name,
            name=variable.name,
            asked=list(dict.fromkeys(variable.text(x) for x in (min(beyond), max(beyond)))),
            unit=getattr(variable, "unit", ""),
            missed=len(beyond),
            rounds=len(asked),
            side="above" if above else "below",
            end=variable.text(end),
        )


_Told = tuple[str, str, float, Mapping[str, Any]]
"""A round with an outcome: words for it, its token, its value as a number, and its settings."""


def _latest_told(problem: Problem, history: History, but: str = "") -> list[_Told]:
    """The latest rounds with an outcome, in the order they were asked, without one of them."""
    return [
        (
            f"round {r.number} ({r.suggestion.token})",
            r.suggestion.token,
            problem.scalar(r.outcome),
            r.suggestion.values,
        )
        for r in history.last(_LATEST)
        if r.state == "told" and r.outcome is not None and r.suggestion.token != but
    ]


def _far_from_others(values: Sequence[float]) -> list[int]:
    """Indices of numbers that are `unusual` among all the others."""
    return [k for k, value in enumerate(values) if far_from_all(value, values)]


def outside(seen: Mapping[str, Any], space: Space) -> Iterator[Reason]:
    """Name context values outside their ranges, for which outcomes say little.

    >>> from steerbo.space import Float
    >>> space = Space((Float("age", 20, 90, unit="years"), Float("pulse", 50, 120)))
    >>> print(*outside({"age": 150.0, "pulse": 80.0}, space))
    age = 150 is outside its range, 20 to 90 years: this is a guess
    """
    for name in space.names:
        if name in seen and space[name].is_far(seen[name], _ROUNDING):
            value = space[name].text(seen[name])
            yield reason("outside-range", name=name, value=value, range=space[name].range_text)


def unlike_outcomes(seen: Mapping[str, Any], space: Space, history: History) -> Iterator[Reason]:
    """Name context values far beyond those of all outcomes, within their ranges: nothing is known of such a context.

    Args:
        seen: values by name.
        space: of the problem.
        history: of the study.
    """
    if not seen:
        return
    rows = [
        outcome.realised if played is None else {**played.suggestion.context, **played.realised}
        for _, outcome, played in history.outcomes()
    ]
    for name, value in seen.items():
        if name not in space.names or space[name].is_far(value, _ROUNDING):
            continue
        variable, known = space[name], [row[name] for row in rows if name in row]
        if not known:
            continue
        if isinstance(variable, Categorical):
            if value not in known:
                yield reason("new-choice", name=name, value=value)
            continue
        low, high = min(known), max(known)
        side, end = ("below", low) if value < low else ("above", high)
        if not low <= value <= high and variable.apart(value, end) > NEAR:
            yield reason("beyond-contexts", name=name, side=side, end=variable.text(end))


def usual(others: Sequence[float]) -> tuple[float, float]:
    """Ends beyond which a number lies so far from all others that it looks mistyped.

    They are infinite where all others are the same.

    >>> [round(end) for end in usual([3.0, 10.0, 5.0, 4.0])], usual([3.0])
    ([-143, 156], (-inf, inf))
    """
    low, high = min(others, default=0.0), max(others, default=0.0)
    if low == high:
        return -math.inf, math.inf
    beyond = (high - low) * ranges_beyond(len(others))
    return low - beyond, high + beyond


def unusual(value: float, others: Sequence[float]) -> bool:
    """Whether a number lies beyond the `usual` range."""
    low, high = usual(others)
    return not low <= value <= high


def far_from_all(value: float, values: Sequence[float]) -> bool:
    """Whether a number, one of these, lies far from all the others."""
    others = list(values)
    others.remove(value)
    return unusual(value, others)


# -- where a value belongs, and its comparisons ----------------------------------------------------


@dataclass(frozen=True)
class _Place:
    """Round or external data that values belong to, with its wording."""

    where: str
    name: str
    remedy: str
    outcome: Outcome | None = None
    cost: float | None = None
    measured: Mapping[str, Any] | None = None
    played: Round | None = None
    stands: Outcome | Failed | None = None
    scope: Scope | None = None

    @classmethod
    def of(cls, event: Reported, history: History) -> _Place | None:
        """The place of an event; None: it takes an outcome out, and says nothing."""
        said = event if isinstance(event, Failed) else event.outcome
        if said is None and isinstance(event, Amended):
            said = event.failure
        if said is None:
            return None
        outcome = said if isinstance(said, Outcome) else None
        if isinstance(event, DataAdded) or history.datum(event.token) is not None:
            name = history.next_data if isinstance(event, DataAdded) else event.token
            before = history.datum(name)
            about = name, name, f"amend {name}", outcome, said.cost
            new = _but(said.realised, before.outcome.realised if before else {})
            scope = getattr(event, "scope", None) or (before.scope if before else None)
            return cls(
                *about,
                new,
                None,
                before.outcome if name in history.data and before else None,
                scope,
            )
        played = history[event.token]
        stands = (played.outcome or played.failure) if isinstance(event, Amended) else None
        known = {**played.suggestion.context, **(stands.realised if stands else {})}
        new = _but(said.realised, known)
        where, name = f"round {played.number}", event.token
        return cls(
            where,
            name,
            f"amend {name}",
            outcome,
            said.cost,
            new,
            played,
            stands,
            played.suggestion.scope,
        )

    @property
    def repeats(self) -> bool:
        """Whether the value stands already."""
        return (
            isinstance(self.stands, Outcome)
            and self.outcome is not None
            and self.stands.value == self.outcome.value
        )

    def finding(self, kind: str, field: str, **values: Any) -> Finding:
        """One of its values, which is hard to believe."""
        return Finding(kind, self.where, field, values, self.remedy)


def _but(values: Mapping[str, Any], stands: Mapping[str, Any]) -> dict[str, Any]:
    """Values that do not stand already."""
    return {
        name: value for name, value in values.items() if name not in stands or stands[name] != value
    }


def _latest_outcomes(history: History, but: str) -> list[Outcome]:
    """The latest outcomes, of rounds and of data, without one of them."""
    rounds = [
        r.outcome
        for r in history.last(_LATEST)
        if r.state == "told" and r.outcome and r.suggestion.token != but
    ]
    return rounds + [
        added.outcome
        for name, added in islice(reversed(history.data.items()), _LATEST)
        if name != but and added.source is None
    ]


# -- the rule --------------------------------------------------------------------------------------


class _Compared(NamedTuple):
    """A number that was told, and the ends of its usual range.

    Args:
        kind: of the finding where it lies beyond.
        field: where the call was given it.
        number: as told.
        low: the lower end.
        high: the upper end.
        about: further values of the finding, beside the number.
    """

    kind: str
    field: str
    number: float
    low: float
    high: float
    about: Mapping[str, Any]


def _numbers(
    place: _Place,
    problem: Problem,
    history: History,
    expected: Expectation | None,
    further: Further,
) -> Iterator[_Compared]:
    """Compare every number but variables with its usual range; of one field the first doubt counts."""
    latest = _latest_outcomes(history, place.name)
    values = [problem.scalar(outcome) for outcome in latest]
    outcome = place.outcome
    if outcome is not None and not place.repeats:
        if expected is not None:
            yield _of_posterior("value", *expected)
        if expected is None or _extrapolated(place, problem.space):
            yield _among("value", history.value_name, problem.scalar(outcome), values)
    if outcome is not None and outcome.sem:
        before = place.stands.sem if isinstance(place.stands, Outcome) else None
        all_values = [*values, problem.scalar(outcome)]
        low, high = min(all_values), max(all_values)
        if len(all_values) > COMPARABLE and low < high and outcome.sem != before:
            # beside such a standard error the outcome says next to nothing
            ends = {"low": low, "high": high}
            yield _Compared("sem-beyond-range", "sem", outcome.sem, 0.0, high - low, ends)
    for name, value in (place.measured or {}).items():
        if name in (*problem.space.names, TIME.name) or not is_number(value):
            continue
        others = [x for each in latest if is_number(x := each.realised.get(name))]
        field = f"realised.{name}"
        if name in further:
            yield _of_posterior(field, value, *further[name], name=name)
        yield _among(field, name, value, others)
    yield from _of_cost(place, problem, history)


def _of_posterior(field: str, value: float, mean: float, sd: float, **about: str) -> _Compared:
    likely = {"low": mean - 2.0 * sd, "high": mean + 2.0 * sd}
    ends = mean - DEVIATIONS * sd, mean + DEVIATIONS * sd
    return _Compared("far-from-expected", field, value, *ends, {**about, **likely})


def _among(field: str, name: str, number: float, others: Sequence[float]) -> _Compared:
    about = {"name": name, "low": min(others, default=0.0), "high": max(others, default=0.0)}
    return _Compared("far-from-others", field, number, *usual(others), about)


def _of_cost(place: _Place, problem: Problem, history: History) -> Iterator[_Compared]:
    """Compare a cost with the stated price, or without a price with other costs of its scope."""
    cost, played = place.cost, place.played
    if cost is None or (place.stands is not None and place.stands.cost == cost):
        return
    # a play that broke may have cost little
    part = 0.0 if place.outcome is None else 1.0 / _FACTOR
    price = problem.price(played.suggestion) if played is not None else None
    if played is not None and price:
        measured = {**played.realised, **(place.measured or {})}
        stated = problem.paid(replace(played, realised=measured), history)
        expected = played.expected_cost or price
        ends = min(price, expected) * part, max(price, expected) * _FACTOR
        if cost != stated:
            yield _Compared("cost-far-from-price", "cost", cost, *ends, {"price": price})
    elif place.scope is not None:
        others = _costs_of_scope(place, history)
        found = _among("cost", "cost", cost, others)
        if len(others) > 1 and any(others):  # they are often all the same
            low, high = max(found.low, min(others) * part), min(found.high, max(others) * _FACTOR)
            found = found._replace(low=low, high=high)
        yield found


def _costs_of_scope(place: _Place, history: History) -> list[float]:
    """The latest costs of a place's scope, of rounds and of data, without its own."""
    paid = [
        played.paid
        for played in history.last(_LATEST)
        if played.suggestion.scope == place.scope and played.suggestion.token != place.name
    ]
    paid += [
        added.outcome.cost
        for name, added in islice(reversed(history.data.items()), _LATEST)
        if added.scope == place.scope and name != place.name and added.source is None
    ]
    return [cost for cost in paid if cost is not None]


def _variables(
    place: _Place, space: Space, part: str, values: Mapping[str, Any] | None
) -> Iterator[Finding]:
    """Values far outside the ranges of their variables, or within and far from where they were to be set."""
    asked = {} if place.played is None else place.played.suggestion.values
    for name in space.names:
        if values is None or name not in values:
            continue
        variable, value = space[name], values[name]
        try:
            far = variable.is_far(value)
            elsewhere = name in asked and variable.apart(asked[name], value) > WIDTHS
        except (SteerboError, TypeError):  # the call that is given it will say so
            continue
        field, about = f"{part}.{name}", {"name": name, "value": value}
        if far:
            about |= {"written": variable.text(value), "range": variable.range_text}
            yield place.finding("far-outside-range", field, **about)
        elif elsewhere:
            to_set = variable.text(asked[name])
            about |= {"asked": asked[name], "measured": variable.text(value), "to_set": to_set}
            yield place.finding("measured-elsewhere", field, **about)


def _unlike_laws(
    place: _Place, problem: Problem, history: History, found: Collection[str]
) -> Iterator[Finding]:
    """Values that nature chose in a round, and that their stated laws give by chance in `FALSE_ALARM` of looks.

    Where another round has such a value already, the law may be wrong, which is tested: see
    `law_tests`. Of columns of six public tables, with a normal law stated from 30 of their rows, 11 %
    had a true value questioned in 50 rounds, once: most of these columns are skewed.
    """
    played, measured = place.played, place.measured or {}
    if played is None:
        return
    chosen = played.suggestion.values.keys() | played.suggestion.context.keys()
    left = (problem.stated_laws.keys() & measured.keys()) - chosen
    for name in sorted(left):
        stated, field = problem.stated_laws[name], f"realised.{name}"
        if field in found or not _unlike(stated, measured[name]):
            continue
        others = (each.realised.get(name) for each in _latest_outcomes(history, place.name))
        if not any(_unlike(stated, other) for other in others):
            low, high = np.asarray(stated.variable.distribution.ppf([0.025, 0.975])).tolist()
            about = {"name": name, "value": measured[name], "low": low, "high": high}
            written = with_unit(problem.space, name, measured[name])
            yield place.finding("unlike-law", field, **about, written=written)


def _unlike(stated: StatedLaw, value: Any) -> bool:
    """Whether a law that is stated by a formula hardly ever gives a value, and is far from it."""
    if stated.sample is not None or stated.learned or not is_number(value):
        return False
    law = stated.variable.distribution
    if law.atoms is not None:
        return False
    below = float(law.cdf(value))
    return (
        2.0 * min(below, 1.0 - below) < FALSE_ALARM and abs(value - law.mean) > DEVIATIONS * law.sd
    )


def _extrapolated(place: _Place, space: Space) -> bool:
    """Whether a value lies outside its range, so that a model extrapolates and its deviations are wide."""
    told = {} if place.outcome is None else place.outcome.realised
    known = {**(place.played.realised if place.played else {}), **told}
    try:
        return any(
            space[each].is_far(known[each], _ROUNDING) for each in space.names if each in known
        )
    except (SteerboError, TypeError):  # the call that is given it will say so
        return False


def _earlier(place: _Place, problem: Problem, history: History) -> Iterator[Finding]:
    """Earlier outcomes that are far from all others, as is seen with this one."""
    if place.outcome is None or place.repeats or history.n_completed > COMPARABLE or history.data:
        return
    told = _latest_told(problem, history, place.name)
    values = [value for _, _, value, _ in told]
    before = {*_far_from_others(values)}
    for k in _far_from_others([*values, problem.scalar(place.outcome)]):
        if k < len(told) and k not in before:
            where, token, value, _ = told[k]
            round_told = where.partition(" (")[0]
            about = {"name": history.value_name, "value": value}
            yield Finding("far-as-is-seen-now", round_told, "value", about, f"amend {token}")


def _date(place: _Place, problem: Problem, history: History) -> Iterator[Finding]:
    """A time of data that lies far ahead of all others."""
    time = (place.measured or {}).get(TIME.name)
    if not problem.timed or place.played is not None or not is_number(time):
        return
    others = [dated for dated in history.dates.last(COMPARED + 1) if dated.name != place.name]
    if (leap := history.leap_to(time, others)) is not None:
        about = {"time": time, "step": leap.step, "largest": leap.largest}
        yield place.finding("far-time-of-data", f"realised.{TIME.name}", **about)


def _tiny(place: _Place, history: History) -> Iterator[Finding]:
    """A value that is next to nothing, where no other one is larger: models have no scale for it."""
    if place.outcome is None or place.repeats:
        return
    small = [x for x in _parts(place.outcome.value) if 0 < abs(x) < SMALLEST]
    others = (told.value for name, told, _ in history.outcomes() if name != place.name)
    if small and not any(abs(x) >= SMALLEST for value in others for x in _parts(value)):
        about = {"name": history.value_name, "value": small[0], "smallest": SMALLEST}
        yield Finding("too-small", place.where, "value", about)


def _parts(value: Any) -> Iterator[float]:
    """Every number of a value, which may be payoffs by name."""
    if isinstance(value, Mapping):
        for part in value.values():
            yield from _parts(part)
    elif isinstance(value, int | float):
        yield value
