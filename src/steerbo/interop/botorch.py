"""Posterior of a study as a BoTorch model, on which BoTorch's acquisition functions, and yours, run.

    from steerbo.interop.botorch import to_botorch

    model = to_botorch(study)                            # the objective over all variables
    model = to_botorch(study, scope=["ph"])              # expected value of controlling ph
    point, _ = optimize_acqf(qLogEI(model, best_f=…), model.bounds, q=1, num_restarts=8, raw_samples=128)
    model.decode(point)                                  # [{"ph": 6.4}]

The expected value of a control set is a model of its own, not an objective or an acquisition
function: the average of a Gaussian process is a Gaussian process again, exactly. BoTorch's own way,
`AppendFeatures` with `ExpectationPosteriorTransform`, takes a point for every combination of
uncontrolled values; tests show that both agree.

Needs BoTorch (`pip install 'steerbo[botorch]'`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core import BaseStudy
from ..errors import InvalidRequest, MissingExtra
from ..surrogate import Posterior
from .posteriors import PosteriorQuery, posterior

try:
    import torch
    from botorch.models.model import Model
    from botorch.posteriors import GPyTorchPosterior
    from gpytorch.distributions import MultivariateNormal
    from linear_operator.operators import DenseLinearOperator
    from torch import Tensor
    from torch.autograd.function import once_differentiable
except ImportError:
    raise MissingExtra("botorch", "botorch") from None


def to_botorch(
    study: BaseStudy,
    *,
    scope: Any = None,
    context: Mapping[str, Any] | None = None,
    time: float | None = None,
    prior: str | None = None,
) -> SteerboModel:
    """Return the present posterior of a study as a BoTorch model; later outcomes do not change it.

    Larger is better, as in BoTorch: for a problem that minimises, the model is of the negative
    objective. Rounds without an outcome are left out: pass their points to an acquisition function
    as `X_pending`.

    Args:
        study: a study or an optimizer; it is not changed.
        scope: cost-varying: a control set, as names, for its expected value under the laws of the
            uncontrolled variables; None: the objective over all variables. Causal: the scope whose
            model is wanted.
        context: values seen before choosing, by variable, with a control set.
        time: time of a problem that drifts; None: the time of the last round.
        prior: name of a prior of a time-varying problem; None: the most probable one.

    Raises:
        InvalidRequest: the method has no Gaussian process over a box, as in mean-field problems, or
            not the selected one.

    >>> import steerbo as sb
    >>> optimizer = sb.Optimizer(sb.CostVarying([sb.Float("ph", 4, 8)], [["ph"]]))
    >>> optimizer.tell(optimizer.ask(), value=1.5)
    >>> to_botorch(optimizer).bounds.tolist()
    [[0.0], [1.0]]
    """
    return SteerboModel(posterior(study, PosteriorQuery(scope, context or {}, time, prior)))


class _Computed(torch.autograd.Function):  # type: ignore[misc]
    """Step of autograd for a function of points and its pull-back, both computed by numpy."""

    @staticmethod
    def forward(
        ctx: Any, Z: Tensor, function: Callable[..., Any], pull: Callable[..., Any]
    ) -> Tensor:
        """Return the values of the function at Z."""
        ctx.save_for_backward(Z)
        ctx.pull = pull
        return torch.from_numpy(np.ascontiguousarray(function(Z.detach().cpu().numpy()))).to(Z)

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, W: Tensor) -> tuple[Tensor, None, None]:
        """Return the gradient of the values weighted by W."""
        (Z,) = ctx.saved_tensors
        return (
            torch.from_numpy(ctx.pull(Z.detach().cpu().numpy(), W.detach().cpu().numpy())).to(Z),
            None,
            None,
        )


class _Normal(Model):  # type: ignore[misc]
    """Base of models with a normal posterior of one output, for any batch of points."""

    num_outputs = 1

    @abstractmethod
    def joint(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return means (…, q) and covariances (…, q, q) of f at points (…, q, d)."""

    @abstractmethod
    def noise_variance(self, X: Tensor) -> Tensor:
        """Noise variance (…, q) of outcomes at points (…, q, d), in squared units of the outcome."""

    def posterior(
        self,
        X: Tensor,
        output_indices: Sequence[int] | None = None,
        observation_noise: bool = False,
        posterior_transform: Any = None,
    ) -> Any:
        """Return the joint posterior of f at points (b, q, d) in double precision; with noise, of outcomes."""
        if output_indices is not None and list(output_indices) != [0]:
            raise InvalidRequest("output_indices", list(output_indices), "[0]: there is one output")
        points = self.transform_inputs(X).double()
        mean, covariance = self.joint(points)
        if observation_noise is not False:
            covariance = covariance + torch.diag_embed(self.noise_variance(points))
        found = GPyTorchPosterior(MultivariateNormal(mean, DenseLinearOperator(covariance)))
        return found if posterior_transform is None else posterior_transform(found)


