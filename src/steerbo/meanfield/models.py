"""Gaussian processes of one problem, one for each embedding: fits, choice of the embedding, averages over both.

Choices use the likeliest embedding and hyperparameters. Answers average over them: after twenty
rounds the likeliest noise is a tenth of the true one, and bounds that rely on it are too narrow.
Each embedding is weighted by its evidence, and each contributes a dozen draws of its
hyperparameters from their posterior (`steerbo.gp.posterior_draws`, which estimates the evidence,
too). The population's average then has the moments and quantiles of the mixture.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._arrays import Float
from ..errors import InvalidStudy
from ..gp import DRAWN_UP_TO, drift_over, from_hex, mixture_quantile, refit_due, to_hex
from ._gp import Observations, PayoffPosterior, corrected, fit, sampled, screen_lengthscales
from ._kernels import (
    PLAIN,
    ROOT,
    Inputs,
    Kind,
    Parameters,
    PayoffKernel,
    map_embeddings,
    seen_kernel,
)
from ._similarity import Similarity
from .acquisition import AveragePayoffUCB, Tables, Values
from .problem import MeanField

Found = dict[str, tuple[Parameters, float]]
"""Hyperparameters and the logarithm of their posterior density, by the name of the embedding."""
_PROMISING = 2  # embeddings on a map that are fitted
# evaluations of the likelihood in a first fit, and in one that starts from the last
_EVALUATIONS, _WARM = 15, 6
_DRAWS = 12  # of each embedding
_NEGLIGIBLE = 1e-3  # weight of an embedding that is left out
_LARGEST_LOGARITHM = 100.0  # logarithm of a hyperparameter, as in `gp.Hyperparameters.check`


@dataclass(frozen=True)
class HyperparameterDraw:
    """One draw of the hyperparameters, with its weight in the mixture."""

    weight: float
    kernel: PayoffKernel
    parameters: Parameters


@dataclass(frozen=True)
class PayoffMixture:
    """Mixture of posteriors of the population's average, in standardised units.

    Args:
        weights: (k,) weights, which sum to one.
        parts: k posteriors.
    """

    weights: Float[np.ndarray, " k"]
    parts: Sequence[AveragePayoffUCB]

    def moments(self, tables: Tables) -> tuple[Values, Values]:
        """Return mean and standard deviation of the population's average at tables (r, C, A), each (r,)."""
        return self._mixed([part.moments(tables) for part in self.parts])

    def advantage(self, tables: Tables, base: Float[np.ndarray, "C A"]) -> tuple[Values, Values]:
        """Return mean and standard deviation of the average's difference to that of the table `base`, each (r,)."""
        return self._mixed([part.advantage(tables, base) for part in self.parts])

    def cell_moments(self, tables: Tables) -> tuple[Tables, Tables]:
        """Return mean and standard deviation of the payoff of an agent in every cell, (r, C, A)."""
        return self._mixed([part.cell_moments(tables) for part in self.parts])

    def _mixed(self, by_part: Sequence[tuple[Values, Values]]) -> tuple[Values, Values]:
        means, deviations = np.moveaxis(np.array(by_part), 1, 0)  # (k, r), or a cell each
        mean = np.tensordot(self.weights, means, 1)
        variance = np.tensordot(self.weights, deviations**2 + (means - mean) ** 2, 1)
        return mean, np.sqrt(variance)

    def quantiles(self, table: Float[np.ndarray, "C A"], levels: Sequence[float]) -> list[float]:
        """Return the quantiles of the population's average at one table."""
        means, deviations = np.array([part.moments(table[None]) for part in self.parts])[:, :, 0].T
        return [mixture_quantile(means, deviations, level, self.weights) for level in levels]


@dataclass(frozen=True, eq=False)
class Surrogate:
    """Posterior in standardised units, and the transform back to units of `sign · value`.

    Args:
        ucb: moments and bounds in standardised units.
        offset, unit: a standardised x is `offset + unit · x` in units of `sign · value`.
    """

    ucb: AveragePayoffUCB
    offset: float
    unit: float

    def raw(self, standardised: float) -> float:
        """Return a standardised value in units of `sign · value`."""
        return float(self.offset + self.unit * standardised)


