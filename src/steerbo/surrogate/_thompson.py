"""Thompson sampling: a function drawn from the posterior, and its exact expectation over uncontrolled columns.

The prior draw is a sum of M random features (Rahimi and Recht 2007),
`f̃(x) = s √(2/M) Σ_m θ_m cos(ω_mᵀx + b_m) Π_d s_md(x_d)`; a categorical dimension has random signs
in place of a frequency. Matheron's rule (Wilson et al. 2020, equation 9) makes it one of the
posterior: `f̃(x) + k(x, X) (K + λI)⁻¹ (y − f̃(X) − ε)`. Everything is a product over dimensions, so
that

    E cos(ω_cᵀ x_c + ω_oᵀ o + ω_Rᵀ X_R + b) = Re[ exp(i (ω_cᵀ x_c + ω_oᵀ o + b)) Π E exp(i ω_Rᵀ X_R)
    ].
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .._arrays import Complex, Float, Int
from ._expectation import Expectation, ProductKernelPosterior
from ._parts import Controlled, Observed, Part, drawn_together, row_of, set_columns

FEATURES = 1024
"""As in the authors' program."""
_ONCE = 1e-8  # on the diagonal of correlations in time


@dataclass(frozen=True)
class PosteriorSample:
    """A draw from a Gaussian process's posterior, in standardised units.

    `frequencies` (M, d) are zero in categorical dimensions; `signs[d]` (M, c) are ±1 there and None
    elsewhere. `pull` (n,) are Matheron's weights.
    """

    posterior: ProductKernelPosterior
    frequencies: Float[np.ndarray, "M d"]
    phases: Float[np.ndarray, " M"]
    coefficients: Float[np.ndarray, " M"]
    signs: tuple[Float[np.ndarray, "M c"] | None, ...]
    pull: Float[np.ndarray, " n"]

    @classmethod
    def draw(
        cls,
        posterior: ProductKernelPosterior,
        targets: Float[np.ndarray, " n"],
        noise: Float[np.ndarray, " n"] | float,
        categories: Sequence[int],
        random: np.random.Generator,
        *,
        at: Sequence[Part] = (),
    ) -> PosteriorSample:
        """Draw one.

        Where the process drifts, the draw is the function as it is *now*: every feature's
        coefficient is a draw from a process in time, whose covariance is the drift's, at the times
        of the outcomes and now. Effects that each setting has for itself are not drawn: nothing
        tells those of settings that were not played.

        Args:
            posterior: given the outcomes.
            targets: standardised outcomes (n,), less the prior mean.
            noise: their noise variance, or (n,) one each.
            categories: number of choices of every dimension, 0 for a numeric one.
            random: where the draw comes from.
            at: every column's part, of which those are read that the drift reads.
        """
        d = len(posterior.lengthscales)
        frequencies = random.standard_normal((FEATURES, d)) / posterior.lengthscales
        if posterior.tail < math.inf:  # a gamma mixture of squared exponentials
            mixing = random.gamma(posterior.tail, 1.0 / posterior.tail, (FEATURES, d))
            frequencies *= np.sqrt(mixing)
        frequencies[:, posterior.categorical] = 0.0
        # a factor 1 − w + w e has a spectrum of which the share 1 − w is at zero
        mixed = posterior.shares < 1.0
        if mixed.any():
            frequencies[:, mixed] *= (
                random.random((FEATURES, int(mixed.sum()))) < posterior.shares[mixed]
            )
        phases = random.uniform(0, 2 * np.pi, FEATURES)
        then, coefficients = _coefficients(posterior, at, random)
        signs = tuple(
            _signs(count, float(posterior.factor(d, np.zeros(1), np.ones(1))[0, 0]), random)
            if count
            else None
            for d, count in enumerate(categories)
        )
        shared = replace(posterior, cell=0.0)
        made = cls(shared, frequencies, phases, coefficients, signs, np.zeros(0))
        features = made._features(posterior.inputs)
        prior = features @ then if then.ndim == 1 else (features * then).sum(axis=1)
        if posterior.cell:
            played = np.unique(posterior.inputs, axis=0, return_inverse=True)[1].reshape(-1)
            own = _by_source(posterior, random.standard_normal(len(posterior.inputs)), 1.0, random)
            own = own[played] if own.ndim == 1 else own[np.arange(len(own)), played]
            prior = prior + np.sqrt(posterior.cell * posterior.variance) * own
        if posterior.sources is not None and posterior.numbers is not None:
            deviations = np.sqrt([0.0, *posterior.sources.offsets])
            offsets = deviations * random.standard_normal(len(deviations))
            prior = prior + offsets[posterior.numbers]
        gap = targets - prior - np.sqrt(noise) * random.standard_normal(len(targets))
        return cls(shared, frequencies, phases, coefficients, signs, posterior.inverse @ gap)

    def _features(self, points: Float[np.ndarray, "p d"]) -> Float[np.ndarray, "p M"]:
        features = np.cos(points @ self.frequencies.T + self.phases)
        for d, sign in enumerate(self.signs):
            if sign is not None:
                features *= sign[:, points[:, d].astype(np.intp)].T
        return features

    def __call__(self, points: Float[np.ndarray, "p d"]) -> Float[np.ndarray, " p"]:
        """The drawn function at points (p, d), less the prior mean."""
        value = self._features(points) @ self.coefficients
        everything = Expectation.of_means(self.posterior, [Controlled()] * points.shape[1])
        return value + everything.value(points, self.posterior.variance * self.pull)

    def average(self, parts: Sequence[Part]) -> SampleExpectation:
        """Average the drawn function over uncontrolled columns, given the observed ones."""
        held = set_columns(parts)
        factor = np.exp(1j * self.phases)
        for d, part in enumerate(parts):
            if isinstance(part, Observed):
                factor *= self._wave((d,), np.array([[part.value]]))[:, 0]
        for law, columns, dimensions in drawn_together(parts):
            nodes, weights = law.rule(dimensions, self.posterior.resolved[list(columns)])
            factor *= self._wave(columns, nodes) @ weights
        factor *= self.coefficients
        matheron = Expectation.of_means(self.posterior, parts)
        return SampleExpectation(
            self, np.array(held, dtype=np.intp), np.abs(factor), np.angle(factor), matheron
        )

    def _wave(
        self, columns: Sequence[int], nodes: Float[np.ndarray, "q k"]
    ) -> Complex[np.ndarray, "M q"]:
        """The features' factors over some columns."""
        waves = np.exp(1j * (self.frequencies[:, list(columns)] @ nodes.T))
        for j, d in enumerate(columns):
            if (sign := self.signs[d]) is not None:
                waves *= sign[:, nodes[:, j].astype(np.intp)]
        return waves


