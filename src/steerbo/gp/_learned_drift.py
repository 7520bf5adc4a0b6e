"""Drift of an objective as outcomes tell it: of which kind it is, how fast, and when all began anew.

A drift (`DriftModel`) is one of five: none; a smooth change, of which a share `1 − w` of the
function lasts for ever, `1 − w + w exp(−Δ²/2ℓ²)`: the shape often stays where height and place
change, and without it all that lies longer back than ℓ is as open as at the start; a fading one,
`exp(−|Δ|/τ)`; a season that fades, `exp(−2 sin²(π Δ/P)/ℓ² − |Δ|/τ)`, whose period starts where a
periodogram of the residuals peaks (`likely_periods`); or a translation at constant velocity whose
shape changes smoothly. Each is fitted by maximum a posteriori. A drift must be likelier than none
by a factor e, and by √n for its time scale and for each velocity (BIC, Schwarz 1978), so that next
to nothing is lost on a static objective. Change points are added to these: one must be likelier
than all else by e·n², as it may stand at any of n moments and is sought n times.

That decides how an objective is said to drift. Answers and bounds are less sure: no drift is a
smooth change with an endless time scale, a smooth change is a translation with velocity 0, and
bounds of the likeliest kind alone are too narrow while a slow drift is not certain. So where
nothing or a smooth change is likeliest, hyperparameters are drawn for a smooth change, whose prior
reaches far beyond the study; a translation that is likely has a share of the draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

import numpy as np

from .._arrays import Float as Floats
from .._arrays import Int as Ints
from .._evidence import COMPARABLE
from ..errors import InvalidProblem, InvalidStudy, ModelFailure
from ._drift_signs import changepoint_densities, changepoint_gains, likely_periods
from ._fit import LEARNED_FROM, Hasty
from ._hyperparameters import Hyperparameters, from_hex, to_hex
from ._learning import Learner
from ._regression import GPRegression
from .drift import Drift, Sliding, in_words
from .kernels import (
    LARGEST_VELOCITY,
    AnovaKernel,
    EpochsKernel,
    Fixed,
    InUnitsKernel,
    Kernel,
    LastingKernel,
    Matern12,
    PeriodicKernel,
    Product,
    SlidingKernel,
    SquaredExponentialKernel,
    Stationary,
    Sum,
)

Kind = Literal["steady", "smooth", "fading", "seasonal", "sliding"]
KINDS: tuple[Kind, ...] = ("steady", "smooth", "fading", "seasonal", "sliding")
ODDS = 1.0
"""By how much in log posterior a drift has to be likelier than none."""
MIN_TO_CUT = 2 * COMPARABLE
"""Outcomes since the last cut from which on another one is looked for."""
BEFORE, AFTER = COMPARABLE // 2, COMPARABLE
"""Outcomes on both sides of a cut, at least."""
# of a season, in units of time: period, ℓ and τ to begin with
_PERIOD, _ROUND, _LASTING = 0.2, 1.5, 2.0
_SEASON = (math.log(_ROUND), math.log(_LASTING))
_PEAKS = 5  # periods of which the likeliest is fitted

# log posterior by which a kind may be behind and is compared at every fit; others take turns
_NEAR = 6.0
_WITHIN = 2.0  # and by which it may be behind, after a few evaluations, to be fitted to the end
_FIRST_EVALUATIONS = 30  # evaluations of a first comparison
# runs of many outcomes, and their length: these tell which kinds may be likeliest
_RUNS, _RUN = 30, 5
_SAME_SEASON = 0.1  # difference of the logarithms of two periods of one season

# shares k of it modulo 1 are spread evenly: rounds meet the kinds in turn
_GOLDEN = (math.sqrt(5) - 1) / 2
# of the logarithm of a smooth change's time scale: from none in a study to much in it. Beforehand
# half of the function lasts, so that a change is as fast at first as with 4 where all changes.
_SLOW = (math.log(4.0) - 0.5 * math.log(2.0), 2.0)
_LIKELY = 3.0  # log posterior by which a translation may be behind and still has draws
_HELD: dict[Kind, frozenset[Kind]] = {
    "smooth": frozenset({"steady"}),
    "sliding": frozenset({"steady", "smooth"}),
}
"""Kinds that are special cases of another one, by the kind whose kernel then holds draws of both."""

Theta = tuple[float, ...]


@dataclass(frozen=True)
class Standing:
    """Result of the latest comparison of one kind of drift with the others.

    Attributes:
        kind: that kind.
        outcomes: number of them at that time.
        behind: difference of its log posterior from that of the best kind.
        theta: its likeliest hyperparameters, as far as they were sought.
    """

    kind: Kind
    outcomes: int
    behind: float
    theta: Theta


@dataclass(frozen=True)
class DriftModel:
    """Model of the objective's drift: its kind, its unit of time and its change points.

    Attributes:
        given: a drift that is known; None: it is learned.
        kind: the kind that was learned.
        unit: how much time counts as one where ℓ and τ are judged: the same drift is as likely on
            any clock.
        cuts: when everything began anew, ascending, in units of time.
        form: kind of the kernel, where it holds draws of several kinds; None: `kind` itself.
        standings: of the kinds at the latest fits, in the same unit: the next fit begins there.
    """

    given: Drift | Sliding | None = None
    kind: Kind = "steady"
    unit: float = 1.0
    cuts: tuple[float, ...] = ()
    form: Kind | None = None
    standings: tuple[Standing, ...] = field(default=(), compare=False, repr=False)

    @classmethod
    def of(cls, drift: Drift | Sliding | Literal["learned"]) -> Self:
        """Build from the drift a problem states, or "learned"."""
        if isinstance(drift, Sliding):
            return cls(drift, "sliding", drift.within)
        return cls(None if isinstance(drift, str) else drift)

    @property
    def drifts(self) -> bool:
        """Whether present knowledge loses value with time."""
        return self.given is not None or self.kind != "steady"

    def over(self, space: Kernel, column: int) -> Product:
        """The kernel of points in space and time, with time in a column of its own after the others.

        Raises:
            InvalidProblem: a kernel in space that cannot slide, where the drift is a translation.
        """
        if self.given is not None and not isinstance(self.given, Sliding):
            return Product((space, Fixed(self.given.over(column))))
        if self._form == "sliding":
            if space.of_differences([np.zeros(1)] * column) is None:
                allowed = "a kernel of differences, such as Matérn's: only these stay one where points move"
                raise InvalidProblem("kernel.space", type(space).__name__, allowed)
            moved = _numbers(space)
            space = SlidingKernel(space, column, self.unit, moved, (0.0,) * len(moved))
        return Product((space, EpochsKernel(column, self.cuts), *self._changes(column)))

    @property
    def _form(self) -> Kind:
        return self.form or self.kind

    def _changes(self, column: int) -> tuple[Kernel, ...]:
        if self._form == "steady":
            return ()
        if self._form in {"smooth", "sliding"}:
            slow = SquaredExponentialKernel([0.5], dimensions=[column], learn_variance=False)
            return (LastingKernel(InUnitsKernel(slow, column, self.unit, _SLOW)),)
        changing: tuple[Kernel, ...] = (Matern12([1.0], dimensions=[column], learn_variance=False),)
        if self._form == "seasonal":
            changing = (
                PeriodicKernel(column, _PERIOD, _ROUND),
                Matern12([_LASTING], dimensions=[column], learn_variance=False),
            )
        return tuple(InUnitsKernel(each, column, self.unit) for each in changing)

    def to_dict(self) -> dict[str, Any]:
        """Learned kind, unit, change points and standings as JSON data, floats as hexadecimal text."""
        plain: dict[str, Any] = {
            "kind": self.kind,
            "unit": to_hex(self.unit),
            "cuts": to_hex(self.cuts),
        }
        if self.form is not None:
            plain["form"] = self.form
        if self.standings:
            plain["standings"] = {
                each.kind: {
                    "outcomes": each.outcomes,
                    "behind": to_hex(each.behind),
                    "theta": to_hex(each.theta),
                }
                for each in self.standings
            }
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """Read the data that `to_dict` writes.

        Raises:
            InvalidStudy: it is not a result of `to_dict`.
        """
        known = {"kind", "unit", "cuts"}
        if (
            not isinstance(plain, Mapping)
            or plain.keys() - {"standings", "form"} != known
            or not {plain["kind"], plain.get("form", "steady")} <= {*KINDS}
            or ("form" in plain and plain["kind"] not in _HELD.get(plain["form"], ()))
        ):
            raise InvalidStudy(
                "hyperparameters.drift", plain, f"a kind ({', '.join(KINDS)}), a unit and cuts"
            )
        standings = plain.get("standings", {})
        try:
            found = tuple(
                Standing(
                    kind, int(each["outcomes"]), from_hex(each["behind"]), from_hex(each["theta"])
                )
                for kind, each in standings.items()
            )
        except (AttributeError, KeyError, TypeError, ValueError):
            raise InvalidStudy(
                "hyperparameters.drift.standings", standings, "outcomes, behind and theta by kind"
            ) from None
        if not {each.kind for each in found} <= {*KINDS}:
            raise InvalidStudy(
                "hyperparameters.drift.standings", standings, f"kinds ({', '.join(KINDS)})"
            )
        cuts = from_hex(plain["cuts"])
        return cls(
            None, plain["kind"], from_hex(plain["unit"]), cuts, plain.get("form"), standings=found
        )

    def said(self, kernel: Product) -> str:
        """Describe the drift by the kernel in use."""
        if self.given is not None and not isinstance(self.given, Sliding):
            return f"it drifts as given: {in_words(self.given)}"
        words = [f"everything changed at time {self.cuts[-1]:.10g}"] if self.cuts else []
        if self.kind == "sliding" and isinstance(sliding := kernel.members[0], SlidingKernel):
            fastest = max(map(abs, sliding.velocity), default=0.0) / self.unit
            words.append(
                f"the best place slides, by up to {fastest:.3g} of a variable's range in one unit of time"
            )
        elif self.kind == "seasonal":
            period, _, lasts = (
                np.exp([p.value for k in kernel.members[-2:] for p in k.parameters]) * self.unit
            )
            words.append(
                f"the best place repeats every {period:.3g} in time, and a result counts half after "
                f"{lasts * math.log(2):.3g}"
            )
        elif self.kind != "steady":
            changes = kernel.members[-1]
            lasting = 1.0 - changes.changing if isinstance(changes, LastingKernel) else 0.0
            scale = math.exp(changes.parameters[-1].value) * self.unit
            half = scale * (math.sqrt(2 * math.log(2)) if self.kind == "smooth" else math.log(2))
            of = f"{lasting:.0%} of a result lasts, the rest" if lasting else "a result"
            words.append(f"{of} counts half after a time of {half:.3g}")
        return " and ".join(words) or "nothing seems to drift"


Empty = Callable[[DriftModel], "GPRegression[Product]"]
"""Makes a regression without data whose kernel is `DriftModel.over` some kernel in space."""


def fit_drift(
    empty: Empty, model: GPRegression[Product], before: DriftModel, horizon: float
) -> tuple[DriftModel, Hyperparameters]:
    """The drift model that outcomes speak for, and its hyperparameters. O(n³).

    The kind in use and no drift are always fitted. The other kinds, those that lag far behind in
    turn, are compared after some evaluations that begin where their last ones ended; only those
    that come near are fitted to the end. Of many outcomes, some are enough to tell which kinds
    come near: see `_ScreenedComparison`.

    Args:
        empty: makes a regression for a drift model.
        model: holds all outcomes; time is the last column. It stays as it is.
        before: the drift model of the regression.
        horizon: how much time the study is about.

    Returns:
        A drift model that differs from `before` by its kind, its unit, its standings and at most
        one more cut.
    """
    unit = horizon if 0 < horizon < math.inf else 1.0
    model, before = _own_form(empty, model, before)
    steady = replace(before, kind="steady", unit=unit, standings=())
    if len(model) < COMPARABLE:
        return steady, _Fitted.of(empty, model, before, steady).drawn()
    if len(model) > Learner.many:
        return _ScreenedComparison(empty, model, before, steady).result()
    return _Comparison(empty, model, before, steady).result()


def _own_form(
    empty: Empty, model: GPRegression[Product], before: DriftModel
) -> tuple[GPRegression[Product], DriftModel]:
    """The same outcomes with the kernel of the kind in use, where the kernel in use holds several kinds."""
    if before.form is None:
        return model, before
    own = replace(before, form=None)
    known, p = model.hyperparameters, len(_space(model.kernel).parameters)
    end = len(model.kernel.parameters)
    drift = known.theta[p:end]
    drift = {"steady": (), "smooth": drift[-2:]}.get(before.kind, drift)
    plain = empty(own)
    plain.replace(model.inputs, model.outcomes, model.errors)
    plain.set(replace(known, theta=(*known.theta[:p], *drift, *known.theta[end:]), draws=()))
    return plain, own


class _Comparison:
    """Comparison of the kinds of drift by the outcomes.

    Args:
        empty: makes a regression for a drift model.
        model: holds all outcomes, with the hyperparameters in use.
        before: the drift model in use.
        steady: a model of no drift, with the parts that all kinds share.

    Attributes:
        fits: by kind.
    """

    def __init__(
        self, empty: Empty, model: GPRegression[Product], before: DriftModel, steady: DriftModel
    ) -> None:
        self._empty, self._model, self._before, self._steady = empty, model, before, steady
        self._kinds = KINDS if _can_slide(model) else KINDS[:-1]
        self._known = {each.kind: each for each in before.standings}
        self.fits: dict[Kind, _Fitted] = {}

    def result(self) -> tuple[DriftModel, Hyperparameters]:
        """See `fit_drift`."""
        best = self.best()
        if (cut := self.cut(best)) is not None:
            return self.averaged(cut)
        drift_model, found = self.averaged(best)
        return replace(drift_model, standings=self.standings()), found

    def best(self) -> _Fitted:
        """Compare, and return the fit of the kind that is likeliest."""
        self.fits["steady"] = self._compared("steady", self._outliers(self._model.doubted))
        leader = self._before.kind if self._before.kind in self._kinds else "steady"
        self.fits[leader] = self._to_the_end(leader, self.fits.get(leader))
        if leader == "seasonal" and (periods := self._periods()) and self._is_another(periods[0]):
            other = self._climbed(
                replace(self._steady, kind=leader), periods, self._outliers(self._model.doubted)
            )
            if other.score > self.fits[leader].score:
                self.fits[leader] = self._to_the_end(leader, other)
        outliers = self._outliers([i for i, _ in self.fits[leader].found.doubted])
        if leader != "steady" and len(outliers) > 1:
            self.fits["steady"] = self._compared("steady", outliers)
        for kind in self._challengers(leader):
            self.fits[kind] = self._compared(kind, outliers)
        least = max(map(self._net, self.fits.values())) - _WITHIN
        for kind, fit in self.fits.items():
            if kind != leader and self._net(fit) >= least:
                self.fits[kind] = self._to_the_end(kind, fit)
        return max(self.fits.values(), key=self._net)

    def compare_all(self) -> None:
        """Compare all kinds after some evaluations, of outcomes none of which are doubted.

        Climbs begin where they usually do, and beside the kinds that were compared before.
        """
        for kind in self._kinds:
            self.fits[kind] = self._compared(kind, self._outliers([]), self._beside(kind))

    def _beside(self, kind: Kind) -> list[Theta]:
        """Hyperparameters of a kind that differ from the other kinds' by the drift alone."""
        p = len(_space(self._model.kernel).parameters)
        usual = self._empty(replace(self._steady, kind=kind))
        drift = usual.hyperparameters.theta[p : len(usual.kernel.parameters)]
        starts = []
        for fit in self.fits.values():
            theta, own = fit.found.theta, len(fit.model.kernel.parameters)
            starts.append((*theta[:p], *drift, *theta[own:]))
        if kind == "sliding":
            starts.append(self._sliding(self.fits["smooth"].found.theta))
        return starts

    def cut(self, best: _Fitted) -> _Fitted | None:
        """A fit with one more cut, where that is likelier than the best without; or None."""
        least = self._net(best) + _worth_of_a_cut(self._model)
        if (
            moment := _cut(self._empty, self._model, self._steady, self.fits["steady"].found)
        ) is None:
            return None
        model = replace(self._steady, cuts=(*self._steady.cuts, moment))
        begin = _Fitted.prepared(self._empty, self._model, model, self.fits["steady"].found.theta)
        outliers = self._outliers([i for i, _ in best.found.doubted])
        if (
            _Fitted.by(begin, model, begin.compared(outliers, Hasty(_FIRST_EVALUATIONS))).score
            < least - _WITHIN
        ):
            return None
        whole = _Fitted.prepared(self._empty, self._model, model, begin.hyperparameters.theta)
        other = _Fitted.by(whole, model, whole.likeliest())
        if other.score <= least:
            return None
        later = _cut(
            self._empty, self._model, self._steady, other.found
        )  # with less noise it is seen more exactly when
        return (
            other
            if later is None
            else replace(other, drift_model=replace(model, cuts=(*self._steady.cuts, later)))
        )

    def averaged(self, best: _Fitted) -> tuple[DriftModel, Hyperparameters]:
        """The drift model of the best fit, with draws that also hold how slow a change can be, or a translation.

        Where no drift or a smooth change is likeliest, draws are those of a smooth change: its time
        scale may be much longer than the study. Where a translation is likely, too, it has a share
        of the draws by its odds.
        """
        if best.drift_model.kind not in {"steady", "smooth", "sliding"}:
            return best.drift_model, best.drawn()
        smooth, sliding = self._smooth(best), self.fits.get("sliding")
        # Only now is a smooth change fitted to the end, and may be likelier than the best so far.
        best = max(best, smooth, key=self._net)
        model = best.drift_model
        # of a translation, where nothing compares
        odds = math.inf if model.kind == "sliding" else -math.inf
        if (
            sliding is not None
            and model.cuts == self._steady.cuts
            and sliding.found.output == smooth.found.output
        ):
            odds = self._net(sliding) - max(self._net(self.fits["steady"]), self._net(smooth))
        if sliding is not None and odds > _LIKELY:
            return model, sliding.drawn()
        slow = smooth.drawn()
        if not slow.draws:
            return model, best.found
        if sliding is None or odds < -_LIKELY:
            return model if model.kind == "smooth" else replace(model, form="smooth"), slow
        slid = sliding.drawn()
        share = round(len(slid.draws) / (1.0 + math.exp(-odds)))
        stays = [self._sliding(each) for each in _some(slow.draws, len(slid.draws) - share)]
        likeliest = (
            slid if model.kind == "sliding" else replace(slow, theta=self._sliding(slow.theta))
        )
        model = model if model.kind == "sliding" else replace(model, form="sliding")
        return model, replace(likeliest, draws=_mixed([*stays, *_some(slid.draws, share)]))

    def _smooth(self, best: _Fitted) -> _Fitted:
        """The likeliest smooth change with the change points of the best fit."""
        if best.drift_model.cuts == self._steady.cuts:
            return self._to_the_end("smooth", self.fits.get("smooth"))
        other = self.smoothly(best)
        return _Fitted.by(other, replace(best.drift_model, kind="smooth"), other.likeliest())

    def smoothly(self, steady: _Fitted) -> GPRegression[Product]:
        """A regression whose search begins where a fit of no drift changes smoothly."""
        p, theta = len(_space(self._model.kernel).parameters), steady.found.theta
        model = replace(steady.drift_model, kind="smooth")
        begin = (*theta[:p], 0.0, _SLOW[0], *theta[p:])
        return _Fitted.prepared(self._empty, self._model, model, begin)

    def _sliding(self, theta: Theta) -> Theta:
        """Hyperparameters of a smooth change in the kernel of a translation: its velocity is 0."""
        p = len(_space(self._model.kernel).parameters)
        moved = len(_numbers(_space(self._model.kernel)))
        return (*theta[:p], *(0.0,) * moved, *theta[p:])

    def standings(self) -> tuple[Standing, ...]:
        """Standings of all kinds after the comparison; of those left out, as they were."""
        highest = max(fit.score for fit in self.fits.values())
        n = len(self._model)
        found = {
            kind: Standing(kind, n, highest - fit.score, fit.found.theta)
            for kind, fit in self.fits.items()
        }
        for kind, each in self._known.items():
            found.setdefault(kind, replace(each, theta=self._in_unit(kind, each.theta)))
        return tuple(found[kind] for kind in KINDS if kind in found)

    def _net(self, fit: _Fitted) -> float:
        return fit.score - _bic_penalty(fit.drift_model, self._model)

    def _challengers(self, leader: Kind) -> list[Kind]:
        """Kinds to compare: all that were near, and of the others the one that was not compared for longest."""
        others = [kind for kind in self._kinds if kind not in ("steady", leader)]
        near = [
            kind for kind in others if kind not in self._known or self._known[kind].behind <= _NEAR
        ]
        far = [kind for kind in others if kind not in near]
        return near + sorted(far, key=lambda kind: self._known[kind].outcomes)[:1]

    def _outliers(self, doubted: Sequence[int]) -> list[Floats[np.ndarray, " n"]]:
        """None of the outcomes, and these."""
        n = len(self._model)
        none = np.zeros(n, dtype=bool)
        return [none, np.isin(np.arange(n), doubted)] if len(doubted) else [none]

    def _compared(
        self, kind: Kind, outliers: Sequence[np.ndarray], beside: Sequence[Theta] = ()
    ) -> _Fitted:
        """A climb from the best of the starts, and from the best `beside`; of a season from the likeliest period, too.

        A season that was not there before is likely nowhere but near its period, and a known one is
        nearly as likely with a period that is wrong.
        """
        model, climbs = replace(self._steady, kind=kind), [self._starts(kind), beside]
        if kind == "seasonal":
            climbs.append(self._periods())
        return max(
            (self._climbed(model, each, outliers) for each in climbs if each),
            key=lambda fit: fit.score,
        )

    def _climbed(
        self, model: DriftModel, starts: Sequence[Theta], outliers: Sequence[np.ndarray]
    ) -> _Fitted:
        other = _Fitted.prepared(self._empty, self._model, model, starts[0])
        return _Fitted.by(
            other, model, other.compared(outliers, Hasty(_FIRST_EVALUATIONS, tuple(starts[1:])))
        )

    def _to_the_end(self, kind: Kind, known: _Fitted | None) -> _Fitted:
        if known is not None and known.ended:
            return known
        model = replace(self._steady, kind=kind)
        first, *others = self._starts(kind) if known is None else [known.found.theta]
        other = _Fitted.prepared(self._empty, self._model, model, first)
        return _Fitted.by(other, model, other.likeliest(Hasty(None, tuple(others))))

    def _is_another(self, season: Theta) -> bool:
        """Whether the period of a season is not that of the season in use."""
        place = len(_space(self._model.kernel).parameters)
        return abs(season[place] - self.fits["seasonal"].found.theta[place]) > _SAME_SEASON

    def _starts(self, kind: Kind) -> list[Theta]:
        """Hyperparameters where a search for those of a kind may begin: as they were last, then others."""
        theta, before = self._model.hyperparameters.theta, self._before
        p = len(_space(self._model.kernel).parameters)
        had = len(self._model.kernel.parameters) - p
        own: list[Theta] = []
        if kind == before.kind:
            own.append(self._in_unit(kind, theta)[p : p + had])
        usual = self._empty(replace(self._steady, kind=kind)).hyperparameters.theta
        own.append(usual[p : len(usual) - len(theta) + p + had])
        starts = [(*theta[:p], *each, *theta[p + had :]) for each in own]
        if (
            kind in self._known
            and kind != before.kind
            and len(self._known[kind].theta) == len(usual)
        ):
            starts.insert(0, self._in_unit(kind, self._known[kind].theta))
        return starts

    def _in_unit(self, kind: Kind, theta: Theta) -> Theta:
        """Hyperparameters of a kind that were learned in another unit of time, in this one."""
        ratio = self._steady.unit / self._before.unit
        if ratio == 1.0 or kind == "steady":
            return theta
        p = len(_space(self._model.kernel).parameters)
        end = (
            len(theta) - len(self._model.hyperparameters.theta) + len(self._model.kernel.parameters)
        )
        drift, later = list(theta[p:end]), -math.log(ratio)
        if kind == "seasonal":
            drift = [drift[0] + later, drift[1], drift[2] + later]
        else:
            pace = np.clip(np.array(drift[:-1]) * ratio, -LARGEST_VELOCITY, LARGEST_VELOCITY)
            drift = [*pace.tolist(), drift[-1] + later]
        return (*theta[:p], *drift, *theta[end:])

    def _periods(self) -> list[Theta]:
        """Seasons with the periods where the periodogram peaks, beside hyperparameters in use and those of no drift."""
        times, signal, gram, residuals = _covariances(
            self._empty, self._model, self._steady, self.fits["steady"].found
        )
        periods = likely_periods(times, signal, gram, residuals, _PEAKS)
        p, had = len(_space(self._model.kernel).parameters), len(self._model.kernel.parameters)
        theta, steady = self._model.hyperparameters.theta, self.fits["steady"].found.theta
        return [
            (*space, math.log(period / self._steady.unit), *_SEASON, *rest)
            for space, rest in ((theta[:p], theta[had:]), (steady[:p], steady[p:]))
            for period in periods
        ]


