"""The final answer of every method: the cheapest acceptable control set, and what the others would give.

Where one stands today is an answer, too: it is given where it is acceptable, and costs no more than what would be.
Where a unit of value is worth a sum of money, it is the set with the largest net value.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bandit import BOUND
from ..core import Recommendation
from ..core.tolerance import UNSTATED, Absolute, Fraction, Threshold
from ..optim import UNLIKELY
from ..surrogate import NO_FEASIBLE_NOTE
from .control_sets import Arm, Outlook

if TYPE_CHECKING:
    from .method import PartialControl

SURE = 0.97725
"""Probability of either bound alone: that of a normal deviate below two, so that both hold 95 times in a hundred."""


def recommendation(method: PartialControl[Any], outlook: Outlook) -> Recommendation:
    """Of every set the settings with the largest E μ; of these the cheapest that is acceptable, by posterior means.

    Bounds are quantiles of the posterior of the expected value, a mixture over draws of the hyperparameters. Where no
    set is acceptable, as with a threshold that nothing reaches, the best one is recommended. Where money and value are
    one, it is the set with the best net value.
    """
    sign, costs = method.problem.sign, method.mean_costs()
    rows, least, good, chosen = _judged(method, outlook, costs)
    others = [row for i, row in enumerate(rows) if i != chosen]
    others.sort(key=lambda row: np.inf if row.cost is None else row.cost)
    verb = "reach at most" if method.problem.minimize else "reach at least"
    names = ", ".join(str(method.problem.scopes[int(i)]) for i in good)
    best, worth = rows[chosen], method.problem.value_of_one
    stay = _standing(method, outlook, costs) if method.problem.current is not None else None
    if stay is not None and best.note != NO_FEASIBLE_NOTE and _good_enough(method, stay, best, least):
        others = [row for row in (*others, best) if row.scope != stay.scope]
        return replace(stay, note="stay as you are: it is good enough, and costs no more", alternatives=tuple(others))
    net = "" if worth is None else f"the net value of a play is {worth * least:.5g}, more than that of other sets"
    return Recommendation(
        best.scope,
        best.values,
        best.mean,
        best.lower,
        best.upper,
        best.cost,
        best.note
        or (net or f"acceptable sets {verb} {sign * least:.5g}: {names}")
        + _unknown(method, costs)
        + ("" if stay is None else f"; {_gained(method, best, stay)}"),
        tuple(others),
    )


def _standing(method: PartialControl[Any], outlook: Outlook, costs: np.ndarray) -> Recommendation:
    """Where one stands, with its bounds."""
    arm, point = method.standing()
    mixture, sign = method.mixture(outlook, arm.set), method.problem.sign
    mean, _ = mixture.moments(point[None])
    lower, upper = sorted(sign * method.raw(end) for end in mixture.quantiles(point, (1.0 - SURE, SURE)))
    cost = None if np.isnan(costs[arm.set]) else float(costs[arm.set])
    middle = sign * method.raw(float(mean[0]))
    return Recommendation(method.problem.scopes[arm.set], method.settings(arm, point), middle, lower, upper, cost)


def _good_enough(method: PartialControl[Any], stay: Recommendation, best: Recommendation, least: float) -> bool:
    """Whether nothing is to be gained by moving that was asked for: `least` is of the value, or of the net value."""
    assert stay.mean is not None
    value = method.problem.sign * stay.mean
    if (worth := method.problem.value_of_one) is not None:
        return value - (stay.cost or 0.0) / worth >= least
    dearer = stay.cost is not None and best.cost is not None and stay.cost > best.cost
    return value >= least and not dearer


def _gained(method: PartialControl[Any], best: Recommendation, stay: Recommendation) -> str:
    """By how much the value is expected to be better than where one stands; as unsure as both are together at most."""
    gain = method.problem.sign * ((best.mean or 0.0) - (stay.mean or 0.0))
    unsure = 0.5 * sum((each.upper or 0.0) - (each.lower or 0.0) for each in (best, stay))
    return f"{gain:.4g} better than where you stand (from {gain - unsure:.4g} to {gain + unsure:.4g})"


def _judged(
    method: PartialControl[Any], outlook: Outlook, costs: np.ndarray
) -> tuple[list[Recommendation], float, np.ndarray, int]:
    """The best of every set, what is acceptable (in units of `sign · value`), which sets are, and the one chosen."""
    sign = method.problem.sign
    both = [_best(method, outlook, i, costs[i]) for i in range(len(method.sets))]
    rows = [row for row, _ in both]
    means, found = np.array([sign * (row.mean or 0.0) for row in rows]), np.array([value for _, value in both])
    if method.guarding:  # what is unlikely to be kept to, or to work, is no answer; where all is, the likeliest
        kept = found > UNLIKELY / 2
        means = np.where(kept, means, -np.inf) if kept.any() else found
    if method.problem.value_of_one is not None:
        nets = means - method.in_value()
        chosen = int(nets.argmax())
        return rows, float(nets[chosen]), np.array([chosen]), chosen
    least = _tolerance(method).acceptable(float(means.max()), method.worst(outlook), sign)
    good = np.flatnonzero(means >= least)
    if not len(good):
        good = np.array([int(means.argmax())])
    known = np.where(np.isnan(costs), np.inf, costs)
    return rows, least, good, int(min(good, key=lambda i: (known[i], -means[i])))


def _tolerance(method: PartialControl[Any]) -> Fraction | Absolute | Threshold:
    return method.problem.tolerance or UNSTATED


def possible_gain(method: PartialControl[Any], outlook: Outlook) -> float:
    """What more may be there than the recommended set gives, by bounds; in units of value, also where it has a price.

    Of all sets, so far as it would have to be taken: that by which what is recommended may fall short of acceptable.
    And of each cheaper set, that by which it may yet turn out to be acceptable itself.
    """
    sign, costs = method.problem.sign, method.mean_costs()
    rows, least, _, chosen = _judged(method, outlook, costs)
    best, every = rows[chosen], range(len(method.sets))
    if best.note == NO_FEASIBLE_NOTE:
        return np.inf
    seed = method.streams.integer(0, "gain")
    upper = np.array([method.raw(method.answer(outlook, i, seed, BOUND)[0].value) for i in every])
    assert best.lower is not None
    assert best.upper is not None
    lower = min(sign * best.lower, sign * best.upper)
    if method.problem.value_of_one is not None:
        prices = method.in_value()
        return float((upper - prices).max() - (lower - prices[chosen]))
    highest = float(upper.max())
    wanted = min(highest, _tolerance(method).acceptable(highest, method.worst(outlook), sign))
    cheaper = [upper[i] - least for i in every if i != chosen and not costs[i] >= costs[chosen]]
    return float(max([wanted - lower, *cheaper]))


def _unknown(method: PartialControl[Any], costs: np.ndarray) -> str:
    """Which sets' costs nobody knows, in words."""
    names = [str(method.problem.scopes[int(i)]) for i in np.flatnonzero(np.isnan(costs))]
    of = "" if len(names) == len(costs) else f" of {', '.join(names)}"
    return f"; what a play{of} costs is unknown" if names else ""


def _best(method: PartialControl[Any], outlook: Outlook, i: int, cost: float) -> tuple[Recommendation, float]:
    """The best settings of a set, and what a search found there."""
    seed = method.streams.integer(0, f"recommend {i}")
    found, mixture = method.answer(outlook, i, seed)
    mean, _ = mixture.moments(found.point[None])
    sign = method.problem.sign
    lower, upper = sorted(sign * method.raw(end) for end in mixture.quantiles(found.point, (1.0 - SURE, SURE)))
    kept = not (method.guarding and found.value <= UNLIKELY / 2)
    advice = Recommendation(
        method.problem.scopes[i],
        method.settings(Arm(i), found.point),
        sign * method.raw(found.value if kept else float(mean[0])),
        lower,
        upper,
        None if np.isnan(cost) else float(cost),
        "" if kept else NO_FEASIBLE_NOTE,
    )
    return advice, found.value
