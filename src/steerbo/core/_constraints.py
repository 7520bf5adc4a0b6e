"""Limits in rounds: choices and answers that break one are refused, and an explanation lists those that bind."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

from .._evidence import ALIKE, ALPHA, COMPARABLE
from ..errors import InvalidProblem, LimitBroken
from ..optim import LinearRow, on_steps, step_of, substitute_known
from ..space import (
    ForbiddenCombination,
    Limit,
    LinearConstraint,
    OutcomeConstraint,
    check_limits,
    violated,
)
from ..space.variables import NumericVariable
from ._findings import Finding, Reason, finding, reason
from ._history import History
from ._implausible import far_from_all
from ._method import Method
from ._problem import Problem
from ._words import kept_text
from .answers import Explanation, PolicyStep, Recommendation, Suggestion, Table

_LIMITS = "a list of limits: ‹LinearConstraint›, ‹ForbiddenCombination› or ‹OutcomeConstraint›"
_BINDS = 1e-4  # of the range of the sum: less room than that is none


@runtime_checkable
class CountedLimit(Protocol):
    """Constraint that a kind of problem has of its own, on counts: a slack below one cannot be used."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the constrained values of a suggestion."""

    def breaks(self, values: Mapping[str, Any]) -> bool:
        """Return whether values violate it."""

    def room(self, values: Mapping[str, Any]) -> float:
        """Return the slack."""


def check_declared(problem: Problem) -> None:
    """Refuse a problem whose limits are no limits, or are about unknown variables: kinds of others may not have looked.

    Raises:
        InvalidProblem: naming the limit.
    """
    limits = problem.every_limit
    hint = "In a problem of your own declare the field as `limits: Limits | None = None`, from steerbo.extending."
    if not isinstance(limits, list | tuple):
        raise InvalidProblem("limits", limits, _LIMITS, hint)
    for i, limit in enumerate(limits):
        if not isinstance(
            limit, LinearConstraint | ForbiddenCombination | OutcomeConstraint | CountedLimit
        ):
            raise InvalidProblem(
                f"limits.{i}",
                limit,
                "‹LinearConstraint›, ‹ForbiddenCombination› or ‹OutcomeConstraint›",
                hint,
            )
    check_limits(
        [
            limit
            for limit in limits
            if isinstance(limit, LinearConstraint | ForbiddenCombination | OutcomeConstraint)
        ],
        problem.space,
    )
    told = {name for name in problem.columns if name not in problem.space}
    for i, limit in enumerate(limits):
        if isinstance(limit, OutcomeConstraint) and limit.name not in told:
            hint = f"No outcome has it: derive {type(problem).__name__} from ConstrainedProblem of steerbo.extending."
            raise InvalidProblem(
                f"limits.{i}", limit, "‹LinearConstraint› or ‹ForbiddenCombination›", hint
            )


def within_limits(
    problem: Problem,
    method: str,
    values: Mapping[str, Any],
    known: Mapping[str, Any],
    word: str = "chose",
) -> dict[str, Any]:
    """Return values that break no limit; refuse those that do by more than rounding to many fine steps.

    Methods search a continuum instead of more steps than they can try one by one: what they choose
    is moved to the nearest steps that keep the limits. Methods of others may not know of limits. A
    limit of which nothing is set now may be broken by values that were looked at (`known`): that is
    nature's. `word` is the verb of the message.

    Raises:
        LimitBroken: naming the method and the limit.
    """
    broken = broken_by(problem, values, known)
    if broken and all(_by_rounding(limit, problem, {**known, **values}) for limit in broken):
        moved = _on_steps(problem, values, known)
        broken = broken_by(problem, moved, known)
        values = moved
    for limit in broken:
        raise LimitBroken(
            f"{method} {word} {dict(values)}, which breaks a limit of the problem: {limit}"
        )
    return dict(values)


def _by_rounding(limit: Any, problem: Problem, values: Mapping[str, Any]) -> bool:
    """Whether values break a limit by no more than half a step of each variable that has too many to be tried."""
    if not isinstance(limit, LinearConstraint):
        return False
    fine = [v for name in limit.names if (v := problem.space[name]).levels is None]
    half = math.fsum(0.5 * abs(limit.weights[v.name]) * step_of(v) for v in fine)
    return half > 0.0 and not replace(
        limit,
        at_most=None if limit.at_most is None else limit.at_most + half,
        at_least=None if limit.at_least is None else limit.at_least - half,
    ).breaks(values)


