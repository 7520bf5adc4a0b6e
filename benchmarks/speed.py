"""How long a suggestion and an answer take beside those of the plain problem, on one thread.

A cell is a problem with what people's problems have (a limit on an outcome, or every trait at once)
and the same problem without. Both are played by turns in one process, so that a busy machine slows
both: ratios of CPU seconds are what counts. Two graphs, and first suggestions that follow many past
rows, stand beside the plain problem of the first cell.

Usage, in the checkout: `python -m benchmarks.speed [--turns N] [--peers] [CELL …]` prints the table
of `evidence/speed.md`. Megabytes are the largest that one more suggestion and answer hold at once.
With `--peers` suggestions of Optuna's sampler on a Gaussian process and of BoTorch stand beside
ours, played by turns too. They know the same outcomes and the limit; they set all variables, which
are numbers to them, and compare no sets.
"""

from __future__ import annotations

import os

os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1"))

import argparse
import importlib.util
import time
import tracemalloc
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

import steerbo as sb

TURNS = 5
LIMIT = sb.OutcomeConstraint("g", at_most=1.2, probability=0.9)
EVERYTHING = ("limit", "linear", "mixed", "switch", "rows", "seen", "drift")


@dataclass(frozen=True)
class Cell:
    """A problem, and the traits that the plain one lacks."""

    name: str
    variables: int
    sets: int
    outcomes: int
    traits: tuple[str, ...] = ("limit",)


CELLS = (
    Cell("4 variables, 4 sets, 20 outcomes, a limit", 4, 4, 20),
    Cell("6 variables, 4 sets, 30 outcomes, a limit", 6, 4, 30),
    Cell("6 variables, 16 sets, 60 outcomes, a limit", 6, 16, 60),
    Cell("6 variables, 63 sets, 60 outcomes, a limit", 6, 63, 60),
    Cell("8 variables, 255 sets, 60 outcomes, a limit", 8, 255, 60),
    Cell("a plant with every trait, 8 sets, 30 outcomes", 6, 8, 30, EVERYTHING),
    Cell("a plant with every trait, 8 sets, 150 outcomes", 6, 8, 150, EVERYTHING),
)

# -- problems --------------------------------------------------------------------------------------


