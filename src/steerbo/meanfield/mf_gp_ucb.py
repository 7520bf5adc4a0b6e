"""MF-GP-UCB (Steinberg et al., Algorithm 1), and what makes it work with population feedback.

Where the paper is silent or does otherwise:

- the Gaussian process conditions exactly on population averages, which are linear in f (see `kernels.py`);
- averages never identify single payoffs, so with them the bound is `μ_g + β σ_g` on the average itself; the paper's
  `E[μ + βσ]` is `acquisition="expected"`, and what representative feedback uses;
- a population's average is cut off as far below the first rounds as the best one lies above them;
- what is recorded is the distribution really played, in whole agents; candidates are scored after rounding, and what
  was played before is not played again unless outcomes are noisy;
- β = 1; the theorem's value is `confidence="theory"`: hundreds, useless in practice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from jaxtyping import Float, Int
from pydantic import Field

from ..gp import refit_due
from ..optimizer import Choice, Event, Explanation, History, Recommendation, Refitted, Streams, Table
from ..record import record
from ..search import maximise_simplex, simplex_starts
from .acquisition import Bounds
from .exchange import exchange
from .kernels import Embedding, Geometry, Kind, Observations, Parameters
from .likeness import Likeness
from .method import EVERYTHING, Population
from .observations import standardised
from .problem import MeanField
from .process import Data, fit, from_hex, posterior, to_hex
from .region import Region

_NOISY = 1e-2  # standard deviation of the noise, against that of the outcomes, from which on a repeat teaches something
_SAMPLES = 16  # multinomial draws around the best table
_EMBEDDINGS: tuple[Embedding, ...] = ("plain", "root")
_EVALUATIONS, _WARM = 15, 6  # of the likelihood in a first fit, and in one that goes on from the last
_ANSWER = 2.0  # standard deviations of the bounds in answers
_SCREEN, _KEPT = 25, 3  # steps of all restarts, and how many of them go on
_ROWS_SHOWN = 30


@record
class Options:
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
        starting_points: random distributions at the beginning.
        starts: restarts of the search.
        iterations: the most steps of a restart.
    """

    beta: float = Field(1.0, ge=0, allow_inf_nan=False)
    kernel: Kind = "product"
    embedding: Embedding | Literal["learned"] = "learned"
    acquisition: Literal["average", "expected"] | None = None
    confidence: Literal["fixed", "theory"] = "fixed"
    starting_points: int = Field(5, ge=1)
    starts: int = Field(12, ge=1)
    iterations: int = Field(100, ge=1)


@dataclass(frozen=True, eq=False)
class Belief:
    """Bounds in standardised units, and the way back to units of `sign · value`."""

    bounds: Bounds
    offset: float
    unit: float

    def raw(self, standardised: float) -> float:
        """In units of `sign · value`."""
        return float(self.offset + self.unit * standardised)


