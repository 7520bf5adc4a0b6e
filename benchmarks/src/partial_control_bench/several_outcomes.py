"""Two outcomes at once: what forty plays dominate, by steerbo and by what people do without it.

    python -m partial_control_bench.several_outcomes OUT.csv [--seeds 0:8] [--only zdt dtlz …] [--who …]

Two families are drawn by the seed, in the manner of ZDT1 (Zitzler et al. 2000) and of DTLZ2 (Deb et
al. 2002), with optima at places of their own; each once with everything set, and once with one
variable left to nature (a normal law). A real table, if its file is there: the yield of a
coupling with two halides, by base, ligand and additive (`aryl`: 368 settings without noise).

The figure is the hypervolume that the true expected outcomes of the first 10, 20 and 40 plays
dominate, as a share of the largest one known. Rivals: settings at random, a Sobol sequence, and
BoTorch's qLogNEHVI with an inferred reference point. Where nature has a part it is given the whole
model, and `MultiOutputExpectation` over 8 values of nature. It searches from 4 restarts of 128
raw samples, with 64 samples of the posterior.

Where the optimum moves (`…-moving`: the best place of the other variables goes on by .4 over the forty
rounds), what counts is what settings dominate *at that round*. Rivals there have one outcome, by
steerbo's own default: the sum of both (`fixed weight`), and with a weight drawn each round the worse
of both (`random weights`, ParEGO of Knowles 2006), each with all data and their times.

A fleet (`fleet`): sixty vans at four places, whose wants and distances the seed draws; what is not
served, and the energy. Its front is known: the first is convex in the shares, the second linear.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import os
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy

import steerbo as sb

from .kept import play_missing

PLAYS, NOISE = 40, 0.01
REPORTED = (10, 20, 40)
WIDTH = 0.15  # deviation of nature's law
HALIDES = ("H1", "H9")
AGENTS, PLACES = 60, ("a", "b", "c", "d")
FAR = 0.4  # that a moving optimum goes over all rounds


@dataclass
class Problem:
    """Two outcomes, the smaller the better, of d variables in [0, 1] or of listed settings.

    Attributes:
        names: of what is set.
        outcomes: of full points (n, d).
        reference: that hypervolumes are up to.
        drawn: whether the last variable is nature's.
        table: listed settings, as categories; None: numbers.
        moving: the problem at a round, where it moves.
        fleet: whether settings are shares of `AGENTS`.
    """

    names: list[str]
    outcomes: Callable[[np.ndarray], np.ndarray]
    reference: np.ndarray
    drawn: bool = False
    table: np.ndarray | None = None
    moving: Callable[[int], Problem] | None = None
    fleet: bool = False

    def at(self, number: int) -> Problem:
        """The problem as it is in a round."""
        return self if self.moving is None else self.moving(number)

    @property
    def d(self) -> int:
        """Number of variables that are set."""
        return len(self.names)

    def truth(self, settings: np.ndarray) -> np.ndarray:
        """Expected outcomes at settings."""
        if not self.drawn:
            return self.outcomes(settings)
        nodes = nature((np.arange(64) + 0.5) / 64)
        full = np.column_stack([np.repeat(settings, 64, 0), np.tile(nodes, len(settings))])
        return self.outcomes(full).reshape(len(settings), 64, 2).mean(1)


def nature(unit: np.ndarray) -> np.ndarray:
    """Quantiles of nature's law."""
    low, high = scipy.special.ndtr(np.array([-0.5, 0.5]) / WIDTH)
    return 0.5 + WIDTH * scipy.special.ndtri(low + unit * (high - low))


def zdt(seed: int, drawn: bool = False, moved: float = 0.0) -> Problem:
    """ZDT1-like in three variables: the others have an optimum where the seed says."""
    rng = np.random.default_rng([seed, 1])
    away = _moved(rng.uniform(0.2, 0.8, 2), moved)

    def outcomes(x: np.ndarray) -> np.ndarray:
        g = 1.0 + 4.5 * ((x[:, 1:] - away) ** 2).sum(1)
        first = x[:, 0]
        return np.column_stack([first, g * (1.0 - np.sqrt(first / g))])

    names = ["a", "b", "c"]
    return Problem(names[: 3 - drawn], outcomes, np.array([1.1, 1.2 if drawn else 1.1]), drawn)


