"""Simple rules beside the default, on drawn problems: equal money, the same noise and nature.

Two measures a run: the *shortfall while playing*, of an average unit of money that was spent, and
the *shortfall of the answer*, the true expected value of what would be done from now on, less its
price where value has one. Both are against the best that could be done, in standard deviations of
the function. Money that moved something bought nothing: it falls short by all that the best is
better than a blind play.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from ..playing import play
from ..problem import Budget
from ..protocol import Outcome, Values
from ..registry import Contender, contender
from ..statistics import error_of, shown
from .crowd import FreshCrowd
from .family import trait, world
from .world import FreshWorld

DEFAULT = "default"
RULES = (
    "hold-the-middle",
    "best-of-five",
    "sweep",
    "one-at-a-time",
    "response-surface",
    "retune",
    "random",
)
MEASURES = ("play", "answer")
_PLACES = 6  # of what is seen at which an answer is looked at

Row = Mapping[str, Any]


class Remembering:
    """An entrant whose limits are kept for it, and who answers by the best it saw where it has no answer of its own."""

    def __init__(self, entrant: Any, of: FreshWorld | FreshCrowd) -> None:
        self.entrant, self.world = entrant, of
        self.best: tuple[float, Values] | None = None

    def ask(self, now: Mapping[str, Any]) -> Any:
        """What it asks, moved towards the middle until a limit is kept."""
        return self._kept(self.entrant.ask(now))

    def decide(self, seen: Values) -> Any:
        """The same, after a look."""
        return self._kept(self.entrant.decide(seen))

    def _kept(self, values: Any) -> Any:
        return (
            self.world.kept(values)
            if isinstance(self.world, FreshWorld) and isinstance(values, Mapping)
            else values
        )

    def tell(self, values: Values, outcome: Outcome) -> None:
        """What came of it."""
        net = (
            self.world.net(values, outcome.value)
            if isinstance(self.world, FreshWorld)
            else outcome.value
        )
        if self.best is None or net > self.best[0]:
            self.best = net, values
        self.entrant.tell(values, outcome)

    def answer(self, now: Mapping[str, Any]) -> Values | None:
        """What it would do from now on."""
        if hasattr(self.entrant, "answer"):
            found: Values = self._kept(self.entrant.answer(now))
            return found
        return None if self.best is None else self.best[1]


@dataclass(frozen=True)
class Run:
    """One entrant on one problem, with one draw of noise and nature; `who` is one that has no name here."""

    registration: str
    index: int
    draws: int
    entrant: str
    options: Mapping[str, Any] = field(default_factory=dict)
    who: Contender | None = None

    @property
    def label(self) -> str:
        """The entrant, with its options."""
        return " ".join(
            [self.entrant, *(f"{name}={value}" for name, value in sorted(self.options.items()))]
        )

    @property
    def key(self) -> str:
        """Of its line."""
        return f"{self.registration}/{self.index}/{self.draws}/{self.label}"

    def play(self) -> dict[str, Any]:
        """Both measures, and how many rounds it made of the money."""
        began = time.process_time()
        of = world(self.registration, self.index, self.draws)
        rounds, money = (
            (of.shape.rounds, of.shape.money) if isinstance(of, FreshWorld) else (60, 60.0)
        )
        told = {**of.known, "budget": {"rounds": rounds, "money": money}}
        options = dict(self.options)
        who = self.who or contender("steerbo" if self.entrant == DEFAULT else self.entrant, options)
        with threadpool_limits(1):
            entrant = Remembering(who.load()(told, self.draws, **options), of)
            played = play(of, entrant, Budget(rounds, money))
            answers = shortfall_of_answer(of, entrant, len(played.regret) + 1)
        cost, held = played.cost, played.cost
        lost = np.zeros(len(cost))
        if (
            isinstance(of, FreshWorld) and of.shape.changes
        ):  # what moves something buys no value, and the best play is 1
            held = np.minimum(cost, of.shape.prices[0])
            lost = (cost - held) * np.array([of.best(number) for number in range(1, len(cost) + 1)])
        words = of.shape.words if isinstance(of, FreshWorld) else of.words
        return {
            "key": self.key, "registration": self.registration, "index": self.index, "draws": self.draws,
            "entrant": self.label, "trait": trait(self.index), "words": words,
            "play": round(float((played.regret * held + lost).sum() / cost.sum()), 5),
            "a_play": round(float(played.regret.mean()), 5),
            "answer": round(answers, 5), "rounds": len(cost), "money": round(float(cost.sum()), 3),
            "seconds": round(time.process_time() - began, 2),
        }  # fmt: skip


def shortfall_of_answer(of: FreshWorld | FreshCrowd, entrant: Remembering, number: int) -> float:
    """What the answer lacks to the best: now, or on average over what may be seen."""
    if isinstance(of, FreshCrowd) or of.shape.seen is None:
        return of.regret(number, entrant.answer({"round": number, **of.now(number)}) or {}, {})
    lacking = []
    for k in range(_PLACES):
        place = of.at(number, (k + 0.5) / _PLACES)
        lacking.append(
            place.regret(number, entrant.answer({"round": number, **place.now(number)}) or {}, {})
        )
    return float(np.mean(lacking))


def table(lines: Sequence[Row], ours: str = DEFAULT) -> str:
    """By problem: each entrant's shortfall less ours, in pairs; how often it is ahead by two standard errors."""
    names = list(dict.fromkeys(line["entrant"] for line in lines))
    others = [name for name in names if name != ours]
    by = {(line["index"], line["entrant"], line["draws"]): line for line in lines}
    problems = sorted({line["index"] for line in lines})
    out: list[str] = []
    for measure in MEASURES:
        title = f"{measure}: shortfall of {ours}; of others, theirs less ours ± two standard errors (* ahead of ours)"
        out += [
            title,
            "",
            "| problem | " + " | ".join([ours, *others]) + " |",
            "|---" * (len(others) + 2) + "|",
        ]
        ahead, behind, gaps = (
            dict.fromkeys(others, 0),
            dict.fromkeys(others, 0),
            {name: list[float]() for name in others},
        )
        for index in problems:
            draws = sorted({d for i, name, d in by if i == index and name == ours})
            words = next((line["words"] for line in lines if line["index"] == index), "")
            own = [by[index, ours, d][measure] for d in draws]
            cells = [f"{shown(float(np.mean(own)))}" if own else "–"]
            for name in others:
                gap = [
                    by[index, name, d][measure] - by[index, ours, d][measure]
                    for d in draws
                    if (index, name, d) in by
                ]
                if not gap:
                    cells.append("–")
                    continue
                mean, twice = float(np.mean(gap)), 2 * error_of(gap)
                gaps[name].append(mean)
                ahead[name] += mean < -twice
                behind[name] += mean > twice
                cells.append(f"{mean:+.3f} ± {shown(twice)}{'*' if mean < -twice else ''}")
            out.append(f"| {index} {trait(index)}: {words} | " + " | ".join(cells) + " |")
        total = [
            f"{np.mean(gaps[n]):+.3f} ± {shown(2 * error_of(gaps[n]))}" if gaps[n] else "–"
            for n in others
        ]
        out.append("| **all**, theirs less ours | | " + " | ".join(total) + " |")
        won = [f"{ahead[name]} / {behind[name]} of {len(gaps[name])}" for name in others]
        out += ["| **ahead of ours / behind** | | " + " | ".join(won) + " |", ""]
    seconds = {
        name: sum(line["seconds"] for line in lines if line["entrant"] == name) for name in names
    }
    return "\n".join(
        [*out, "CPU seconds: " + ", ".join(f"{name} {took:.0f}" for name, took in seconds.items())]
    )