class Study:
    """A cost-varying study of a cell, with its past outcomes; the world it is played in is a hill."""

    def __init__(self, cell: Cell, traits: Sequence[str], seed: int) -> None:
        self.traits, self.draws = traits, np.random.default_rng(seed)
        self.names = [f"x{i}" for i in range(cell.variables)]
        self.optimizer = sb.Optimizer(self._problem(cell), seed=seed, budget=1e6)
        for k in range(cell.outcomes):
            value, realised = self._outcome({})
            if "drift" in traits:
                realised["time"] = float(k)
            self.optimizer.add(value, realised=realised)

    def _problem(self, cell: Cell) -> sb.CostVarying:
        traits, some = self.traits, dict[str, Any]()
        variables: list[Any] = [self._variable(i) for i in range(len(self.names))]
        if "seen" in traits:
            variables.append(sb.Float("w", 0, 1, seen=True))
        if "rows" in traits:
            first, second = np.random.default_rng(0).random((2, 200))
            rows = np.column_stack([first, 0.7 * first + 0.3 * second]).tolist()
            some["nature"] = sb.space.JointRows(rows, self.names[-2:])
        limits: list[Any] = [LIMIT] if "limit" in traits else []
        if "linear" in traits:
            weights = dict.fromkeys(self.names[-2:], 1.0)
            limits.append(sb.LinearConstraint(weights, at_most=1.5, probability=0.9))
        if "drift" in traits:
            some["drift"] = "learned"
        sets = _sets(self.names, cell.sets, needed=not {"mixed", "switch"}.isdisjoint(traits))
        costs = [1.0 + len(each) for each in sets]
        return sb.CostVarying(
            variables, sets, costs, value_of_one=1.0, limits=limits or None, **some
        )

    def _variable(self, i: int) -> Any:
        name = self.names[i]
        change = sb.SwitchingCost(fixed=5) if "switch" in self.traits and not i else None
        if "mixed" in self.traits and i == 0:
            return sb.Categorical(name, ["a", "b", "c"], change=change)
        if "mixed" in self.traits and i == 1:
            return sb.Integer(name, 0, 9, law=sb.Uniform())
        if "rows" in self.traits and i >= len(self.names) - 2:
            return sb.Float(name, 0, 1)
        return sb.Float(name, 0, 1, law=sb.Uniform(), change=change)

    def _outcome(self, values: Mapping[str, Any]) -> tuple[float, dict[str, Any]]:
        """Play settings; nature draws the others."""
        realised: dict[str, Any] = {name: float(self.draws.random()) for name in self.names}
        if "mixed" in self.traits:
            realised["x0"] = str(self.draws.choice(["a", "b", "c"]))
            realised["x1"] = int(self.draws.integers(10))
        realised |= values
        codes = {"a": 0.1, "b": 0.5, "c": 0.9}
        place = np.array([codes.get(realised[name], realised[name]) for name in self.names])
        if "mixed" in self.traits:
            place[1] /= 9
        hill = np.exp(-2.0 * ((place - np.linspace(0.3, 0.8, len(place))) ** 2).sum())
        value = 5.0 * hill + 0.5 * np.sin(5.0 * place[0]) * place[-1] + 0.1 * self.draws.normal()
        if "seen" in self.traits:
            realised["w"] = 0.4 if values else float(self.draws.random())
            value += realised["w"] * place[0]
        if "limit" in self.traits:
            realised["g"] = float(2.0 * place.mean() + 0.05 * self.draws.normal())
        return float(value), realised

    @property
    def _context(self) -> dict[str, Any]:
        return {"context": {"w": 0.4}} if "seen" in self.traits else {}

    def ask(self) -> Any:
        """The next suggestion."""
        return self.optimizer.ask(**self._context)

    def recommend(self) -> Any:
        """The answer as things stand."""
        return self.optimizer.policy({"w": 0.4}) if self._context else self.optimizer.recommend()

    def tell(self, asked: Any) -> None:
        """Play a suggestion and tell what came of it."""
        value, realised = self._outcome(asked.values)
        self.optimizer.tell(asked, value, realised=realised)


def _sets(names: Sequence[str], count: int, needed: bool) -> list[list[str]]:
    """Control sets, evenly spread over all subsets from small to large; `needed`: all with the first name."""
    every = [list(some) for k in range(1, len(names) + 1) for some in combinations(names, k)]
    every = [some for some in every if names[0] in some or not needed]
    return [every[i] for i in sorted(set(np.linspace(0, len(every) - 1, count).astype(int)))]


def _causal(graph: sb.CausalGraph) -> sb.Optimizer:
    named = [name for name in graph.names if name != graph.target]
    return sb.Optimizer(sb.Causal(graph, [sb.Float(name, 0, 1) for name in named]), seed=0)


def in_layers(nodes: int, actions: int) -> sb.CausalGraph:
    """A graph of causes in which nothing is hidden, as large as those of medicine."""
    draws = np.random.default_rng(0)
    edges = [f"n{int(j)} -> n{i}" for i in range(1, nodes) for j in set(draws.integers(0, i, 2))]
    settable = [f"n{i}" for i in np.linspace(1, nodes - 2, actions).astype(int)]
    return sb.CausalGraph.from_text("; ".join(edges), target=f"n{nodes - 1}", intervenable=settable)


def unrolled(slices: int) -> sb.CausalGraph:
    """A process of three variables at several times, two of which are set at each."""
    edges = list[str]()
    for t in range(slices):
        edges += [f"x{t} -> z{t}", f"z{t} -> y{t}"]
        if t:
            edges += [f"{name}{t - 1} -> {name}{t}" for name in "xzy"]
    settable = [f"{name}{t}" for t in range(slices) for name in "xz"]
    text = "; ".join(edges)
    return sb.CausalGraph.from_text(text, target=f"y{slices - 1}", intervenable=settable)


