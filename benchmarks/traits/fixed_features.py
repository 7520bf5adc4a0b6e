"""Others where something is seen, as their documentation has it: all is held, what is seen is fixed in the search."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float as Floats

from steerbo.core import keyed
from steerbo.optim import sobol_points

from .seen_worlds import World

_STARTS = 5
_POINTS = 1024  # among which Xopt's and Ax's answers are sought, since neither offers a search of its model's mean


class Rival(Protocol):
    """A model over settings and what is seen."""

    def suggest(self, z: float) -> Floats[np.ndarray, " d"]:
        """What to play where z is seen."""

    def tell(self, x: Floats[np.ndarray, " d"], z: float, value: float) -> None:
        """What was played, seen, and what came."""

    def answer(self, z: float) -> Floats[np.ndarray, " d"]:
        """The best settings where z is seen, by the model as it is."""


def play_rival(world: World, rounds: int, rival: str = "BoTorch, fixed features") -> tuple[list[float], Any, float]:
    """Losses while learning, the answer by context, and what was spent; everything is held in every round."""
    held, losses = world.sets[-1], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = RIVALS[rival](world)
        for number in range(1, rounds + 1):
            z = world.seen(number)
            x = keyed(world.seed, number, "start").random(world.dimension) if number <= _STARTS else model.suggest(z)
            losses.append(max(0.0, world.oracle(z)[0] - float(world.expected(held, x[None], z)[0])))
            value, _ = world.play(number, {f"x{k}": float(x[k]) for k in range(world.dimension)})
            model.tell(x, z, value)

    def answer(z: float) -> tuple[int, np.ndarray]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return len(world.sets) - 1, model.answer(z)

    return losses, answer, float(rounds)


class BoTorch:
    """A `SingleTaskGP` as it comes, and the upper confidence bound with β = 4 under its square root."""

    def __init__(self, world: World) -> None:
        import torch

        torch.set_num_threads(1)
        torch.manual_seed(world.seed)
        self.d = world.dimension
        self.bounds = torch.tensor([[0.0] * (self.d + 1), [1.0] * (self.d + 1)], dtype=torch.double)
        self.inputs: list[list[float]] = []
        self.values: list[float] = []
        self.last: Any = None

    def suggest(self, z: float) -> Floats[np.ndarray, " d"]:
        """The largest acquisition."""
        from botorch.acquisition import UpperConfidenceBound

        return self._highest(UpperConfidenceBound(self._fitted(), beta=4.0), z)

    def tell(self, x: Floats[np.ndarray, " d"], z: float, value: float) -> None:
        """One more row."""
        self.inputs.append([*x.tolist(), z])
        self.values.append(value)

    def answer(self, z: float) -> Floats[np.ndarray, " d"]:
        """The largest mean."""
        from botorch.acquisition import PosteriorMean

        self.last = self.last or PosteriorMean(self._fitted())
        return self._highest(self.last, z)

    def _fitted(self) -> Any:
        import torch
        from botorch.fit import fit_gpytorch_mll
        from botorch.models import SingleTaskGP
        from botorch.models.transforms import Standardize
        from gpytorch.mlls import ExactMarginalLogLikelihood

        y = torch.tensor(self.values, dtype=torch.double)[:, None]
        model = SingleTaskGP(torch.tensor(self.inputs, dtype=torch.double), y, outcome_transform=Standardize(1))
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        return model

    def _highest(self, acquisition: Any, z: float) -> Floats[np.ndarray, " d"]:
        from botorch.optim import optimize_acqf

        fixed = {self.d: z}
        point, _ = optimize_acqf(acquisition, self.bounds, q=1, num_restarts=4, raw_samples=128, fixed_features=fixed)
        return np.asarray(point[0, : self.d].detach().numpy())


class Xopt:
    """Its generator of upper confidence bounds as it comes, with z as a fixed feature.

    Its contextual variables take the value that was measured last; what is seen before this round is no such value.
    """

    def __init__(self, world: World) -> None:
        import torch
        from xopt.generators.bayesian import UpperConfidenceBoundGenerator
        from xopt.vocs import VOCS

        torch.set_num_threads(1)
        torch.manual_seed(world.seed)
        self.names = [f"x{k}" for k in range(world.dimension)]
        box = {name: [0.0, 1.0] for name in [*self.names, "z"]}
        self.generator = UpperConfidenceBoundGenerator(vocs=VOCS(variables=box, objectives={"y": "MAXIMIZE"}))
        self.points = sobol_points(_POINTS, world.dimension, world.seed)
        self.model: Any = None

    def suggest(self, z: float) -> Floats[np.ndarray, " d"]:
        """The largest acquisition."""
        self.generator.fixed_features = {"z": z}
        found = self.generator.generate(1)[0]
        return np.array([float(found[name]) for name in self.names])

    def tell(self, x: Floats[np.ndarray, " d"], z: float, value: float) -> None:
        """One more row."""
        import pandas as pd

        row = {**dict(zip(self.names, map(float, x), strict=True)), "z": z, "y": value}
        self.generator.add_data(pd.DataFrame([row]))

    def answer(self, z: float) -> Floats[np.ndarray, " d"]:
        """The largest mean."""
        import torch

        self.model = self.model or self.generator.train_model()
        points = torch.tensor(np.column_stack([self.points, np.full(_POINTS, z)]))
        with torch.no_grad():
            mean = self.model.posterior(points).mean.numpy()
        return self.points[int(np.argmax(mean))]


class Ax:
    """Its `Client` with its own choice of method; z is a fixed parameter of each trial."""

    def __init__(self, world: World) -> None:
        import torch
        from ax.api.client import Client
        from ax.api.configs import RangeParameterConfig

        for name in ("ax", "ax.api", "ax.core", "ax.generation_strategy"):
            logging.getLogger(name).setLevel(logging.ERROR)
        torch.set_num_threads(1)
        self.names = [f"x{k}" for k in range(world.dimension)]
        self.client = Client(random_seed=world.seed)
        box = [RangeParameterConfig(name=n, parameter_type="float", bounds=(0.0, 1.0)) for n in [*self.names, "z"]]
        self.client.configure_experiment(parameters=box)
        self.client.configure_optimization("y")
        self.points = sobol_points(_POINTS, world.dimension, world.seed)
        self.trial: int | None = None

    def suggest(self, z: float) -> Floats[np.ndarray, " d"]:
        """The largest acquisition."""
        ((self.trial, found),) = self.client.get_next_trials(max_trials=1, fixed_parameters={"z": z}).items()
        return np.array([float(found[name]) for name in self.names])

    def tell(self, x: Floats[np.ndarray, " d"], z: float, value: float) -> None:
        """One more row."""
        if self.trial is None:
            self.trial = self.client.attach_trial({**dict(zip(self.names, map(float, x), strict=True)), "z": z})
        self.client.complete_trial(self.trial, raw_data={"y": value})
        self.trial = None

    def answer(self, z: float) -> Floats[np.ndarray, " d"]:
        """The largest mean."""
        rows = [{**dict(zip(self.names, map(float, x), strict=True)), "z": z} for x in self.points]
        means = [row["y"][0] for row in self.client.predict(rows)]
        return self.points[int(np.argmax(means))]


RIVALS: dict[str, Callable[[World], Rival]] = {
    "BoTorch, fixed features": BoTorch,
    "Xopt, fixed features": Xopt,
    "Ax, fixed parameters": Ax,
}
