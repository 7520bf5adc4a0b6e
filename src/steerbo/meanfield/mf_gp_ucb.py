"""MF-GP-UCB (Steinberg et al., Algorithm 1), and what makes it work with population feedback.

Where the paper is silent or does otherwise:

- the Gaussian process conditions exactly on population averages, which are linear in f (see `kernels.py`);
- averages never identify single payoffs, so with them the bound is `μ_g + β σ_g` on the average itself; the paper's
  `E[μ + βσ]` is `acquisition="expected"`, and what representative feedback uses;
- suggestions are cautious: outcomes must say something about them, however distances are measured (see
  `trust_region.py`);
- how bad a disaster was counts only logarithmically (see `observations.py`);
- what is recorded is the distribution really played, in whole agents; candidates are scored after rounding, and what
  was played before is not played again unless outcomes are noisy;
- β = 1; the theorem's value is `confidence="theory"`: hundreds, useless in practice.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from jaxtyping import Int
from pydantic import Field, Strict

from ..record import record
from ..rounds import (
    COMPARABLE,
    Added,
    Choice,
    Event,
    Explanation,
    History,
    Recommendation,
    Refitted,
    Streams,
    Told,
    kept,
    known_before,
)
from ..search import simplex_starts
from .acquisition import PayoffBounds, Tables, Values
from .agents import settings
from .averaging import Draw, mixed, mixed_quantiles
from .belief import Belief, theorem_beta
from .candidates import best_whole, less_moving, maxima, sampled
from .cells import explained, summarised
from .failures import failing_of, likely_to_work
from .forgetting import UNNOTICED, outdated
from .gain import possible_gain
from .kernels import Kind
from .method import Population
from .models import PayoffModels
from .observations import standardised, without_outcome
from .problem import SCOPE, MeanField
from .process import Observations
from .region import Region
from .trust_region import Bound, TrustRegion

_NOISY = 5e-2  # standard deviation of the noise, against that of the outcomes, from which on a repeat teaches something
_ANEW = 3  # random distributions after a change
_ANSWER = 2.0  # standard deviations that an answer's lower bound is chosen by
_SURE = 0.97725  # probability of either bound of an answer alone


@record
class MFGPUCBOptions:
    """Options of `mf-gp-ucb`.

    Args:
        beta: width β of the bound `μ + βσ`.
        kernel: `product` of actions, contexts and distributions; `joint`; `additive` is the paper's Eq. 1.
        embedding: distances between distributions: `plain`, of their square roots (`root`, Hellinger), or `learned`:
            the one with the largest marginal likelihood. Plain is right for crowding, root for divergences; where
            actions have features, roots smoothed over the map that these are may be the likeliest (`embeddings.py`).
        acquisition: `average` bounds the population's average, `expected` is the paper's mean of single agents' bounds;
            default: `average`, but `expected` with representative feedback.
        confidence: `fixed` takes β as it is, `theory` the value of Theorem 4.1.
        caution: the least share of the prior variance of a suggestion's average that outcomes must have taken away,
            by plain distances, by those of square roots and by the likeliest ones: larger is safer and slower; 0, as
            in the paper, lets optimism try what nobody knows anything about.
        notice_changes: whether outcomes are forgotten once later ones show that payoffs have changed for good, see
            `forgetting.py`.
        starting_points: random distributions at the beginning.
        starts: restarts of the search.
        iterations: the most steps of a restart.
    """

    beta: float = Field(1.0, ge=0, allow_inf_nan=False)
    kernel: Kind = "product"
    embedding: Literal["plain", "root", "learned"] = "learned"
    acquisition: Literal["average", "expected"] | None = None
    confidence: Literal["fixed", "theory"] = "fixed"
    caution: float = Field(0.4, ge=0, lt=1)
    notice_changes: Annotated[bool, Strict()] = True
    starting_points: int = Field(5, ge=1)
    starts: int = Field(12, ge=1)
    iterations: int = Field(100, ge=1)


class MFGPUCB(Population[MFGPUCBOptions]):
    """Optimism about the population's average payoff over distributions of actions (MF-GP-UCB, Steinberg et al.)."""

    name: ClassVar[str] = "mf-gp-ucb"
    Options: ClassVar[type[Any]] = MFGPUCBOptions

    def __init__(self, problem: MeanField, options: Any, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self.models, self.failing = self._models(), failing_of(problem)
        self.anew = -_ANEW  # the round before which outcomes were forgotten last

    def _models(self) -> PayoffModels:
        return PayoffModels(self.problem, self.options.kernel, self.options.embedding)

    # -- learning ------------------------------------------------------------------------------------------------------

    def learn(self, event: Event, history: History) -> None:
        """Hyperparameters, and what is to be forgotten, are read back from the log."""
        super().learn(event, history)
        self.failing.learn(event, history)
        if isinstance(event, Refitted):
            self.models.learn(event.hyperparameters)
            if names := event.hyperparameters.get("forgotten"):
                self.forget(names, history)
                self.anew = event.round

    def refit(self, history: History) -> Mapping[str, Any] | None:
        """Every round; where outcomes say that payoffs have changed, on those alone that are not outdated."""
        if (n := len(self.outcomes)) < self.options.starting_points:
            return None
        data = self.data()[0]
        found = self.models.refit(data, n)
        if not self.options.notice_changes or super().remark(history):  # where not all count they are not compared
            return found
        old = outdated(data, *self.models.likeliest(data, found))
        if not old:
            return found
        return {**(self._models().refit(self.data(old)[0], n - old) or {}), "forgotten": self.names[:old]}

    def remark(self, history: History) -> str:
        """Whether there are more outcomes than are counted; then changes are no longer noticed."""
        said = super().remark(history)
        return f"{said} {UNNOTICED}" if said and self.options.notice_changes else said

    def data(self, since: int = 0) -> tuple[Observations, float, float]:
        """Standardised observations, from this outcome on, and the offset and unit that undo it."""
        told = self.outcomes[since:], self.tables[since:], self.averages()[since:]
        return standardised(self.problem, *told, self.options.starting_points)

    def belief(self, history: History, seen: Mapping[str, Any], pending: bool = True) -> Belief:
        """What is believed now, where this is seen; `pending`: rounds without an outcome shrink the uncertainty."""
        data, offset, unit = self.data()
        unknown = without_outcome(self.problem, history.unknown if pending else ())
        return Belief(self.models.bounds(data, self._encoded(history, seen), unknown), offset, unit)

    def _encoded(self, history: History, seen: Mapping[str, Any]) -> Any:
        known = {**self.present(history), **seen}
        return self.problem.before([known])[0] if known else None

    def trust(self, belief: Belief, region: Region, history: History, seen: Mapping[str, Any]) -> TrustRegion:
        """Where outcomes have something to say, by every embedding that is asked."""
        data, at, known = self.data()[0], self._encoded(history, seen), []
        if self.options.caution:
            likeliest, *others = self.models.used
            known = [self.models.bounds(data, at, embedding=name) for name in others]
            known.append(self.models.bounds(data, at, embedding=likeliest) if history.unknown else belief.bounds)
        played, works = np.array(self.tables), likely_to_work(self.problem, self.failing, seen)
        return TrustRegion(belief.bounds, tuple(known), self.options.caution, played, region.project, works)

    # -- choosing ------------------------------------------------------------------------------------------------------

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """Random at first, then Algorithm 1, line 5, over whole agents."""
        number, region = len(history) + 1, self.region(request)
        random = self.streams(number, "choose")
        few = not self.outcomes or len(self.outcomes) + len(history.pending) < self.options.starting_points
        if few or self.anew <= number < self.anew + _ANEW:
            return self.choice(self.fresh(region, random, self.played(history, request)), phase="start")
        seen, beta = known_before(request), self._beta(number)
        belief = self.belief(history, seen)
        again = self.problem.timed or belief.bounds.posterior.noise > _NOISY**2
        taken = self.played(history, request, pending_only=again)
        trust = self.trust(belief, region, history, seen)
        counts = self._optimistic(self.bound(belief, region, beta), trust, region, taken, number)
        mean, sd = belief.bounds.average((counts / self.problem.agents_in[:, None])[None])
        known = {
            "expected": self.problem.sign * belief.raw(float(mean[0])),
            "deviation": belief.unit * float(sd[0]),
            "noise": belief.unit * math.sqrt(belief.bounds.posterior.noise),
        }
        return self.choice(counts, phase="model", **known, beta=beta, jitter=belief.bounds.posterior.jitter)

    def _optimistic(
        self, bound: Bound, trust: TrustRegion, region: Region, taken: set[bytes], number: int
    ) -> Int[np.ndarray, "C A"]:
        """Whole agents with a large bound, of which enough is known, and that teach something."""
        random = self.streams(number, "choose")
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
        belief, region = self.belief(history, seen, pending=False), self.problem.region
        bound, seed = belief.bounds.population, self.streams.integer(0, "recommend")
        found = self.search(lambda tables: bound(tables, 0.0), region, seed)
        predicted = region.whole(found[0]) / self.problem.agents_in[:, None]
        tables = np.array([*self.tables, predicted])
        parts, sign = self._mixture(history, seen), self.problem.sign
        mean, sd = mixed(parts, tables)
        kept = [*self.keeping(), *likely_to_work(self.problem, self.failing, seen, True)(predicted[None])]
        i = int(np.where(kept, mean - _ANSWER * sd, -np.inf).argmax())
        ends = mixed_quantiles(parts, tables[i], (1.0 - _SURE, _SURE))
        lower, upper = sorted(sign * belief.raw(end) for end in ends)
        note = "not played yet: the model predicts it" if i == len(self.tables) else "this distribution has been played"
        value = sign * belief.raw(float(mean[i]))
        return Recommendation(SCOPE, settings(self.problem, tables[i]), value, lower, upper, note=note)

    @kept
    def draws(self, history: History) -> list[Draw]:
        """Hyperparameters that outcomes do not contradict."""
        return self.models.draws(self.data()[0], self.streams(0, "hyperparameters"))

    def expected(self, history: History, seen: Mapping[str, Any], tables: Tables) -> tuple[Values, Values]:
        """Mean and deviation of the population's average, whatever the hyperparameters may be; standardised."""
        return mixed(self._mixture(history, seen), tables)

    def _mixture(self, history: History, seen: Mapping[str, Any]) -> list[tuple[float, PayoffBounds]]:
        return self.models.mixture(self.draws(history), self.data()[0], self._encoded(history, seen))

    def expected_outcome(self, history: History, event: Told | Added) -> tuple[float, float, float] | None:
        """See `Method.expected_outcome`: of the population's average, by the likeliest hyperparameters."""
        if len(self.outcomes) < COMPARABLE or self.problem.feedback != "population" or isinstance(event, Added):
            return None
        played, outcome = history[event.token], event.outcome
        belief = self.belief(history, {**known_before(played.request), **outcome.realised}, pending=False)
        mean, sd = belief.bounds.average(self.problem.table(outcome.realised["distribution"])[None])
        deviation = belief.unit * math.hypot(float(sd[0]), math.sqrt(belief.bounds.posterior.noise))
        return self.problem.average(outcome), self.problem.sign * belief.raw(float(mean[0])), deviation

    def explain(self, history: History) -> Explanation:
        """The expected payoff of actions and contexts at the recommended distribution, and what is still explored."""
        if not self.outcomes:
            return Explanation("nothing was told yet")
        advice = self.recommend(history)
        belief = self.belief(history, advice.context, pending=False)
        best = self.problem.table(advice.values["distribution"])
        table, explored = explained(self.problem, belief, best, next(reversed(self.suggested.values()), best))
        forgotten = len(self.forgotten), self.anew
        return Explanation(summarised(self.problem, belief, len(self.outcomes), explored, forgotten), (table,))