class MFGPUCB(Population[Options]):
    """Optimism about the population's average payoff over distributions of actions (MF-GP-UCB, Steinberg et al.)."""

    name: ClassVar[str] = "mf-gp-ucb"
    Options: ClassVar[type[Any]] = Options

    def __init__(self, problem: MeanField, options: Any, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self.fitted: dict[Embedding, Parameters] = {}
        self.compared = 0  # outcomes there were when the embeddings were compared last
        C, A = problem.simplex.shape
        self.geometry = Geometry(
            options.kernel,
            "plain" if options.embedding == "learned" else options.embedding,
            problem.shares,
            Likeness.of(np.full(A, 1 / A), problem.action_features),
            Likeness.of(np.full(C, 1 / C), problem.context_features),
            single=problem.feedback != "population",
        )

    # -- learning ------------------------------------------------------------------------------------------------------

    def learn(self, event: Event, history: History) -> None:
        """Hyperparameters are read back from the log."""
        super().learn(event, history)
        if isinstance(event, Refitted):
            for embedding in _EMBEDDINGS:
                if embedding in event.hyperparameters:
                    self.fitted[embedding] = from_hex(event.hyperparameters[embedding])
            self.geometry = replace(self.geometry, embedding=event.hyperparameters["embedding"])
            self.compared = event.hyperparameters["compared"]

    def refit(self, history: History) -> Mapping[str, Any] | None:
        """Every round, from the last hyperparameters on; embeddings are compared on a growing schedule."""
        n = len(self.outcomes)
        if n < self.options.starting_points:
            return None
        data = self.data()[0]
        compare = self.options.embedding == "learned" and refit_due(self.compared, n)
        found = {
            embedding: self._fit(embedding, data)
            for embedding in (_EMBEDDINGS if compare else (self.geometry.embedding,))
        }
        best = max(found, key=lambda embedding: found[embedding][1])
        plain: dict[str, Any] = {embedding: to_hex(parameters) for embedding, (parameters, _) in found.items()}
        return {**plain, "embedding": best, "compared": n if compare else self.compared}

    def _fit(self, embedding: Embedding, data: Data) -> tuple[Parameters, float]:
        """Hyperparameters and the logarithm of their density, from the last ones with this embedding on."""
        start = self.fitted.get(embedding)
        return fit(replace(self.geometry, embedding=embedding), data, start, _WARM if start else _EVALUATIONS)

    def data(self) -> tuple[Data, float, float]:
        """Standardised observations, and the offset and unit that undo it."""
        return standardised(self.problem, self.outcomes, self.tables, self.averages(), self.options.starting_points)

    def belief(self, history: History, pending: bool = True) -> Belief:
        """What is believed now; `pending`: rounds without an outcome shrink the uncertainty."""
        data, offset, unit = self.data()
        parameters = self.fitted.get(self.geometry.embedding) or self._fit(self.geometry.embedding, data)[0]
        tables = self.unknown(history) if pending else np.empty((0, *self.problem.simplex.shape))
        unknown = Observations(tables * self.problem.shares[:, None], tables)
        return Belief(Bounds(posterior(self.geometry, data, parameters, unknown)), offset, unit)

    # -- choosing ------------------------------------------------------------------------------------------------------

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """Random at first, then Algorithm 1, line 5, over whole agents."""
        number = len(history) + 1
        region = self.region(request)
        random = self.streams(number, "choose")
        if not self.outcomes or len(self.outcomes) + len(history.pending) < self.options.starting_points:
            return self.choice(self.fresh(region, random, self.played(history)), phase="start")
        belief = self.belief(history)
        noisy = belief.bounds.posterior.noise > _NOISY**2
        taken = self.played(history, pending_only=noisy)
        bound = self.bound(belief, region, self._beta(number))
        found = self.search(bound, region, self.streams.integer(number, "search"))
        counts = self._whole(bound, region, found, taken, random)
        table = counts / self.problem.agents_in[:, None]
        mean, sd = belief.bounds.average(table[None])
        return self.choice(
            counts,
            phase="model",
            expected=self.problem.sign * belief.raw(float(mean[0])),
            deviation=belief.unit * float(sd[0]),
            beta=self._beta(number),
            jitter=belief.bounds.posterior.jitter,
        )

    def _beta(self, number: int) -> float:
        """β, or Theorem 4.1's with a = b = 1."""
        if self.options.confidence == "fixed":
            return self.options.beta
        C, A = self.problem.simplex.shape
        cells, t2 = float(C * A), float(number) ** 2
        tables = cells * np.log(cells * t2 * (np.log(cells) + np.sqrt(np.pi) / 2))
        return float(2 * (np.log(cells * t2 / np.sqrt(2 * np.pi)) + tables))

    def bound(self, belief: Belief, region: Region, beta: float) -> Callable[..., Any]:
        """What the search climbs on: the bound less what moving costs, with its gradient."""
        expected = self.options.acquisition or ("expected" if self.problem.feedback == "representative" else "average")
        climb = belief.bounds.expected if expected == "expected" else belief.bounds.population
        price = self.problem.moving_cost / belief.unit if region.present is not None else 0.0
        if not price:
            return lambda tables: climb(tables, beta)
        shares = self.problem.shares

        def bound(tables: Float[np.ndarray, "r C A"]) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r C A"]]:
            values, slopes = climb(tables, beta)
            apart = np.sign(tables - region.present)
            return values - price * region.moved(tables) @ shares, slopes - 0.5 * price * shares[:, None] * apart

        return bound

    def search(self, bound: Callable[..., Any], region: Region, seed: int) -> Float[np.ndarray, "r C A"]:
        """Local maxima over tables, best first, from the best ones seen and from random ones."""
        best = np.argsort(-self.averages(), kind="stable")[: self.options.starts]
        known = np.array(self.tables)[best]
        starts = simplex_starts(known, self.options.starts, seed, allowed=region.allowed)
        project = region.project if region.limited else None
        limited = partial(maximise_simplex, bound, allowed=region.allowed, project=project)
        screened = limited(starts, iterations=_SCREEN, tolerance=1e-3).points
        return limited(screened[:_KEPT], iterations=self.options.iterations, tolerance=1e-5).points

    def _whole(
        self,
        bound: Callable[..., Any],
        region: Region,
        found: Float[np.ndarray, "r C A"],
        taken: set[bytes],
        random: np.random.Generator,
    ) -> Int[np.ndarray, "C A"]:
        """The whole agents with the largest bound that are not taken."""
        if self.problem.rounding == "sampled":
            candidates = [region.sampled(found[0], random) for _ in range(_SAMPLES)]
            return next((c for c in candidates if self.key(c) not in taken), candidates[0])
        rounded = [region.whole(table) for table in found]
        drawn = [] if region.limited else [region.sampled(found[0], random) for _ in range(_SAMPLES)]
        candidates = list({self.key(c): c for c in [*rounded, *drawn]}.values())
        values, _ = bound(np.array(candidates) / self.problem.agents_in[:, None])
        order = np.argsort(-values, kind="stable")
        best = exchange(bound, candidates[order[0]], region, taken)
        if self.key(best) not in taken:
            return best
        fresh = next((candidates[i] for i in order if self.key(candidates[i]) not in taken), None)
        return fresh if fresh is not None else self.fresh(region, random, taken)

    # -- answers -------------------------------------------------------------------------------------------------------

    def recommend(self, history: History) -> Recommendation:
        """The distribution with the largest lower bound, of all that were played and the best one predicted.

        Limits and costs of moving are left out: it is where to be, not the next step.
        """
        if not self.outcomes:
            return self.untold()
        belief = self.belief(history, pending=False)
        region = self.problem.region
        seed = self.streams.integer(0, "recommend")
        found = self.search(lambda tables: belief.bounds.population(tables, 0.0), region, seed)[0]
        predicted = region.whole(found) / self.problem.agents_in[:, None]
        tables = np.array([*self.tables, predicted])
        mean, sd = belief.bounds.average(tables)
        i = int((mean - _ANSWER * sd).argmax())
        sign = self.problem.sign
        ends = sorted(sign * belief.raw(float(mean[i] + side * sd[i])) for side in (-_ANSWER, _ANSWER))
        note = "predicted, not played yet" if i == len(self.tables) else "played"
        return Recommendation(
            EVERYTHING,
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
        belief = self.belief(history, pending=False)
        best = self.problem.table(self.recommend(history).values["distribution"])
        last = next(reversed(self.suggested.values()), best)
        mean, sd = (part[0] for part in belief.bounds.cells(best[None]))
        agent = 1 / self.problem.agents_in[:, None]
        explored = last > best + np.maximum(1.5 * agent, 1e-6)
        order = np.argsort(-(np.maximum(best, last) * self.problem.shares[:, None]).ravel(), kind="stable")
        rows = []
        for i in order[:_ROWS_SHOWN]:
            c, a = np.unravel_index(i, best.shape)
            payoff = self.problem.sign * belief.raw(float(mean[c, a]))
            cell = (float(best[c, a]), float(last[c, a]), payoff, belief.unit * float(sd[c, a]), bool(explored[c, a]))
            rows.append((self.problem.contexts[c], self.problem.actions[a], *cell))
        rest = best.size - len(rows)
        scale = self.geometry.lengthscale("lengthscale", belief.bounds.posterior.parameters)
        noise = belief.unit * np.sqrt(belief.bounds.posterior.noise)
        cells = int(self.problem.region.allowed.sum())
        summary = (
            f"{len(self.outcomes)} outcomes; {int(explored.sum())} of {cells} cells are "
            "still being explored: the last suggestion has more agents there than the recommendation. "
            f"Kernel {self.geometry.kind} on {self.geometry.embedding} distributions, lengthscale {scale:.3g}, "
            f"noise {noise:.3g}."
        )
        if self.problem.feedback == "population":
            summary += " Averages never identify single payoffs: those below lean on the kernel."
        title = "Cells at the recommended distribution" + (f" (fullest {len(rows)}, {rest} not shown)" if rest else "")
        columns = ("context", "action", "share", "last suggested", "expected payoff", "deviation", "explored")
        return Explanation(summary, (Table(title, columns, tuple(rows)),))
