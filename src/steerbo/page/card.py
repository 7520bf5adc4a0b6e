"""The recommendation as a card: what to set, what to expect with bounds, the price, what else there is, and why."""

from __future__ import annotations

from dataclasses import dataclass

from ..rounds import Explanation, Problem, Recommendation, Table, numeral
from ..study.shown import alternatives, in_words, with_units
from .settings import Setting, settings_of


@dataclass(frozen=True)
class Card:
    """A recommendation; a text that is empty says nothing.

    Args:
        seen: for whom or when, where something is seen before choosing.
        scope: what to steer.
        settings: to what.
        mean: the expected value.
        bounds: between what it is meant to lie.
        price: what a play costs.
        why: in one sentence.
        policy: settings that hang on what is looked at.
        others: what each scope would give; or what to do in typical contexts.
    """

    seen: str
    scope: str
    settings: tuple[Setting, ...]
    mean: str
    bounds: str
    price: str
    why: str
    policy: Table | None
    others: Table | None


def card(problem: Problem, advice: Recommendation, why: Explanation) -> Card:
    """The card of what is recommended."""
    ends = [end for end in (advice.lower, advice.upper) if end is not None]
    most = max(map(abs, (advice.mean or 0.0, *ends)))
    policy = getattr(advice, "table", None)  # a causal policy's settings, which hang on what is seen
    return Card(
        seen=in_words(problem, advice.context),
        scope=str(advice.scope),
        settings=settings_of(problem, advice.values, digits=4),
        mean="unknown" if advice.mean is None else numeral(advice.mean, beside=most),
        bounds=" and ".join(numeral(end, beside=most) for end in ends),
        price="" if advice.cost is None else numeral(advice.cost),
        why=_sentence(advice.note) or why.summary.strip().partition("\n")[0],
        policy=with_units(problem, policy) if policy else None,
        others=alternatives(problem, advice) if advice.alternatives else None,
    )


def _sentence(text: str) -> str:
    """The first sentence, as one.

    >>> _sentence("as of time 3; this was played")
    'As of time 3; this was played.'
    """
    first = text.strip().partition("\n")[0].rstrip(". ")
    return f"{first[:1].upper()}{first[1:]}." if first else ""