@dataclass(frozen=True)
class SampleExpectation:
    """`E f̃([x_c, o, X_R])` as a function of settings (r, c), less the prior mean."""

    sample: PosteriorSample
    controlled: Int[np.ndarray, " c"]
    amplitudes: Float[np.ndarray, " M"]
    phases: Float[np.ndarray, " M"]
    matheron: Expectation

    def _waves(
        self, points: Float[np.ndarray, "r c"]
    ) -> tuple[Float[np.ndarray, "r M"], Float[np.ndarray, "r M"] | Float[np.ndarray, " M"]]:
        """Angles and amplitudes of the features at each point."""
        angles = points @ self.sample.frequencies[:, self.controlled].T
        angles += self.phases
        amplitudes = self.amplitudes
        for j, d in enumerate(self.controlled):
            sign = self.sample.signs[d]
            if sign is not None:
                amplitudes = amplitudes * sign[:, points[:, j].astype(np.intp)].T
        return angles, amplitudes

    def _pull(self) -> Float[np.ndarray, " n"]:
        return self.sample.posterior.variance * self.matheron.average * self.sample.pull

    def values(self, points: Float[np.ndarray, "r c"]) -> Float[np.ndarray, " r"]:
        """Values (r,)."""
        angles, amplitudes = self._waves(points)
        value: Float[np.ndarray, " r"] = (np.cos(angles) * amplitudes).sum(1)
        return value + self.matheron.value(points, self._pull())

    def curved(
        self, points: Float[np.ndarray, "r c"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r c"], Float[np.ndarray, "r c c"]]:
        """Values (r,), gradients (r, c) and Hessians (r, c, c); along a category zero."""
        frequencies = self.sample.frequencies[:, self.controlled]
        angles, amplitudes = self._waves(points)
        cosines = np.cos(angles) * amplitudes
        value, gradient = cosines.sum(1), -(np.sin(angles) * amplitudes) @ frequencies
        hessian = -(frequencies.T * cosines[:, None]) @ frequencies
        more, slope, bend = self.matheron.weighted(points, self._pull())
        return value + more, gradient + slope, hessian + bend


def _coefficients(
    posterior: ProductKernelPosterior, at: Sequence[Part], random: np.random.Generator
) -> tuple[np.ndarray, Float[np.ndarray, " M"]]:
    """Coefficients at every outcome (n, M), or (M,) where nothing drifts, and now (M,)."""
    size = np.sqrt(2 * posterior.variance / FEATURES)
    if posterior.drift is None:
        same = size * random.standard_normal(FEATURES)
        return _by_source(posterior, same, size, random), same
    rows = np.concatenate([posterior.inputs, row_of(at)])
    gram = posterior.drift(rows, rows)
    gram.flat[:: len(rows) + 1] += _ONCE  # outcomes of one time have the same function
    drawn = size * np.linalg.cholesky(gram) @ random.standard_normal((len(rows), FEATURES))
    return drawn[:-1], drawn[-1]


def _by_source(
    posterior: ProductKernelPosterior,
    here: Float[np.ndarray, " M"],
    size: float,
    random: np.random.Generator,
) -> np.ndarray:
    """Coefficients at every outcome, (n, M), of the function of its source; (M,) where all are of here.

    Args:
        posterior: says of each source how like here it is.
        here: those of the function here.
        size: their standard deviation.
        random: where those of the other sources' own functions come from.
    """
    sources = posterior.sources
    if sources is None or posterior.numbers is None:
        return here
    each = [here]
    for likeness in sources.likeness:
        own = size * random.standard_normal(len(here))
        each.append(likeness * here + np.sqrt(1.0 - likeness**2) * own)
    return np.array(each)[posterior.numbers]


def _signs(count: int, alike: float, random: np.random.Generator) -> Float[np.ndarray, "M c"]:
    """Random signs of `count` categories, (M, count), of which two have this covariance."""
    same = random.random(FEATURES) < alike
    free = random.choice([-1.0, 1.0], size=(FEATURES, count))
    return np.where(same[:, None], 1.0, free)
