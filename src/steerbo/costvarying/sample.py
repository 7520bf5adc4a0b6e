"""A function drawn from the posterior, and its expectation over what a control set leaves to nature, without samples.

The prior draw is a sum of M random features (Rahimi and Recht 2007), `f̃(x) = s √(2/M) Σ_m θ_m cos(ω_mᵀx + b_m) Π_d
s_md(x_d)`; a categorical dimension has random signs in place of a frequency. Matheron's rule (Wilson et al. 2020,
equation 9) makes it one of the
posterior: `f̃(x) + k(x, X) (K + λI)⁻¹ (y − f̃(X) − ε)`. Everything is a product over dimensions, so that

    E cos(ω_cᵀx^i + ω_Rᵀ X + b) = Re[ exp(i (ω_cᵀx^i + b)) Π_d E exp(i ω_d X_d) ].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Complex, Float, Int

from ..space.quadrature import Rule
from .acquisition import Expectation, Standardised

FEATURES = 1024
"""As in the authors' program."""


@dataclass(frozen=True)
class Sample:
    """A draw from a Gaussian process's posterior, in standardised units.

    `frequencies` (M, d) are zero in categorical dimensions; `signs[d]` (M, c) are ±1 there and None elsewhere.
    `pull` (n,) are Matheron's weights.
    """

    process: Standardised
    frequencies: Float[np.ndarray, "M d"]
    phases: Float[np.ndarray, " M"]
    coefficients: Float[np.ndarray, " M"]
    signs: tuple[Float[np.ndarray, "M c"] | None, ...]
    pull: Float[np.ndarray, " n"]
    exact: bool

    @classmethod
    def draw(
        cls,
        process: Standardised,
        targets: Float[np.ndarray, " n"],
        noise: float,
        categories: Sequence[int],
        random: np.random.Generator,
        *,
        exact: bool = True,
    ) -> Sample:
        """Draw one.

        Args:
            process: the posterior.
            targets: standardised outcomes (n,), less the prior mean.
            noise: their noise variance.
            categories: number of choices of every dimension, 0 for a numeric one.
            random: where the draw comes from.
            exact: Matheron's rule with the kernel itself (pathwise sampling); else with the features' own kernel,
            which is
                sampling the features' posterior weights, as in the authors' program.
        """
        d = len(process.lengthscales)
        frequencies = random.standard_normal((FEATURES, d)) / process.lengthscales
        frequencies[:, process.categorical] = 0.0
        phases = random.uniform(0, 2 * np.pi, FEATURES)
        coefficients = np.sqrt(2 * process.variance / FEATURES) * random.standard_normal(FEATURES)
        signs = tuple(
            _signs(count, float(scale), random) if count else None
            for count, scale in zip(categories, process.lengthscales, strict=True)
        )
        made = cls(process, frequencies, phases, coefficients, signs, np.zeros(0), exact)
        features = made._features(process.inputs)
        gap = targets - features @ coefficients - np.sqrt(noise) * random.standard_normal(len(targets))
        if exact:
            pull = process.inverse @ gap
        else:
            gram = 2 * process.variance / FEATURES * features @ features.T
            gram.flat[:: len(gap) + 1] += noise + 1e-10 * process.variance
            pull = np.linalg.solve(gram, gap)
            coefficients = coefficients + 2 * process.variance / FEATURES * features.T @ pull
        return cls(process, frequencies, phases, coefficients, signs, pull, exact)

    def _features(self, points: Float[np.ndarray, "p d"]) -> Float[np.ndarray, "p M"]:
        features = np.cos(points @ self.frequencies.T + self.phases)
        for d, sign in enumerate(self.signs):
            if sign is not None:
                features *= sign[:, points[:, d].astype(np.intp)].T
        return features

    def __call__(self, points: Float[np.ndarray, "p d"]) -> Float[np.ndarray, " p"]:
        """The drawn function at points (p, d), less the prior mean."""
        value = self._features(points) @ self.coefficients
        if self.exact:
            everything = Expectation.over(self.process, range(points.shape[1]), [None] * points.shape[1])
            value += everything.weighted(points, self.process.variance * self.pull)[0]
        return value

    def average(self, controlled: Sequence[int], rules: Sequence[Rule | None]) -> SampleExpectation:
        """Its expectation over every variable not in `controlled`; `rules` has one for each of the d variables."""
        held = sorted(controlled)
        factor = np.exp(1j * self.phases)
        for d, rule in enumerate(rules):
            if d in held:
                continue
            assert rule is not None, "a variable left to nature has a law"
            nodes, weights = rule
            sign = self.signs[d]
            factor *= (
                np.exp(1j * np.outer(self.frequencies[:, d], nodes)) @ weights
                if sign is None
                else sign[:, nodes.astype(np.intp)] @ weights
            )
        return SampleExpectation(
            self,
            np.array(held, dtype=np.intp),
            self.coefficients * factor,
            Expectation.over(self.process, held, rules, product=False) if self.exact else None,
        )


@dataclass(frozen=True)
class SampleExpectation:
    """`E f̃([x^i, X^{-i}])` and its gradient, as a function of settings (r, c)."""

    sample: Sample
    controlled: Int[np.ndarray, " c"]
    amplitudes: Complex[np.ndarray, " M"]
    matheron: Expectation | None

    def __call__(self, points: Float[np.ndarray, "r c"]) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r c"]]:
        """Values (r,) and gradients (r, c), less the prior mean; a category has no gradient."""
        frequencies = self.sample.frequencies[:, self.controlled]
        waves = np.exp(1j * (points @ frequencies.T)) * self.amplitudes
        for j, d in enumerate(self.controlled):
            sign = self.sample.signs[d]
            if sign is not None:
                waves *= sign[:, points[:, j].astype(np.intp)].T
        value, gradient = waves.real.sum(1), -(waves.imag @ frequencies)
        if self.matheron is not None:
            process = self.sample.process
            more, slope = self.matheron.weighted(points, process.variance * self.matheron.average * self.sample.pull)
            value, gradient = value + more, gradient + slope
        return value, gradient


def _signs(count: int, lengthscale: float, random: np.random.Generator) -> Float[np.ndarray, "M c"]:
    """Random signs of `count` categories, (M, count), equal for two of them with covariance `exp(−1/(2 ℓ²))`."""
    same = random.random(FEATURES) < np.exp(-0.5 / lengthscale**2)
    free = random.choice([-1.0, 1.0], size=(FEATURES, count))
    return np.where(same[:, None], 1.0, free)
