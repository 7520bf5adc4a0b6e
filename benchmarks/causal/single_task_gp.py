"""BoTorch's `SingleTaskGP` in the place of our own Gaussian process, for the ablation A.5 of the paper.

Kernel, priors and fit are BoTorch's own. Outcomes are standardised here, so that the log holds what it holds of our own
models: the raw parameters as one row of numbers, offset and scale. Torch is imported when the first model is made.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from jaxtyping import Float

from steerbo.errors import InvalidStudy, MissingExtra
from steerbo.gp import Hyperparameters, MomentsAndGradients, Standardisation

_LEAST_VARIANCE = 1e-12


class BotorchRegression:
    """A `SingleTaskGP` over d columns of numbers, with the interface of `steerbo.gp.GPRegression`.

    Args:
        columns: d.

    Raises:
        MissingExtra: torch or botorch is not installed.
    """

    def __init__(self, columns: int) -> None:
        try:
            import botorch
            import torch
        except ImportError:
            raise MissingExtra("botorch", "botorch") from None
        self._torch, self._botorch = torch, botorch
        self.output = Standardisation()
        self._points, self._outcomes = np.zeros((0, columns)), np.zeros(0)
        self._theta: np.ndarray | None = None
        self._model: Any = None  # of the data as they are; None: to be made
        self._pending: Any = None  # the same with pending points

    def __len__(self) -> int:
        return len(self._outcomes)

    @property
    def inputs(self) -> Float[np.ndarray, "n d"]:
        """The observed points."""
        return self._points

    @property
    def outcomes(self) -> Float[np.ndarray, " n"]:
        """The outcomes, in the user's units."""
        return self._outcomes

    def add(self, x: Float[np.ndarray, " d"], y: float) -> None:
        """One more observation."""
        self.replace(np.vstack([self._points, x]), np.append(self._outcomes, y))

    def replace(self, X: Float[np.ndarray, "n d"], y: Float[np.ndarray, " n"]) -> None:
        """Other observations instead of all there are."""
        self._points, self._outcomes, self._model = np.asarray(X, float), np.asarray(y, float), None

    # -- hyperparameters -----------------------------------------------------------------------------------------------

    @property
    def hyperparameters(self) -> Hyperparameters:
        """Those in use."""
        theta = self._flat(self._made(self.output)) if self._theta is None else self._theta
        return Hyperparameters(tuple(theta.tolist()), self.output)

    def fit(self) -> Hyperparameters:
        """By `fit_gpytorch_mll` from BoTorch's own start; where that fails, the start itself."""
        from gpytorch.mlls import ExactMarginalLogLikelihood

        output = Standardisation.fitted(self._outcomes)
        model = self._made(output)
        start = self._flat(model)
        self._torch.manual_seed(0)  # of retries only
        try:
            if len(self) > 1:
                self._botorch.fit.fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
            start = self._flat(model)
        except self._botorch.exceptions.errors.ModelFittingError:
            pass
        return Hyperparameters(tuple(start.tolist()), output)

    def set(self, hyperparameters: Hyperparameters) -> None:
        """Take hyperparameters over.

        Raises:
            InvalidStudy: they belong to another model.
        """
        theta = np.array(hyperparameters.theta)
        if len(theta) != len(self._flat(self._made(self.output))):
            raise InvalidStudy("hyperparameters.theta", theta, "the parameters of a SingleTaskGP of these columns")
        self._theta, self.output, self._model = theta, hyperparameters.output, None

    def _made(self, output: Standardisation) -> Any:
        z = output.forward(self._outcomes) if len(self) else np.zeros(1)
        X = self._points if len(self) else np.full((1, self._points.shape[1]), 0.5)
        torch = self._torch
        torch.set_num_threads(1)
        with self._botorch.settings.validate_input_scaling(False):  # offset and scale are those of the last fit
            return self._botorch.models.SingleTaskGP(
                torch.as_tensor(X), torch.as_tensor(z)[:, None], outcome_transform=None
            )

    @staticmethod
    def _flat(model: Any) -> Float[np.ndarray, " p"]:
        return np.concatenate([p.detach().numpy().ravel() for p in model.parameters()])

    @property
    def _current(self) -> Any:
        if self._pending is not None:
            return self._pending
        if self._model is None:
            self._model = self._made(self.output)
            if self._theta is not None:
                at = 0
                for parameter in self._model.parameters():
                    values = self._theta[at : at + parameter.numel()]
                    parameter.data = self._torch.as_tensor(values).reshape(parameter.shape)
                    at += parameter.numel()
            self._model.eval()
        return self._model

    # -- the posterior -------------------------------------------------------------------------------------------------

    @contextmanager
    def with_fantasies(self, X: Float[np.ndarray, "p d"]) -> Iterator[None]:
        """Inside the context pending points X (p, d) shrink the variance, not the mean."""
        if len(X):
            at = self._torch.as_tensor(np.asarray(X, float))
            with self._torch.no_grad():
                model = self._current
                self._pending = model.condition_on_observations(at, model.posterior(at).mean)
        try:
            yield
        finally:
            self._pending = None

    def _posterior(self, Z: Float[np.ndarray, "m d"]) -> Any:
        return self._current.posterior(self._torch.as_tensor(np.asarray(Z, float)))

    @property
    def noise(self) -> float:
        """The noise variance, standardised."""
        return float(self._current.likelihood.noise.detach().numpy().ravel()[0])

    @property
    def scale(self) -> float:
        """`y = offset + scale · z`."""
        return self.output.scale

    def unstandardise(self, z: Float[np.ndarray, " *s"]) -> Float[np.ndarray, " *s"]:
        """From standardised units to the user's."""
        return self.output.backward(np.asarray(z))

    def predict(self, Z: Float[np.ndarray, "m d"]) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """Mean and standard deviation of f in the user's units, (m,) each."""
        mean, variance = self.marginals(Z)
        return self.output.moments(mean, np.sqrt(variance))

    def means(self, Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " m"]:
        """Mean of f, standardised, (m,)."""
        return self.marginals(Z)[0]

    def marginals(self, Z: Float[np.ndarray, "m d"]) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """Mean and variance of f, standardised, (m,) each."""
        with self._torch.no_grad():
            found = self._posterior(np.asarray(Z, float)[:, None])  # one small posterior a row, not a joint one
            return found.mean.numpy().reshape(-1), np.maximum(found.variance.numpy().reshape(-1), _LEAST_VARIANCE)

    @property
    def fitted(self) -> Float[np.ndarray, " n"]:
        """Mean of f at the observed points, standardised, (n,)."""
        return self.means(self._points)

    def average(self, Z: Float[np.ndarray, "m d"]) -> tuple[float, float]:
        """Mean and variance of the average of f over the rows of Z, standardised."""
        with self._torch.no_grad():
            found = self._posterior(Z).distribution
            return float(found.mean.mean()), max(float(found.covariance_matrix.mean()), 0.0)

    def moments_and_gradients(self, Z: Float[np.ndarray, "m d"]) -> MomentsAndGradients:
        """Mean and variance of f at every row, standardised, (m,) each, and their gradients, (m, d) each."""
        at = self._torch.as_tensor(np.asarray(Z, float)[:, None].copy()).requires_grad_()
        found = self._current.posterior(at)
        (rise,) = self._torch.autograd.grad(found.mean.sum(), at, retain_graph=True)
        (fall,) = self._torch.autograd.grad(found.variance.sum(), at)
        mean, variance = (value.detach().numpy().reshape(-1) for value in (found.mean, found.variance))
        return mean, variance, rise.numpy()[:, 0], fall.numpy()[:, 0]
