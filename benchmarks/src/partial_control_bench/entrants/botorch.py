"""BoTorch as its authors would set it up where one steers only partly: qLogNEI on a posterior averaged over nature.

*Model*: a `SingleTaskGP` with BoTorch's own priors over all variables, with what nature drew where
it drew; a category makes it a `MixedSingleTaskGP`. *Acquisition*: qLogNEI, which knows that the
best outcome so far is noisy. *Control sets*: the value of a setting is the average of the process
over nature's law, a Gaussian too (`Averaged`); each set is searched by `optimize_acqf`, and the
largest acquisition is played, divided by the set's price where prices are told; where value has a
price, outcomes are net of it. *Limits*: inequality constraints of `optimize_acqf`. *Contexts*:
looked at, and fixed features; settings tried before count as what they would be worth here. *Time*:
a column, fixed at now, where a problem is time-varying or said to drift. *Grids*:
`optimize_acqf_discrete` over what is available. *Shares*: equality constraints, from starts that
keep them. What it cannot be told: prices of moving and of looks, priors, graphs.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from botorch.acquisition import PosteriorMean
from botorch.acquisition.logei import qLogNoisyExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import MixedSingleTaskGP, SingleTaskGP
from botorch.models.model import Model
from botorch.optim import optimize_acqf, optimize_acqf_discrete
from botorch.posteriors import GPyTorchPosterior
from botorch.sampling import SobolQMCNormalSampler
from gpytorch.distributions import MultivariateNormal
from gpytorch.mlls import ExactMarginalLogLikelihood

from ..laws import parent_sd, quantile
from ..protocol import Values
from ..randomness import even_points, keyed
from .columns import OnColumns

_JITTER = 1e-6
# tried settings that may be the best: the joint posterior grows with their square
_MOST_BASELINE = 12


class Averaged(Model):  # type: ignore[misc]
    """The process averaged over what nature draws: Gaussian, since an average is linear.

    A point is a row of columns and, last, the number of its control set. Columns outside the set
    are replaced by nature's draws, and the process is averaged over these.

    Args:
        base: a fitted model with outcomes (n, 1) of mean 0 and standard deviation 1.
        draws: of nature, (m, w); held: which columns each set holds, (s, w); less: from the value
            of each set, (s,).
    """

    def __init__(
        self, base: Any, draws: torch.Tensor, held: torch.Tensor, less: torch.Tensor
    ) -> None:
        super().__init__()
        self.base, self.draws, self.held, self.less = base.eval(), draws, held, less
        with torch.no_grad():
            self._Z = base.train_inputs[0]
            noise = base.likelihood.noise.mean()
            K = base.covar_module(self._Z).to_dense() + (noise + _JITTER) * torch.eye(
                len(self._Z), dtype=self._Z.dtype
            )
            self._root = torch.linalg.cholesky(K)
            self._level = base.mean_module(self._Z[:1]).squeeze()
            gap = (base.train_targets - base.mean_module(self._Z))[:, None]
            self._weights = torch.cholesky_solve(gap, self._root)

    @property
    def num_outputs(self) -> int:
        """One."""
        return 1

    @property
    def batch_shape(self) -> torch.Size:
        """None."""
        return torch.Size()

    def posterior(self, X: torch.Tensor, *args: Any, **options: Any) -> GPyTorchPosterior:
        """Of points (b, q, w + 1), jointly within each of b."""
        shape = X.shape[:-1]
        x = X.reshape(-1, *X.shape[-2:]) if X.ndim > 2 else X[None]
        of = x[..., -1].round().long()
        held = self.held[of][:, :, None]  # (b, q, 1, w)
        nodes = torch.where(held, x[:, :, None, :-1], self.draws)  # (b, q, m, w)
        b, q, m, w = nodes.shape
        flat = nodes.reshape(b, q * m, w)
        kernel = self.base.covar_module
        k = kernel(flat, self._Z.expand(b, *self._Z.shape)).to_dense().reshape(b, q, m, -1).mean(2)
        K = kernel(flat).to_dense().reshape(b, q, m, q, m).mean((2, 4))
        mean = self._level + (k @ self._weights).squeeze(-1) - self.less[of]
        half = torch.linalg.solve_triangular(
            self._root.expand(b, *self._root.shape), k.mT, upper=False
        )
        covariance = K - half.mT @ half + _JITTER * torch.eye(q, dtype=x.dtype)
        found = MultivariateNormal(mean.reshape(shape), covariance.reshape(*shape, q))
        return GPyTorchPosterior(found)


class BoTorch(OnColumns):
    """qLogNEI on the averaged process.

    Args:
        known: of the problem.
        seed: of the first draws and of the search.
        restarts: of `optimize_acqf`, from sixteen times as many draws.
        nodes: of nature's law.
        samples: of the joint posterior at a candidate and at what was tried.
    """

    def __init__(
        self,
        known: Mapping[str, Any],
        seed: int,
        restarts: int = 6,
        nodes: int = 16,
        samples: int = 64,
    ) -> None:
        super().__init__(known, seed, timed=bool(known.get("drift")))
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        self.restarts, self.samples = restarts, samples
        columns = self.columns
        names = [p.name for p in columns.settings]
        sets = known.get("control_sets") or [names]
        always = [True] * (columns.width - len(names))
        self.held = torch.tensor([[name in held for name in names] + always for held in sets])
        self.free = not bool(self.held.all())
        draws = np.full((1, columns.width), 0.5)
        if self.free:
            draws = np.full((nodes, columns.width), 0.5)
            draws[:, : len(names)] = _nature(known, names, nodes)
        self.draws = torch.tensor(draws)
        self.shares = len(known["contexts"] or ("",)) if known["wing"] == "mean-field" else 0

    def first(self) -> Values:
        """A first play by chance; shares evenly from all that there are."""
        if not self.shares:
            return super().first()
        random = keyed(self.columns.seed, self.columns.now["round"], "first plays")
        return self.columns.values(
            None, random.dirichlet(np.ones(self._actions), self.shares).ravel()
        )

    @property
    def _actions(self) -> int:
        return len(self.columns.settings) // self.shares

    def best(self) -> tuple[int | None, np.ndarray]:
        """The largest acquisition of any set, for its price."""
        model = self._model()
        tried = self._tried(model)
        sampler = SobolQMCNormalSampler(torch.Size([self.samples]), seed=self.columns.seed)
        function = qLogNoisyExpectedImprovement(
            model, tried, sampler=sampler, prune_baseline=False, cache_root=False
        )
        costs = self.columns.known.get("costs")
        return self._search(function, tried, [math.log(cost) for cost in costs] if costs else None)

    def answer(self, now: Mapping[str, Any]) -> Values:
        """Where the averaged posterior mean is largest."""
        columns = self.columns
        columns.begin(now)
        if len(columns.y) < 2:
            return self.first()
        model = self._model()
        return columns.values(*self._search(PosteriorMean(model), self._tried(model), None))

    # -- the model ---------------------------------------------------------------------------------

    def _model(self) -> Averaged:
        columns = self.columns
        X, y = columns.data()
        scale = float(y.std(ddof=1)) or 1.0
        scaled = torch.tensor((y - y.mean()) / scale)[:, None]
        kinds = [k for k, p in enumerate(columns.settings) if p.choices]
        if kinds:
            base: Any = MixedSingleTaskGP(
                torch.tensor(X), scaled, cat_dims=kinds, outcome_transform=None
            )
        else:
            base = SingleTaskGP(torch.tensor(X), scaled, outcome_transform=None)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(base.likelihood, base))
        less = torch.zeros(len(self.held), dtype=torch.double)
        if (worth := columns.known.get("worth")) is not None:
            less = torch.tensor(columns.known["costs"], dtype=torch.double) / worth / scale
        return Averaged(base, self.draws, self.held, less)

    def _tried(self, model: Averaged) -> torch.Tensor:
        """Settings that were played, as if here and now: those of the largest averaged means."""
        X, _ = self.columns.data()
        fixed = next(iter(self.columns.fixed()))[1]
        for k in range(len(self.columns.settings), self.columns.width):
            X[:, k] = fixed[k]
        sets = self.columns.chosen
        both = torch.tensor(
            np.unique(np.column_stack([X, [0.0 if s is None else s for s in sets]]), axis=0)
        )
        with torch.no_grad():
            mean = model.posterior(both[:, None]).mean.ravel()
        return both[mean.argsort(descending=True)[:_MOST_BASELINE]]

    # -- the search --------------------------------------------------------------------------------

    def _search(
        self, function: Any, tried: torch.Tensor, prices: Sequence[float] | None
    ) -> tuple[int | None, np.ndarray]:
        columns = self.columns
        if columns.known["wing"] == "time-varying":
            return None, self._on_grid(function)
        found = []
        for number, (chosen, fixed) in enumerate(columns.fixed()):
            kinds = [
                k
                for k, p in enumerate(columns.settings)
                if p.choices and bool(self.held[number, k])
            ]
            sizes = [columns.settings[k].size or 1 for k in kinds]
            for levels in itertools.product(*(range(size) for size in sizes)):
                at = {
                    k: (level + 0.5) / size
                    for k, level, size in zip(kinds, levels, sizes, strict=True)
                }
                point, value = self._climb(
                    function, {**fixed, **at, columns.width: float(number)}, tried
                )
                found.append((value - (prices[number] if prices else 0.0), chosen, point))
        _, chosen, point = max(found, key=lambda each: each[0])
        return chosen, point

    def _climb(
        self, function: Any, fixed: dict[int, float], tried: torch.Tensor
    ) -> tuple[np.ndarray, float]:
        width = self.columns.width
        bounds = torch.tensor(
            [[0.0] * (width + 1), [1.0] * width + [float(len(self.held))]], dtype=torch.double
        )
        options: dict[str, Any] = {"raw_samples": 16 * self.restarts}
        if self.shares:
            each = self._actions
            ones = torch.ones(each, dtype=torch.double)
            rows = [torch.arange(k * each, (k + 1) * each) for k in range(self.shares)]
            options = {
                "equality_constraints": [(row, ones, 1.0) for row in rows],
                "batch_initial_conditions": self._starts(function, tried),
                "options": {"maxiter": 50},
            }
        elif (limit := self.columns.known.get("limit")) is not None:
            names = [p.name for p in self.columns.settings]
            where = torch.tensor([names.index(name) for name in limit["weights"]])
            spans = [self.columns.settings[k] for k in where.tolist()]
            least = sum(w * p.low for w, p in zip(limit["weights"].values(), spans, strict=True))
            weights = [
                w * (p.high - p.low) for w, p in zip(limit["weights"].values(), spans, strict=True)
            ]
            over = (where, -torch.tensor(weights, dtype=torch.double), -(limit["at_most"] - least))
            options["inequality_constraints"] = [over]
        restarts = self.restarts
        if "batch_initial_conditions" in options:
            restarts = len(options["batch_initial_conditions"])
        point, value = optimize_acqf(
            function, bounds, q=1, num_restarts=restarts, fixed_features=fixed, **options
        )
        return point[0, :width].detach().numpy(), float(value)

    def _starts(self, function: Any, tried: torch.Tensor) -> torch.Tensor:
        """The best of many draws that are shares, evenly and about what did well; (r, 1, w + 1)."""
        random = keyed(self.columns.seed, len(self.columns.y), "starts")
        many = 16 * self.restarts
        wide = random.dirichlet(np.ones(self._actions), (many, self.shares)).reshape(many, -1)
        best = tried[0, :-1].numpy()
        near = (best * np.exp(0.3 * random.normal(size=wide.shape)) + 1e-4).reshape(
            many, self.shares, -1
        )
        near = (near / near.sum(2, keepdims=True)).reshape(many, -1)
        points = torch.tensor(np.column_stack([np.vstack([wide, near]), np.zeros(2 * many)]))[
            :, None
        ]
        with torch.no_grad():
            values = function(points)
        return points[values.argsort(descending=True)[: min(self.restarts, 2)]]

    def _on_grid(self, function: Any) -> np.ndarray:
        columns = self.columns
        sizes = [p.size or 1 for p in columns.settings]
        places = np.array(list(np.ndindex(*sizes)))
        if (available := columns.now.get("available")) is not None:
            places = places[np.flatnonzero(available)]
        now = next(iter(columns.fixed()))[1][columns.width - 1]
        rows = np.column_stack(
            [(places + 0.5) / np.array(sizes), np.full(len(places), now), np.zeros(len(places))]
        )
        point, _ = optimize_acqf_discrete(function, q=1, choices=torch.tensor(rows))
        found: np.ndarray = point[0, :-1].numpy()
        return found


def _nature(known: Mapping[str, Any], names: Sequence[str], nodes: int) -> np.ndarray:
    """Draws of the variables in columns from 0 to 1, (nodes, s): rows of nature where they are told, else its laws."""
    uniform = even_points(nodes, len(names), 0)
    found = np.full((nodes, len(names)), 0.5)
    rows = known.get("nature")
    for k, told in enumerate(v for name in names for v in known["variables"] if v["name"] == name):
        if rows is not None and told["name"] in rows["names"]:
            every = np.linspace(0, len(rows["rows"]) - 1, nodes).round().astype(int)
            values = [rows["rows"][i][rows["names"].index(told["name"])] for i in every]
        elif (law := told["law"]) is None:
            continue
        elif "choices" in told:
            found[:, k] = (np.floor(uniform[:, k] * len(told["choices"])) + 0.5) / len(
                told["choices"]
            )
            continue
        elif law["kind"] == "uniform":
            found[:, k] = uniform[:, k]
            continue
        else:
            found[:, k] = _truncated(uniform[:, k], law, told["low"], told["high"])
            continue
        if "choices" in told:
            found[:, k] = [
                (told["choices"].index(value) + 0.5) / len(told["choices"]) for value in values
            ]
        else:
            found[:, k] = (np.array(values, dtype=float) - told["low"]) / (
                told["high"] - told["low"]
            )
    return found


def _truncated(uniform: np.ndarray, law: Mapping[str, Any], low: float, high: float) -> np.ndarray:
    """Draws of a truncated normal law about the middle, in shares of the bounds: all of the benchmark's are that."""
    sd = law["sd"] / (high - low)
    return quantile(uniform, parent_sd(sd) if law["moments"] == "truncated" else sd)