def _on_steps(
    problem: Problem, values: Mapping[str, Any], known: Mapping[str, Any]
) -> dict[str, Any]:
    """Move values to the nearest steps that keep the limits, what is hard to change only where nothing else does."""
    limits = [
        limit
        for limit in problem.every_limit
        if isinstance(limit, LinearConstraint) and {*values, *known} >= set(limit.names)
    ]
    numbers = [v for name in values if isinstance(v := problem.space[name], NumericVariable)]
    for free in ([v for v in numbers if v.name not in problem.space.changes], numbers):
        names, given = [v.name for v in free], {**known, **values}
        held = {name: x for name, x in given.items() if name not in names}
        rows = substitute_known(limits, names, held, (), lambda weights, wrong: 0.0)
        linear = [row for row in rows if isinstance(row, LinearRow)]
        if linear and (moved := on_steps(free, values, linear)) is not None:
            return {**values, **moved}
    return dict(values)


def check_price(
    history: History, method: str, values: Mapping[str, Any], price: float | None
) -> None:
    """Refuse a play that costs more than is left by stated prices: methods of others may not know of budgets.

    Raises:
        LimitBroken: naming the method, the price and the money.
    """
    if price is not None and not history.affords(price):
        raise LimitBroken(
            f"{method} chose {dict(values)}, which costs {price:g}, and {history.remaining:.6g} is left of the "
            "budget: steerbo.extending says how a method keeps to it"
        )


def advice_within_limits(problem: Problem, method: str, advice: Recommendation) -> Recommendation:
    """Return an answer of which neither it nor any of its alternatives breaks a limit; see `within_limits`.

    Raises:
        LimitBroken: naming the method and the limit.
    """
    values, *others = (
        within_limits(problem, method, each.values, each.context, "recommends")
        for each in (advice, *advice.alternatives)
    )
    alternatives = zip(advice.alternatives, others, strict=True)
    return replace(
        advice, values=values, alternatives=tuple(replace(a, values=x) for a, x in alternatives)
    )


def broken_by(problem: Problem, values: Mapping[str, Any], known: Mapping[str, Any]) -> list[Any]:
    """Limits that values break, of which some is set, whatever nature draws or is seen later within its bounds."""
    limits = [limit for limit in problem.every_limit if set(limit.names) & set(values)]
    return [limits[i] for i in violated(limits, {**known, **values}, problem.space.ends)]


def limits_at(method: Method[Any, Any], answer: Recommendation | Suggestion) -> Iterator[Reason]:
    """Limits that settings break, and those that nature's part of a sum breaks more often than it may."""
    problem, known = method.problem, {**answer.context, **answer.values}
    surely = broken_by(problem, answer.values, answer.context)
    for limit in surely:
        yield reason("breaks-limit", limit=str(limit))
    left = {
        k: [name for name in limit.names if name not in known]
        for k, limit in enumerate(problem.every_limit)
        if isinstance(limit, LinearConstraint) and set(limit.names) & set(answer.values)
    }
    rooms = method.constraint_slack(answer) if any(left.values()) else ()
    for k, names in left.items():
        limit = problem.every_limit[k]
        if not names or limit in surely or (room := rooms[k]) is None:
            continue
        if room < -_BINDS * _spread(limit, problem, method.history):
            yield reason("may-break-limit", limit=str(limit), names=names)


def limits_of_own_play(method: Method[Any, Any], suggestion: Suggestion) -> Iterator[Finding]:
    """Find the limits that settings break which a person chose."""
    if suggestion.note.get("own"):
        for broken in limits_at(method, suggestion):
            yield finding(broken.kind, f"round {suggestion.round}", **broken.values)


_LATEST = 100  # plays that count
_ROUNDING = 0.005  # of a probability: it is said in whole percents


def with_limits(
    explanation: Explanation, method: Method[Any, Any], advice: Recommendation
) -> Explanation:
    """Add the slack of each constraint at the recommendation to an explanation; unchanged without constraints."""
    limits = method.problem.every_limit
    if not limits:
        return explanation
    rooms = method.constraint_slack(advice)
    spreads = [_spread(limit, method.problem, method.history) for limit in limits]
    rows = tuple(
        (
            str(limit),
            _told_room(limit, room, spread),
            _binds(limit, room, spread),
        )
        for limit, room, spread in zip(limits, rooms, spreads, strict=True)
    )
    binding = [str(limit) for limit, (_, _, binds) in zip(limits, rows, strict=True) if binds]
    unknown = [
        str(limit)
        for limit, room in zip(limits, rooms, strict=True)
        if isinstance(limit, OutcomeConstraint) and room is None
    ]
    at = f"a limit: {'; '.join(binding)}" if binding else "no limit"
    said = f"The recommendation is at {at}."
    if unknown:
        unsure = f"Whether the recommendation keeps a limit is not known: {'; '.join(unknown)}."
        said = f"{said} {unsure}" if binding else unsure
    each = zip(limits, rooms, spreads, strict=True)
    if likely := [
        str(limit) for limit, room, spread in each if _likely_broken(limit, room, spread)
    ]:
        # the room of a policy is that of its worst case
        where = "In some cases the" if advice.scope.contexts else "The"
        but = ", and none that does not is known" if advice.says("none-keeps") else ""
        names = "; ".join(likely)
        said = f"{where} recommendation breaks a limit more often than it may{but}: {names}."
    if beyond := broken_by(method.problem, advice.values, advice.context):
        said = f"What {method.name} recommends breaks a limit: {'; '.join(map(str, beyond))}. Do not do it."
    table = Table("Limits", ("limit", "room", "binds"), rows)
    return replace(
        explanation, summary=f"{explanation.summary}\n{said}", tables=(*explanation.tables, table)
    )