class SteerboModel(_Normal):
    """BoTorch model of a posterior, in double precision, for batches of q points, with gradients by autograd.

    Args:
        found: the posterior; a mixture is approximated by a normal one with its mean and
            covariances.

    Attributes:
        members: posteriors of the mixture, with equal weights.
        names: names of the columns of points.
        bounds: (2, d) bounds of points, as BoTorch's optimisers take them.
        gradients: whether acquisition functions have gradients. If not (a kernel that is a Python
            function), pass ``options={"with_grad": False}`` to BoTorch's optimisers.
    """

    def __init__(self, found: Posterior) -> None:
        super().__init__()
        self.found, self.names = found, found.columns.names
        box = found.columns.box
        self.gradients = found.kernel.gradients
        self.register_buffer("bounds", torch.from_numpy(np.array([box.low, box.high])))
        self.members = found.members or (found,)
        for k, member in enumerate(self.members):
            self.register_buffer(f"weights_{k}", torch.from_numpy(np.array(member.weights)))
            self.register_buffer(f"root_{k}", torch.from_numpy(np.array(member.root)))

    @property
    def batch_shape(self) -> torch.Size:
        """Empty: it is a single model."""
        return torch.Size()

    def encode(self, rows: Sequence[Mapping[str, Any]]) -> Tensor:
        """Encode r mappings of values by variable as points (r, d)."""
        return torch.from_numpy(np.array([self.found.columns.encode(row) for row in rows]))

    def decode(self, X: Tensor) -> list[dict[str, Any]]:
        """Decode points (…, d) to the nearest feasible values, by variable, one mapping for each point."""
        return [
            self.found.columns.decode(point)
            for point in X.detach().double().reshape(-1, len(self.names)).numpy()
        ]

    def noise_variance(self, X: Tensor) -> Tensor:
        """Noise variance (…, q) of outcomes at points (…, q, d), in squared units of the outcome.

        Raises:
            InvalidRequest: the model is of an expected value, which outcomes do not measure.
        """
        points = X.detach().reshape(-1, X.shape[-1]).numpy()
        return torch.from_numpy(self.found.noise_at(points)).reshape(X.shape[:-1])

    def joint(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return means (…, q) and covariances (…, q, q) of f at points (…, q, d), of the mixture over its members."""
        means, covariances = zip(
            *(self._joint_of(k, X) for k in range(len(self.members))), strict=True
        )
        mean = torch.stack(means).mean(dim=0)
        away = torch.stack(means) - mean
        return mean, (torch.stack(covariances) + away.unsqueeze(-1) * away.unsqueeze(-2)).mean(
            dim=0
        )

    def _joint_of(self, k: int, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return means and covariances of member k."""
        found, shape = self.members[k], X.shape[:-1]
        root, weights = getattr(self, f"root_{k}"), getattr(self, f"weights_{k}")
        points, batches = X.reshape(-1, X.shape[-1]), X.reshape(-1, *X.shape[-2:])
        cross = _Computed.apply(points, found.cross, found.cross_slope)
        half = (cross @ root).reshape(*shape, -1)
        prior = _Computed.apply(batches, found.prior, found.prior_slope).reshape(*shape, shape[-1])
        mean = found.offset + found.scale * (found.mean + cross @ weights)
        if found.trend is not None:
            trend = found.trend
            mean = mean + _Computed.apply(points, trend, lambda Z, w: w[:, None] * trend.slope(Z))
        return mean.reshape(shape), found.scale**2 * (prior - half @ half.transpose(-1, -2))

    def fantasize(
        self, X: Tensor, sampler: Any, observation_noise: None = None, **kwargs: Any
    ) -> _Conditioned:
        """Condition on outcomes drawn at points X (…, m, d), as the knowledge gradient does."""
        return self.condition_on_observations(X, sampler(self.posterior(X, observation_noise=True)))

    def condition_on_observations(self, X: Tensor, Y: Tensor, **kwargs: Any) -> _Conditioned:
        """Condition on outcomes Y (…, m, 1) at points X (…, m, d)."""
        return _Conditioned(self, X, Y)


class _Conditioned(_Normal):
    """Batch of models, each conditioned on further outcomes."""

    def __init__(self, model: SteerboModel, X: Tensor, Y: Tensor) -> None:
        super().__init__()
        self.model, self.X, self.Y = model, X.double(), Y.double()[..., 0]

    @property
    def batch_shape(self) -> torch.Size:
        """Batch shape of the outcomes."""
        return self.Y.shape[:-1]

    def noise_variance(self, X: Tensor) -> Tensor:
        """Noise variance (…, q) of outcomes at points (…, q, d), in squared units of the outcome."""
        return self.model.noise_variance(X)

    def joint(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return means (…, q) and covariances (…, q, q) of f at points (…, q, d)."""
        m, batch = self.X.shape[-2], torch.broadcast_shapes(X.shape[:-2], self.batch_shape)
        both = torch.cat(
            [self.X.expand(*batch, *self.X.shape[-2:]), X.expand(*batch, *X.shape[-2:])], dim=-2
        )
        mean, covariance = self.model.joint(both)
        noisy = covariance[..., :m, :m] + torch.diag_embed(self.noise_variance(self.X))
        gain = torch.linalg.solve(noisy, covariance[..., :m, m:]).transpose(-1, -2)
        rest = (self.Y - mean[..., :m]).unsqueeze(-1)
        shift = (gain @ rest).squeeze(-1)
        return mean[..., m:] + shift, covariance[..., m:, m:] - gain @ covariance[..., :m, m:]