GRAPHS: dict[str, Callable[[], sb.Optimizer]] = {
    "scopes of a graph of 37 variables, 14 set": lambda: _causal(in_layers(37, 14)),
    "scopes of three variables at 8 times, 16 set": lambda: _causal(unrolled(8)),
}


def drifting(rows: int) -> sb.Optimizer:
    """A time-varying study without priors that knows past rows: the best settings go to and fro once."""
    draws = np.random.default_rng(0)
    optimizer = sb.Optimizer(sb.TimeVarying([sb.Float(name, 0, 1) for name in "abc"]), seed=0)
    for k in range(rows):
        place = draws.random(3)
        value = float(
            -((place - 0.5 - 0.2 * np.sin(6.0 * k / rows)) ** 2).sum() + 0.05 * draws.normal()
        )
        optimizer.add(
            value, realised={**dict(zip("abc", place.tolist(), strict=True)), "time": float(k)}
        )
    return optimizer


PAST: dict[str, Callable[[], sb.Optimizer]] = {
    f"first suggestion after {rows} past rows, time-varying": partial(drifting, rows)
    for rows in (200, 800)
}

# -- peers -----------------------------------------------------------------------------------------

Past = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Settings (n, d) from 0 to 1, values (n,), and outcomes (n,) that are limited."""


def optuna_ask(past: Past) -> None:
    """A suggestion of Optuna's sampler on Gaussian processes that knows past trials."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.GPSampler(seed=0, constraints_func=lambda trial: (0.0,))
    study = optuna.create_study(direction="maximize", sampler=sampler)
    spans: dict[str, optuna.distributions.BaseDistribution] = {
        f"x{i}": optuna.distributions.FloatDistribution(0, 1) for i in range(past[0].shape[1])
    }
    for x, value, g in zip(*past, strict=True):
        params = dict(zip(spans, x.tolist(), strict=True))
        broken = {"constraints": (float(g - LIMIT.at_most),)}
        study.add_trial(
            optuna.trial.create_trial(
                params=params, distributions=spans, value=float(value), system_attrs=broken
            )
        )
    study.ask(spans)


def botorch_ask(past: Past) -> None:
    """A suggestion by qLogNEI under a constraint, with the restarts of BoTorch's tutorial of one."""
    import torch
    from botorch.acquisition.logei import qLogNoisyExpectedImprovement
    from botorch.acquisition.objective import GenericMCObjective
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import ModelListGP, SingleTaskGP
    from botorch.optim import optimize_acqf
    from gpytorch.mlls import SumMarginalLogLikelihood

    torch.set_num_threads(1)
    torch.manual_seed(0)
    X, *outcomes = (torch.tensor(each, dtype=torch.double) for each in past)
    model = ModelListGP(*(SingleTaskGP(X, each[:, None]) for each in outcomes))
    fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
    function = qLogNoisyExpectedImprovement(
        model,
        X,
        objective=GenericMCObjective(lambda Z, X=None: Z[..., 0]),
        constraints=[lambda Z: Z[..., 1] - LIMIT.at_most],
        prune_baseline=True,
    )
    bounds = torch.tensor([[0.0] * X.shape[1], [1.0] * X.shape[1]], dtype=torch.double)
    optimize_acqf(function, bounds, q=1, num_restarts=10, raw_samples=512)


PEERS: dict[str, Callable[[Past], None]] = {"optuna": optuna_ask, "botorch": botorch_ask}