def _told_room(limit: Limit | CountedLimit, room: float | None, spread: float) -> float | None:
    """Room as a table has it: none of a combination, and 0 where it is but rounding."""
    if room is None or isinstance(limit, ForbiddenCombination):
        return None
    return 0.0 if abs(room) <= _BINDS * spread else room


def _binds(limit: Limit | CountedLimit, room: float | None, spread: float) -> bool:
    """Whether so little room is left that a constraint binds: the same whatever the origins of the units are."""
    if room is None:
        return False
    if isinstance(limit, OutcomeConstraint):
        return room <= ALIKE * spread
    return room <= _BINDS * spread if isinstance(limit, LinearConstraint) else room < 1


def _likely_broken(limit: Limit | CountedLimit, room: float | None, spread: float) -> bool:
    """Whether a play is expected to break a limit on an outcome more often than it may, by more than is rounding."""
    return isinstance(limit, OutcomeConstraint) and room is not None and room < -ALIKE * spread


def _spread(limit: Limit | CountedLimit, problem: Problem, history: History) -> float:
    """Range of the values that a constraint is on: of the measured ones so far, or of the sums that can be set."""
    if isinstance(limit, OutcomeConstraint):
        told = [
            outcome.realised[limit.name]
            for _, outcome, _ in history.outcomes()
            if limit.name in outcome.realised
        ]
        return float(max(told) - min(told)) if told else 0.0
    if isinstance(limit, LinearConstraint):
        variables = [
            v for name in limit.names if isinstance(v := problem.space[name], NumericVariable)
        ]
        return math.fsum(abs(limit.weights[v.name]) * (v.high - v.low) for v in variables)
    return 0.0


def limits_broken(problem: Problem, history: History) -> Iterator[Finding]:
    """Find that plays keep to a limit on an outcome less often than its probability says, or that a value is far off.

    The first `COMPARABLE` plays, before there is a model, do not count. Of studies that are right
    at most `ALPHA` are ever said to be wrong in their first `_LATEST` plays that do.
    """
    for limit in problem.every_limit:
        if not isinstance(limit, OutcomeConstraint):
            continue
        yield from _far_beyond(limit, history)
        measured = [played.realised for played, _ in history.told if limit.name in played.realised]
        latest = measured[COMPARABLE:][-_LATEST:]
        broken = sum(limit.breaks(each) for each in latest)
        if evidence_of_more(broken, len(latest), 1.0 - limit.probability) < 1.0 / ALPHA:
            continue
        nearest = max(measured, key=limit.room)
        if limit.breaks(nearest):
            about = {"plays": len(measured), "name": limit.name, "nearest": nearest[limit.name]}
            yield finding("limit-never-kept", limit.name, limit=str(limit), **about)
        else:
            kept = 1.0 - broken / len(latest)
            yield finding(
                "limit-broken-often", limit.name, limit=str(limit), kept=kept, plays=len(latest)
            )


def limits_unlikely(method: Method[Any, Any], suggestion: Suggestion) -> Iterator[Finding]:
    """Find the limits on outcomes that a suggested play keeps less often than asked, and why it is suggested."""
    for limit in _on_outcomes(method.problem):
        chance = suggestion.limits.get(limit.name)
        if chance is None or chance >= limit.probability - _ROUNDING:
            continue
        why: dict[str, Any] = {}
        if limit.on_average and "mean" in suggestion.note:  # a venture: the mean stays as asked
            why = {"on_average": True}
        elif not method.chooses_by_model:
            why = {"method": method.name}
        else:
            why = _nearest_outcome(limit, method.history)
        where = f"round {suggestion.round}"
        yield finding("limit-unlikely", where, limit=str(limit), probability=chance, **why)


