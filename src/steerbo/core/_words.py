"""Words of reasons: one entry a kind, and nothing else makes a sentence of them.

An entry is a format of the values by name, or a function of them where the words depend on the values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .._wording import counted, listed, numeral

NOT_WORKING = 0.05
"""Smallest probability to work that is said as a number; probabilities are said in steps of this size."""


def worded(kind: str, values: Mapping[str, Any]) -> str:
    """Put a reason into words; a kind of another package's is its own word.

    >>> worded("believing", {"belief": "slow drift"})
    'believing slow drift'
    """
    words = WORDS.get(kind)
    if words is None:
        return kind
    return words.format(**values) if isinstance(words, str) else words(**values)


def _good_enough(least: float, minimize: bool, scopes: Sequence[str]) -> str:
    verb = "at most" if minimize else "at least"
    return f"good enough is {verb} {numeral(least)}: {', '.join(scopes)}"


def _unknown_cost(scopes: Sequence[str]) -> str:
    return f"what a play{f' of {listed(scopes)}' if scopes else ''} costs is unknown"


def _typical_context(share: float) -> str:
    return f"{100 * share:.0f} % of recent contexts are like this"


def _over_contexts(mean: float | None = None, cost: float | None = None) -> str:
    said = [] if mean is None else [f"expect {numeral(mean)}"]
    said += [] if cost is None else [f"a play costs {numeral(cost)}"]
    return f"over all of them: {', '.join(said)}"


def _works_seldom(probability: float) -> str:
    steps = round(probability / NOT_WORKING)
    often = f"about {100 * NOT_WORKING * steps:.0f} %" if steps else f"less than {100 * NOT_WORKING:.0f} %"
    return f"works in {often} of plays: the expected value counts only plays that work"


def _worse_outcomes(number: int, near: int, low: float, high: float, mean: float) -> str:
    then = numeral(mean, 2)
    if number == 1:
        return (
            f"1 of {counted(near, 'outcome')} near it is taken for wrong and is worse than all "
            f"others there ({numeral(low)}): if it is right the expected value is about {then}"
        )
    return (
        f"{number} of {counted(near, 'outcome')} near it are taken for wrong and are worse than all "
        f"others there ({numeral(low)} to {numeral(high)}): if they are right the expected value is "
        f"about {then}"
    )


WORDS: Mapping[str, str | Callable[..., str]] = {
    "said": "{text}",  # of methods of other packages
    # which answer it is
    "as-of": "as of time {time:.10g}",
    "believing": "believing {belief}",
    "typical-context": _typical_context,
    "over-contexts": _over_contexts,
    # why it is the one
    "good-enough": _good_enough,
    "largest-net-value": "the net value of a play is {value:.5g}, more than that of other sets",
    "stay": "stay as you are: it is good enough, and costs no more",
    "gain-over-current": "{gain:.4g} better than where you stand (from {low:.4g} to {high:.4g})",
    "played": "this distribution has been played",
    "best-played": "the best of the distributions that were played",
    "predicted": "not played yet: the model predicts it",
    "none-better-than-even": "spread evenly: no other distribution is shown to be better",
    "part-of-the-way": "{share:.0%} of the way to the recommended distribution",
    "move-costs": "the move costs {cost:.4g}",
    # what to know before it is used
    "nothing-measured": "nothing is measured yet: any other settings may be as good",
    "nothing-known": "nothing is known yet: {instead}",
    "unbounded": "no bounds yet: nothing that was learned so far says how much outcomes may differ",
    "none-keeps": "no settings are known yet that keep to the limits and are likely to work; these come nearest",
    "unknown-cost": _unknown_cost,
    "not-looked-at": "the policy does not look at {names}",
    "works-seldom": _works_seldom,
    "beyond-outcomes": "no outcome was nearly as good: this is a guess",
    "worse-outcomes": _worse_outcomes,
    "outside-range": "{name} = {value} is outside its range, {range}: this is a guess",
    "new-choice": "no outcome has {name} = {value}: this is a guess",
    "beyond-contexts": "no outcome has {name} {side} {end}: this is a guess",
    "refused": "{text}",
}
"""Words by kind."""