def dtlz(seed: int, drawn: bool = False, moved: float = 0.0) -> Problem:
    """DTLZ2-like in four variables, the last of which may be nature's."""
    rng = np.random.default_rng([seed, 2])
    away, turn = _moved(rng.uniform(0.2, 0.8, 3), moved), rng.uniform(0.0, 0.3)

    def outcomes(x: np.ndarray) -> np.ndarray:
        g = ((x[:, 1:] - away) ** 2).sum(1) * 2.0
        angle = 0.5 * np.pi * x[:, 0] + turn * (x[:, 1] - away[0])
        return (1.0 + g[:, None]) * np.column_stack([np.cos(angle), np.sin(angle)])

    names = ["a", "b", "c", "d"]
    return Problem(names[: 4 - drawn], outcomes, np.full(2, 1.3 if drawn else 1.1), drawn)


def _moved(away: np.ndarray, by: float) -> np.ndarray:
    """Places moved towards the farther end."""
    return np.where(away < 0.5, away + by, away - by)


def moving(family: Callable[..., Problem], seed: int) -> Problem:
    """A family whose optimum goes on by `FAR` over all rounds."""

    def at(number: int) -> Problem:
        return family(seed, moved=FAR * number / PLAYS)

    return replace(at(0), moving=at)


def fleet(seed: int) -> Problem:
    """Vans at places: what is not served, and the energy, both by the shares that are there."""
    rng = np.random.default_rng([seed, 3])
    wanted = rng.dirichlet(np.full(len(PLACES), 3.0))
    far = np.sort(rng.uniform(0.1, 1.0, len(PLACES)))[rng.permutation(len(PLACES))]

    def outcomes(shares: np.ndarray) -> np.ndarray:
        return np.column_stack([np.exp(-2.0 * shares / wanted) @ wanted, shares @ far])

    return Problem([*PLACES], outcomes, np.array([0.8, 1.0]), fleet=True)


def aryl(seed: int) -> Problem:
    """Yields with two halides, as listed: larger is better, so that their negatives are minimised."""
    place = Path(os.environ["STEERBO_ARYL"])
    with place.open() as file:
        lines = [*csv.DictReader(file)]
    found: dict[tuple[str, ...], dict[str, float]] = {}
    for line in lines:
        key = line["base"], line["ligand"], line["additive"]
        found.setdefault(key, {})[line["halide"]] = float(line["yield"])
    both = {key: row for key, row in found.items() if all(h in row for h in HALIDES)}
    table = np.array([*both])
    known = {key: [-row[h] for h in HALIDES] for key, row in both.items()}

    def outcome(row: tuple[str, ...]) -> list[float]:
        if row in known:
            return known[row]
        # one that nobody measured has the mean over additives
        alike = [values for key, values in known.items() if key[:2] == row[:2]]
        return np.mean(alike, axis=0).tolist()

    def outcomes(x: np.ndarray) -> np.ndarray:
        return np.array([outcome(tuple(row)) for row in x])

    return Problem(["base", "ligand", "additive"], outcomes, np.zeros(2), table=table)


PROBLEMS: dict[str, Callable[[int], Problem]] = {
    "zdt": zdt,
    "dtlz": dtlz,
    "zdt-nature": lambda seed: zdt(seed, drawn=True),
    "dtlz-nature": lambda seed: dtlz(seed, drawn=True),
    "aryl": aryl,
    "zdt-moving": lambda seed: moving(zdt, seed),
    "dtlz-moving": lambda seed: moving(dtlz, seed),
    "fleet": fleet,
}


def hypervolume(outcomes: np.ndarray, reference: np.ndarray) -> float:
    """Area between two outcomes that are minimised and a reference."""
    area, least = 0.0, reference[1]
    for first, second in sorted(map(tuple, outcomes)):
        if first < reference[0] and second < least:
            area += (reference[0] - first) * (least - second)
            least = second
    return float(area)


