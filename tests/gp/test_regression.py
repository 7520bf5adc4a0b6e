"""The surrogate: against scikit-learn, against itself bit by bit, and on data that are hard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as sk

from steerbo.errors import InvalidOption, InvalidStudy
from steerbo.gp import (
    Averaged,
    Constant,
    GPRegression,
    Hyperparameters,
    Kernel,
    Linear,
    Matern32,
    Matern52,
    SquaredExponentialKernel,
    Standardisation,
    refit_due,
)
from tests.sizes import examples

from .examples import KERNELS, covariance, differences, lower, points

Model = GPRegression[Any]


def data(n: int = 25, d: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = random.random((n, d))
    return X, 100.0 + 20.0 * np.sin(5 * X[:, 0]) + 5.0 * X[:, -1] + random.normal(size=n)


def filled(model: Model, X: np.ndarray, y: np.ndarray, fit: bool = True) -> Model:
    model.replace(X, y)
    if fit:
        model.set(model.fit())
    return model


def fancy() -> Model:
    """A model with everything switched on."""
    kernel = Linear([0, 1]) + Matern32([0.3, 0.5, 0.7], categorical=[False, False, True])
    model = GPRegression(kernel, uneven=[0, 1])
    X = points(30)
    return filled(model, X, np.exp(2 * X[:, 0] ** 3 + X[:, 2]) + X[:, 1])


# -- right -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (SquaredExponentialKernel([0.4, 0.9], 300.0), 300.0 * sk.RBF([0.4, 0.9])),
        (Matern52([0.4, 0.9], 9.0) + Constant(1e4), 9.0 * sk.Matern([0.4, 0.9], nu=2.5) + sk.ConstantKernel(1e4)),
    ],
)
def test_posterior_equal_to_scikit_learn(ours: Kernel, theirs: sk.Kernel) -> None:
    X, y = data()
    Z = np.random.default_rng(1).random((11, 2))
    reference = GaussianProcessRegressor(theirs, optimizer=None, alpha=0.5).fit(X, y)
    mean, sd = reference.predict(Z, return_std=True)
    model = filled(GPRegression(ours, noise=0.5), X, y, fit=False)
    np.testing.assert_allclose(model.predict(Z)[0], mean, rtol=1e-9)
    np.testing.assert_allclose(model.predict(Z)[1], sd, rtol=1e-7)


def test_appending_equals_replacing() -> None:
    X, y = data(100)
    whole, grown = (filled(GPRegression(Matern52([0.3, 0.5])), X[:20], y[:20]) for _ in range(2))
    whole.replace(X, y)
    for x, outcome in zip(X[20:], y[20:], strict=True):
        grown.add(x, outcome)
    Z = np.random.default_rng(1).random((9, 2))
    for a, b in zip(whole.predict(Z), grown.predict(Z), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-8)
    assert len(grown) == len(whole) == 100
    np.testing.assert_array_equal(grown.inputs, X)
    np.testing.assert_array_equal(grown.outcomes, y)


def test_without_data_it_is_the_prior() -> None:
    model = GPRegression(SquaredExponentialKernel([0.3, 0.3], variance=4.0))
    mean, sd = model.predict([[0.1, 0.2], [3.0, 4.0]])
    assert mean.tolist() == [0.0, 0.0]
    assert sd.tolist() == [2.0, 2.0]
    assert model.fit() == model.hyperparameters
    model.replace(np.zeros((0, 2)), [])
    assert model.predict([[0.1, 0.2]])[1].tolist() == [2.0]
    assert model.inputs.shape == (0, 2)


def test_means_are_those_of_the_posterior() -> None:
    model, Z = fancy(), points(6, 1)
    with model.with_fantasies(points(3, 2)):
        np.testing.assert_allclose(model.means(Z), model.marginals(Z)[0], rtol=1e-12)


def test_who_expects_noise_finds_more_of_it() -> None:
    X, y = data(12)
    y = np.random.default_rng(0).standard_normal(len(y))
    little, much = (filled(GPRegression(Matern52([0.3, 0.3]), likely_noise=v), X, y) for v in (1e-4, 1.0))
    assert little.noise < much.noise


@pytest.mark.parametrize("name", sorted(KERNELS))
def test_gradients_agree_with_finite_differences(name: str) -> None:
    X, Z = points(20), points(6, 1)
    model = filled(GPRegression(KERNELS[name], noise=0.05), X, np.sin(5 * X[:, 0]) + X[:, 1] + X[:, 2], fit=False)
    _assert_gradients(model, Z)


def test_gradients_with_pending_points_agree_with_finite_differences() -> None:
    model = fancy()
    _assert_gradients(model, points(6, 1))
    with model.with_fantasies(points(3, 2)):
        _assert_gradients(model, points(6, 1))


def _assert_gradients(model: Model, Z: np.ndarray) -> None:
    mean, variance, rise, fall = model.moments_and_gradients(Z)
    assert mean.shape == variance.shape == (len(Z),)
    for i, z in enumerate(Z):
        for part, slope in enumerate((rise, fall)):

            def value(x: np.ndarray, z: np.ndarray = z, part: int = part) -> float:
                return float(model.moments_and_gradients(np.append(x, z[2])[None])[part][0])

            np.testing.assert_allclose(slope[i, :2], differences(value, z[:2]), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(model.means(Z), mean, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(model.fitted, model.means(model.inputs), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(np.diagonal(covariance(model, Z)), variance, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(model.predict(Z)[0], model.unstandardise(mean), rtol=1e-10)
    np.testing.assert_allclose(model.predict(Z)[1], model.scale * np.sqrt(variance), rtol=1e-6)


def test_raw_carries_bounds_over() -> None:
    model = fancy()
    z = np.linspace(-2, 2, 9)
    raw = model.unstandardise(z)
    assert np.all(np.diff(raw) > 0)
    np.testing.assert_allclose(model.output.forward(raw), z, atol=1e-9)


# -- bits --------------------------------------------------------------------------------------------------------------


def bits(model: Model) -> bytes:
    return bits_of(model, points(5, 9))


def bits_of(model: Model, Z: np.ndarray) -> bytes:
    parts = [*model.predict(Z), model.weights, lower(model.factor), model.factor.inverse()]
    return b"".join(part.tobytes() for part in parts)


def test_hallucination_shrinks_the_variance_alone_and_leaves_no_trace() -> None:
    touched, untouched = fancy(), fancy()
    Z = points(40, 5)
    mean, sd = touched.predict(Z)
    pending = points(4, 6)
    with touched.with_fantasies(pending[:3]) as factor:
        assert len(factor) == len(touched) + 3
        inside, once = touched.marginals(Z)
        touched.factor.inverse()
        with touched.with_fantasies(pending[3:]):
            twice = touched.marginals(Z)[1]
        np.testing.assert_array_equal(touched.marginals(Z)[1], once)
    outside, before = touched.marginals(Z)
    np.testing.assert_array_equal(inside, outside)
    assert np.all(twice <= once + 1e-12)
    assert np.all(once <= before + 1e-12)
    assert np.any(once < 0.99 * before)
    np.testing.assert_array_equal(touched.predict(Z)[1], sd)
    np.testing.assert_array_equal(touched.predict(Z)[0], mean)
    for model in (touched, untouched):
        model.add(pending[0], 3.0)
    assert bits(touched) == bits(untouched)


def test_hallucination_that_takes_jitter_leaves_no_trace() -> None:
    X = np.array([[0.2, 0.2], [0.3, 0.3], [0.9, 0.1]])
    kernel = SquaredExponentialKernel([0.3, 0.5])
    touched, untouched = (filled(GPRegression(kernel, noise=1e-17), X, X[:, 0], fit=False) for _ in range(2))
    with touched.with_fantasies(X[:1]) as factor:
        assert factor.jitter > 0
        touched.predict(X)
    assert touched.factor.jitter == 0
    assert bits_of(touched, X) == bits_of(untouched, X)


def test_hallucinated_variance_is_that_of_observed_points() -> None:
    X, y = data()
    P, Z = np.random.default_rng(1).random((4, 2)), np.random.default_rng(2).random((9, 2))
    model = filled(GPRegression(SquaredExponentialKernel([0.3, 0.5])), X, y)
    with model.with_fantasies(P):
        sd = model.predict(Z)[1]
    model.replace(np.concatenate([X, P]), np.concatenate([y, np.zeros(4)]))
    np.testing.assert_allclose(model.predict(Z)[1], sd, rtol=1e-7)


def test_hallucination_without_data() -> None:
    model = GPRegression(SquaredExponentialKernel([0.3]))
    with model.with_fantasies([[0.5, 7.0]]), model.with_fantasies([[0.9, 7.0]]) as factor:
        assert len(factor) == 2
        mean, sd = model.predict([[0.5, 7.0]])
    assert (mean[0], sd[0]) == (0.0, pytest.approx(0.1, abs=0.01))
    with model.with_fantasies([]) as factor:
        assert len(factor) == 0


def test_hallucination_ends_with_an_error() -> None:
    model = fancy()
    before = bits(model)
    with pytest.raises(KeyError), model.with_fantasies(points(2)):
        raise KeyError
    assert bits(model) == before


def test_a_replay_gives_the_same_bits() -> None:
    X, y = data(90, 3)

    def play(live: bool) -> Model:
        model = GPRegression(SquaredExponentialKernel.over([False] * 3))
        for n, (x, outcome) in enumerate(zip(X, y, strict=True)):
            model.add(x, outcome)
            if refit_due(play_log[-1][0] if play_log else 0, len(model)) and live:
                play_log.append((n + 1, model.fit().to_dict()))
            for at, plain in play_log:
                if at == n + 1:
                    model.set(Hyperparameters.from_dict(plain))
            if live:  # a replay asks nothing of the model on its way
                with model.with_fantasies(X[:2] + 0.01) as factor:
                    factor.inverse()
                    model.predict(X[:3])
        return model

    play_log: list[tuple[int, dict[str, Any]]] = []
    assert bits(play(live=True)) == bits(play(live=False))
    assert len(play_log) > 10


def test_fit_changes_nothing() -> None:
    model = fancy()
    before = bits(model)
    model.fit()
    assert bits(model) == before


# -- hard --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [1e-12, 1e12, 1e290])
def test_units_do_not_matter(factor: float) -> None:
    X, y = data()
    Z = np.random.default_rng(1).random((9, 2))
    kernel = SquaredExponentialKernel([0.3, 0.5])
    one, scaled = (filled(GPRegression(kernel), X, y * f) for f in (1, factor))
    for a, b in zip(one.predict(Z), scaled.predict(Z), strict=True):
        np.testing.assert_allclose(b / factor, a, rtol=2e-3)


HARD: dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]] = {
    "one point": lambda: (np.full((1, 2), 0.5), np.array([3.0])),
    "two points": lambda: (np.array([[0.1, 0.2], [0.9, 0.1]]), np.array([3.0, 4.0])),
    "constant": lambda: (data()[0], np.full(25, 7.0)),
    "constant and huge": lambda: (data()[0], np.full(25, 1e300)),
    "duplicates": lambda: (np.full((20, 2), 0.5), np.arange(20.0)),
    "duplicates that agree": lambda: (np.repeat(data(5)[0], 6, axis=0), np.repeat(data(5)[1], 6)),
    "nearly duplicates": lambda: (0.5 + 1e-14 * data()[0], data()[1]),
    "one wild outlier": lambda: (data()[0], np.append(data()[1][1:], 1e200)),
    "extremes": lambda: (data(4)[0], np.array([1.7e308, -1.7e308, 0.0, 1e-300])),
    "tiny": lambda: (data()[0], 1e-300 * data()[1]),
    "denormal": lambda: (data(3)[0], np.array([5e-324, 0.0, 1e-323])),
    "outside": lambda: (1e6 * (data()[0] - 0.5), data()[1]),
    "far outside": lambda: (1e99 * (data()[0] - 0.5), data()[1]),
    "smooth without noise": lambda: (data(60)[0], data(60)[0].sum(axis=1)),
    "two values": lambda: (data()[0], np.where(data()[0][:, 0] > 0.5, 1.0, 0.0)),
}


@pytest.mark.parametrize("case", HARD)
def test_hard_data_are_handled(case: str) -> None:
    X, y = HARD[case]()
    model: Model = filled(GPRegression(Matern52([0.3, 0.5]) + Linear([0, 1])), X, y)
    assert model.last is not None
    Z = np.concatenate([X, [[0.5, 0.5], [3.0, -2.0]]])
    for x, outcome in ((X[0], y[0]), ([0.2, 0.3], 1e300), ([0.2, 0.3], -1e300)):
        mean, sd = model.predict(Z)
        assert np.isfinite(mean).all()
        assert np.isfinite(sd).all()
        assert np.all(sd >= 0)
        for values in model.moments_and_gradients(Z):
            assert np.isfinite(values).all()
        model.add(x, outcome)
    assert np.isfinite(model.predict(Z)[0]).all()
    model.set(model.fit())
    assert np.isfinite(model.predict(Z)[1]).all()


@settings(deadline=None, derandomize=True, max_examples=examples(25))
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(-1e6, 1e6)), min_size=1, max_size=8))
def test_any_data_can_be_fitted(rows: list[tuple[float, float]]) -> None:
    X, y = np.array([[x] for x, _ in rows]), np.array([y for _, y in rows])
    model = filled(GPRegression(SquaredExponentialKernel([0.2])), X, y)
    mean, sd = model.predict(X)
    spread = max(np.ptp(y), 1.0)
    assert np.all((mean >= y.min() - spread) & (mean <= y.max() + spread))
    assert np.all((sd >= 0) & np.isfinite(sd))


def test_constant_outcomes_keep_the_prior_and_say_so() -> None:
    model = filled(GPRegression(SquaredExponentialKernel([0.3, 0.5])), *HARD["constant"]())
    assert model.last is not None
    assert "do not differ" in model.last.fit.notes[0]
    np.testing.assert_allclose(model.kernel.lengthscales, [0.3, 0.5])
    assert model.predict([[0.5, 0.5]])[0][0] == 7.0


def test_thousands_of_points_are_predicted_in_blocks() -> None:
    X, y = data(600)
    model = filled(GPRegression(SquaredExponentialKernel([0.3, 0.5])), X, y, fit=False)
    Z = np.random.default_rng(1).random((9000, 2))
    mean, sd = model.predict(Z)
    np.testing.assert_allclose(mean[[0, -1]], model.predict(Z[[0, -1]])[0], rtol=1e-9)
    assert mean.shape == sd.shape == (9000,)


def test_bad_options_are_refused() -> None:
    kernel = SquaredExponentialKernel([0.3])
    for noise in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(InvalidOption, match="noise"):
            GPRegression(kernel, noise=noise)
        with pytest.raises(InvalidOption, match="likely_noise"):
            GPRegression(kernel, likely_noise=noise)


def test_observations_wait_outside_a_hallucination() -> None:
    model = GPRegression(SquaredExponentialKernel([0.3]))
    with model.with_fantasies([]), pytest.raises(AssertionError):
        model.add([0.1], 1.0)


def test_hyperparameters_of_another_model_are_refused() -> None:
    model = GPRegression(SquaredExponentialKernel([0.3]))
    for theta in ((1.0,), (1e9, 0.0, 0.0, 0.0)):
        with pytest.raises(InvalidStudy, match="lengthscale"):
            model.set(Hyperparameters(theta, Standardisation()))


# -- averaged over draws of the hyperparameters ------------------------------------------------------------------------


def drawn() -> Model:
    model: Model = GPRegression(Matern52.over([False, False]) + Linear([0, 1]), seed=1)
    X, y = data(14)
    model.replace(X, y)
    model.set(model.fit())
    assert len(model.members) > 3
    return model


def test_an_average_over_draws_is_their_mixture() -> None:
    """Against a million values drawn from the members."""
    model, Z = drawn(), data(3, seed=2)[0]
    random = np.random.default_rng(0)
    moments = [member.predict(Z) for member in model.members]
    values = np.concatenate([mean + sd * random.standard_normal((60_000, 3)) for mean, sd in moments])
    mean, sd = Averaged(model).predict(Z)
    assert mean == pytest.approx(values.mean(axis=0), abs=0.1)
    assert sd == pytest.approx(values.std(axis=0), rel=0.02)
    standard, variance = Averaged(model).marginals(Z)
    assert model.unstandardise(standard) == pytest.approx(mean)
    assert model.scale * np.sqrt(variance) == pytest.approx(sd)
    assert Averaged(model).means(Z) == pytest.approx(standard)


@pytest.mark.parametrize("deviations", [True, False])
def test_slopes_of_an_average_over_draws_agree_with_finite_differences(deviations: bool) -> None:
    average, Z = Averaged(drawn(), deviations=deviations), 0.1 + 0.8 * data(4, seed=3)[0]
    mean, variance, rise, widening = average.moments_and_gradients(Z)
    np.testing.assert_allclose((mean, variance), average.marginals(Z), rtol=1e-9)
    for j, step in enumerate(1e-5 * np.eye(2)):
        above, below = average.marginals(Z + step), average.marginals(Z - step)
        assert rise[:, j] == pytest.approx((above[0] - below[0]) / 2e-5, rel=1e-4, abs=1e-6)
        assert widening[:, j] == pytest.approx((above[1] - below[1]) / 2e-5, rel=1e-3, abs=1e-6)
    if not deviations:
        assert not variance.any()


def test_without_draws_an_average_is_the_regression() -> None:
    model: Model = GPRegression(SquaredExponentialKernel([0.3, 0.3]))
    model.replace(*data(6))
    Z = data(3, seed=2)[0]
    np.testing.assert_allclose(Averaged(model).predict(Z), model.predict(Z), rtol=1e-12)
    mean, _, rise, _ = Averaged(model, deviations=False).moments_and_gradients(Z)
    wanted = model.moments_and_gradients(Z)
    np.testing.assert_allclose(mean, wanted[0], rtol=1e-9)
    np.testing.assert_allclose(rise, wanted[2], rtol=1e-9)


def test_pending_points_shrink_what_every_draw_leaves_open_and_leave_no_trace() -> None:
    average, Z = Averaged(drawn()), data(3, seed=2)[0]
    before = average.marginals(Z)
    with average.with_fantasies(Z[:1]):
        inside = average.marginals(Z)
    np.testing.assert_allclose(inside[0], before[0], rtol=1e-9)
    assert (inside[1] < before[1]).all()
    np.testing.assert_array_equal(average.marginals(Z), before)


def test_a_few_outcomes_take_their_units_from_others_of_the_same_quantity() -> None:
    """Two that happen to be alike would tell a tiny scale, and bounds would be as tiny."""
    model: Model = GPRegression(SquaredExponentialKernel([0.3]), seed=0)
    model.replace([[0.2], [0.7]], [5.0, 5.1])
    alone = model.fit()
    model.elsewhere = np.array([0.0, 4.0, 10.0, 6.0, 2.0])
    together = model.fit()
    assert alone.output.scale < 0.1 < 2.0 < together.output.scale
    some = np.linspace(-9, 9, 400)
    assert Standardisation.fitted(some, elsewhere=np.array([0.0, 100.0])).scale == pytest.approx(some.std(), rel=0.6)
    assert Standardisation.fitted(some) == Standardisation.fitted(some, elsewhere=np.zeros(0))
    assert Standardisation.fitted(np.full(3, 2.0), elsewhere=np.full(4, 7.0)).scale == 1.0
