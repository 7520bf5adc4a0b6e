"""The recommendation as a card: what to set, what to expect with bounds, the price, the other scopes, and why."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import LimitBroken
from ..record import record
from ..rounds import Explanation, Problem, Reading, Recommendation, Scope, Table
from ..study.shown import alternatives, in_words, with_units
from .chart import Axis
from .settings import Setting, sentence, settings_of
from .wording import Words, within

_MOST_SETS = 12  # intervals that one compares at a glance; all of them are in the tables


@dataclass(frozen=True)
class Interval:
    """A scope's expected outcome: in words, as places on the common axis, and its price.

    Args:
        name: of the scope.
        mean, between: in words.
        left, right, at: places of the bounds and of the mean; "" where there are none.
        price: of a play.
        best: whether it is the recommended one.
    """

    name: str
    mean: str
    between: str
    left: str
    right: str
    at: str
    price: str
    best: bool


@dataclass(frozen=True)
class Sets:
    """What each scope would give.

    Args:
        rows: the cheapest first.
        left, width: of the shaded region that is good enough, as places; "" where nobody said what is.
        title: what the rows are.
        says: what is shaded.
        more: how many scopes are left out.
    """

    rows: tuple[Interval, ...]
    left: str
    width: str
    title: str
    says: str
    more: int


@dataclass(frozen=True)
class Card:
    """A recommendation; a text that is empty says nothing.

    Args:
        seen: for whom or when, where something is seen before choosing.
        scope: what to steer.
        headline: what to do, in a sentence.
        settings: to what, where a sentence does not say it.
        mean: the expected value.
        bounds: between what it is meant to lie.
        price: what a play costs.
        why: in one sentence.
        policy: settings that hang on what is looked at.
        sets: what the other scopes would give.
        others: what to do in typical contexts.
    """

    seen: str
    scope: str
    headline: str
    settings: tuple[Setting, ...]
    mean: str
    bounds: str
    price: str
    why: str
    policy: Table | None
    sets: Sets | None
    others: Table | None


@record
class Refused(Recommendation):
    """Stands for an answer that breaks a limit of the problem: nothing is to be done by it."""


def advice_of(study: Reading) -> Recommendation:
    """The recommendation; where a method from elsewhere forgets the problem's limits, a refused one that says so."""
    try:
        return study.recommend()
    except LimitBroken as error:
        return Refused(Scope(), {}, note=str(error))


def card(study: Reading, advice: Recommendation, why: Explanation) -> Card:
    """Make the card of a recommendation."""
    problem, words = study.problem, Words.of(study)
    mean, low, high = within(advice.mean, advice.lower, advice.upper)
    policy = getattr(advice, "table", None)  # a causal policy's settings, which hang on what is seen
    settings = settings_of(problem, advice.values)
    said = sentence(settings)
    others = alternatives(problem, advice) if advice.alternatives and advice.context else None
    return Card(
        seen=in_words(problem, advice.context),
        scope=str(advice.scope),
        headline=said or _headline(problem, advice, bool(policy)),
        settings=() if said else settings,
        mean=words.worth(mean) if mean else "",
        bounds=f"{low} to {high}" if low and high else f"at least {low}" if low else f"at most {high}" if high else "",
        price="" if advice.cost is None else words.paid(advice.cost),
        why=_sentence(advice.note) or _sentence(why.summary),
        policy=with_units(problem, policy) if policy else None,
        sets=None if others or not advice.alternatives else sets(study, advice),
        others=others,
    )


def sets(study: Reading, advice: Recommendation) -> Sets:
    """What every scope would give, with its bounds and its price."""
    words = Words.of(study)
    everyone = sorted((advice, *advice.alternatives), key=lambda c: float("inf") if c.cost is None else c.cost)
    some = everyone[:_MOST_SETS]
    if advice not in some:
        some[-1] = advice
    ends = [float(x) for c in some for x in (c.mean, c.lower, c.upper) if x is not None]
    axis = Axis(min(ends, default=0.0), max(ends, default=1.0))
    scopes = len({choice.scope for choice in some}) > 1
    rows = []
    for choice in some:
        mean, low, high = within(choice.mean, choice.lower, choice.upper)
        left, right, at = ("" if x is None else axis.at(float(x)) for x in (choice.lower, choice.upper, choice.mean))
        price = "" if choice.cost is None else words.paid(choice.cost)
        between = f"{low} to {high}" if low and high else ""
        name = str(choice.scope) if scopes else _sentence(choice.note).rstrip(".") or str(choice.scope)
        rows.append(Interval(name, mean, between, left, right, at, price, choice is advice))
    left, width, says = _acceptable(study.problem, axis, [float(c.mean) for c in everyone if c.mean is not None])
    title = "Which to hold" if scopes else "What each belief says"
    return Sets(tuple(rows), left, width, title, says, len(everyone) - len(some))


def _acceptable(problem: Problem, axis: Axis, means: list[float]) -> tuple[str, str, str]:
    """Where the region lies that is good enough, and what that is; where the method's own schedule decides, nothing."""
    tolerance, sign = getattr(problem, "tolerance", None), problem.sign
    if tolerance is None or getattr(tolerance, "worst", 0.0) is None or not means:
        return "", "", ""
    least = float(sign * tolerance.acceptable(max(sign * mean for mean in means), 0.0, sign))
    place = min(max(axis(least), 0.0), 100.0)
    left, right = (0.0, place) if problem.minimize else (place, 100.0)
    return f"{left:.2f}%", f"{right - left:.2f}%", f"Shaded: good enough, {tolerance}."


def _headline(problem: Problem, advice: Recommendation, policy: bool) -> str:
    """What to do, where the settings stand apart."""
    scope = advice.scope
    if isinstance(advice, Refused):
        return "Nothing can be recommended"
    if problem.kind == "mean-field":
        return "Send agents as follows"
    if scope.look:
        looked = dict.fromkeys(name for names in scope.look.values() for name in names)
        return f"Look at {_listed(list(looked))}, then set {_listed(list(scope.set))}"
    if not scope.set:
        return "Leave everything to itself"
    return f"Set {_listed(list(scope.set))}" + (" by what is seen" if policy else "")


def _listed(names: list[str]) -> str:
    """Names in words.

    >>> _listed(["a", "b", "c"]), _listed(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else ""


def _sentence(text: str) -> str:
    """The first line, as a sentence.

    >>> _sentence("as of time 3; this was played")
    'As of time 3; this was played.'
    """
    first = text.strip().partition("\n")[0].rstrip(". ")
    return f"{first[:1].upper()}{first[1:]}." if first else ""
