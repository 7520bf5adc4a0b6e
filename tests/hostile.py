"""Names that break what shows them, problems of every kind that have them, and rounds of theirs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import steerbo as sb
from steerbo.core import Suggestion
from steerbo.errors import InvalidOption, combine
from steerbo.study import MemoryLog, Study
from steerbo.timevarying import SquaredExponential

SEEN = [
    "US$ a$",
    "_x^{2",
    "x" * 300,
    "של\u200fום",
    "😀👩\u200d🔬 {",
    "\\frac{$}",
    "[red]a[/red] :cat: [/]",
    "<b>&amp;\\",
    "=1+cmd|' /C calc'!A0",
    "%s % {0}",
]
"""All can be names."""
HIDDEN = ["\x1b[31mred", "a\x9b2J", "\x1b]0;title\x07", "b\rc", "nul\x00", "caf\udce9", "\u202egnp.exe", "two\nlines"]
"""None can be, but older logs have them."""


def problem(kind: str, names: Sequence[str]) -> Any:
    """A small problem whose variables, choices, units, priors, actions and contexts are called so."""
    a, b, c, *_ = names
    law = sb.Uniform()
    if kind == "cost-varying":
        line = sb.Categorical(c, names, law=law)
        return sb.CostVarying(
            [sb.Float(a, 0, 1, law=law, unit=b), sb.Float(b, 0, 1, law=law), line], [[a], [b], [a, b, c]]
        )
    if kind == "time-varying":
        priors = [sb.Prior(SquaredExponential(0.2), drift=sb.Decay(0.05), name=name) for name in names]
        return sb.TimeVarying([sb.Float(a, 0, 1, unit=b)], priors)
    if kind == "causal":
        graph = sb.CausalGraph([(a, b), (b, c), (a, c)], target=c, intervenable=[b])
        return sb.Causal(graph, [sb.Float(a, 0, 1), sb.Float(b, 0, 1, unit=a)])
    return sb.MeanField(tuple(names), agents=10, contexts=(a, b))


def play(study: Study, names: Sequence[str], rounds: int = 4) -> Study:
    """Play a few rounds; the first fails for a reason that is called so, too."""
    chance = random.Random(3)
    study.fail(study.ask(), " / ".join(names))
    for _ in range(rounds):
        suggestion = study.ask()
        while suggestion.observe:
            suggestion = study.decide(suggestion, dict.fromkeys(suggestion.observe, 0.5))
        study.tell(suggestion, chance.random(), realised=_realised(study, suggestion, names))
    return study


def _realised(study: Study, suggestion: Suggestion, names: Sequence[str]) -> dict[str, Any]:
    return {
        name: names[-1] if isinstance(study.problem.space[name], sb.Categorical) else 0.5
        for name in study.problem.unmeasured(suggestion)
    }


KINDS = ("cost-varying", "time-varying", "causal", "mean-field")
METHODS = {"cost-varying": "random", "time-varying": "random", "causal": "random", "mean-field": "random"}


def study(kind: str, names: Sequence[str], log: Any = None) -> Study:
    """A study with such names, in memory unless told otherwise."""
    begun = Study.create(log or MemoryLog(), problem(kind, names), METHODS[kind], rounds=9)
    return play(begun, names)


MANY = combine(InvalidOption(f"o{i}", i, "nothing") for i in range(50))