def beside_peers(cell: Cell, turns: int) -> list[str]:
    """Row of a cell beside those peers that are installed: ours, and how many times as long they take."""
    study, plain = Study(cell, cell.traits, seed=5000), Study(cell, ("limit",), seed=5000)
    told = plain.optimizer.history.results
    past = (
        np.array([[each.realised[name] for name in plain.names] for each in told]),
        np.array([each.outcome.value for each in told if each.outcome is not None]),
        np.array([each.realised["g"] for each in told]),
    )
    taken = {name: list[float]() for name in ("ours", *PEERS)}
    for turn in range(turns + 1):  # in the first one libraries are imported
        seconds, asked = timed(study.ask)
        study.tell(asked)
        times = {"ours": seconds}
        times |= {name: timed(partial(ask, past))[0] for name, ask in installed().items()}
        for name, each in times.items() if turn else ():
            taken[name].append(each)
    ours = float(np.median(taken["ours"]))
    beside = [f"{np.median(taken[name]) / ours:.1f}" if taken[name] else "" for name in PEERS]
    return [f"{ours:.3f}", *beside]


def installed() -> dict[str, Callable[[Past], None]]:
    """Peers that can be imported."""
    return {name: ask for name, ask in PEERS.items() if importlib.util.find_spec(name) is not None}


# -- times -----------------------------------------------------------------------------------------


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of a call, and its result."""
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def compared(cell: Cell, turns: int) -> list[str]:
    """Row of a cell: both studies play by turns."""
    studies = [Study(cell, traits, seed=5000) for traits in ((), cell.traits)]
    asks, answers = np.zeros((turns, 2)), np.zeros((turns, 2))
    for turn in range(turns + 1):  # the first one learns what the others use
        for k, study in enumerate(studies):
            taken, asked = timed(study.ask)
            answered, _ = timed(study.recommend)
            study.tell(asked)
            if turn:
                asks[turn - 1, k], answers[turn - 1, k] = taken, answered
    (plain, full), answer = np.median(asks, axis=0), float(np.median(answers[:, 1]))
    tracemalloc.start()
    studies[1].ask()
    studies[1].recommend()
    most = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return [
        f"{plain:.3f}",
        f"{full:.3f}",
        f"{full / plain:.1f}",
        f"{answer / full:.1f}",
        f"{most:.0f}",
    ]


def first_compared(make: Callable[[], sb.Optimizer], turns: int) -> list[str]:
    """Row of a study up to its first suggestion, beside one of the plain problem of the first cell."""
    plain = Study(CELLS[0], (), seed=5000)
    asks, found = list[float](), list[float]()
    for _ in range(turns):
        taken, asked = timed(plain.ask)
        plain.tell(asked)
        asks.append(taken)
        found.append(timed(lambda: make().ask())[0])
    least, full = float(np.median(asks)), float(np.median(found))
    return [f"{least:.3f}", f"{full:.3f}", f"{full / least:.1f}", "", ""]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--peers", action="store_true", help="beside Optuna and BoTorch")
    parser.add_argument("cells", nargs="*", help="words of the cells' names; none: all")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.peers:
        beside(arguments.turns, arguments.cells)
        return
    print("| problem | plain `ask` | `ask` | times | `recommend` / `ask` | MB |")
    print("| --- | --: | --: | --: | --: | --: |")
    turns = arguments.turns
    rows = {each.name: partial(compared, each, turns) for each in CELLS}
    every = {**GRAPHS, **PAST}
    rows |= {name: partial(first_compared, make, turns) for name, make in every.items()}
    for name, row in rows.items():
        if all(word in name for word in arguments.cells):
            print("|", " | ".join([name, *row()]), "|", flush=True)


def beside(turns: int, words: Sequence[str]) -> None:
    """Print the table beside peers."""
    if missing := PEERS.keys() - installed().keys():
        print(f"not installed, and left out: {', '.join(sorted(missing))}")
    print("| problem | `ask` | Optuna, times that | BoTorch, times that |")
    print("| --- | --: | --: | --: |")
    for cell in CELLS:
        if all(word in cell.name for word in words):
            print("|", " | ".join([cell.name, *beside_peers(cell, turns)]), "|", flush=True)


if __name__ == "__main__":
    main()
