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

from .process import PayoffPosterior

Tables = Float[np.ndarray, "r C A"]
Values = Float[np.ndarray, " r"]
_LEAST = 1e-12  # of a variance, against the prior's: below it there is only rounding


@dataclass(frozen=True, eq=False)
class PayoffBounds:
    """Bounds under one posterior, in standardised units; larger is better."""

    posterior: PayoffPosterior

    @cached_property
    def _embedded(self) -> Float[np.ndarray, "n G D"]:
        return np.ascontiguousarray(self.posterior.kernel.embed(self.posterior.inputs.tables))

    @cached_property
    def _squares(self) -> Float[np.ndarray, "n G"]:
        return np.asarray((self._embedded**2).sum(axis=2))

    @cached_property
    def _mixed(self) -> Float[np.ndarray, "n CA"]:
        """H: covariances of cells with observations but for the distributions' factor or term."""
        found = self.posterior.kernel.by_cell(self.posterior.inputs.weights, self.posterior.parameters)
        return np.ascontiguousarray(found).reshape(len(found), -1)

    @property
    def _length2(self) -> float:
        return self.posterior.kernel.lengthscale("lengthscale", self.posterior.parameters) ** 2

    @property
    def _additive(self) -> bool:
        return self.posterior.kernel.kind == "additive"

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
        kernel, additive, mixed = self.posterior.kernel, self._additive, self._mixed
        weighed = tables * kernel.shares[:, None]
        linear = weighed.reshape(len(tables), -1) @ mixed.T
        own = kernel.by_cell(weighed, self.posterior.parameters)
        near, phi = self._near(tables)
        covariances = linear + near.sum(axis=1) if additive else linear * near[:, 0]
        prior = (own * weighed).sum(axis=(1, 2)) + (len(kernel.shares) if additive else 0.0)

        def pull_back(pull: Float[np.ndarray, "r n"], pull_prior: Float[np.ndarray, "r 1"]) -> Tables:
            by_linear = pull if additive else pull * near[:, 0]
            by_weights = (by_linear @ mixed).reshape(tables.shape) + 2 * pull_prior[:, :, None] * own
            pulled = pull[:, None] * near if additive else (pull * covariances)[:, None]
            return by_weights * kernel.shares[:, None] + self._by_table(pulled, phi, tables)

        return covariances, prior, pull_back

    def _near(self, tables: Tables) -> tuple[Float[np.ndarray, "r G n"], Float[np.ndarray, "r G D"]]:
        """Each group's Gaussian of the distance to every observation's distribution, and φ.

        Distances are squares less products: a matrix product, where differences would need an array (r, n, C, A).
        """
        phi = self.posterior.kernel.embed(tables)
        near = np.matmul(phi.swapaxes(0, 1), self._embedded.transpose(1, 2, 0)).swapaxes(0, 1)  # (r, G, n)
        near -= 0.5 * (phi**2).sum(axis=2)[:, :, None]
        near -= 0.5 * self._squares.T
        np.minimum(near, 0.0, out=near)  # rounding makes distances of the same tables negative
        near /= self._length2
        return np.exp(near, out=near), phi

    def _by_table(self, pulled: Float[np.ndarray, "r G n"], phi: Float[np.ndarray, "r G D"], tables: Tables) -> Tables:
        """The gradient by the tables of Σ pulled, where `pulled` are Gaussians times what pulls at them."""
        kernel = self.posterior.kernel
        toward = np.matmul(pulled.swapaxes(0, 1), self._embedded.swapaxes(0, 1)).swapaxes(0, 1)
        return kernel.pull_back((toward - pulled.sum(axis=2)[:, :, None] * phi) / self._length2, tables)

    # -- single agents -------------------------------------------------------------------------------------------------

    @cached_property
    def _own(self) -> float:
        """The prior variance of a single agent's payoff, k0."""
        kernel, parameters = self.posterior.kernel, self.posterior.parameters
        own = {n: getattr(kernel, n).own(kernel.lengthscale(n, parameters)) for n in ("actions", "contexts")}
        if not self._additive:
            return own["actions"] * own["contexts"]
        return float(sum(kernel.variance(n, parameters) * own[n] for n in kernel.learned) + len(kernel.shares))

    @cached_property
    def _fixed(self) -> tuple[Float[np.ndarray, "CA n"], Float[np.ndarray, " CA"]]:
        """U and D of the additive kernel."""
        solved = self._mixed.T @ self.posterior.inverse
        return solved, self._own - np.einsum("an,an->a", solved, self._mixed.T)

    def cells(self, tables: Tables) -> tuple[Tables, Tables]:
        """Mean and standard deviation of the payoff of an agent in every cell."""
        mean, variance = self._cells(tables, self._near(tables)[0])
        return mean, np.sqrt(self.posterior.scale * variance)

    def _cells(self, tables: Tables, near: Float[np.ndarray, "r G n"]) -> tuple[Tables, Tables]:
        """Mean and variance of every cell, the variance relative to the scale; `near` as `_near` gives it."""
        posterior, mixed = self.posterior, self._mixed
        if self._additive:
            g = near.sum(axis=1)
            solved, fixed = self._fixed
            q = np.einsum("rn,rn->r", g @ posterior.inverse, g)
            variance = fixed - 2 * g @ solved.T - q[:, None]
            mean = (posterior.weights @ mixed) + (g @ posterior.weights)[:, None]
        else:
            variance = np.empty((len(tables), mixed.shape[1]))
            for i, row in enumerate(near[:, 0]):  # one table at a time: (CA, n) is the largest array worth holding
                full = mixed.T * row
                variance[i] = self._own - np.einsum("an,an->a", full @ posterior.inverse, full)
            mean = (near[:, 0] * posterior.weights) @ mixed
        mean = posterior.mean + mean.reshape(tables.shape)
        return mean, np.maximum(variance, _LEAST * self._own).reshape(tables.shape)

    def expected(self, tables: Tables, beta: float) -> tuple[Values, Tables]:
        """The paper's `E_{(x,c)~ξp}[μ + βσ]` (Algorithm 1, line 5) and its gradient."""
        posterior, shares, mixed = self.posterior, self.posterior.kernel.shares, self._mixed
        near, phi = self._near(tables)
        mean, variance = self._cells(tables, near)
        sd = np.sqrt(posterior.scale * variance)
        weighed = tables * shares[:, None]
        cell = mean + beta * sd
        pull = (beta * posterior.scale * weighed / sd).reshape(len(tables), -1)  # β s² W / σ
        if self._additive:
            g = near.sum(axis=1)
            by_g = posterior.weights - pull @ self._fixed[0] - pull.sum(axis=1)[:, None] * (g @ posterior.inverse)
        else:
            by_g = posterior.weights * (weighed.reshape(len(tables), -1) @ mixed.T)
            for i, row in enumerate(near[:, 0]):
                solved = (mixed.T * row) @ posterior.inverse
                by_g[i] -= pull[i] @ (solved * mixed.T)
        slope = cell * shares[:, None] + self._by_table(by_g[:, None] * near, phi, tables)
        return (weighed * cell).sum(axis=(1, 2)), slope
