"""MF-GP-UCB (Steinberg et al., Algorithm 1), the default method, and additions that make population feedback work.

Differences from the paper, and choices it leaves open:

- the Gaussian process conditions exactly on population averages, which are linear in f (see
  `_kernels.py`);
- averages never identify single payoffs, so with them the bound is `μ_g + β σ_g` on the average
  itself; the paper's `E[μ + βσ]` is `acquisition="expected"`, and the default with representative
  feedback;
- suggestions stay in a trust region: outcomes must carry information about them, however distances
  are measured (see `_trust_region.py`);
- outcomes that are probably wrong count for little (see `gp.outliers`);
- low averages are compressed logarithmically (see `softened` in `_gp.py`);
- the log records the distribution really played, in whole agents; candidates are scored after
  rounding; where outcomes are not noisy a repeat teaches nothing: untried distributions are
  preferred, and bounds widen with repeats;
- the first distribution is today's, or the even spread where none is told, and answers must be
  shown to be better (see `recommend_at`);
- β = 1; the value of their Theorem 4.1 is in the hundreds, far too wide in practice.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, Strict

from .._arrays import Bool, Float, Int
from .._evidence import BOUND, COMPARABLE
from .._wording import MISSING
from ..core import (
    Choice,
    DataAdded,
    Explanation,
    Finding,
    Fit,
    Fold,
    History,
    OutcomeTold,
    Reason,
    Recommendation,
    Streams,
    Suggestion,
    cached_until_next_event,
    context_of,
    gain_over_current,
    read_note,
    reason,
)
from ..errors import InvalidStudy
from ..gp import MOST_COUNTED, Learner
from ..gp.outliers import (
    MOST_OUTLIERS,
    WORTH,
    OutlierFit,
    relevance_pursuit,
    suspected,
)
from ..optim import simplex_starts
from ..records import record
from ..surrogate import SURE
from ._gp import (
    Observations,
    another_doubt,
    fit,
    outdated,
    pending_inputs,
    standardised,
    still_doubted,
)
from ._kernels import Kind, Parameters
from ._region import Region
from ._rounding import Bound, best_integer, local_maxima, minus_moving_cost, sampled
from ._trust_region import TableFeasibility, TrustRegion
from .acquisition import Tables
from .method import MeanFieldMethod, TableArray, ToldAverage, cell_table, summary
from .models import HyperparameterDraw, PayoffMixture, PayoffModels, Surrogate
from .problem import SCOPE, MeanField

"""Remark on studies with more outcomes than are counted: early and late ones can then not be compared."""
_WORTH_TRYING = 5e-2
"""Standard deviations of outcomes by which the bound of an untried distribution may be below that of a repeat."""
_FEW_EVALUATIONS = 6  # of the likelihood, in a fit that compares doubts
_ANEW = 3  # distributions after a change that do not rest on the model
_LATE = 20  # outcomes since, from which on one is so late that all are learned from anew
# outcomes up to which a fit follows each where all are learned from anew; fewer fits follow more
_REPLAYED = 100
# standard deviations of the lower bound of an advantage; with 1 luck still wins under much noise
_ANSWER = 1.5


@record
class MFGPUCBOptions:
    """Options of `mf-gp-ucb`.

    Args:
        beta: width β of the bound `μ + βσ`.
        kernel: `product` of actions, contexts and distributions; `additive` is the paper's Eq. 1.
        embedding: distances between distributions: `plain`, of their square roots (`root`,
            Hellinger), or `learned`: the one with the largest marginal likelihood. Plain is right
            for crowding, root for divergences; if actions have features, roots smoothed on their
            map may be the likeliest (`Embedding`).
        acquisition: `average` bounds the population's average, `expected` is the paper's mean of
            single agents' bounds; default: `average`, but `expected` with representative feedback.
        caution: smallest share of the prior variance of a suggestion's average that outcomes must
            have removed, by plain distances, by those of square roots and by the likeliest ones:
            larger is safer and slower; with 0, as in the paper, optimism may try distributions that
            nothing is known about.
        notice_changes: whether outcomes are forgotten once later ones show that payoffs have
            changed for good, see `outdated`.
        starting_points: distributions at the beginning: the usual spread, then random ones near it.
        starts: restarts of the search.
        iterations: largest number of steps of a restart.
    """

    beta: float = Field(1.0, ge=0, allow_inf_nan=False)
    kernel: Kind = "product"
    embedding: Literal["plain", "root", "learned"] = "learned"
    acquisition: Literal["average", "expected"] | None = None
    caution: float = Field(0.4, ge=0, lt=1)
    notice_changes: Annotated[bool, Strict()] = True
    starting_points: int = Field(6, ge=1)
    starts: int = Field(12, ge=1)
    iterations: int = Field(100, ge=1)


@dataclass(frozen=True, eq=False)
class Learned:
    """Findings of all fits so far.

    Attributes:
        models: hyperparameters.
        doubted: outcomes that are probably wrong, as they were, by name.
        forgotten_until: place of the last outcome that is forgotten; None: none is.
        noticed: the round before which outcomes were forgotten last.
        outcomes: all that there were at the latest fit, oldest first.
    """

    models: PayoffModels
    doubted: Mapping[str, ToldAverage] = field(default_factory=dict)
    forgotten_until: tuple[float, int, int] | None = None
    noticed: int = -_ANEW
    outcomes: tuple[ToldAverage, ...] = ()

    def outdated(self, past: Sequence[ToldAverage]) -> bool:
        """Return whether an outcome of the latest fit is another one now, or void, or one came that belongs far before.

        Outcomes that are late by a few rounds, as those of parallel ones, just take their place.
        """
        learned, now = {told.name for told in self.outcomes}, {told.name: told for told in past}
        early = self.outcomes[-_LATE].when if len(self.outcomes) >= _LATE else (-math.inf,)
        late = any(told.when < early and told.name not in learned for told in past)
        return late or any(
            told.name not in now or not now[told.name].repeats(told) for told in self.outcomes
        )


@record
class _Expected:
    """Expected value of a play, as logged, in the user's units, and the width of the bound that chose it."""

    phase: str = ""
    expected: float = 0.0
    deviation: float = 0.0
    beta: float = 0.0