class _ScreenedComparison:
    """Comparison of the kinds by many outcomes, of which none are doubted: it fits those that some leave likely.

    Of n outcomes m tell by how much each kind is behind the best in log evidence, which grows as
    their number: of all it is n / m times as much. Searches with all outcomes go on from those with
    some. With so many, hyperparameters are not drawn.

    Args:
        empty: makes a regression for a drift model.
        model: holds all outcomes, with the hyperparameters in use.
        before: the drift model in use.
        steady: a model of no drift, with the parts that all kinds share.
    """

    def __init__(
        self, empty: Empty, model: GPRegression[Product], before: DriftModel, steady: DriftModel
    ) -> None:
        by_time = np.argsort(model.inputs[:, -1], kind="stable")
        some = np.sort(by_time[_in_runs(len(model))])
        self._fewer = empty(before)
        self._fewer.replace(model.inputs[some], model.outcomes[some], model.errors[some])
        self._fewer.set(replace(model.hyperparameters, draws=(), doubted=()))
        self._growth = min(len(model), LEARNED_FROM) / len(some)
        self._few = _Comparison(empty, self._fewer, before, steady)
        self._empty, self._model, self._steady = empty, model, steady

    def result(self) -> tuple[DriftModel, Hyperparameters]:
        """See `fit_drift`."""
        self._few.compare_all()
        fits = [self._begun(fit) for fit in self._promising()]
        least = max(map(self._net, fits)) - _WITHIN
        fits = [self._to_the_end(fit) if self._net(fit) >= least else fit for fit in fits]
        best = max(fits, key=self._net)
        if best.drift_model.cuts != self._steady.cuts:
            return best.drift_model, best.found
        return replace(best.drift_model, standings=self._standings(fits)), best.found

    def _net(self, fit: _Fitted) -> float:
        return fit.score - self._worth(fit.drift_model)

    def _worth(self, drift_model: DriftModel) -> float:
        """Log posterior by which a drift model must be likelier than no drift."""
        worth = _bic_penalty(drift_model, self._model)
        return (
            worth if drift_model.cuts == self._steady.cuts else worth + _worth_of_a_cut(self._model)
        )

    def _promising(self) -> list[_Fitted]:
        """Fits of some outcomes, by those drift models that may be likeliest for all.

        Each hyperparameter beyond those of no drift gains some half a nat from noise (Akaike 1974),
        which is not more of more outcomes: what a model surely gains is without these.
        """
        fits = [*self._few.fits.values(), *self._with_a_cut()]
        expected = [self._growth * fit.score - self._worth(fit.drift_model) for fit in fits]
        own = min(len(fit.found.theta) for fit in fits)
        noise = [0.5 * self._growth * (len(fit.found.theta) - own) for fit in fits]
        least = max(np.subtract(expected, noise)) - _NEAR
        return [fit for fit, net in zip(fits, expected, strict=True) if net >= least]

    def _with_a_cut(self) -> list[_Fitted]:
        """Fits of some outcomes with one more cut: nothing drifts beside it, or all changes smoothly."""
        found = self._few.fits["steady"]
        for _ in range(2):  # with less noise it is seen more exactly when
            moment = _cut(self._empty, self._model, self._steady, found.found)
            if moment is None:
                return []
            model = replace(self._steady, cuts=(*self._steady.cuts, moment))
            begin = _Fitted.prepared(self._empty, self._fewer, model, found.found.theta)
            found = self._compared(begin, model)
        smooth = self._compared(self._few.smoothly(found), replace(model, kind="smooth"))
        return [found, smooth]

    def _begun(self, few: _Fitted) -> _Fitted:
        """Some evaluations with all outcomes from the likeliest hyperparameters for some of them."""
        model = few.drift_model
        begin = _Fitted.prepared(self._empty, self._model, model, few.found.theta)
        return self._compared(begin, model, begun=True)

    @staticmethod
    def _compared(
        begin: GPRegression[Product], drift_model: DriftModel, begun: bool = False
    ) -> _Fitted:
        none = np.zeros(len(begin), dtype=bool)
        found = begin.compared([none], Hasty(_FIRST_EVALUATIONS, begun=begun))
        return _Fitted.by(begin, drift_model, found)

    def _to_the_end(self, fit: _Fitted) -> _Fitted:
        if fit.ended:
            return fit
        other = _Fitted.prepared(self._empty, self._model, fit.drift_model, fit.found.theta)
        return _Fitted.by(other, fit.drift_model, other.likeliest(Hasty()))

    def _standings(self, fits: Sequence[_Fitted]) -> tuple[Standing, ...]:
        """Standings of all kinds without another cut: by all outcomes, or as some let expect."""
        n, few = len(self._model), self._few.fits
        highest, likeliest = max(fit.score for fit in fits), max(fit.score for fit in few.values())
        standings = {
            kind: Standing(kind, n, self._growth * (likeliest - fit.score), fit.found.theta)
            for kind, fit in few.items()
        }
        for fit in fits:
            if fit.drift_model.cuts == self._steady.cuts:
                kind = fit.drift_model.kind
                standings[kind] = Standing(kind, n, highest - fit.score, fit.found.theta)
        return tuple(standings.values())


