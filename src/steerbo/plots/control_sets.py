"""What every control set would give, and at what price: points with bounds, and what is acceptable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

from ..causal import Causal
from ..costvarying import CostVarying
from ..rounds import Recommendation, Scope
from .drawing import COLOURS, GREEN, bare, words, wrapped

_NAME = 24  # characters
SHAPES = "osD^vP*X"  # they say what colours say, again
Looks = dict[Sequence[str], tuple[str, str]]
"""Colour and shape of each control set."""


def looks_of(problem: CostVarying) -> Looks:
    """Those of a problem's control sets."""
    return dict(zip(problem.control_sets, zip(cycle(COLOURS), cycle(SHAPES), strict=False), strict=False))


def draw_contexts(axes: Any, problem: CostVarying, advice: Recommendation, looks: Looks) -> None:
    """What is expected in typical contexts of the set that is recommended there; the legend says which that is."""
    space = problem.space.subset(problem.space.seen)
    rows = sorted((advice, *advice.alternatives), key=lambda choice: space.encode([choice.context]).tolist())
    for k, choice in enumerate(rows):
        colour, shape = looks[tuple(choice.scope.set)]
        y = float(choice.mean or 0.0)
        low, high = (y if bound is None else float(bound) for bound in (choice.lower, choice.upper))
        if choice.mean is not None:
            axes.errorbar(k, y, [[y - low], [high - y]], color=colour, marker=shape, markersize=9, capsize=5)
    labels = [wrapped(_in_one(problem.shown(choice.context, 3)), 16) for choice in rows]
    axes.set_xticks(range(len(rows)), labels, fontsize=8)
    axes.margins(0.12, 0.15)


def _in_one(texts: dict[str, str]) -> str:
    """Values by name in one line."""
    return ", ".join(f"{name} = {text}" for name, text in texts.items())


def by_scope(choices: Sequence[Recommendation], looks: Looks | None = None) -> dict[Scope, tuple[str, str]]:
    """Colour and shape of each choice's scope: those of its control set, or where there is none in order of price."""
    if looks is not None:
        return {choice.scope: looks[tuple(choice.scope.set)] for choice in choices}
    ordered = sorted(choices, key=lambda choice: choice.cost or 0.0)
    given = zip(cycle(COLOURS), cycle(SHAPES), strict=False)
    return {choice.scope: look for choice, look in zip(ordered, given, strict=False)}


def priced(advice: Recommendation) -> list[Recommendation]:
    """What has both a price and an expected value."""
    return [c for c in (advice, *advice.alternatives) if c.cost is not None and c.mean is not None]


def draw_prices(
    axes: Any, problem: CostVarying | Causal, advice: Recommendation, looks: Mapping[Scope, tuple[str, str]]
) -> None:
    """Expected value and bounds of each set or scope against its price, the recommended one, what is acceptable."""
    choices = priced(advice)
    dearest = max((float(c.cost or 0.0) for c in choices), default=0.0)
    for i, choice in enumerate(sorted(choices, key=lambda c: c.cost or 0.0)):
        colour, shape = looks[choice.scope]
        x, y = float(choice.cost or 0.0), float(choice.mean or 0.0)
        low, high = (y if bound is None else float(bound) for bound in (choice.lower, choice.upper))
        axes.errorbar(x, y, [[y - low], [high - y]], color=colour, marker=shape, markersize=9, capsize=5, zorder=3)
        above = i % 2 == 0  # neighbours in price are named on opposite sides
        axes.annotate(
            wrapped(str(choice.scope), 24),
            (x, high if above else low),
            (0, 11 if above else -11),
            textcoords="offset points",
            ha="left" if x < 0.25 * dearest else "right" if x > 0.75 * dearest else "center",
            va="bottom" if above else "top",
        )
    if advice in choices:
        axes.plot(advice.cost, advice.mean, "o", ms=20, mfc="none", color="black", ls="none", label="recommended")
    axes.margins(0.12, 0.15)
    least = _acceptable(problem, [c.mean for c in choices if c.mean is not None])
    if least is not None:
        low, high = axes.get_ylim()
        low, high = min(low, least), max(high, least)
        edge = low if problem.minimize else high
        axes.axhspan(least, edge, color=GREEN, alpha=0.12, lw=0, zorder=0, label="acceptable")
        axes.set_ylim(low, high)


def draw_scope_prices(axes: Any, problem: Causal, advice: Recommendation) -> None:
    """The same of policy scopes, with labels."""
    draw_prices(axes, problem, advice, by_scope(priced(advice)))
    axes.set(xlabel="cost of a play", ylabel=f"expected {words(problem.graph.target, _NAME)}")
    axes.set_xlim(left=0)
    bare(axes)


def _acceptable(problem: CostVarying | Causal, means: Sequence[float]) -> float | None:
    """The least acceptable expected value in the user's units; None where the method's own schedule decides it."""
    tolerance, sign = problem.tolerance, problem.sign
    if tolerance is None or getattr(tolerance, "worst", 0.0) is None or not means:
        return None
    return float(sign * tolerance.acceptable(max(sign * mean for mean in means), 0.0, sign))
