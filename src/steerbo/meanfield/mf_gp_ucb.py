"""MF-GP-UCB (Steinberg et al., Algorithm 1), and what makes it work with population feedback.

Where the paper is silent or does otherwise:

- the Gaussian process conditions exactly on population averages, which are linear in f (see `kernels.py`);
- averages never identify single payoffs, so with them the bound is `μ_g + β σ_g` on the average itself; the paper's
  `E[μ + βσ]` is `acquisition="expected"`, and what representative feedback uses;
- suggestions are cautious: the data must say something about them (see `trust_region.py`);
- how bad a disaster was counts only logarithmically (see `observations.py`);
- what is recorded is the distribution really played, in whole agents; candidates are scored after rounding, and what
  was played before is not played again unless outcomes are noisy;
- β = 1; the theorem's value is `confidence="theory"`: hundreds, useless in practice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from jaxtyping import Int
from pydantic import Field

from ..gp import from_hex, refit_due, to_hex
from ..record import record
from ..rounds import Choice, Event, Explanation, History, Recommendation, Refitted, Streams
from ..search import simplex_starts
from ..words import counted
from .acquisition import PayoffBounds, Tables
from .belief import Belief, theorem_beta
from .candidates import best_whole, less_moving, maxima, sampled
from .cells import explained
from .gain import possible_gain
from .kernels import Embedding, Kind, Parameters, PayoffKernel
from .method import Population
from .observations import standardised, without_outcome
from .problem import SCOPE, MeanField
from .process import Observations, fit, posterior
from .region import Region
from .seen import SeenFactor
from .similarity import Similarity
from .trust_region import Bound, TrustRegion

_NOISY = 1e-2  # standard deviation of the noise, against that of the outcomes, from which on a repeat teaches something
_EMBEDDINGS: tuple[Embedding, ...] = ("plain", "root")
_EVALUATIONS, _WARM = 15, 6  # of the likelihood in a first fit, and in one that goes on from the last
_ANSWER = 2.0  # standard deviations of the bounds in answers


@record
class MFGPUCBOptions:
    """Options of `mf-gp-ucb`.

    Args:
        beta: width β of the bound `μ + βσ`.
        kernel: `product` of actions, contexts and distributions; `joint`; `additive` is the paper's Eq. 1.
        embedding: distances between distributions: `plain`, of their square roots (`root`, Hellinger), or `learned`:
            the one with the larger marginal likelihood, which is right for crowding (plain) and for divergences
            (root).
        acquisition: `average` bounds the population's average, `expected` is the paper's mean of single agents' bounds;
            default: `average`, but `expected` with representative feedback.
        confidence: `fixed` takes β as it is, `theory` the value of Theorem 4.1.
        caution: the least share of the prior variance of a suggestion's average that outcomes must have taken away:
            larger is safer and slower; 0, as in the paper, lets optimism try what nobody knows anything about.
        starting_points: random distributions at the beginning.
        starts: restarts of the search.
        iterations: the most steps of a restart.
    """

    beta: float = Field(1.0, ge=0, allow_inf_nan=False)
    kernel: Kind = "product"
    embedding: Embedding | Literal["learned"] = "learned"
    acquisition: Literal["average", "expected"] | None = None
    confidence: Literal["fixed", "theory"] = "fixed"
    caution: float = Field(0.4, ge=0, lt=1)
    starting_points: int = Field(5, ge=1)
    starts: int = Field(12, ge=1)
    iterations: int = Field(100, ge=1)


class MFGPUCB(Population[MFGPUCBOptions]):
    """Optimism about the population's average payoff over distributions of actions (MF-GP-UCB, Steinberg et al.)."""

    name: ClassVar[str] = "mf-gp-ucb"
    Options: ClassVar[type[Any]] = MFGPUCBOptions

    def __init__(self, problem: MeanField, options: Any, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self.fitted: dict[Embedding, Parameters] = {}
        self.compared = 0  # outcomes there were at the last thorough fit
        C, A = problem.simplex.shape
        self.kernel = PayoffKernel(
            options.kernel,
            "plain" if options.embedding == "learned" else options.embedding,
            problem.shares,
            Similarity.of(np.full(A, 1 / A), problem.action_features),
            Similarity.of(np.full(C, 1 / C), problem.context_features),
            single=problem.feedback != "population",
            seen=SeenFactor(problem.space),
        )

    # -- learning ------------------------------------------------------------------------------------------------------

    def learn(self, event: Event, history: History) -> None:
        """Hyperparameters are read back from the log."""
        super().learn(event, history)
        if isinstance(event, Refitted):
            for embedding in _EMBEDDINGS:
                if embedding in event.hyperparameters:
                    self.fitted[embedding] = from_hex(event.hyperparameters[embedding])
            self.kernel = replace(self.kernel, embedding=event.hyperparameters["embedding"])
            self.compared = event.hyperparameters["compared"]

    def refit(self, history: History) -> Mapping[str, Any] | None:
        """Every round, from the last hyperparameters on; thoroughly, with both embeddings, on a growing schedule."""
        n = len(self.outcomes)
        if n < self.options.starting_points:
            return None
        data, due = self.data()[0], refit_due(self.compared, n)
        found = {
            embedding: self._fit(embedding, data, thorough=due)
            for embedding in (_EMBEDDINGS if due and self.options.embedding == "learned" else (self.kernel.embedding,))
        }
        best = max(found, key=lambda embedding: found[embedding][1])
        plain: dict[str, Any] = {embedding: to_hex(parameters) for embedding, (parameters, _) in found.items()}
        return {**plain, "embedding": best, "compared": n if due else self.compared}

    def _fit(self, embedding: Embedding, data: Observations, thorough: bool) -> tuple[Parameters, float]:
        """Hyperparameters and the logarithm of their density, from the last ones with this embedding on."""
        start = self.fitted.get(embedding)
        return fit(replace(self.kernel, embedding=embedding), data, start, _WARM if start else _EVALUATIONS, thorough)

    def data(self) -> tuple[Observations, float, float]:
        """Standardised observations, and the offset and unit that undo it."""
        return standardised(self.problem, self.outcomes, self.tables, self.averages(), self.options.starting_points)

    def belief(self, history: History, seen: Mapping[str, Any], pending: bool = True) -> Belief:
        """What is believed now, where this is seen; `pending`: rounds without an outcome shrink the uncertainty."""
        data, offset, unit = self.data()
        embedding = self.kernel.embedding
        parameters = self.fitted.get(embedding) or self._fit(embedding, data, thorough=True)[0]
        unknown = without_outcome(self.problem, [r.realised for r in history.unknown] if pending else [])
        after = posterior(self.kernel, data, parameters, unknown)
        return Belief(PayoffBounds(after.at(self.problem.space.encode([seen])[0]) if seen else after), offset, unit)

    # -- choosing ------------------------------------------------------------------------------------------------------

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """Random at first, then Algorithm 1, line 5, over whole agents."""
        number = len(history) + 1
        region = self.region(request)
        random = self.streams(number, "choose")
        if not self.outcomes or len(self.outcomes) + len(history.pending) < self.options.starting_points:
            return self.choice(self.fresh(region, random, self.played(history, request)), phase="start")
        belief = self.belief(history, request.get("context", {}))
        beta = self._beta(number)
        taken = self.played(history, request, pending_only=belief.bounds.posterior.noise > _NOISY**2)
        counts = self._optimistic(belief, region, beta, taken, number)
        mean, sd = belief.bounds.average((counts / self.problem.agents_in[:, None])[None])
        return self.choice(
            counts,
            phase="model",
            expected=self.problem.sign * belief.raw(float(mean[0])),
            deviation=belief.unit * float(sd[0]),
            beta=beta,
            jitter=belief.bounds.posterior.jitter,
        )

    def _optimistic(
        self, belief: Belief, region: Region, beta: float, taken: set[bytes], number: int
    ) -> Int[np.ndarray, "C A"]:
        """Whole agents with a large bound, of which enough is known, and that teach something."""
        random = self.streams(number, "choose")
        bound = self.bound(belief, region, beta)
        trust = TrustRegion(belief.bounds, self.options.caution, np.array(self.tables), region.project)
        found = trust.shortened(self.search(bound, region, self.streams.integer(number, "search")))
        found = found[np.argsort(-bound(found)[0], kind="stable")]
        if self.problem.rounding == "sampled":
            return sampled(region, found[0], taken, random)
        best = best_whole(trust.of(bound), region, found, taken, random)
        return self.fresh(region, random, taken) if best is None else best

    def _beta(self, number: int) -> float:
        C, A = self.problem.simplex.shape
        return self.options.beta if self.options.confidence == "fixed" else theorem_beta(C * A, number)

    def bound(self, belief: Belief, region: Region, beta: float) -> Bound:
        """What the search climbs on: the bound less what moving costs, with its gradient."""
        expected = self.options.acquisition or ("expected" if self.problem.feedback == "representative" else "average")
        climb = belief.bounds.expected if expected == "expected" else belief.bounds.population
        price = self.problem.moving_cost / belief.unit
        return less_moving(lambda tables: climb(tables, beta), region, self.problem.shares, price)

    def search(self, bound: Bound, region: Region, seed: int) -> Tables:
        """Local maxima over tables, best first, from the best ones seen and from random ones."""
        best = np.argsort(-self.averages(), kind="stable")[: self.options.starts]
        starts = simplex_starts(np.array(self.tables)[best], self.options.starts, seed, allowed=region.allowed)
        return maxima(bound, region, starts, self.options.iterations)

    gain = possible_gain

    # -- answers -------------------------------------------------------------------------------------------------------

    def advice(self, history: History, seen: Mapping[str, Any]) -> Recommendation:
        """The distribution with the largest lower bound, of all that were played and the best one predicted.

        Limits and costs of moving are left out: it is where to be, not the next step.
        """
        if not self.outcomes:
            return self.untold()
        belief = self.belief(history, seen, pending=False)
        region = self.problem.region
        seed = self.streams.integer(0, "recommend")
        found = self.search(lambda tables: belief.bounds.population(tables, 0.0), region, seed)[0]
        predicted = region.whole(found) / self.problem.agents_in[:, None]
        tables = np.array([*self.tables, predicted])
        mean, sd = belief.bounds.average(tables)
        i = int((mean - _ANSWER * sd).argmax())
        sign = self.problem.sign
        ends = sorted(sign * belief.raw(float(mean[i] + side * sd[i])) for side in (-_ANSWER, _ANSWER))
        note = "not played yet: the model predicts it" if i == len(self.tables) else "this distribution has been played"
        return Recommendation(
            SCOPE,
            {"distribution": self.problem.named(tables[i])},
            sign * belief.raw(float(mean[i])),
            ends[0],
            ends[1],
            note=note,
        )

    def explain(self, history: History) -> Explanation:
        """The expected payoff of actions and contexts at the recommended distribution, and what is still explored."""
        if not self.outcomes:
            return Explanation("nothing was told yet")
        advice = self.recommend(history)
        belief = self.belief(history, advice.context, pending=False)
        best = self.problem.table(advice.values["distribution"])
        table, explored = explained(self.problem, belief, best, next(reversed(self.suggested.values()), best))
        scale = self.kernel.lengthscale("lengthscale", belief.bounds.posterior.parameters)
        noise, cells = belief.unit * np.sqrt(belief.bounds.posterior.noise), int(self.problem.region.allowed.sum())
        summary = (
            f"{counted(len(self.outcomes), 'outcome')}. {explored or 'None'} of {counted(cells, 'cell')} (an action, "
            f"in a context) {'is' if explored < 2 else 'are'} still being explored, with more agents in the last "
            f"suggestion than in the recommendation. The model: kernel {self.kernel.kind} on {self.kernel.embedding} "
            f"distributions, lengthscale {scale:.3g}, noise {noise:.3g}."
        )
        if self.problem.feedback == "population":
            summary += " Averages never identify single payoffs: those below rest on the kernel."
        return Explanation(summary, (table,))
