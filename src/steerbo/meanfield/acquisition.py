"""The structured maths: bounds on a population's average payoff and their gradients, for many distributions at once.

Of a table ξ, population weights `W = pξ`, embedded φ, the covariances with the n observations are (see `kernels.py`)

    product, joint   k = H W ∘ exp(−‖φ − φ_j‖²/2ℓ²),     H_j = K_C W_j K_A, laid flat
    additive         k = v_A H w + v_C u + Σ_c exp(−‖φ_c − φ_jc‖²/2ℓ²)

so that `μ_g = m + αᵀk`, `σ_g² = k(ξ, ξ) − kᵀK⁻¹k`, in O(n |A||C| + n²) for value and gradient; nothing depends on the
number of agents. The paper's `E[μ + βσ]` needs every cell's own variance. With the additive kernel the covariances of
a cell are `V_j = a_j(x) + b_j(c) + g_j(ξ)`, hence with `U = (a + b)K⁻¹` and `D = k0 − (a + b)ᵀK⁻¹(a + b)`, both once
a round, `σ² = D − 2 U g − gᵀK⁻¹g`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from .process import Posterior

Tables = Float[np.ndarray, "r C A"]
Values = Float[np.ndarray, " r"]
_LEAST = 1e-12  # of a variance, against the prior's: below it there is only rounding
_SHARE = 1e-12  # shares are kept above this where a slope would be infinite


@dataclass(frozen=True, eq=False)
class Bounds:
    """Bounds under one posterior, in standardised units; larger is better."""

    posterior: Posterior

    @cached_property
    def _embedded(self) -> Float[np.ndarray, "n C A"]:
        return np.ascontiguousarray(self.posterior.geometry.embed(self.posterior.observations.tables))

    @cached_property
    def _mixed(self) -> Float[np.ndarray, "n C A"]:
        """H: covariances of cells with observations but for the distributions' factor or term."""
        posterior, geometry = self.posterior, self.posterior.geometry
        weights = posterior.observations.weights
        if geometry.kind != "additive":
            return np.ascontiguousarray(geometry.mixed(weights, posterior.parameters))
        n, C, A = weights.shape
        found = np.zeros((n, C, A))
        for name, axis in (("actions", 1), ("contexts", 2)):
            if name in geometry.names:
                v = geometry.variance(name, posterior.parameters)
                length = geometry.lengthscale(name, posterior.parameters)
                found += np.expand_dims(v * getattr(geometry, name).mix(weights.sum(axis=axis), length), axis)
        return found

    @cached_property
    def _squares(self) -> Float[np.ndarray, "n C"]:
        return np.asarray((self._embedded**2).sum(axis=2))

    @property
    def _length2(self) -> float:
        return self.posterior.geometry.lengthscale("lengthscale", self.posterior.parameters) ** 2

    # -- the population's average --------------------------------------------------------------------------------------

    def population(self, tables: Tables, beta: float) -> tuple[Values, Tables]:
        """`μ_g + β σ_g` and its gradient."""
        mean, sd, slope = self._average(tables, beta)
        return mean + beta * sd, slope

    def average(self, tables: Tables) -> tuple[Values, Values]:
        """`μ_g` and `σ_g`."""
        mean, sd, _ = self._average(tables, None)
        return mean, sd

    def learned(self, tables: Tables) -> Values:
        """The share of the variance of the population's average that the data took away, in [0, 1]: `1 − σ_g² / k`."""
        covariances, prior, _ = self._lifted(tables)
        return np.asarray(np.einsum("rn,rn->r", covariances @ self.posterior.inverse, covariances) / prior)

    def _average(self, tables: Tables, beta: float | None) -> tuple[Values, Values, Tables]:
        posterior = self.posterior
        covariances, prior, pull_back = self._lifted(tables)
        solved = covariances @ posterior.inverse
        variance = np.maximum(prior - np.einsum("rn,rn->r", solved, covariances), _LEAST * prior)
        sd = np.sqrt(posterior.scale * variance)
        mean = posterior.mean + covariances @ posterior.weights
        if beta is None:
            return mean, sd, tables
        half = beta * np.sqrt(posterior.scale / variance)[:, None]  # dσ/dv · 2
        return mean, sd, pull_back(posterior.weights - half * solved, 0.5 * half)

    def _lifted(self, tables: Tables) -> tuple[Float[np.ndarray, "r n"], Values, Callable[..., Tables]]:
        """Covariances of averages with the observations, their prior variances, and the way back for gradients."""
        weighed = tables * self.posterior.geometry.shares[:, None]
        lift = self._multiplied if self.posterior.geometry.kind != "additive" else self._added
        return lift(tables, weighed)

    def _multiplied(
        self, tables: Tables, weighed: Tables
    ) -> tuple[Float[np.ndarray, "r n"], Values, Callable[..., Tables]]:
        geometry, parameters = self.posterior.geometry, self.posterior.parameters
        r, n = len(tables), len(self._mixed)
        mixed, known = self._mixed.reshape(n, -1), self._embedded.reshape(n, -1)
        phi = geometry.embed(tables).reshape(r, -1)
        linear = weighed.reshape(r, -1) @ mixed.T
        near = phi @ known.T
        near -= 0.5 * (phi**2).sum(axis=1)[:, None]
        near -= 0.5 * self._squares.sum(axis=1)
        near = np.exp(np.minimum(near, 0.0, out=near) / self._length2)
        own = geometry.mixed(weighed, parameters)
        covariances = linear * near

        def pull_back(pull: Float[np.ndarray, "r n"], pull_prior: Float[np.ndarray, "r 1"]) -> Tables:
            by_weights = ((pull * near) @ mixed).reshape(tables.shape) + 2 * pull_prior[:, :, None] * own
            pulled = pull * covariances
            by_phi = (pulled @ known - pulled.sum(axis=1)[:, None] * phi).reshape(tables.shape) / self._length2
            return by_weights * geometry.shares[:, None] + self._by_table(by_phi, tables)

        return covariances, (own * weighed).sum(axis=(1, 2)), pull_back

    def _added(self, tables: Tables, weighed: Tables) -> tuple[Float[np.ndarray, "r n"], Values, Callable[..., Tables]]:
        geometry = self.posterior.geometry
        r, n = len(tables), len(self._mixed)
        mixed = self._mixed.reshape(n, -1)
        near, phi = self._near(tables)
        covariances = weighed.reshape(r, -1) @ mixed.T + near.sum(axis=1)
        own = self._own_terms(weighed)

        def pull_back(pull: Float[np.ndarray, "r n"], pull_prior: Float[np.ndarray, "r 1"]) -> Tables:
            by_weights = (pull @ mixed).reshape(tables.shape) + 2 * pull_prior[:, :, None] * own
            return by_weights * geometry.shares[:, None] + self._by_table(
                self._by_phi(pull[:, None] * near, phi), tables
            )

        return covariances, (own * weighed).sum(axis=(1, 2)) + len(geometry.shares), pull_back

    def _near(self, tables: Tables) -> tuple[Float[np.ndarray, "r C n"], Tables]:
        """Each context's Gaussian of the distance to every observation's distribution, and φ."""
        phi = self.posterior.geometry.embed(tables)
        near = np.matmul(phi.swapaxes(0, 1), self._embedded.transpose(1, 2, 0)).swapaxes(0, 1)  # (r, C, n)
        near = near - 0.5 * (phi**2).sum(axis=2)[:, :, None] - 0.5 * self._squares.T
        return np.exp(np.minimum(near, 0.0) / self._length2), phi

    def _by_phi(self, pulled: Float[np.ndarray, "r C n"], phi: Tables) -> Tables:
        """The gradient by φ of Σ pulled, where `pulled` are Gaussians times what pulls at them."""
        toward = np.matmul(pulled.swapaxes(0, 1), self._embedded.swapaxes(0, 1)).swapaxes(0, 1)
        return np.asarray((toward - pulled.sum(axis=2)[:, :, None] * phi) / self._length2)

    def _by_table(self, by_phi: Tables, tables: Tables) -> Tables:
        geometry = self.posterior.geometry
        weight = 1.0 if geometry.kind == "additive" else np.sqrt(geometry.shares)[:, None]
        if geometry.embedding == "plain":
            return np.asarray(by_phi * weight)
        return np.asarray(0.5 * by_phi * weight / np.sqrt(np.maximum(tables, _SHARE)))

    def _own_terms(self, weighed: Tables) -> Tables:
        """Half the gradient of the prior variance of weights, but for the distributions' term (additive kernel)."""
        geometry, parameters = self.posterior.geometry, self.posterior.parameters
        found = np.zeros_like(weighed)
        for name, axis in (("actions", 1), ("contexts", 2)):
            if name in geometry.names:
                v, length = geometry.variance(name, parameters), geometry.lengthscale(name, parameters)
                found += np.expand_dims(v * getattr(geometry, name).mix(weighed.sum(axis=axis), length), axis)
        return found

    # -- single agents -------------------------------------------------------------------------------------------------

    @cached_property
    def _own(self) -> float:
        """The prior variance of a single agent's payoff, k0."""
        geometry, parameters = self.posterior.geometry, self.posterior.parameters
        alike = {n: getattr(geometry, n).own(geometry.lengthscale(n, parameters)) for n in ("actions", "contexts")}
        if geometry.kind != "additive":
            return alike["actions"] * alike["contexts"]
        own = sum(geometry.variance(n, parameters) * v for n, v in alike.items() if n in geometry.names)
        return float(own + len(geometry.shares))

    @cached_property
    def _fixed(self) -> tuple[Float[np.ndarray, "CA n"], Float[np.ndarray, " CA"]]:
        """U and D of the additive kernel."""
        mixed = self._mixed.reshape(len(self._mixed), -1).T
        solved = mixed @ self.posterior.inverse
        return solved, self._own - np.einsum("an,an->a", solved, mixed)

    def cells(self, tables: Tables) -> tuple[Tables, Tables]:
        """Mean and standard deviation of the payoff of an agent in every cell."""
        mean, variance, _ = self._cells(tables)
        return mean, np.sqrt(self.posterior.scale * variance)

    def _cells(self, tables: Tables) -> tuple[Tables, Tables, Float[np.ndarray, "r n"]]:
        posterior, n = self.posterior, len(self._mixed)
        mixed = self._mixed.reshape(n, -1)
        if posterior.geometry.kind == "additive":
            g = self._near(tables)[0].sum(axis=1)  # (r, n)
            solved, fixed = self._fixed
            q = np.einsum("rn,rn->r", g @ posterior.inverse, g)
            variance = fixed - 2 * g @ solved.T - q[:, None]
            mean = (posterior.weights @ mixed) + (g @ posterior.weights)[:, None]
        else:
            g = self._factor(tables)
            variance = np.empty((len(tables), mixed.shape[1]))
            for i, row in enumerate(g):  # one table at a time: (CA, n) is the largest array worth holding
                full = mixed.T * row
                variance[i] = self._own - np.einsum("an,an->a", full @ posterior.inverse, full)
            mean = (g * posterior.weights) @ mixed
        shape = tables.shape
        return (
            posterior.mean + mean.reshape(shape),
            np.maximum(variance, _LEAST * self._own).reshape(shape),
            g,
        )

    def _factor(self, tables: Tables) -> Float[np.ndarray, "r n"]:
        """The Gaussian of the distance to every observation's distribution (product and joint)."""
        phi, n = self.posterior.geometry.embed(tables).reshape(len(tables), -1), len(self._mixed)
        near = (
            phi @ self._embedded.reshape(n, -1).T
            - 0.5 * (phi**2).sum(axis=1)[:, None]
            - 0.5 * self._squares.sum(axis=1)
        )
        return np.exp(np.minimum(near, 0.0) / self._length2)

    def expected(self, tables: Tables, beta: float) -> tuple[Values, Tables]:
        """The paper's `E_{(x,c)~ξp}[μ + βσ]` (Algorithm 1, line 5) and its gradient."""
        posterior, geometry, n = self.posterior, self.posterior.geometry, len(self._mixed)
        mean, variance, g = self._cells(tables)
        sd = np.sqrt(posterior.scale * variance)
        weighed = tables * geometry.shares[:, None]
        cell = mean + beta * sd
        value = (weighed * cell).sum(axis=(1, 2))
        pull = (beta * posterior.scale * weighed / sd).reshape(len(tables), -1)  # β s² W / σ
        mixed = self._mixed.reshape(n, -1)
        if geometry.kind == "additive":
            by_g = posterior.weights - pull @ self._fixed[0] - pull.sum(axis=1)[:, None] * (g @ posterior.inverse)
            near, phi = self._near(tables)
            by_phi = self._by_phi(by_g[:, None] * near, phi)
        else:
            by_g = posterior.weights * (weighed.reshape(len(tables), -1) @ mixed.T)
            for i, row in enumerate(g):
                solved = (mixed.T * row) @ posterior.inverse
                by_g[i] -= pull[i] @ (solved * mixed.T)
            phi = geometry.embed(tables)
            pulled, flat = by_g * g, phi.reshape(len(tables), -1)
            toward = pulled @ self._embedded.reshape(n, -1) - pulled.sum(axis=1)[:, None] * flat
            by_phi = toward.reshape(tables.shape) / self._length2
        return value, cell * geometry.shares[:, None] + self._by_table(by_phi, tables)