def _in_runs(n: int) -> Ints[np.ndarray, " m"]:
    """Indices of `_RUNS` runs of n rows, evenly spaced: neighbours tell of fast changes, and far ones of slow ones.

    >>> _in_runs(900)[:12]
    array([ 0,  1,  2,  3,  4, 30, 31, 32, 33, 34, 61, 62])
    """
    starts = np.linspace(0, n - _RUN, _RUNS).astype(np.intp)
    return np.unique(np.add.outer(starts, np.arange(_RUN)))


def _worth_of_a_cut(model: GPRegression[Product]) -> float:
    """Log posterior by which a cut must be likelier than all else."""
    return ODDS + 2.0 * math.log(len(model))


def _some(draws: Sequence[Theta], count: int) -> list[Theta]:
    """So many of the draws, evenly spread."""
    return [draws[i] for i in np.linspace(0, len(draws), count, endpoint=False).astype(int)]


def _mixed(draws: Sequence[Theta]) -> tuple[Theta, ...]:
    """The draws in an order in which rounds meet all kinds in turn."""
    return tuple(draws[i] for i in np.argsort(np.arange(len(draws)) * _GOLDEN % 1.0, kind="stable"))


def _space(kernel: Product) -> Kernel:
    """The kernel in space alone."""
    first = kernel.members[0]
    return first.space if isinstance(first, SlidingKernel) else first