def largest(problem: Problem, seed: int) -> float:
    """Largest hypervolume known: of all listed settings, or of weights that are climbed."""
    if problem.table is not None:
        return hypervolume(problem.truth(problem.table), problem.reference)
    if problem.fleet:
        return hypervolume(problem.truth(_best_shares(problem)), problem.reference)
    found = []
    for angle in np.linspace(0.0, np.pi / 2, 60):
        weights = np.maximum([np.cos(angle), np.sin(angle)], 1e-3)

        def worst(x: np.ndarray, weights: np.ndarray = weights) -> float:
            return float(((problem.truth(x[None])[0] - problem.reference) / weights).max())

        grid = np.random.default_rng(seed).random((400, problem.d))
        gaps = ((problem.truth(grid) - problem.reference) / weights).max(1)
        end = scipy.optimize.minimize(
            worst, grid[gaps.argmin()], method="Nelder-Mead", bounds=[(0, 1)] * problem.d
        )
        found.append(end.x)
    return hypervolume(problem.truth(np.array(found)), problem.reference)


def _best_shares(problem: Problem) -> np.ndarray:
    """Shares on the front, by weighted sums: the set of outcomes is convex."""
    found, d = [], problem.d
    for weight in np.linspace(0.0, 1.0, 81):

        def sum_of(x: np.ndarray, weight: float = weight) -> float:
            first, second = problem.outcomes(x[None])[0]
            return float((1.0 - weight) * first + weight * second)

        end = scipy.optimize.minimize(
            sum_of,
            np.full(d, 1.0 / d),
            bounds=[(0.0, 1.0)] * d,
            constraints={"type": "eq", "fun": lambda x: x.sum() - 1.0},
        )
        found.append(end.x)
    return np.array(found)


