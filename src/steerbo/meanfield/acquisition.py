"""Upper confidence bounds on a population's average payoff, with gradients, for many distributions at once.

For a table ξ with population weights `W = pξ` and embedding φ, the covariances with the n
observations are (see `_kernels.py`)

    product    k = H W ∘ exp(−‖φ − φ_j‖²/2ℓ²),     H_j = K_C W_j K_A, laid flat
    additive   k = v_A H w + v_C u + Σ_c exp(−‖φ_c − φ_jc‖²/2ℓ²)

so `μ_g = m + αᵀk`, `σ_g² = k(ξ, ξ) − kᵀK⁻¹k`, in O(n |A||C| + n²) for value and gradient; nothing
depends on the number of agents. The paper's `E[μ + βσ]` needs every cell's own variance. With the
additive kernel the covariances of a cell are `V_j = a_j(x) + b_j(c) + g_j(ξ)`, hence with
`U = (a + b)K⁻¹` and `D = k0 − (a + b)ᵀK⁻¹(a + b)`, both once a round, `σ² = D − 2 U g − gᵀK⁻¹g`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .._arrays import Float
from ._gp import PayoffPosterior
from ._kernels import Inputs

Tables = Float[np.ndarray, "r C A"]
Values = Float[np.ndarray, " r"]
_LEAST_VARIANCE = 1e-12  # posterior variance, relative to the prior's, below which it is rounding


@dataclass(frozen=True, eq=False)
class AveragePayoffUCB:
    """Moments and upper confidence bounds of average payoffs under one posterior, in standardised units.

    Larger is better. Tables are arrays (r, C, A); results are (r,), and gradients (r, C, A).

    Args:
        posterior: of the payoffs.
    """

    posterior: PayoffPosterior

    @cached_property
    def _embedded(self) -> Float[np.ndarray, "n G D"]:
        return np.ascontiguousarray(self.posterior.kernel.embed(self.posterior.inputs.tables))

    @cached_property
    def _squares(self) -> Float[np.ndarray, "n G"]:
        return np.asarray((self._embedded**2).sum(axis=2))

    @cached_property
    def _mixed(self) -> Float[np.ndarray, "n CA"]:
        """H: covariances of cells with observations, without the distributions' factor or term."""
        found = self.posterior.kernel.by_cell(
            self.posterior.inputs.weights, self.posterior.parameters
        )
        return np.ascontiguousarray(found).reshape(len(found), -1)

    @property
    def _length2(self) -> float:
        return self.posterior.kernel.lengthscale("lengthscale", self.posterior.parameters) ** 2

    @property
    def _additive(self) -> bool:
        return self.posterior.kernel.kind == "additive"

    # -- population average ------------------------------------------------------------------------

    def average(self, tables: Tables, beta: float) -> tuple[Values, Tables]:
        """Return `μ_g + β σ_g` of the population's average, and its gradient."""
        mean, sd, slope = self._moments(tables, beta)
        return mean + beta * sd, slope

    def moments(self, tables: Tables) -> tuple[Values, Values]:
        """Return mean `μ_g` and standard deviation `σ_g` of the population's average."""
        mean, sd, _ = self._moments(tables, None)
        return mean, sd

    def variance_reduction(self, tables: Tables) -> Values:
        """Return the share of the prior variance of the average that the data removed, `1 − σ_g² / k` in [0, 1]."""
        covariances, prior, _ = self._lifted(tables)
        return np.asarray(
            np.einsum("rn,rn->r", covariances @ self.posterior.inverse, covariances) / prior
        )

    def advantage(self, tables: Tables, base: Float[np.ndarray, "C A"]) -> tuple[Values, Values]:
        """Return mean and standard deviation of the average's difference to that of the table `base`.

        Common parts, such as the level of all payoffs, add nothing to the deviation.
        """
        posterior, other = self.posterior, base[None]
        at_base = replace(posterior, inputs=Inputs(other * posterior.kernel.shares[:, None], other))
        between, prior, _ = AveragePayoffUCB(at_base)._lifted(tables)
        covariances, prior_there = self._lifted(other)[:2]
        apart = self._lifted(tables)[0] - covariances
        known = np.einsum("rn,rn->r", apart @ posterior.inverse, apart)
        variance = np.maximum(prior + prior_there - 2 * between[:, 0] - known, 0.0)
        return apart @ posterior.weights, np.sqrt(posterior.scale * variance)

    def _moments(self, tables: Tables, beta: float | None) -> tuple[Values, Values, Tables]:
        posterior = self.posterior
        covariances, prior, pull_back = self._lifted(tables)
        solved = covariances @ posterior.inverse
        variance = np.maximum(
            prior - np.einsum("rn,rn->r", solved, covariances), _LEAST_VARIANCE * prior
        )
        sd = np.sqrt(posterior.scale * variance)
        mean = posterior.mean + covariances @ posterior.weights
        if beta is None:
            return mean, sd, tables
        half = beta * np.sqrt(posterior.scale / variance)[:, None]  # dσ/dv · 2
        return mean, sd, pull_back(posterior.weights - half * solved, 0.5 * half)

    def _lifted(
        self, tables: Tables
    ) -> tuple[Float[np.ndarray, "r n"], Values, Callable[..., Tables]]:
        """Return covariances of averages with the observations, prior variances, and the pull-back of gradients."""
        kernel, additive, mixed = self.posterior.kernel, self._additive, self._mixed
        weighed = tables * kernel.shares[:, None]
        linear = weighed.reshape(len(tables), -1) @ mixed.T
        own = kernel.by_cell(weighed, self.posterior.parameters)
        near, phi = self._near(tables)
        covariances = linear + near.sum(axis=1) if additive else linear * near[:, 0]
        prior = (own * weighed).sum(axis=(1, 2)) + (len(kernel.shares) if additive else 0.0)

        def pull_back(
            pull: Float[np.ndarray, "r n"], pull_prior: Float[np.ndarray, "r 1"]
        ) -> Tables:
            by_linear = pull if additive else pull * near[:, 0]
            by_weights = (by_linear @ mixed).reshape(tables.shape) + 2 * pull_prior[
                :, :, None
            ] * own
            pulled = pull[:, None] * near if additive else (pull * covariances)[:, None]
            return by_weights * kernel.shares[:, None] + self._by_table(pulled, phi, tables)

        return covariances, prior, pull_back

    def _near(
        self, tables: Tables
    ) -> tuple[Float[np.ndarray, "r G n"], Float[np.ndarray, "r G D"]]:
        """Return each group's Gaussian of the distance to every observation's distribution, and φ.

        Distances are computed from inner products, a matrix product; differences would need an
        array (r, n, C, A).
        """
        phi = self.posterior.kernel.embed(tables)
        # (r, G, n)
        near = np.matmul(phi.swapaxes(0, 1), self._embedded.transpose(1, 2, 0)).swapaxes(0, 1)
        near -= 0.5 * (phi**2).sum(axis=2)[:, :, None]
        near -= 0.5 * self._squares.T
        np.minimum(near, 0.0, out=near)  # rounding can make distances of equal tables negative
        near /= self._length2
        return np.exp(near, out=near), phi

    def _by_table(
        self, pulled: Float[np.ndarray, "r G n"], phi: Float[np.ndarray, "r G D"], tables: Tables
    ) -> Tables:
        """Return the gradient of Σ pulled by the tables, with `pulled` the Gaussians times their incoming gradients."""
        kernel = self.posterior.kernel
        toward = np.matmul(pulled.swapaxes(0, 1), self._embedded.swapaxes(0, 1)).swapaxes(0, 1)
        return kernel.pull_back(
            (toward - pulled.sum(axis=2)[:, :, None] * phi) / self._length2, tables
        )

    # -- single agents -----------------------------------------------------------------------------

    @cached_property
    def _own(self) -> float:
        """Prior variance k0 of a single agent's payoff."""
        kernel, parameters = self.posterior.kernel, self.posterior.parameters
        own = {
            n: getattr(kernel, n).own(kernel.lengthscale(n, parameters))
            for n in ("actions", "contexts")
        }
        if not self._additive:
            return own["actions"] * own["contexts"]
        return float(
            sum(kernel.variance(n, parameters) * own[n] for n in kernel.learned)
            + len(kernel.shares)
        )

    @cached_property
    def _fixed(self) -> tuple[Float[np.ndarray, "CA n"], Float[np.ndarray, " CA"]]:
        """U and D of the additive kernel."""
        solved = self._mixed.T @ self.posterior.inverse
        return solved, self._own - np.einsum("an,an->a", solved, self._mixed.T)

    def cell_moments(self, tables: Tables) -> tuple[Tables, Tables]:
        """Return mean and standard deviation of the payoff of an agent in every cell, (r, C, A)."""
        mean, variance = self._cells(tables, self._near(tables)[0])
        return mean, np.sqrt(self.posterior.scale * variance)

    def _cells(self, tables: Tables, near: Float[np.ndarray, "r G n"]) -> tuple[Tables, Tables]:
        """Return mean and variance of every cell, the variance relative to the scale, from the Gaussians of `_near`."""
        posterior, mixed = self.posterior, self._mixed
        if self._additive:
            g = near.sum(axis=1)
            solved, fixed = self._fixed
            q = np.einsum("rn,rn->r", g @ posterior.inverse, g)
            variance = fixed - 2 * g @ solved.T - q[:, None]
            mean = (posterior.weights @ mixed) + (g @ posterior.weights)[:, None]
        else:
            variance = np.empty((len(tables), mixed.shape[1]))
            for i, row in enumerate(near[:, 0]):  # one table at a time bounds the memory by (CA, n)
                full = mixed.T * row
                variance[i] = self._own - np.einsum("an,an->a", full @ posterior.inverse, full)
            mean = (near[:, 0] * posterior.weights) @ mixed
        mean = posterior.mean + mean.reshape(tables.shape)
        return mean, np.maximum(variance, _LEAST_VARIANCE * self._own).reshape(tables.shape)

    def expected(self, tables: Tables, beta: float) -> tuple[Values, Tables]:
        """Return the paper's `E_{(x,c)~ξp}[μ + βσ]` (Algorithm 1, line 5) and its gradient."""
        posterior, shares, mixed = self.posterior, self.posterior.kernel.shares, self._mixed
        near, phi = self._near(tables)
        mean, variance = self._cells(tables, near)
        sd = np.sqrt(posterior.scale * variance)
        weighed = tables * shares[:, None]
        cell = mean + beta * sd
        pull = (beta * posterior.scale * weighed / sd).reshape(len(tables), -1)  # β s² W / σ
        if self._additive:
            g = near.sum(axis=1)
            by_g = (
                posterior.weights
                - pull @ self._fixed[0]
                - pull.sum(axis=1)[:, None] * (g @ posterior.inverse)
            )
        else:
            by_g = posterior.weights * (weighed.reshape(len(tables), -1) @ mixed.T)
            for i, row in enumerate(near[:, 0]):
                solved = (mixed.T * row) @ posterior.inverse
                by_g[i] -= pull[i] @ (solved * mixed.T)
        slope = cell * shares[:, None] + self._by_table(by_g[:, None] * near, phi, tables)
        return (weighed * cell).sum(axis=(1, 2)), slope