class MFGPUCB(MeanFieldMethod[MFGPUCBOptions]):
    """Optimism about the population's average payoff over distributions of actions (MF-GP-UCB, Steinberg et al.)."""

    name: ClassVar[str] = "mf-gp-ucb"
    Options: ClassVar[type[Any]] = MFGPUCBOptions
    softens: ClassVar[bool] = True
    """Whether disasters are `softened`: how bad they are does not matter where one outcome is to be large."""

    def __init__(
        self, problem: MeanField, options: Any, streams: Streams, history: History
    ) -> None:
        super().__init__(problem, options, streams, history)
        self.feasibility = TableFeasibility(problem, history)
        self._learned = Fold(self._take, self._nothing_learned)

    def _new_models(self) -> PayoffModels:
        return PayoffModels(self.problem, self.options.kernel, self.options.embedding)

    def sem_unused(self) -> str:
        """See `Method.sem_unused`: the average payoff of a population is one number, other feedback is several."""
        if self.problem.feedback == "population":
            return ""
        return f"with feedback {self.problem.feedback!r} outcomes are of agents, whose own spread is learned"

    # -- fits --------------------------------------------------------------------------------------

    def _nothing_learned(self) -> Learned:
        return Learned(self._new_models())

    @property
    def learned(self) -> Learned:
        """All that the fits so far have found."""
        return self._learned.of(self.history.fits)

    def check_fit(self) -> None:
        """See `Method.check_fit`."""
        _ = self.learned

    @property
    def models(self) -> PayoffModels:
        """Hyperparameters of the latest fits."""
        return self.learned.models

    @property
    def forgotten_until(self) -> tuple[float, int, int] | None:
        """See `MeanFieldMethod.forgotten_until`."""
        return self.learned.forgotten_until

    @property
    def doubted(self) -> frozenset[str]:
        """Names of outcomes that are probably wrong, and stand as they were when that was found."""
        doubted = self.learned.doubted
        return frozenset(
            told.name
            for told in self.past
            if told.name in doubted and told.repeats(doubted[told.name])
        )

    def _take(self, before: Learned, fit: Fit) -> Learned:
        """Take over a fit, and forget the outcomes up to the last one that it names."""
        found, past = fit.hyperparameters, self.told_of(fit.results)
        by_name = {told.name: told for told in past}
        anew = before.outdated(past)
        forgotten = [by_name[name].when for name in found.get("forgotten", ())]
        models = self._new_models() if anew else before.models
        models.set(found)
        after = replace(
            before,
            models=models,
            doubted={name: by_name[name] for name in found.get("doubted", ())},
        )
        if "forgotten" in found:
            noticed = found.get("noticed", fit.round) if forgotten else -_ANEW
            after = replace(after, forgotten_until=max(forgotten, default=None), noticed=noticed)
        return replace(after, outcomes=tuple(past))

    def refit(self) -> Mapping[str, Any] | None:
        """Fit every round; if outcomes show that payoffs have changed, to those since the change.

        After a correction, and after an outcome that is very late, it begins anew and learns of all
        outcomes in their order: the lessons of a wrong outcome are dropped, and outcomes that were
        forgotten for it are known again.
        """
        models, since, ends = self.models, self.n_forgotten, [len(self.past)]
        if anew := self.learned.outdated(self.past):
            models, since = self._new_models(), 0
            step = math.ceil((len(self.past) / _REPLAYED) ** 2)
            ends = [*range(len(self.past), self.options.starting_points - 1, -step)][::-1]
        begin, noticed, found, doubted = since, 0, dict[str, Any](), list[str]()
        for end in ends:
            told = self.past[since:end]
            if len(told) < self.options.starting_points:
                continue
            fitted, doubts, old = self._fitted(models, told)
            since, noticed = since + old, self.past[end - 1].when[1] + 1 if old else noticed
            doubted = [told[i].name for i in np.flatnonzero(doubts) if i >= old]
            if anew and fitted:
                models.set(fitted)
            found = models.plain if anew else fitted or {}
        if not found:
            return None
        if since != self.n_forgotten or (anew and since):
            found["forgotten"] = [told.name for told in self.past[begin:since]]
            found |= {"noticed": noticed} if anew else {}
        return {**found, "doubted": doubted} if doubted else found

    def _fitted(
        self, models: PayoffModels, told: Sequence[ToldAverage]
    ) -> tuple[dict[str, Any] | None, Bool[np.ndarray, " n"], int]:
        """Fit to outcomes; return the fit, the outcomes doubted, and how many precede a change, after which it is."""
        doubts = self._doubts(models, told)
        data = self._standardised(told, doubts)[0]
        found = models.refit(data, len(told))
        # a subset cannot be compared over time
        if not self.options.notice_changes or len(told) > MOST_COUNTED:
            return found, doubts, 0
        old = outdated(data, *models.likeliest(data, found))
        if old:
            recent = self._standardised(told[old:], doubts[old:])[0]
            found = self._new_models().refit(recent, len(told) - old)
        return found, doubts, old

    def outliers(self) -> Sequence[str]:
        """See `Method.outliers`."""
        return [name for name in self.names if name in self.doubted]

    def why(self, asked: Suggestion) -> Sequence[Reason]:
        """Name the optimistic value of a distribution, or say that it is one of the first plays."""
        said = read_note(_Expected, asked.note)
        if said.phase != "model":
            return [reason("current-play" if said.phase == "current" else "first-play")]
        reached = said.expected + self.problem.sign * said.beta * said.deviation
        return [reason("best-bound-near", bound=reached)]

    def read_logged(self, asked: Suggestion) -> None:
        """See `Method.read_logged`; with the expected value."""
        super().read_logged(asked)
        said = read_note(_Expected, asked.note)
        for name in ("expected", "deviation", "beta") if said.phase == "model" else ():
            if name not in asked.note:
                raise InvalidStudy(f"note.{name}", MISSING, "a number")

    def findings(self) -> Sequence[Finding]:
        """Find that there are more outcomes than the model is conditioned on; then changes are not noticed."""
        return self.subset_used(unnoticed=self.options.notice_changes)

    # -- model -------------------------------------------------------------------------------------

    def data(self) -> tuple[Observations, float, float]:
        """Return standardised observations, and the offset and unit that undo it."""
        told = self.recent
        return self._standardised(
            told, np.array([each.name in self.doubted for each in told], dtype=bool)
        )

    def _standardised(
        self, told: Sequence[ToldAverage], doubts: Bool[np.ndarray, " n"]
    ) -> tuple[Observations, float, float]:
        """Return these outcomes as `data` does, of which some are doubted."""
        return standardised(
            self.problem,
            [each.outcome for each in told],
            [each.table for each in told],
            np.array([each.average for each in told]),
            self.options.starting_points,
            doubts=doubts,
            softens=self.softens,
        )

    def _doubts(self, models: PayoffModels, told: Sequence[ToldAverage]) -> Bool[np.ndarray, " n"]:
        """Search for outcomes that are probably wrong, by the likeliest embedding: see `steerbo.gp.outliers`.

        Outcomes are doubted one by one and the hyperparameters fitted anew; the set with the
        largest log posterior density, in the user's units and less `WORTH` for each doubt, is
        returned. As wrong outcomes may hide each other, the search also begins where all are
        doubted that are far from every other.
        """
        n, kernel = len(told), models.kernel
        nothing = np.zeros(n, dtype=bool)
        if self.problem.feedback != "population" or not COMPARABLE <= n <= Learner.many:
            return nothing

        def refit(
            doubts: Bool[np.ndarray, " n"], start: Parameters | None
        ) -> OutlierFit[tuple[Observations, Parameters]]:
            data, _, unit = self._standardised(told, doubts)
            parameters, density = fit(kernel, data, start, _FEW_EVALUATIONS, thorough=start is None)
            score = density - n * math.log(unit) - WORTH * float(doubts.sum())
            return OutlierFit(doubts, score, (data, parameters))

        before = models.fitted.get(kernel.embedding.name)
        begin, far = refit(nothing, before), suspected(np.array([each.average for each in told]))
        if far.any() and far.sum() <= MOST_OUTLIERS * n:
            other = refit(far, before)
            if (left := still_doubted(*other.fit, kernel, far)).any():
                other = other if left.sum() == far.sum() else refit(left, other.fit[1])
                begin = max(begin, other, key=lambda each: each.score)
        return relevance_pursuit(
            begin,
            lambda known: another_doubt(*known.fit, kernel, known.outliers),
            lambda doubts, latest: refit(doubts, latest[1]),
        ).outliers

    def surrogate(self, seen: Mapping[str, Any], pending: bool = True) -> Surrogate:
        """Return the posterior at values of the seen variables; `pending` rounds shrink its variance."""
        data, offset, unit = self.data()
        inputs = pending_inputs(self.problem, self.history.unresolved if pending else ())
        return Surrogate(self.models.ucb(data, self._encoded(seen), inputs), offset, unit)

    def _encoded(self, seen: Mapping[str, Any]) -> Float[np.ndarray, " c"] | None:
        known = {**self._present_context(), **seen}
        return self.problem.before([known])[0] if known else None

    def trust_region(
        self, surrogate: Surrogate, region: Region, seen: Mapping[str, Any]
    ) -> TrustRegion:
        """Return the trust region by every embedding that is asked."""
        data, at, known = self.data()[0], self._encoded(seen), []
        if self.options.caution:
            likeliest, *others = self.models.used
            known = [self.models.ucb(data, at, embedding=name) for name in others]
            known.append(
                self.models.ucb(data, at, embedding=likeliest)
                if self.history.unresolved
                else surrogate.ucb
            )
        played, works = np.array(self.tables), self.feasibility.at(seen)
        agent = 1.0 / float(region.agents_in.min())
        return TrustRegion(
            surrogate.ucb, tuple(known), self.options.caution, played, region.project, works, agent
        )

    @cached_until_next_event
    def draws(self) -> list[HyperparameterDraw]:
        """Draw hyperparameters from their posterior."""
        return self.models.draws(self.data()[0], self.streams(0, "hyperparameters"))

    def mixture(self, seen: Mapping[str, Any], surrogate: Surrogate | None = None) -> PayoffMixture:
        """Return the posterior averaged over hyperparameters, at values of the seen variables; standardised.

        Args:
            seen: values of the seen variables.
            surrogate: the same by the likeliest hyperparameters, without pending rounds; None: not
                known.
        """
        at, likeliest = self._encoded(seen), None if surrogate is None else surrogate.ucb
        return self.models.mixture(self.draws(), self.data()[0], at, likeliest)

    # -- choosing ----------------------------------------------------------------------------------

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Choose the usual spread and others near it at first, then by Algorithm 1, line 5, over whole agents."""
        number, region = self.history.next_round, self.region(request)
        if (start := self._start(request, region)) is not None:
            return start
        seen = context_of(request)
        surrogate = self.surrogate(seen)
        posterior = surrogate.ucb.posterior
        pending = self.played(request, pending_only=True)
        tried, beta = pending, self.options.beta
        if not self.problem.timed:  # where payoffs drift, a repeat is another play
            tried, beta = self.played(request), beta * (1.0 + math.log1p(self._repeats()))
        trust = self.trust_region(surrogate, region, seen)
        counts = self._optimistic(
            self.bound(surrogate, region, beta), trust, region, tried, pending, number=number
        )
        mean, sd = surrogate.ucb.moments((counts / self.problem.agents_in[:, None])[None])
        known = {
            "expected": self.problem.sign * surrogate.raw(float(mean[0])),
            "deviation": surrogate.unit * float(sd[0]),
            "noise": surrogate.unit * math.sqrt(posterior.noise),
        }
        return self.choice(counts, phase="model", **known, beta=beta, jitter=posterior.jitter)

    def _start(self, request: Mapping[str, Any], region: Region) -> Choice | None:
        """Choose the usual spread or another one near it, where there are few outcomes; else None."""
        number = self.history.next_round
        random = self.streams(number, "choose")
        few = (
            not self.outcomes
            or len(self.outcomes) + len(self.history.pending) < self.options.starting_points
        )
        if not few and not self.learned.noticed <= number < self.learned.noticed + _ANEW:
            return None
        usual = self.usually(region)
        # in any context: further ones shall show how payoffs differ
        played = self.key(usual) in self.keys
        counts = self.fresh(region, random, self.played(request)) if played else usual
        # within a move of where agents are told to be, the nearest spread may be another than today's
        reached = np.array_equal(usual, self.usually(self.problem.region))
        known = self.problem.today is not None and self.keeps_usual
        stays = known and reached and not played
        return self.choice(counts, phase="current" if stays else "start")

    def _repeats(self) -> int:
        """Return how many outcomes are of a distribution that had one before, in the same context."""
        seen = self.problem.space.seen
        played = {
            (told.key, *(told.outcome.realised.get(name) for name in seen)) for told in self.recent
        }
        return len(self.recent) - len(played)

    def _optimistic(
        self,
        bound: Bound,
        trust: TrustRegion,
        region: Region,
        tried: set[bytes],
        pending: set[bytes],
        *,
        number: int,
    ) -> Int[np.ndarray, "C A"]:
        """Find whole agents in the trust region with a large bound: untried ones, unless a repeat is clearly better."""
        random = self.streams(number, "choose")
        found = trust.shortened(self.search(bound, region, self.streams.integer(number, "search")))
        found = found[np.argsort(-bound(found)[0], kind="stable")]
        if not trust.contains(found).any():
            # rounds have failed all around: the search goes on from plays that lie in the region
            found = np.concatenate([trust.open, found])
        if self.problem.rounding == "sampled":
            return sampled(region, found[0], tried, random)
        within = trust.restrict(bound)
        new = best_integer(within, region, found, tried, random)
        if tried == pending:
            return new
        best = best_integer(within, region, found, pending, random)
        values = within(np.array([new, best]) / self.problem.agents_in[:, None])[0]
        return (
            new if self.key(new) not in tried and values[0] >= values[1] - _WORTH_TRYING else best
        )

    def bound(self, surrogate: Surrogate, region: Region, beta: float) -> Bound:
        """Return the acquisition function: the bound minus the cost of moving, with its gradient."""
        expected = self.options.acquisition or (
            "expected" if self.problem.feedback == "representative" else "average"
        )
        ucb = surrogate.ucb.expected if expected == "expected" else surrogate.ucb.average
        price = self.problem.moving_cost / surrogate.unit
        return minus_moving_cost(
            lambda tables: ucb(tables, beta), region, self.problem.shares, price
        )

    def search(self, bound: Bound, region: Region, seed: int) -> Tables:
        """Find local maxima over tables, best first, from the best tables played and random ones."""
        best = np.argsort(-self.averages(), kind="stable")[: self.options.starts]
        starts = simplex_starts(
            np.array(self.tables)[best], self.options.starts, seed, allowed=region.allowed
        )
        return local_maxima(bound, region, starts, self.options.iterations)

    # -- answers -----------------------------------------------------------------------------------

    def gain_at(self, context: Mapping[str, Any]) -> float:
        """Return the largest upper bound on the population's average minus the lower bound of the recommendation.

        Only distributions in the trust region compete, since no other would be suggested. Infinite
        while distributions are drawn at random.
        """
        width = BOUND * self.bound_inflation(SCOPE)
        if len(self.outcomes) < self.options.starting_points or not width < np.inf:
            return np.inf
        surrogate = self.surrogate(context, pending=False)
        advice = self.problem.table(self.recommend_at(context).values["distribution"])
        region = self.problem.region
        played = np.array(self.tables)
        seed = self.streams.integer(0, "gain")
        found = self.search(lambda tables: surrogate.ucb.average(tables, width), region, seed)
        within = self.trust_region(surrogate, region, context).shortened(found)
        mean, sd = self.mixture(context, surrogate).moments(
            np.concatenate([advice[None], within, played])
        )
        return surrogate.unit * float((mean + width * sd).max() - mean[0] + width * sd[0])

    def recommend_at(self, context: Mapping[str, Any]) -> Recommendation:
        """Recommend the distribution that is better than the usual spread by the largest lower bound.

        Of the usual spread (today's, or the even one), the distributions played and the best one
        predicted. The largest expected average among dozens of noisy ones is too often the luckiest
        one; the difference to a fixed spread is known better than either average, and where none is
        shown to be better, the usual spread is the answer.

        It ignores limits on moves and their cost: it is the goal, not the next step.
        """
        if not self.outcomes:
            return self.unknowing()
        surrogate, region = self.surrogate(context, pending=False), self.problem.region
        seed = self.streams.integer(0, "recommend")
        found = self.search(lambda tables: surrogate.ucb.average(tables, 0.0), region, seed)
        predicted, usual = (
            counts / self.problem.agents_in[:, None]
            for counts in (region.whole(found[0]), self.usually(region))
        )
        played, keep = self.playable()
        tables, new = np.array([*played, predicted, usual]), np.array([predicted, usual])
        mixture = self.mixture(context, surrogate)
        better, sd = mixture.advantage(tables, usual)
        kept = [*keep, *self.feasibility.of_answers(context)(new)]
        i = int(np.where(kept, better - _ANSWER * sd, -np.inf).argmax())
        stays = bool((tables[i] == usual).all())
        reasons = [reason("played")]
        if stays:
            reasons = [reason("none-better", **self.usual_said())]
        elif i == len(self.tables):
            reasons = [reason("predicted")]
        if (today := self.problem.today) is not None and not stays:
            if not self.keeps_usual:
                (gain,), (unsure,) = mixture.advantage(tables[i : i + 1], today)
            else:
                gain, unsure = better[i], sd[i]
            unit = surrogate.unit
            reasons.append(gain_over_current(unit * float(gain), BOUND * unit * float(unsure)))
        return replace(self._described(surrogate, mixture, tables[i]), reasons=tuple(reasons))

    def predict_at(self, values: Mapping[str, Any], context: Mapping[str, Any]) -> Recommendation:
        """Expected average payoff of a distribution."""
        surrogate = self.surrogate(context, pending=False)
        table = self.problem.table(values["distribution"])
        return self._described(surrogate, self.mixture(context, surrogate), table)

    def _described(
        self, surrogate: Surrogate, mixture: PayoffMixture, table: TableArray
    ) -> Recommendation:
        """Expected average payoff of a distribution, with its bounds."""
        sign = self.problem.sign
        value = sign * surrogate.raw(float(mixture.moments(table[None])[0][0]))
        lower, upper = sorted(
            sign * surrogate.raw(end) for end in mixture.quantiles(table, (1.0 - SURE, SURE))
        )
        return Recommendation(SCOPE, self.problem.settings(table), value, lower, upper)

    def expected_outcome(self, event: OutcomeTold | DataAdded) -> tuple[float, float, float] | None:
        """Return a population average with mean and deviation by the likeliest hyperparameters; see `Method`."""
        if (
            len(self.outcomes) < COMPARABLE
            or self.problem.feedback != "population"
            or isinstance(event, DataAdded)
        ):
            return None
        played, outcome = self.history[event.token], event.outcome
        surrogate = self.surrogate(
            {**context_of(played.request), **outcome.realised}, pending=False
        )
        mean, sd = surrogate.ucb.moments(self.problem.table(outcome.realised["distribution"])[None])
        deviation = surrogate.unit * math.hypot(
            float(sd[0]), math.sqrt(surrogate.ucb.posterior.noise)
        )
        return (
            self.problem.average(outcome),
            self.problem.sign * surrogate.raw(float(mean[0])),
            deviation,
        )

    def explain(self) -> Explanation:
        """Explain the expected payoffs of actions and contexts at the recommendation, and the cells still explored."""
        if not self.outcomes:
            return Explanation("nothing was told yet")
        advice = self.recommend()
        surrogate = self.surrogate(advice.context, pending=False)
        best = self.problem.table(advice.values["distribution"])
        last = best if self.history.latest is None else self.suggested(self.history.latest)
        mixture = self.mixture(advice.context, surrogate)
        times = self.bound_inflation(SCOPE)
        table, explored = cell_table(self.problem, surrogate, mixture, best, last, times=times)
        forgotten = self.n_forgotten, self.learned.noticed
        said = summary(self.problem, surrogate, len(self.outcomes), explored, forgotten=forgotten)
        return Explanation(said, (table,))
