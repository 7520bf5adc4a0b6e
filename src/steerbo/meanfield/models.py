"""The Gaussian processes of a problem, one for every embedding: their hyperparameters, and which is the likeliest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..gp import drift_over, from_hex, refit_due, to_hex
from .acquisition import PayoffBounds
from .averaging import Draw, draws
from .embeddings import PLAIN, ROOT, on_map
from .kernels import Inputs, Kind, Parameters, PayoffKernel
from .many import corrected, some_of
from .problem import MeanField
from .process import Observations, fit, posterior, screened
from .seen import SeenFactor
from .similarity import Similarity

Found = dict[str, tuple[Parameters, float]]
"""Hyperparameters and the logarithm of their density, by the name of the embedding."""
_PROMISING = 2  # embeddings on a map that are fitted
_EVALUATIONS, _WARM = 15, 6  # of the likelihood in a first fit, and in one that goes on from the last


class PayoffModels:
    """All of them know the same outcomes, which are handed to them; what they hold is what fits have found.

    Args:
        problem: whose payoffs they are about.
        kind: of kernel.
        embedding: the only one, by name; "learned": any.

    Attributes:
        kernel: of the likeliest embedding, as it was found at the last thorough fit.
        fitted: hyperparameters by the name of the embedding.
        compared: outcomes there were at the last thorough fit.
        asked: embeddings by which outcomes must know a suggestion, beside the likeliest one.
    """

    def __init__(self, problem: MeanField, kind: Kind, embedding: str) -> None:
        C, A = problem.simplex.shape
        actions = Similarity.of(np.full(A, 1 / A), problem.action_features)
        known = {embedding.name: embedding for embedding in (PLAIN, ROOT, *on_map(actions.features))}
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
            seen=SeenFactor(problem.space, drift_over(problem.drift, problem.space.dimension)),
        )

    def learn(self, plain: Mapping[str, Any]) -> None:
        """What the log has of a fit."""
        self.fitted |= {name: from_hex(value) for name, value in plain.items() if name in self.embeddings}
        self.kernel = self.by(plain["embedding"])
        self.compared = plain["compared"]

    def by(self, embedding: str) -> PayoffKernel:
        """The kernel with the embedding of this name."""
        return replace(self.kernel, embedding=self.embeddings[embedding])

    @property
    def used(self) -> tuple[str, ...]:
        """The embeddings that are fitted every round, the likeliest one first."""
        return tuple(dict.fromkeys((self.kernel.embedding.name, *self.asked)))

    # -- fits ----------------------------------------------------------------------------------------------------------

    def refit(self, data: Observations, outcomes: int) -> dict[str, Any] | None:
        """Every round, from the last hyperparameters on; thoroughly, with all embeddings, on a growing schedule.

        Of many observations only then, by some of them; the likeliest embedding's are corrected by all.

        Returns:
            What `learn` takes, as plain data; None: nothing is due.
        """
        due, some = refit_due(self.compared, outcomes), some_of(data)
        if not due and some is not data:
            return None
        plainly = [name for name, embedding in self.embeddings.items() if embedding.places is None]
        found = {name: self.fit(name, some, due) for name in (plainly if due else self.used)}
        if due:
            found |= self._fitted_maps(some, found)
        best = max(found, key=lambda name: found[name][1]) if due else self.kernel.embedding.name
        plain = {name: to_hex(parameters) for name, (parameters, _) in found.items()}
        if some is not data:
            plain[best] = to_hex(corrected(self.by(best), data, found[best][0]))
        return {**plain, "embedding": best, "compared": outcomes if due else self.compared}

    def _fitted_maps(self, data: Observations, found: Found) -> Found:
        """Of embeddings on a map those that are promising, with all but one hyperparameter as found without one."""
        maps = [name for name, embedding in self.embeddings.items() if embedding.places is not None]
        if not maps:
            return {}
        tried = {name: screened(self.by(name), data, found[ROOT.name][0]) for name in maps}
        some = sorted(maps, key=lambda name: -tried[name][1])[:_PROMISING]
        some += [name for name in (self.kernel.embedding.name,) if name in maps and name not in some]
        return {name: self.fit(name, data, thorough=True, start=tried[name][0]) for name in some}

    def fit(
        self, embedding: str, data: Observations, thorough: bool, start: Parameters | None = None
    ) -> tuple[Parameters, float]:
        """Hyperparameters and the logarithm of their density, from the last ones with this embedding on, or `start`."""
        start = self.fitted.get(embedding, start)
        return fit(self.by(embedding), data, start, _WARM if start else _EVALUATIONS, thorough)

    def parameters(self, embedding: str, data: Observations) -> Parameters:
        """Of the last fit; before the first one, of one that is made now."""
        return self.fitted.get(embedding) or self.fit(embedding, some_of(data), thorough=True)[0]

    def likeliest(self, data: Observations, found: Mapping[str, Any] | None) -> tuple[PayoffKernel, Parameters]:
        """The kernel and its hyperparameters, as `refit` found them; None: as they are."""
        if found is None:
            return self.kernel, self.parameters(self.kernel.embedding.name, data)
        return self.by(found["embedding"]), from_hex(found[found["embedding"]])

    # -- beliefs -------------------------------------------------------------------------------------------------------

    def bounds(self, data: Observations, seen: Any, unknown: Inputs | None = None, embedding: str = "") -> PayoffBounds:
        """By the likeliest embedding or this one, where this is seen, encoded; None: nothing is."""
        name = embedding or self.kernel.embedding.name
        after = posterior(self.by(name), data, self.parameters(name, data), unknown)
        return PayoffBounds(after if seen is None else after.at(seen))

    def draws(self, data: Observations, random: np.random.Generator) -> list[Draw]:
        """Hyperparameters that outcomes do not contradict, by every embedding in use; see `averaging.py`."""
        return draws([(self.by(name), self.parameters(name, data)) for name in self.used], data, random)

    def mixture(self, draws: Sequence[Draw], data: Observations, seen: Any) -> list[tuple[float, PayoffBounds]]:
        """What each draw makes of the data, with its share."""
        after = [posterior(draw.kernel, data, draw.parameters) for draw in draws]
        at = [PayoffBounds(one if seen is None else one.at(seen)) for one in after]
        return [(draw.share, bounds) for draw, bounds in zip(draws, at, strict=True)]