def _numbers(space: Kernel) -> tuple[int, ...]:
    """The columns of numbers that a kernel in space reads, which can slide; categories cannot."""
    members = space.members if isinstance(space, Sum | Product) else (space,)
    known = (k for k in members if isinstance(k, AnovaKernel | Stationary))
    categories = {int(d) for k in known for d in k.dimensions[k.categorical]}
    return tuple(sorted(set(space.columns) - categories))


def _can_slide(model: GPRegression[Product]) -> bool:
    """Whether the kernel in space is one of differences: only these stay kernels of covariances where points move."""
    space = _space(model.kernel)
    members = space.members if isinstance(space, Sum | Product) else (space,)
    return all(isinstance(each, AnovaKernel | Stationary) for each in members) and bool(
        _numbers(space)
    )


def _bic_penalty(drift_model: DriftModel, model: GPRegression[Product]) -> float:
    """Advantage in log posterior that a drift needs over no drift."""
    if drift_model.kind == "steady":
        return 0.0
    velocities = len(_numbers(_space(model.kernel))) if drift_model.kind == "sliding" else 0
    return ODDS + 0.5 * (1 + velocities) * math.log(len(model))


@dataclass(frozen=True, eq=False)
class _Fitted:
    """A drift model, the log posterior density of its likeliest hyperparameters, and these."""

    drift_model: DriftModel
    score: float
    found: Hyperparameters
    model: GPRegression[Product]

    @classmethod
    def of(
        cls, empty: Empty, model: GPRegression[Product], before: DriftModel, drift_model: DriftModel
    ) -> Self:
        """Fit a drift model; the search begins where the present model is."""
        p = len(_space(model.kernel).parameters)
        theta, had = model.hyperparameters.theta, len(model.kernel.parameters) - p
        wants = len(empty(drift_model).kernel.parameters) - p
        own = (
            theta[p : p + had]
            if before.kind == drift_model.kind
            else empty(drift_model).hyperparameters.theta[p:][:wants]
        )
        other = cls.prepared(empty, model, drift_model, (*theta[:p], *own, *theta[p + had :]))
        return cls.by(other, drift_model, other.likeliest())

    @staticmethod
    def prepared(
        empty: Empty, model: GPRegression[Product], drift_model: DriftModel, begin: Theta
    ) -> GPRegression[Product]:
        """A regression of all outcomes whose search begins with these hyperparameters."""
        other = empty(drift_model)
        other.replace(model.inputs, model.outcomes, model.errors)
        other.set(Hyperparameters(begin, model.output))
        return other

    @classmethod
    def by(
        cls, model: GPRegression[Product], drift_model: DriftModel, found: Hyperparameters
    ) -> Self:
        """The fit that a regression has just made."""
        score = -math.inf if model.last is None else model.last.score
        return cls(drift_model, score if math.isfinite(score) else 0.0, found, model)

    @property
    def ended(self) -> bool:
        """Whether no search would go on from here: it has converged, and of so many outcomes none are doubted."""
        last = self.model.last
        return last is not None and last.fit.converged and len(self.model) > Learner.many

    def drawn(self) -> Hyperparameters:
        """The hyperparameters with draws from their posterior."""
        return self.model.drawn(self.found)


