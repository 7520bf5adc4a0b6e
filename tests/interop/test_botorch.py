"""A posterior in BoTorch: what its acquisition functions say of it is what ours and its own models say."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm

import steerbo as sb
from steerbo.errors import InvalidRequest
from steerbo.surrogate._parts import gauss_rule
from tests.interop.examples import box, control_sets, drifting, mixed_control_sets, scopes, seen

REASON = "BoTorch is not installed: pip install 'steerbo[botorch]'"
botorch = pytest.importorskip("botorch", reason=REASON)
torch = pytest.importorskip("torch", reason=REASON)
gpytorch = pytest.importorskip("gpytorch", reason=REASON)

from botorch import acquisition as acquire  # noqa: E402
from botorch.acquisition.objective import ExpectationPosteriorTransform, ScalarizedPosteriorTransform  # noqa: E402
from botorch.models import SingleTaskGP  # noqa: E402
from botorch.optim import optimize_acqf  # noqa: E402
from botorch.sampling import SobolQMCNormalSampler  # noqa: E402

from steerbo.interop.botorch import SteerboModel, to_botorch  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")  # of jitter, of searches that end early: not ours


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(0)


def points(model: SteerboModel, *shape: int, seed: int = 0) -> Any:
    """Random points (…, d) of the model's box."""
    random = torch.rand(*shape, len(model.names), generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    found = model.bounds[0] + (model.bounds[1] - model.bounds[0]) * random
    levels = model.found.columns.box.levels
    for j, known in enumerate(levels):
        if known is not None:
            found[..., j] = torch.from_numpy(np.array(known))[(random[..., j] * len(known)).long()]
    return found


def regression(optimizer: sb.Optimizer) -> Any:
    """What a cost-varying method has learned."""
    return cast(Any, optimizer._method).model


def own_model(optimizer: sb.Optimizer) -> tuple[Any, Any]:
    """BoTorch's model with our data and hyperparameters, standardised, and the transform to our units."""
    ours = regression(optimizer)
    kernel = Anova(ours.kernel)
    likelihood = gpytorch.likelihoods.GaussianLikelihood(
        noise_constraint=gpytorch.constraints.GreaterThan(1e-12)
    ).double()
    likelihood.noise = ours.noise
    mean = gpytorch.means.ConstantMean().double()
    mean.constant = ours.mean
    z = torch.from_numpy(ours.output.forward(ours.outcomes))[:, None]
    inputs = torch.from_numpy(np.array(ours.inputs))
    theirs = SingleTaskGP(
        inputs, z, likelihood=likelihood, covar_module=kernel, mean_module=mean, outcome_transform=None
    )
    units = ScalarizedPosteriorTransform(
        weights=torch.tensor([ours.scale], dtype=torch.float64), offset=ours.output.offset
    )
    return theirs.eval(), units


class Anova(gpytorch.kernels.Kernel):  # type: ignore[misc, name-defined]
    """`s² Π_d (1 − w_d + w_d exp(−Δ²/2ℓ_d²))`, as BoTorch has it."""

    def __init__(self, ours: Any) -> None:
        super().__init__()
        self.lengthscales, self.weights = torch.from_numpy(ours.lengthscales), torch.from_numpy(ours.weights)
        self.scale = ours.variance

    def forward(self, x1: Any, x2: Any, diag: bool = False, **more: Any) -> Any:
        gap = (x1 - x2 if diag else x1.unsqueeze(-2) - x2.unsqueeze(-3)) / self.lengthscales
        return self.scale * (1 - self.weights + self.weights * torch.exp(-0.5 * gap**2)).prod(dim=-1)


def likeliest(model: SteerboModel) -> SteerboModel:
    """The same with the likeliest hyperparameters taken for granted."""
    return SteerboModel(replace(model.found, members=()))


KINDS: dict[str, Callable[[], SteerboModel]] = {
    "cost-varying": lambda: to_botorch(mixed_control_sets()),
    "cost-varying, minimising": lambda: to_botorch(control_sets(minimize=True)),
    "a control set's expected value": lambda: to_botorch(control_sets(), scope=["t"]),
    "a control set's expected value, mixed": lambda: to_botorch(mixed_control_sets(), scope=["ph", "line"]),
    "known before": lambda: to_botorch(seen(), scope=["temperature"], context={"weather": 12.0}),
    "moving": lambda: to_botorch(drifting()),
    "moving, a control set": lambda: to_botorch(drifting(), scope=["t"], time=20.0),
    "time-varying": lambda: to_botorch(box()),
    "time-varying, later": lambda: to_botorch(box(), time=30.0, prior="hill at 0.9"),
    "causal": lambda: to_botorch(optimizer := scopes(), scope=optimizer.recommend().scope),
}


@pytest.mark.few_draws
@pytest.mark.parametrize("kind", KINDS)
def test_acquisition_functions_are_as_computed_from_our_posterior(kind: str) -> None:
    model = KINDS[kind]()
    X = points(model, 6, 1)
    mean, covariance = model.found.moments(X[:, 0].numpy())
    sd = np.sqrt(np.diag(covariance))
    assert_allclose(acquire.UpperConfidenceBound(model, beta=4.0)(X).detach(), mean + 2.0 * sd, rtol=1e-9)
    best = float(mean.max())
    u = (mean - best) / sd
    improvement = sd * (norm.pdf(u) + u * norm.cdf(u))
    assert_allclose(acquire.LogExpectedImprovement(model, best_f=best)(X).detach(), np.log(improvement), rtol=1e-6)
    for q in (1, 3):
        batch = points(model, 2, q)
        posterior = model.posterior(batch)
        assert posterior.mean.dtype == torch.float64
        for one, each in enumerate(batch):
            mean, covariance = model.found.moments(each.numpy())
            assert_allclose(posterior.mean[one, :, 0].detach(), mean, rtol=1e-9)
            assert_allclose(
                posterior.distribution.covariance_matrix[one].detach(), covariance, atol=1e-9 * covariance.max()
            )


@pytest.mark.few_draws
@pytest.mark.parametrize("kind", KINDS)
def test_gradients_are_right(kind: str) -> None:
    model = KINDS[kind]()
    assert model.gradients
    continuous = [known is None for known in model.found.columns.box.levels]
    width = (model.bounds[1] - model.bounds[0]) * torch.tensor(continuous)
    for q in (1, 2):
        X = points(model, 2, q)

        def moments(Z: Any, X: Any = X) -> tuple[Any, Any]:
            mean, covariance = model.joint(X + Z * width)
            return mean, covariance.diagonal(dim1=-2, dim2=-1) + covariance[..., 0]

        assert torch.autograd.gradcheck(moments, torch.zeros_like(X).requires_grad_(), eps=1e-6, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("minimize", [False, True])
def test_a_model_of_botorchs_own_says_the_same(minimize: bool) -> None:
    optimizer = control_sets(minimize)
    ours, (theirs, units) = likeliest(to_botorch(optimizer)), own_model(optimizer)
    best = float(regression(optimizer).outcomes.max())
    X = points(ours, 5, 3)
    for acquisition, more in (
        (acquire.qLogExpectedImprovement, {"best_f": best}),
        (acquire.qUpperConfidenceBound, {"beta": 4.0}),
        (
            acquire.qLogNoisyExpectedImprovement,
            {"X_baseline": points(ours, 4, seed=1), "prune_baseline": False, "cache_root": False},
        ),
    ):
        both = [
            acquisition(
                model, sampler=SobolQMCNormalSampler(torch.Size([64]), seed=1), posterior_transform=change, **more
            )
            for model, change in ((ours, None), (theirs, units))
        ]
        assert_allclose(both[0](X).detach(), both[1](X).detach(), rtol=1e-4, atol=1e-5)


def test_an_expectation_is_botorchs_own_over_all_that_nature_may_draw() -> None:
    optimizer = control_sets()
    whole, ours = (likeliest(to_botorch(optimizer, scope=scope)) for scope in (None, ["ph"]))
    assert ours.names == ("ph",)
    lengthscale = float(regression(optimizer).kernel.lengthscales[0])
    nodes, weights = gauss_rule(optimizer.problem.space["t"], lengthscale)
    X = points(ours, 6, 2)
    drawn = torch.from_numpy(nodes).expand(6, 2, -1)
    appended = torch.stack([drawn, X.expand(6, 2, len(nodes))], dim=-1).reshape(6, -1, 2)
    theirs = ExpectationPosteriorTransform(len(nodes), torch.from_numpy(weights)[:, None])(whole.posterior(appended))
    assert_allclose(ours.posterior(X).mean.detach(), theirs.mean.detach(), rtol=1e-9)
    assert_allclose(
        ours.posterior(X).distribution.covariance_matrix.detach(),
        theirs.distribution.covariance_matrix.detach(),
        atol=1e-6 * float(theirs.variance.max()),
    )


def test_the_best_by_botorch_is_what_we_recommend() -> None:
    optimizer = control_sets()
    for advice in (optimizer.recommend(), *optimizer.recommend().alternatives):
        model = to_botorch(optimizer, scope=advice.scope)
        value = acquire.PosteriorMean(model)
        found, most = optimize_acqf(value, model.bounds, q=1, num_restarts=6, raw_samples=64, options={"seed": 0})
        assert float(most) == pytest.approx(advice.mean, rel=1e-5)
        (settings,) = model.decode(found)
        assert settings == pytest.approx(advice.values, abs=0.05)
        assert model.found.columns.names == tuple(settings)


def test_several_at_once() -> None:
    model = to_botorch(control_sets(), scope=["t", "ph"])
    value = acquire.qLogExpectedImprovement(model, best_f=9.0)
    found, _ = optimize_acqf(value, model.bounds, q=2, num_restarts=2, raw_samples=16, options={"seed": 0})
    one, other = model.decode(found)
    assert one != other
    assert_allclose(model.encode([one, other]), found, atol=1e-12)


def test_fantasies_are_outcomes() -> None:
    optimizer = control_sets()
    ours, model = regression(optimizer), likeliest(to_botorch(optimizer))
    X, Y = points(model, 2), torch.tensor([[8.0], [9.0]], dtype=torch.float64)
    conditioned = model.condition_on_observations(X, Y)
    Z = points(model, 5)
    found = conditioned.posterior(Z)
    for x, y in zip(X.numpy(), Y[:, 0].tolist(), strict=True):
        ours.add(x, y)
    mean, sd = ours.predict(Z.numpy())
    assert_allclose(found.mean[:, 0].detach(), mean, rtol=1e-8)
    assert_allclose(found.variance[:, 0].detach().sqrt(), sd, rtol=1e-5)


def test_knowledge_gradient_runs_on_fantasies() -> None:
    model = to_botorch(control_sets())
    value = acquire.qKnowledgeGradient(model, num_fantasies=4)
    X = points(model, 3, 5).requires_grad_()
    found = value(X)
    assert found.shape == (3,)
    found.sum().backward()
    assert torch.isfinite(X.grad).all()


def test_nobody_observes_an_expected_value() -> None:
    with pytest.raises(InvalidRequest, match="observation_noise"):
        to_botorch(control_sets(), scope=["t"]).posterior(torch.zeros(1, 1).double(), observation_noise=True)


def test_single_precision_is_made_double() -> None:
    model = to_botorch(control_sets())
    assert model.posterior(torch.zeros(3, 2)).mean.dtype == torch.float64
    with pytest.raises(InvalidRequest, match="one output"):
        model.posterior(torch.zeros(3, 2), output_indices=[1])


def test_kernels_of_others_have_slopes_by_differences() -> None:
    from sklearn.gaussian_process.kernels import RBF

    variables = [sb.Float("x", 0, 1)]
    optimizer = sb.Optimizer(sb.TimeVarying(variables, [sb.Prior(RBF(0.2))]), "gp-ucb", confidence=2.0)
    for value in (1.0, 2.0, 1.5):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, value)
    model = to_botorch(optimizer)
    assert not model.gradients
    value = acquire.UpperConfidenceBound(model, beta=1.0)
    found, most = optimize_acqf(value, model.bounds, q=1, num_restarts=3, raw_samples=32, options={"seed": 0})
    grid = torch.linspace(0, 1, 1001, dtype=torch.float64)[:, None, None]
    assert float(most) == pytest.approx(float(value(grid).max()), abs=1e-4)
    assert math.isfinite(float(found))


def test_a_study_that_goes_on_leaves_the_model_alone() -> None:
    optimizer = control_sets()
    model = to_botorch(optimizer)
    before = model.posterior(points(model, 3)).mean.detach()
    suggestion = optimizer.ask()
    assert suggestion is not None
    optimizer.tell(suggestion, value=99.0, cost=1.0, realised={"t": 22.0, "ph": 5.0, **suggestion.values})
    assert_allclose(model.posterior(points(model, 3)).mean.detach(), before, rtol=0)


def test_without_botorch_the_extra_is_named(tmp_path: Path) -> None:
    program = "import sys; sys.modules['torch'] = None\nimport steerbo.interop.botorch"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "pip install 'steerbo[botorch]'" in done.stderr
