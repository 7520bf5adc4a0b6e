"""The scopes by price where scopes have prices: the cheapest that is good enough, then the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from ..bandit import BOUND
from ..core import TIME, History, as_text
from ..surrogate import NO_FEASIBLE_NOTE
from .frontier import Offer, cheapest, offer
from .nearness import MOST_ROWS, Realised
from .policy import Policy, policy_table
from .worth import Worth

if TYPE_CHECKING:
    from .cheap_first import CheapFirst

_TABLE = 16  # contexts that a policy's table is chosen from


def cheap_ranked(method: CheapFirst, history: History, known: Mapping[str, Any]) -> list[tuple[int, Policy]]:
    """The cheapest scope that is good enough, then the others by price.

    Args:
        method: has the arms and their models.
        history: what happened so far.
        known: what is seen before choosing, and the time where that matters.
    """
    every, sign = list(method.worths(history, range(len(method.arms)), known)), method.problem.sign
    told = [len(worth.model) > 0 for worth in every]
    if not any(told):
        return [(i, Policy.unknown(arm.scope)) for i, arm in enumerate(method.arms)]
    best = [offer(worth, 0.0, MOST_ROWS) if heard else None for worth, heard in zip(every, told, strict=True)]
    short = min(each.short for each in best if each is not None)
    means = method.weighed(_means(best, short))
    least = min(method.acceptable(float(means.max()), known), float(means.max()))
    good = [i for i in range(len(means)) if means[i] >= least]
    for i in good:  # where prices hang on what is set, no more is spent than it takes
        if every[i].toll is not None:
            best[i] = cheapest(every[i], 0.0, MOST_ROWS, lambda found: found.bound >= least)
    means = method.weighed(_means(best, short))
    prices = np.array([p if each is None else each.price for p, each in zip(method.prices, best, strict=True)])
    chosen = min(good, key=lambda i: (prices[i], -means[i]))
    others = sorted((i for i in range(len(means)) if i != chosen), key=lambda i: (prices[i], -means[i]))
    verb = "at most" if method.problem.minimize else "at least"
    said = "; ".join(f"set {method.arms[i].scope}" for i in good)
    note = f"good enough is {verb} {as_text(sign * least)}: {said}"
    note += f"; {NO_FEASIBLE_NOTE}" if short else ""
    note += f"; as of time {known[TIME.name]:g}" if method.problem.timed else ""
    answers = [_answer(method, history, worth, each, known) for worth, each in zip(every, best, strict=True)]
    arm, table = method.arms[chosen], None
    if set(arm.contexts) - set(known):
        points = Realised.of(arm, history, method.seen_of(known)).points[:_TABLE]
        contexts = method.problem.space.subset(arm.measured).decode(points)
        act = answers[chosen].act
        table = policy_table(arm, lambda k: act(contexts[k]), contexts)
    return [(chosen, replace(answers[chosen], note=note, table=table)), *((i, answers[i]) for i in others)]


def _means(best: Sequence[Offer | None], short: float) -> Float[np.ndarray, " m"]:
    """What scopes give, as far as they are told of, and none is likelier to keep to limits on what is measured."""
    return np.array([-np.inf if each is None or each.short > short else each.bound for each in best])


def _answer(
    method: CheapFirst, history: History, worth: Worth, found: Offer | None, known: Mapping[str, Any]
) -> Policy:
    """What the best policy of an arm gives on average, and the policy."""
    arm, sign = worth.arm, method.problem.sign
    if found is None:
        return Policy.unknown(arm.scope)
    mean, sd = sign * found.bound, worth.deviation(found.actions)
    act = method.greedy(history, method.models.number[arm.scope], known, found.rate)
    values = {} if set(arm.contexts) - set(known) else act(known)
    cost = found.price if method.problem.prices is not None else None
    note = NO_FEASIBLE_NOTE if found.short else ""
    return Policy(arm.scope, values, mean, mean - BOUND * sd, mean + BOUND * sd, cost, note=note, act=act)
