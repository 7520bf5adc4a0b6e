"""Two outcomes of a causal problem: what the policies of an answer dominate after forty rounds.

    python -m partial_control_bench.causal.several_outcomes OUT.csv [--seeds 500:506] [--only …] [--who …]

Three worlds, drawn by the seed. `clinic`: how bad it is can be looked at before a dose is set; a diet that
is left alone follows a hidden cause, which is good for health, and costs. `line`: one action changes
another, with a hidden common cause, and the second outcome hangs on both; three scopes may be best.
`still`: nothing is looked at, and the trade-off bends inwards, so that no weighted sum is best
between its ends.

The figure is the hypervolume that the true expected outcomes of the answer's policies dominate, as a share of
that of the best policies by 61 weights (of `still`: of its front), on 64 contexts. Rivals: plays at random,
with the same models and the same answer (`random plays`); one study of the sum of both (`fixed weight`,
whose answer is one policy); and a study in which all outcomes are amended each round to a weighted sum
that is drawn, and in the end to thirteen more, whose policies are the answer (`by hand`). Both have the
graph with an outcome to which y and z point.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import scipy

import steerbo as sb
from steerbo.causal.identification.enumeration import policy_scopes
from steerbo.causal.random_weights import RandomWeights

from ..kept import play_missing
from ..several_outcomes import hypervolume

ROUNDS, NOISE, CONTEXTS = 40, 0.03, 64
Row = dict[str, np.ndarray]


@dataclass
class World:
    """A causal world with two outcomes: y, the larger the better, and z, the smaller.

    Attributes:
        text: its graph.
        actions: what can be set.
        contexts: what can be looked at.
        flow: from actions that are set, and hidden uniform draws (n, 3), to all values; of what is
            not set as nature does.
        reference: −y and z that hypervolumes are up to.
        front: outcomes (n, 2) of the best policies, if weighted sums do not find them.
    """

    text: str
    actions: list[str]
    contexts: list[str]
    flow: Callable[[Mapping[str, Any], np.ndarray], Row]
    reference: np.ndarray
    front: np.ndarray | None = None

    def graph(self) -> sb.CausalGraph:
        """Its graph, with y as the target."""
        roles: dict[str, Any] = {"intervenable": self.actions, "contexts": self.contexts}
        return sb.CausalGraph.from_text(self.text, target="y", **roles)

    def problem(self, **more: Any) -> sb.Causal:
        """The problem as steerbo has it: of both outcomes, or of one number that is made of both."""
        graph = self.graph() if "outcomes" in more else self.graph().joined(["z"])
        variables = [sb.Float(name, 0, 1) for name in (*self.actions, *self.contexts)]
        return sb.Causal(graph, variables, **more)

    def truth(
        self, scope: sb.Scope, act: Callable[[dict[str, Any]], Mapping[str, Any]]
    ) -> np.ndarray:
        """Expected −y and z of a policy."""
        hidden = scipy.stats.qmc.Sobol(3, seed=0).random(CONTEXTS)
        rows = [act(context) for context in self._cases(scope)]
        given = {name: np.array([row[name] for row in rows]) for name in scope.set}
        found = self.flow(given, hidden)
        return np.array([-found["y"].mean(), found["z"].mean()])

    def _cases(self, scope: sb.Scope) -> list[dict[str, float]]:
        """What a scope looks at, on all contexts."""
        seen = self.flow({}, scipy.stats.qmc.Sobol(3, seed=0).random(CONTEXTS))
        return [{name: float(seen[name][i]) for name in scope.contexts} for i in range(CONTEXTS)]

    def written_down(self, policy: Any) -> Any:
        """A policy that keeps its settings on all contexts, whatever its study is told afterwards."""
        known = {tuple(case.values()): policy(case) for case in self._cases(policy.scope)}
        return replace(policy, act=lambda case: known[tuple(case.values())])

    def best(self) -> float:
        """Hypervolume of the best policies by weights, on a grid of settings."""
        if self.front is not None:
            return hypervolume(self.front, self.reference)
        graph = self.graph().joined(["z"])
        grid, hidden = np.linspace(0, 1, 26), scipy.stats.qmc.Sobol(3, seed=0).random(1024)
        found = []
        for scope in policy_scopes(graph):
            settings = np.array([*product(grid, repeat=len(scope.set))])
            tables = []
            for row in settings:
                flown = self.flow(
                    dict(zip(scope.set, np.tile(row, (1024, 1)).T, strict=True)), hidden
                )
                tables.append(np.array([flown["y"], -flown["z"]]))
            each = np.array(tables)  # settings, outcomes, draws
            looked = self.flow({}, hidden)
            by = [looked[name] for name in scope.contexts]
            cell = (np.clip(by[0], 0, 0.999) * 32).astype(int) if by else np.zeros(1024, dtype=int)
            mean = np.array([each[:, :, cell == c].sum(2) for c in np.unique(cell)]) / 1024
            for angle in np.linspace(0, np.pi / 2, 61):
                weighed = np.cos(angle) * mean[:, :, 0] + np.sin(angle) * mean[:, :, 1]
                chosen = mean[np.arange(len(mean)), weighed.argmax(1)].sum(0)
                found.append(-chosen)
        return hypervolume(np.array(found), self.reference)


def clinic(seed: int) -> World:
    """A dose by how bad it is, and a diet that nature chooses by what nobody sees."""
    rng = np.random.default_rng([seed, 11])
    base, slope, fits = rng.uniform(0.1, 0.4), rng.uniform(0.3, 0.6), rng.uniform(0.4, 1.0)

    def flow(given: Mapping[str, Any], hidden: np.ndarray) -> Row:
        bad, taste, habit = hidden.T
        dose = given.get("dose", 0.5 * bad + 0.5 * habit)
        diet = given.get("diet", taste)
        y = -2.0 * (dose - base - slope * bad) ** 2 - fits * (diet - taste) ** 2
        return {"bad": bad, "dose": dose, "diet": diet, "y": y, "z": dose**2 + 0.5 * diet}

    text = "bad -> dose; bad -> y; dose -> y; dose -> z; diet -> y; diet <-> y; diet -> z"
    return World(text, ["dose", "diet"], ["bad"], flow, np.array([0.8, 1.2]))


def line(seed: int) -> World:
    """One action after another, with a hidden cause of the first and of the outcome."""
    rng = np.random.default_rng([seed, 12])
    wanted, follows, dear = rng.uniform(0.5, 0.9), rng.uniform(0.5, 1.5), rng.uniform(0.3, 0.7)

    def flow(given: Mapping[str, Any], hidden: np.ndarray) -> Row:
        c, u, habit = hidden.T
        x1 = given.get("x1", 0.3 * c + 0.6 * u + 0.1 * habit)
        x2 = given.get("x2", 0.1 + 0.8 * x1)
        y = -2.0 * (x2 - wanted) ** 2 - follows * (x2 - u) ** 2
        return {"c": c, "x1": x1, "x2": x2, "y": y, "z": dear * x1 + (x2 - 0.4 * c) ** 2}

    text = "c -> x1; x1 -> x2; x2 -> y; x1 <-> y; x2 -> z; x1 -> z; c -> z"
    return World(text, ["x1", "x2"], ["c"], flow, np.array([1.5, 1.2]))


def still(seed: int) -> World:
    """DTLZ2 in two variables, one of which only harms."""
    away = np.random.default_rng([seed, 13]).uniform(0.2, 0.8)

    def flow(given: Mapping[str, Any], hidden: np.ndarray) -> Row:
        a, b = given.get("a", hidden[:, 0]), given.get("b", hidden[:, 1])
        g, angle = 1.0 + 2.0 * (b - away) ** 2, 0.5 * np.pi * a
        return {"a": a, "b": b, "y": -g * np.cos(angle), "z": g * np.sin(angle)}

    turns = np.linspace(0, np.pi / 2, 400)
    front = np.column_stack([np.cos(turns), np.sin(turns)])
    return World("a -> y; a -> z; b -> y; b -> z", ["a", "b"], [], flow, np.full(2, 1.1), front)


WORLDS: dict[str, Callable[[int], World]] = {"clinic": clinic, "line": line, "still": still}


class AtRandom(RandomWeights):
    """Plays at random, with the models and the answer of `random-weights`."""

    name: ClassVar[str] = "at-random"

    def needed(self, i: int) -> int:
        """Never let a model choose."""
        return 2**62

    def needs_initial_plays(self, some: np.ndarray) -> int | None:
        """Any scope."""
        draw = self.streams(self.history.next_round, "choose")
        return int(draw.integers(len(self.arms)))


class Nature:
    """Evaluates rounds: hidden draws and noise by the seed and the number of the round."""

    def __init__(self, world: World, seed: int) -> None:
        self.world, self.seed, self.number = world, seed, 0

    def play(self, study: Any, suggestion: Any) -> tuple[float, float, dict[str, float]]:
        """Decide a round, and measure: y, z, and all variables."""
        rng = np.random.default_rng([self.seed, self.number, 14])
        self.number += 1
        hidden = rng.random((1, 3))
        while suggestion.observe:
            seen = self.world.flow(suggestion.values, hidden)
            looked = {name: float(seen[name][0]) for name in suggestion.observe}
            suggestion = study.decide(suggestion, looked)
        row = {
            name: float(v[0])
            for name, v in self.world.flow(_arrays(suggestion.values), hidden).items()
        }
        y, z = (row.pop(name) + NOISE * rng.standard_normal() for name in ("y", "z"))
        return y, z, row


def _arrays(values: Mapping[str, Any]) -> dict[str, np.ndarray]:
    return {name: np.array([value]) for name, value in values.items()}


def by_steerbo(world: World, seed: int, **how: Any) -> list[Any]:
    """Several outcomes in one study; its trade-off."""
    study = sb.Optimizer(world.problem(outcomes={"z": "minimize"}), rounds=ROUNDS, seed=seed, **how)
    nature = Nature(world, seed)
    while (suggestion := study.ask()) is not None:
        y, z, row = nature.play(study, suggestion)
        study.tell(suggestion, y, realised={**row, "z": z})
    return list(study.tradeoff().plays)


def by_random(world: World, seed: int) -> list[Any]:
    """Plays at random, with the same answer."""
    return by_steerbo(world, seed, method=AtRandom)


def by_fixed_weight(world: World, seed: int) -> list[Any]:
    """One study of y − z."""
    study, nature = sb.Optimizer(world.problem(), rounds=ROUNDS, seed=seed), Nature(world, seed)
    while (suggestion := study.ask()) is not None:
        y, z, row = nature.play(study, suggestion)
        study.tell(suggestion, y - z, realised=row)
    return [study.recommend()]


def by_hand(world: World, seed: int) -> list[Any]:
    """A study of a weighted sum that is drawn each round, all outcomes amended to it; thirteen in the end."""
    rng, nature = np.random.default_rng([seed, 15]), Nature(world, seed)
    study = sb.Optimizer(world.problem(), rounds=ROUNDS, seed=seed)
    told: list[tuple[str, float, float]] = []

    def weigh(weight: float) -> None:
        for token, y, z in told:
            study.amend(token, value=(1.0 - weight) * y - weight * z)

    for _ in range(ROUNDS):
        weight = rng.random()
        weigh(weight)
        suggestion = study.ask()
        assert suggestion is not None
        y, z, row = nature.play(study, suggestion)
        study.tell(suggestion.token, (1.0 - weight) * y - weight * z, realised=row)
        told.append((suggestion.token, y, z))
    answers = []
    for weight in np.linspace(0.02, 0.98, 13):
        weigh(weight)
        answers.append(world.written_down(study.recommend()))
    return answers


WHO: dict[str, Callable[..., list[Any]]] = {
    "steerbo": by_steerbo,
    "random plays": by_random,
    "fixed weight": by_fixed_weight,
    "by hand": by_hand,
}


def played(name: str, who: str, seed: int) -> dict[str, Any]:
    """One run: the share of the best hypervolume, of the answer; its bounds that hold; scopes in it; seconds."""
    world = WORLDS[name](seed)
    began = time.process_time()
    rows = WHO[who](world, seed)
    seconds = time.process_time() - began
    truth = np.array([world.truth(row.scope, row) for row in rows])
    held = None
    if rows[0].outcomes:
        ends = np.array(
            [[(-r.upper, -r.lower), (r.outcomes["z"].lower, r.outcomes["z"].upper)] for r in rows]
        )
        held = float(((ends[..., 0] <= truth) & (truth <= ends[..., 1])).mean())
    share = hypervolume(truth, world.reference) / world.best()
    return {
        "world": name,
        "who": who,
        "seed": seed,
        "answer": round(share, 4),
        "held": held and round(held, 3),
        "policies": len(rows),
        "scopes": len({str(row.scope) for row in rows}),
        "seconds": round(seconds, 1),
    }


def main() -> None:
    """Play what is asked for, a line of CSV a run; what is in the file already is not played again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seeds", default="500:506")
    parser.add_argument("--only", nargs="*", default=[*WORLDS])
    parser.add_argument("--who", nargs="*", default=[*WHO])
    said = parser.parse_args()
    seeds = range(*map(int, said.seeds.split(":")))
    play_missing(
        said.out,
        (
            ({"world": name, "who": who, "seed": seed}, partial(played, name, who, seed))
            for seed, name, who in product(seeds, said.only, said.who)
        ),
    )


if __name__ == "__main__":
    main()