def none_keeps(method: Method[Any, Any], suggestion: Suggestion) -> bool:
    """Whether a play was chosen although it keeps a limit on an outcome too seldom: none was found that keeps all."""
    found = limits_unlikely(method, suggestion)
    return any(not {"on_average", "method"} & set(each.values) for each in found)


def _on_outcomes(problem: Problem) -> list[OutcomeConstraint]:
    return [limit for limit in problem.every_limit if isinstance(limit, OutcomeConstraint)]


def limit_texts(method: Method[Any, Any], suggestion: Suggestion) -> list[str]:
    """Say of each limit on an outcome how likely a suggested play keeps it, and why where that is too little."""
    unlikely = {found.values["limit"]: found.text for found in limits_unlikely(method, suggestion)}
    return [
        unlikely.get(str(limit), f"{limit}: {kept_text(suggestion.limits[limit.name])}")
        for limit in _on_outcomes(method.problem)
        if limit.name in suggestion.limits
    ]


def limits_doubted(
    method: Method[Any, Any],
    answer: Recommendation | PolicyStep,
    request: Mapping[str, Any],
) -> Iterator[Reason]:
    """Name the limits on outcomes that an answer keeps less often than asked, or of which that is not known.

    Args:
        method: of the study.
        answer: with an expected value.
        request: as for `ask`; the time, where the problem has one.
    """
    limits = _on_outcomes(method.problem)
    known = {**answer.context, **answer.values}
    chances = method.limit_probabilities(answer.scope, known, request) if limits else {}
    if limits and not chances and isinstance(answer, Recommendation):
        # a policy sets other values in each case: it has slack, and no probability
        rooms = zip(method.problem.every_limit, method.constraint_slack(answer), strict=True)
        chances = {limit.name: None for limit, room in rooms if limit in limits and room is None}
    for limit in limits:
        if limit.name not in chances:
            continue
        if (chance := chances[limit.name]) is None:
            yield reason("limit-unknown", limit=str(limit))
        elif chance < limit.probability - _ROUNDING:
            yield reason("limit-seldom", limit=str(limit), probability=chance)


def nearest_outcomes(problem: Problem, history: History) -> Iterator[Reason]:
    """Say of each limit that no outcome has kept which value came nearest, and where it was measured."""
    for limit in _on_outcomes(problem):
        if about := _nearest_outcome(limit, history):
            yield reason("limit-nearest", limit=str(limit), **about)


def _nearest_outcome(limit: OutcomeConstraint, history: History) -> dict[str, Any]:
    """Value nearest to a limit that no outcome has kept, and where it was measured; empty if one has kept it."""
    measured = [
        (told.realised, name if played is None else f"round {played.number}")
        for name, told, played in history.outcomes()
        if limit.name in told.realised
    ]
    nearest, where = max(measured, key=lambda each: limit.room(each[0]), default=({}, ""))
    if not nearest or not limit.breaks(nearest):
        return {}
    return {"nearest": nearest[limit.name], "where": where}


def _far_beyond(limit: OutcomeConstraint, history: History) -> Iterator[Finding]:
    """Name the latest value beyond a limit that is `unusual` among all others; or nothing."""
    measured = [
        (name, told.realised) for name, told, _ in history.outcomes() if limit.name in told.realised
    ]
    values = [realised[limit.name] for _, realised in measured]
    beyond = [(name, each[limit.name]) for name, each in measured if limit.breaks(each)]
    wrong = [(name, value) for name, value in beyond if far_from_all(value, values)]
    for name, value in wrong[-1:]:
        yield finding(
            "far-beyond-limit", name, outcome=limit.name, value=value, limit=str(limit), name=name
        )


def evidence_of_more(k: int, n: int, p: float) -> float:
    """Weigh k events of n against a probability of p: likelihoods by larger ones, on average, over that by p.

    Where the probability is no larger, it ever exceeds 1/α with probability α at most (Ville 1939).
    The average is over all larger probabilities alike: ∫ q^k (1 − q)^(n − k) dq from p to 1 is a
    beta integral, and so a tail of a binomial law.

    >>> [round(evidence_of_more(k, 10, 0.1), 1) for k in (0, 1, 3, 5)]
    [0.1, 0.2, 1.7, 67.9]
    """
    just_so = _binomial(k, n, p)
    if not just_so or p >= 1.0:  # too small for a number; or there is no larger probability
        return math.inf if k > n * p else 0.0
    no_more = math.fsum(_binomial(i, n + 1, p) for i in range(k + 1))
    return no_more / ((n + 1) * (1.0 - p) * just_so)


def _binomial(k: int, n: int, p: float) -> float:
    return math.comb(n, k) * p**k * (1.0 - p) ** (n - k)
