"""The frozen core: fifteen problems that tell methods apart, the same for everybody, with seeds nobody knows before.

Six are the papers' own, at budgets that one can afford, one drifts and nobody knows a prior of it;
eight are families of drawn problems (`fresh.family`), where every seed is another function. Ours is
`steerbo`: the default of each kind, as it comes. A registration draws the seeds: of the published
problems among their reported ones, of the families all.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .entrants import BUILT_IN
from .errors import BenchError, blamed
from .fresh import simple
from .fresh.crowd import FreshCrowd
from .fresh.family import TRAITS, world
from .fresh.registration import is_commit, seed_of, seeds_among
from .playing import run
from .problem import WINGS, Budget, Problem
from .record import Curve, Key, Result, Spent, machine, parse, plain, rounded
from .registry import Contender, contender, problem

OURS = "steerbo"
PUBLISHED: Mapping[str, float] = {
    "hartmann-moderate-0.02": 20.0, "plant-moderate-0.02": 20.0, "toy-h5-l0.5": 150.0, "wandering-peak": 60.0,
    "cosine": 150.0, "psa-2": 150.0, "arena": 60.0,
}  # fmt: skip
"""The papers' own, and one that drifts without priors, each with the rounds or the money after which a run ends. Of the
causal ones those on which peers, who set every action, can be as good as ours: on Figure 1 they
cannot."""
FAMILIES = ("plain", "sets", "correlated", "drift", "changes", "context", "agents", "noisy")
"""Traits of drawn problems; noise, interaction, size and all else are drawn, too."""
SMALL: Mapping[str, float] = {"toy-h5-l0.5": 60.0, "cosine": 60.0, "arena": 20.0}
"""The part for a first look at an entrant, beside the families that need neither much time nor a limit kept."""
SMALL_FAMILIES = ("plain", "sets", "context", "agents")
ENTRANTS = (OURS, *simple.RULES, "optuna-tpe", "cma-es")
WANTED = 20
PREFIX = "drawn-"
_VERSION = 1


@dataclass(frozen=True)
class CoreJob:
    """One run of the core: `name` is a published problem or "drawn-" and a trait; `number` counts its seeds."""

    registration: str
    name: str
    number: int
    contender: Contender
    until: float | None = None

    @property
    def drawn(self) -> bool:
        """Whether its problem is drawn."""
        return self.name.startswith(PREFIX)

    @property
    def index(self) -> int:
        """Of a drawn problem in its registration."""
        return TRAITS.index(self.name.removeprefix(PREFIX)) + len(TRAITS) * self.number

    @property
    def seed(self) -> int:
        """Drawn by the registration."""
        if self.drawn:
            return seed_of(self.registration, self.index)
        seeds = problem(self.name).seeds
        among = seeds.reported if is_commit(self.registration) else seeds.tuning
        if self.number >= len(among):
            raise BenchError(
                f"{self.name}: has {len(among)} seeds to tune on; ask for no more, or name a registration"
            )
        return seeds_among(self.registration, self.name, among, self.number + 1)[-1]

    @property
    def about(self) -> Problem:
        """A published problem, with its budget here."""
        return problem(self.name).until(self.until)

    @property
    def budget(self) -> Budget:
        """Of the run."""
        if not self.drawn:
            return self.about.budget
        of = world(self.registration, self.index)
        return (
            Budget(60, 60.0)
            if isinstance(of, FreshCrowd)
            else Budget(of.shape.rounds, of.shape.money)
        )

    @property
    def key(self) -> Key:
        """As a result's."""
        version = _VERSION if self.drawn else self.about.version
        options, budget = plain(self.contender.options), self.budget
        who = self.contender.name
        return Result.key_of(
            self.name, version, who, options, self.seed, budget.rounds, budget.money
        )

    def play(self) -> str:
        """Its result as a line, which says by which registration."""
        with blamed(f"{self.contender.name} on {self.name}"):
            return self._played()

    def _played(self) -> str:
        who = self.contender
        if not self.drawn:
            found = run(self.about, who.name, who.load(), self.seed, who.options, who.packages)
            return found.model_copy(update={"kept": self._kept()}).line()
        line = simple.Run(self.registration, self.index, 0, who.name, who.options, who).play()
        budget, money = self.budget, line["money"]
        lost = [rounded(max(line["play"], 0.0) * money)]
        return Result(
            schema_version=1, problem=self.name, version=_VERSION, entrant=who.name, options=plain(who.options),
            seed=self.seed, budget=Spent(rounds=budget.rounds, money=budget.money), rounds=line["rounds"], money=money,
            curve=Curve(unit="money", at=[money], cumulative=lost), cpu_seconds=line["seconds"],
            machine=machine(who.packages),
            kept={**self._kept(), **{name: line[name] for name in ("play", "answer", "words")}},
        ).line()  # fmt: skip

    def _kept(self) -> dict[str, Any]:
        return {"registration": self.registration, "number": self.number}