class PayoffModels:
    """Hyperparameters of one Gaussian process for each embedding; the data are passed to its methods.

    Args:
        problem: the problem.
        kind: kind of the kernel.
        embedding: name of the only embedding; "learned": all of them.

    Attributes:
        kernel: with the likeliest embedding at the last thorough fit.
        fitted: hyperparameters by the name of the embedding.
        compared: number of outcomes at the last thorough fit.
        asked: embeddings by which the trust region measures knowledge, beside the likeliest.
    """

    def __init__(self, problem: MeanField, kind: Kind, embedding: str) -> None:
        C, A = problem.simplex.shape
        actions = Similarity.of(np.full(A, 1 / A), problem.action_features)
        known = {
            embedding.name: embedding
            for embedding in (PLAIN, ROOT, *map_embeddings(actions.features))
        }
        learned = embedding == "learned"
        self.embeddings = known if learned else {embedding: known[embedding]}
        self.asked = (PLAIN.name, ROOT.name) if learned else ()
        self.fitted: dict[str, Parameters] = {}
        self.compared = 0
        self.kernel = PayoffKernel(
            kind,
            next(iter(self.embeddings.values())),
            problem.shares,
            actions,
            Similarity.of(np.full(C, 1 / C), problem.context_features),
            single=problem.feedback != "population",
            seen=seen_kernel(problem.space, drift_over(problem.drift, problem.space.dimension)),
            seen_names=problem.space.names,
        )

    def set(self, plain: Mapping[str, Any]) -> None:
        """Take over a fit from the log.

        Raises:
            InvalidStudy: it is a fit of another kernel, and nothing has changed.
        """
        found = {name: from_hex(value) for name, value in plain.items() if name in self.embeddings}
        for name, parameters in found.items():
            names = [*self.by(name).names, "noise"]
            if (
                parameters.keys() != {*names}
                or max(map(abs, parameters.values())) > _LARGEST_LOGARITHM
            ):
                allowed = f"a number from -{_LARGEST_LOGARITHM:g} to {_LARGEST_LOGARITHM:g} each of {', '.join(names)}"
                raise InvalidStudy(f"hyperparameters.{name}", parameters, allowed)
        if plain["embedding"] not in found.keys() | self.fitted.keys() or not isinstance(
            plain["compared"], int
        ):
            raise InvalidStudy(
                "hyperparameters.embedding", plain["embedding"], "one with hyperparameters"
            )
        self.fitted |= found
        self.kernel = self.by(plain["embedding"])
        self.compared = plain["compared"]

    @property
    def plain(self) -> dict[str, Any]:
        """All hyperparameters as plain data for `set`."""
        known = {name: to_hex(parameters) for name, parameters in self.fitted.items()}
        return {**known, "embedding": self.kernel.embedding.name, "compared": self.compared}

    def by(self, embedding: str) -> PayoffKernel:
        """Return the kernel with the embedding of this name."""
        return replace(self.kernel, embedding=self.embeddings[embedding])

    @property
    def used(self) -> tuple[str, ...]:
        """Names of the embeddings that are fitted every round, the likeliest first."""
        return tuple(dict.fromkeys((self.kernel.embedding.name, *self.asked)))

    # -- fits --------------------------------------------------------------------------------------

    def refit(self, data: Observations, outcomes: int) -> dict[str, Any] | None:
        """Fit every round from the last hyperparameters; thoroughly, with all embeddings, on a growing schedule.

        With many observations it fits only on that schedule, to a subset; the likeliest embedding's
        hyperparameters are then corrected by all.

        Returns:
            Plain data for `set`; None if no fit is due.
        """
        due, some = refit_due(self.compared, outcomes), data.subset()
        if not due and some is not data:
            return None
        plainly = [name for name, embedding in self.embeddings.items() if embedding.places is None]
        found = {name: self._fit(name, some, due) for name in (plainly if due else self.used)}
        if due:
            found |= self._fitted_maps(some, found)
        best = max(found, key=lambda name: found[name][1]) if due else self.kernel.embedding.name
        plain = {name: to_hex(parameters) for name, (parameters, _) in found.items()}
        if some is not data:
            plain[best] = to_hex(corrected(self.by(best), data, found[best][0]))
        return {**plain, "embedding": best, "compared": outcomes if due else self.compared}

    def _fitted_maps(self, data: Observations, found: Found) -> Found:
        """Screen the embeddings on a map by their lengthscale alone, and fit the promising ones."""
        maps = [name for name, embedding in self.embeddings.items() if embedding.places is not None]
        if not maps:
            return {}
        tried = {
            name: screen_lengthscales(self.by(name), data, found[ROOT.name][0]) for name in maps
        }
        some = sorted(maps, key=lambda name: -tried[name][1])[:_PROMISING]
        some += [
            name for name in (self.kernel.embedding.name,) if name in maps and name not in some
        ]
        return {name: self._fit(name, data, thorough=True, start=tried[name][0]) for name in some}

    def _fit(
        self, embedding: str, data: Observations, thorough: bool, start: Parameters | None = None
    ) -> tuple[Parameters, float]:
        """Fit from the last hyperparameters with this embedding, else from `start`."""
        start = self.fitted.get(embedding, start)
        return fit(self.by(embedding), data, start, _WARM if start else _EVALUATIONS, thorough)

    def parameters(self, embedding: str, data: Observations) -> Parameters:
        """Return the hyperparameters of the last fit; before the first one, of a fit made now."""
        return self.fitted.get(embedding) or self._fit(embedding, data.subset(), thorough=True)[0]

    def likeliest(
        self, data: Observations, found: Mapping[str, Any] | None
    ) -> tuple[PayoffKernel, Parameters]:
        """Return the kernel and hyperparameters that `refit` found; None: the present ones."""
        if found is None:
            return self.kernel, self.parameters(self.kernel.embedding.name, data)
        return self.by(found["embedding"]), from_hex(found[found["embedding"]])

    # -- posteriors --------------------------------------------------------------------------------

    def ucb(
        self,
        data: Observations,
        seen: Float[np.ndarray, " c"] | None,
        pending: Inputs | None = None,
        embedding: str = "",
    ) -> AveragePayoffUCB:
        """Return the posterior by the likeliest hyperparameters.

        Args:
            data: observations.
            seen: (c,) encoded values of the seen variables; None: the problem has none.
            pending: rounds without an outcome.
            embedding: name; empty: the likeliest.
        """
        name = embedding or self.kernel.embedding.name
        return AveragePayoffUCB(
            PayoffPosterior.of(self.by(name), data, self.parameters(name, data), pending).at(seen)
        )

    def draws(self, data: Observations, random: np.random.Generator) -> list[HyperparameterDraw]:
        """Draw embeddings and hyperparameters from their posterior: a dozen of each embedding that is not negligible.

        Beyond `DRAWN_UP_TO` observations the likeliest point is the only one.
        """
        fitted = [(self.by(name), self.parameters(name, data)) for name in self.used]
        return hyperparameter_draws(fitted, data, random)

    def mixture(
        self,
        draws: Sequence[HyperparameterDraw],
        data: Observations,
        seen: Float[np.ndarray, " c"] | None,
        likeliest: AveragePayoffUCB | None = None,
    ) -> PayoffMixture:
        """Return the mixture of the posteriors under all draws.

        Args:
            draws: see `draws`.
            data: observations.
            seen: see `ucb`.
            likeliest: the result of `ucb` for these data and values without pending rounds; of
                many observations the only draw has the same posterior.
        """
        weights = np.array([draw.weight for draw in draws])
        if (
            likeliest is not None
            and len(draws) == 1
            and draws[0].parameters is likeliest.posterior.parameters
        ):
            return PayoffMixture(weights, [likeliest])
        parts = [PayoffPosterior.of(draw.kernel, data, draw.parameters).at(seen) for draw in draws]
        return PayoffMixture(weights, [AveragePayoffUCB(part) for part in parts])


# -- averages over hyperparameters -----------------------------------------------------------------


def hyperparameter_draws(
    fitted: Sequence[tuple[PayoffKernel, Parameters]],
    data: Observations,
    random: np.random.Generator,
) -> list[HyperparameterDraw]:
    """Draw hyperparameters of each kernel with a weight that is not negligible; see `PayoffModels.draws`.

    Args:
        fitted: kernels with their likeliest hyperparameters, the likeliest kernel first.
        data: observations.
        random: draws the steps.
    """
    if len(data.values) > DRAWN_UP_TO:
        return [HyperparameterDraw(1.0, *fitted[0])]
    found = [sampled(kernel, data, likeliest, _DRAWS, random) for kernel, likeliest in fitted]
    weights = np.exp(np.array([weight for _, weight in found]) - max(weight for _, weight in found))
    weights /= weights.sum()
    weights = np.where(weights < _NEGLIGIBLE, 0.0, weights) / weights[weights >= _NEGLIGIBLE].sum()
    return [
        HyperparameterDraw(float(weight) / _DRAWS, kernel, parameters)
        for weight, (kernel, _), (draws, _) in zip(weights, fitted, found, strict=True)
        if weight
        for parameters in draws
    ]