def _covariances(
    empty: Empty, model: GPRegression[Product], steady: DriftModel, found: Hyperparameters
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Times of the outcomes that count, covariances without and with noise where nothing drifts, and residuals."""
    whole = empty(steady)
    whole.replace(model.inputs, model.outcomes, model.errors)
    whole.set(found)
    points, outcomes = whole.inputs[whole.counted], whole.outcomes[whole.counted]
    signal = whole.kernel(points, points)
    gram = signal.copy()
    gram.flat[:: len(points) + 1] += whole.noises
    return points[:, -1], signal, gram, whole.output.forward(outcomes) - whole.mean


def abrupt_change(model: GPRegression[Any]) -> int | None:
    """Index of the outcome from which on everything seems to be another function; None where nothing speaks for one.

    For models without a drift that are fitted to these outcomes: it must be likelier than no change
    by a factor e·n², as a change point of a learned drift, with the hyperparameters of no change.
    On 144 drawn functions that do not change, cost-varying and causal, with noise of eight kinds,
    none was found in 1296 looks; of 56 that fall by two standard deviations 41 were, within 30
    rounds. O(n³).

    >>> from steerbo.gp import SquaredExponentialKernel
    >>> model = GPRegression(SquaredExponentialKernel([0.3]), noise=0.01)
    >>> model.extend([[k % 7 / 7] for k in range(30)], [0.1 * (k % 3) + 4 * (k >= 18) for k in range(30)])
    >>> model.set(model.fit())
    >>> abrupt_change(model)
    18
    """
    n = len(model)
    if not MIN_TO_CUT <= n <= Learner.many or len(model.counted) < n:
        return None
    gram = model.kernel(model.inputs, model.inputs)
    gram.flat[:: n + 1] += model.noises
    try:
        density = changepoint_densities(gram, model.output.forward(model.outcomes) - model.mean)
    except ModelFailure:
        return None
    return likely_change(density, range(BEFORE, n - AFTER + 1), n)


def likely_change(
    density: Floats[np.ndarray, " m"], moments: Sequence[int], outcomes: int
) -> int | None:
    """Likeliest moment of a change, if it is likelier than none by a factor e·n²; None: it is not.

    Args:
        density: (m + 1,) log densities with a change before each row: see `changepoint_densities`.
        moments: rows before which the change may be; of equally likely ones the first is taken.
        outcomes: n.

    >>> likely_change(np.array([0.0, 2.0, 9.0, 0.0]), range(1, 3), 20)
    2
    """
    best = max(moments, key=lambda k: float(density[k]))
    return best if density[best] - density[-1] > ODDS + 2.0 * math.log(outcomes) else None


def _cut(
    empty: Empty, model: GPRegression[Product], steady: DriftModel, found: Hyperparameters
) -> float | None:
    """The best moment for a cut among the outcomes since the last one; None where there are too few."""
    times, _, gram, residuals = _covariances(empty, model, steady, found)
    order = np.argsort(times, kind="stable")
    order = order[times[order] >= (steady.cuts[-1] if steady.cuts else -np.inf)]
    if len(order) < MIN_TO_CUT:
        return None
    gains = changepoint_gains(gram[np.ix_(order, order)], residuals[order])
    moments = [
        k for k in range(BEFORE, len(order) - AFTER + 1) if times[order[k - 1]] < times[order[k]]
    ]
    return float(times[order[max(moments, key=lambda k: gains[k])]]) if moments else None