class World:
    """Evaluates plays: nature and noise of a seed and the number of the play."""

    def __init__(self, problem: Problem, seed: int) -> None:
        self.problem, self.seed = problem, seed
        self.plays: list[np.ndarray] = []

    def __call__(self, settings: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Full point and measured outcomes of one play."""
        rng = np.random.default_rng([self.seed, len(self.plays)])
        self.plays.append(settings)
        full = settings
        if self.problem.drawn:
            full = np.append(settings, nature(rng.random(1)))
        measured = self.problem.at(len(self.plays)).outcomes(full[None])[0]
        noise = 0.0 if self.problem.table is not None else NOISE * rng.standard_normal(2)
        return full, measured + noise


def by_random(world: World, seed: int) -> None:
    """Play at random."""
    rng = np.random.default_rng([seed, 7])
    table = world.problem.table
    if world.problem.fleet:
        for shares in rng.dirichlet(np.ones(world.problem.d), PLAYS):
            world(np.round(shares * AGENTS) / AGENTS)
        return
    for _ in range(PLAYS):
        world(rng.random(world.problem.d) if table is None else table[rng.integers(len(table))])


def by_sobol(world: World, seed: int) -> None:
    """Play a scrambled Sobol sequence; listed settings in a random order, none twice."""
    table = world.problem.table
    if table is not None:
        for i in np.random.default_rng([seed, 8]).permutation(len(table))[:PLAYS]:
            world(table[i])
        return
    for point in scipy.stats.qmc.Sobol(world.problem.d, seed=seed).random(64)[:PLAYS]:
        world(point)


def by_steerbo(world: World, seed: int, **options: Any) -> tuple[np.ndarray, np.ndarray]:
    """Play what steerbo suggests; returns the settings of its answer, and bounds (n, 2 outcomes, 2 ends)."""
    problem, table = world.problem, world.problem.table
    if table is None:
        variables: list[Any] = [sb.Float(name, 0, 1) for name in problem.names]
        if problem.drawn:
            variables.append(sb.Float("z", 0, 1, law=sb.Normal(0.5, WIDTH)))
    else:
        variables = [
            sb.Categorical(name, sorted({*column}))
            for name, column in zip(problem.names, table.T.tolist(), strict=True)
        ]
    both: Any = {"minimize": True, "outcomes": {"second": "minimize"}}
    stated = sb.CostVarying(variables, [problem.names], [1], **both)
    if problem.moving is not None or problem.fleet:
        stated = _stated(problem, **both)
    study = sb.Optimizer(stated, rounds=PLAYS, seed=seed, **options)
    while (suggestion := study.ask()) is not None:
        full, measured = world(_settings(problem, suggestion.values))
        real = {"z": full[-1]} if problem.drawn else {}
        study.tell(suggestion, measured[0], realised={**real, "second": measured[1]})
    plays = study.tradeoff().plays
    ends = [[(each.lower, each.upper) for each in (row, row.outcomes["second"])] for row in plays]
    return np.array([_settings(problem, row.values) for row in plays]), np.array(ends)


def _stated(problem: Problem, **more: Any) -> Any:
    """A problem that moves, or a fleet, as steerbo has it."""
    if problem.fleet:
        return sb.MeanField(problem.names, agents=AGENTS, **more)
    return sb.TimeVarying([sb.Float(name, 0, 1) for name in problem.names], **more)


def _settings(problem: Problem, values: Any) -> np.ndarray:
    """Settings of a suggestion: of a fleet the shares."""
    if problem.fleet:
        (values,) = values["distribution"].values()
    return np.array([values[name] for name in problem.names])


def _realised(problem: Problem, settings: np.ndarray, number: int) -> dict[str, Any]:
    """Settings as data that somebody adds, with their time where that counts."""
    named = dict(zip(problem.names, settings.tolist(), strict=True))
    return {"distribution": {"everyone": named}} if problem.fleet else {**named, "time": number}


def by_nehvi(world: World, seed: int) -> None:  # noqa: PLR0915
    """Play what BoTorch's qLogNEHVI proposes, after five Sobol points."""
    import torch
    from botorch.acquisition.multi_objective.logei import (
        qLogNoisyExpectedHypervolumeImprovement,
    )
    from botorch.acquisition.multi_objective.multi_output_risk_measures import (
        MultiOutputExpectation,
    )
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import MixedSingleTaskGP, ModelListGP, SingleTaskGP
    from botorch.models.transforms.input import AppendFeatures
    from botorch.models.transforms.outcome import Standardize
    from botorch.optim import optimize_acqf, optimize_acqf_discrete
    from botorch.sampling import SobolQMCNormalSampler
    from botorch.utils.multi_objective.hypervolume import infer_reference_point
    from botorch.utils.multi_objective.pareto import is_non_dominated
    from gpytorch.mlls.sum_marginal_log_likelihood import SumMarginalLogLikelihood

    problem, table = world.problem, world.problem.table
    d, w = problem.d, 8
    torch.manual_seed(seed)
    codes = listed = None
    if table is not None:
        codes = [sorted({*column}) for column in table.T.tolist()]
        listed = np.array([[codes[j].index(v) for j, v in enumerate(row)] for row in table], float)
        order = np.random.default_rng([seed, 8]).permutation(len(table))[:5]
        starts = [listed[i] for i in order]
    else:
        starts = [*scipy.stats.qmc.Sobol(d, seed=seed).random(8)[:5]]
    points: list[np.ndarray] = []
    values: list[np.ndarray] = []
    feature = torch.tensor(nature((np.arange(w) + 0.5) / w))[:, None] if problem.drawn else None

    def play(point: np.ndarray) -> None:
        settings = point
        if codes is not None:
            settings = np.array([codes[j][int(v)] for j, v in enumerate(point)])
        full, measured = world(settings)
        points.append(point if codes is not None else full)
        values.append(-measured)

    for start in starts:
        play(start)
    while len(points) < PLAYS:
        X, Y = torch.tensor(np.array(points)), torch.tensor(np.array(values))
        models = []
        for k in range(2):
            y, one = Y[:, k : k + 1], {"outcome_transform": Standardize(1)}
            if codes is not None:
                models.append(MixedSingleTaskGP(X, y, [*range(d)], **one))
            elif feature is not None:
                models.append(
                    SingleTaskGP(X, y, input_transform=AppendFeatures(feature_set=feature), **one)
                )
            else:
                models.append(SingleTaskGP(X, y, **one))
        model = ModelListGP(*models)
        fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
        more = {"objective": MultiOutputExpectation(n_w=w)} if problem.drawn else {}
        acquisition = qLogNoisyExpectedHypervolumeImprovement(
            model,
            ref_point=infer_reference_point(Y[is_non_dominated(Y)]),
            X_baseline=X[:, :d],
            sampler=SobolQMCNormalSampler(torch.Size([64])),
            prune_baseline=True,
            **more,
        )
        if listed is not None:
            left = [row for row in listed if not (np.array(points) == row).all(1).any()]
            found, _ = optimize_acqf_discrete(acquisition, 1, torch.tensor(np.array(left)))
        else:
            box = torch.tensor([[0.0] * d, [1.0] * d], dtype=torch.double)
            found, _ = optimize_acqf(acquisition, box, 1, num_restarts=4, raw_samples=128)
        play(found[0].detach().numpy())


def by_fixed_weight(world: World, seed: int) -> None:
    """Play what steerbo suggests for the sum of both outcomes."""
    problem = world.problem
    study = sb.Optimizer(_stated(problem, minimize=True), rounds=PLAYS, seed=seed)
    while (suggestion := study.ask()) is not None:
        _, measured = world(_settings(problem, suggestion.values))
        study.tell(suggestion, measured.sum())


def by_random_weights(world: World, seed: int) -> None:
    """Play what steerbo suggests for the worse of both outcomes, weighed anew each round, with all data."""
    problem, rng = world.problem, np.random.default_rng([seed, 9])
    stated = _stated(problem, minimize=True)
    told: list[tuple[np.ndarray, np.ndarray]] = []
    for number in range(1, PLAYS + 1):
        study, weight = sb.Optimizer(stated, seed=1000 * seed + number), rng.random()
        rows = np.array([measured for _, measured in told]).reshape(-1, 2)
        low, width = rows.min(0, initial=np.inf), np.ptp(rows, axis=0) if len(rows) > 1 else 1.0
        for k, (settings, measured) in enumerate(told, 1):
            shares = (measured - low) / width * [weight, 1.0 - weight]
            worse = float(shares.max() + 0.05 * shares.sum())
            study.add(worse, _realised(problem, settings, k))
        moving = problem.moving is not None
        suggestion = study.ask(time=number) if moving else study.ask()
        assert suggestion is not None
        settings = _settings(problem, suggestion.values)
        told.append((settings, world(settings)[1]))


WHO: dict[str, Callable[..., Any]] = {
    "random": by_random,
    "sobol": by_sobol,
    "steerbo": by_steerbo,
    "qLogNEHVI": by_nehvi,
    "fixed weight": by_fixed_weight,
    "random weights": by_random_weights,
}


def played(name: str, who: str, seed: int, **options: Any) -> dict[str, Any]:
    """One run: shares of the largest hypervolume after some plays, and of the answer; its bounds that hold; seconds."""
    problem = PROBLEMS[name](seed)
    world = World(problem, seed)
    began = time.process_time()
    answer = WHO[who](world, seed, **options)
    seconds = time.process_time() - began
    row: dict[str, Any] = {"problem": name, "who": who, "seed": seed}
    for n in REPORTED:
        row[f"after {n}"] = round(_share(problem.at(n), np.array(world.plays[:n]), seed), 4)
    said = held = None
    if answer is not None:
        settings, ends = answer
        said, truth = _share(problem.at(PLAYS), settings, seed), problem.at(PLAYS).truth(settings)
        held = float(((ends[..., 0] <= truth) & (truth <= ends[..., 1])).mean())
    row |= {"answer": said and round(said, 4), "held": held and round(held, 3)}
    return {**row, "seconds": round(seconds, 1)}


def _share(problem: Problem, settings: np.ndarray, seed: int) -> float:
    """Hypervolume of settings, as a share of the largest known."""
    reference = problem.reference
    return hypervolume(problem.truth(settings), reference) / largest(problem, seed)


def main() -> None:
    """Play what is asked for, a line of CSV a run; what is in the file already is not played again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seeds", default="0:8")
    parser.add_argument("--only", nargs="*", default=[*PROBLEMS])
    parser.add_argument("--who", nargs="*", default=[*WHO])
    said = parser.parse_args()
    warnings.simplefilter("ignore")
    seeds = range(*map(int, said.seeds.split(":")))
    play_missing(
        said.out,
        (
            ({"problem": name, "who": who, "seed": seed}, partial(played, name, who, seed))
            for seed, name, who in itertools.product(seeds, said.only, said.who)
        ),
    )


if __name__ == "__main__":
    main()