def jobs(
    registration: str,
    entrants: Sequence[Contender],
    many: Mapping[str, int],
    small: bool = False,
    wings: Sequence[str] = WINGS,
) -> Iterator[CoreJob]:
    """All runs: seed by seed, so that what is stopped has the same seeds of all.

    Args:
        registration: a whole commit id, or a word.
        entrants: who plays.
        many: seeds, by entrant.
        small: the small part alone.
        wings: whose problems are played.
    """
    published, families = (SMALL, SMALL_FAMILIES) if small else (PUBLISHED, FAMILIES)
    marks: dict[str, float | None] = {**{PREFIX + name: None for name in families}, **published}
    marks = {name: mark for name, mark in marks.items() if wing_of(name) in wings}
    for number in range(max(many.values())):
        for who in entrants:
            if number < many[who.name]:
                built = BUILT_IN.get(who.name)
                able, more = (built.wings, built.more) if built else (WINGS, ())
                for name, until in marks.items():
                    if wing_of(name) in able or name.removeprefix(PREFIX) in more:
                        yield CoreJob(registration, name, number, who, until)


def wing_of(name: str) -> str:
    """Of a problem of the core."""
    if name.startswith(PREFIX):
        return "mean-field" if name == PREFIX + "agents" else "cost-varying"
    return problem(name).wing


def again(results: Sequence[Result], count: int) -> Iterator[tuple[str, bool]]:
    """So many runs of built-in entrants, drawn at random, once more: each with whether its loss came out the same."""
    order = np.random.default_rng(0).permutation(len(results))[:count]
    for kept in (results[int(k)] for k in order):
        drawn = kept.problem.startswith(PREFIX)
        who, until = contender(kept.entrant, kept.options), None if drawn else kept.curve.at[-1]
        job = CoreJob(kept.kept["registration"], kept.problem, kept.kept["number"], who, until)
        now = parse(job.play(), kept.problem)
        pairs = [(measured(kept, m), measured(now, m)) for m in simple.MEASURES]
        alike = all(
            a == b or (a is not None and b is not None and np.isclose(a, b, rtol=1e-3))
            for a, b in pairs
        )
        yield f"{kept.problem}, {kept.entrant}, number {job.number}", alike


# -- what is compared ------------------------------------------------------------------------------


def measured(result: Result, measure: str) -> float | None:
    """One number of a run: "play", while playing; or "answer", of what is recommended, where the problem is drawn."""
    if result.problem.startswith(PREFIX):
        value: float | None = result.kept.get(measure)
        return value
    return result.last(problem(result.problem).compared) if measure == "play" else None


# -- an entrant from outside -----------------------------------------------------------------------

_NEEDED = {"ask": ("now",), "tell": ("values", "outcome")}


def entrant_of(place: str) -> Contender:
    """Somebody's class in FILE.py or FILE.py:Class, once it is sure that it can be asked and told.

    Raises:
        BenchError: the file or the class is missing, or a method of it; the message names which.
    """
    path, colon, _ = place.partition(":")
    if not path.endswith(".py"):
        raise BenchError(
            f"{place!r}: must be FILE.py, or FILE.py:Class where a file has several classes"
        )
    who = contender(place if colon else f"{path}:{_only_class(path)}")
    made = who.found()
    for method, wanted in _NEEDED.items():
        there = getattr(made, method, None)
        if not callable(there):
            raise BenchError(
                f"{who.name}: has no method {method}; needed: __init__(self, known, seed), ask(self, now), "
                "tell(self, values, outcome)"
            )
        _takes(f"{who.name}.{method}", there, ("self", *wanted))
    _takes(f"{who.name}", made, ("known", "seed"))
    return who


def _takes(what: str, function: Any, wanted: Sequence[str]) -> None:
    try:
        inspect.signature(function).bind(*wanted)
    except TypeError as error:
        raise BenchError(f"{what}: must take ({', '.join(wanted)}): {error}") from None


def _only_class(path: str) -> str:
    """The one class of a file that can be asked and told, else the one class that there is."""
    if not Path(path).is_file():
        raise BenchError(f"{path}: there is no such file")
    module = contender(f"{path}:").found()
    own = {
        k: v
        for k, v in vars(module).items()
        if inspect.isclass(v) and v.__module__ == module.__name__
    }
    able = [k for k, v in own.items() if hasattr(v, "ask") and hasattr(v, "tell")] or list(own)
    if len(able) == 1:
        return able[0]
    if not able:
        needed = (
            "one with __init__(self, known, seed), ask(self, now) and tell(self, values, outcome)"
        )
        raise BenchError(f"{path}: has no class; needed: {needed}")
    raise BenchError(
        f"{path}: has several classes, {', '.join(able)}; say which one: {path}:{able[0]}"
    )
