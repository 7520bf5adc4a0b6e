"""The growing factor against dense linear algebra, and bit by bit against itself."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.errors import ModelFailure
from steerbo.gp import Factor, SquaredExponentialKernel
from steerbo.gp._factor import REBUILD, SHARE, packed_cholesky

from .examples import gram_of, lower


def gram(n: int, noise: float = 1e-3, seed: int = 0) -> np.ndarray:
    X = np.random.default_rng(seed).random((n, 2))
    return SquaredExponentialKernel([0.3, 0.5])(X, X) + noise * np.eye(n)


def grown(K: np.ndarray, start: int, stops: list[int]) -> Factor:
    factor = Factor(K[:start, :start])
    for stop in stops:
        n = len(factor)
        factor.append(K[n:stop, :n], K[n:stop, n:stop])
    return factor


@pytest.mark.parametrize(("start", "stops"), [(0, [1, 2, 5, 30]), (20, [21, 30]), (30, []), (0, list(range(1, 31)))])
def test_grown_factor_is_the_factor(start: int, stops: list[int]) -> None:
    K, B = gram(30), np.random.default_rng(1).normal(size=(30, 4))
    factor = grown(K, start, stops)
    L = np.linalg.cholesky(K)
    np.testing.assert_allclose(lower(factor), L, atol=1e-12)
    np.testing.assert_array_equal(gram_of(factor), K)
    np.testing.assert_allclose(factor.half_solve(B), np.linalg.solve(L, B), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(factor.half_solve(B, transpose=True), np.linalg.solve(L.T, B), rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(factor.inverse() @ K, np.eye(30), atol=1e-9)
    np.testing.assert_allclose(factor.half_inverse() @ L, np.eye(30), atol=1e-9)
    np.testing.assert_allclose(factor.pivots, np.diagonal(L), rtol=1e-10)
    assert factor.jitter == 0


def test_solves_for_leading_rows_only() -> None:
    factor, K = Factor(gram(20)), gram(20)
    b = np.arange(12.0)
    solved = factor.half_solve(factor.half_solve(b), transpose=True)
    np.testing.assert_allclose(solved, np.linalg.solve(K[:12, :12], b), rtol=1e-7)


def test_empty_factor_answers_empty() -> None:
    factor = Factor()
    assert len(factor) == 0
    assert factor.inverse().shape == (0, 0)
    assert factor.half_solve(np.zeros((0, 3))).shape == (0, 3)
    assert factor.pivots.shape == (0,)
    factor.append(np.zeros((0, 0)), np.zeros((0, 0)))
    assert len(factor) == 0


def test_same_calls_give_the_same_bits() -> None:
    K = gram(150)
    one, two = (grown(K, 10, list(range(11, 151))) for _ in range(2))
    assert np.array_equal(lower(one), lower(two))
    assert np.array_equal(one.inverse(), two.inverse())


def test_rebuilt_at_fixed_counts() -> None:
    K = gram(10 + REBUILD)
    factor = grown(K, 10, list(range(11, 11 + REBUILD)))
    assert np.array_equal(lower(factor), lower(Factor(K)))
    assert np.array_equal(factor.inverse(), Factor(K).inverse())


def test_many_rows_are_rebuilt_after_an_eighth_more_and_stay_exact() -> None:
    built = 8 * REBUILD + 80
    K = gram(built + built // SHARE, noise=1e-6)
    factor = grown(K[:-1, :-1], built, list(range(built + 1, len(K))))
    assert factor.built == built
    np.testing.assert_allclose(lower(factor) @ lower(factor).T, K[:-1, :-1], atol=1e-13)
    factor.append(K[-1:, :-1], K[-1:, -1:])
    assert factor.built == len(K)
    assert np.array_equal(lower(factor), lower(Factor(K)))


def test_the_inverse_of_the_root_is_that_of_the_rows_that_are_there() -> None:
    K = gram(30)
    factor = Factor(K[:20, :20])
    known = factor.half_inverse()
    for share in (0.5, 1.0):
        with factor.extended(share * K[20:, :20], K[20:, 20:]):
            np.testing.assert_array_equal(factor.half_inverse(), factor.half_solve(np.eye(30)))
    assert factor.half_inverse() is known
    factor.append(K[20:, :20], K[20:, 20:])
    np.testing.assert_array_equal(factor.half_inverse(), factor.half_solve(np.eye(30)))


def test_bits_of_the_inverse_do_not_depend_on_when_it_is_asked_for() -> None:
    K = gram(130)
    often, once = Factor(K[:5, :5]), Factor(K[:5, :5])
    for n in range(5, 130):
        for factor in (often, once):
            factor.append(K[n : n + 1, :n], K[n : n + 1, n : n + 1])
        if n % 3 == 0:
            often.inverse()
        if n % 5 == 0:
            with often.extended(0.1 * K[:2, : n + 1], np.eye(2)):
                often.inverse()
    assert np.array_equal(often.inverse(), once.inverse())


@pytest.mark.parametrize("pending", [1, 3, REBUILD + 40])
def test_rows_on_approval_leave_no_trace(pending: int) -> None:
    n, K = 40, gram(40 + pending + 20)
    touched, untouched = grown(K, 20, [30, n]), grown(K, 20, [30, n])
    middle, end = n + 1, n + pending
    with touched.extended(K[n:middle, :n], K[n:middle, n:middle]):
        touched.inverse()
        with touched.extended(K[middle:end, :middle], K[middle:end, middle:end]):
            assert len(touched) == end
            np.testing.assert_allclose(touched.inverse() @ K[:end, :end], np.eye(end), atol=1e-8)
            np.testing.assert_allclose(lower(touched), np.linalg.cholesky(K[:end, :end]), atol=1e-10)
        assert len(touched) == middle
    for factor in (touched, untouched):
        assert len(factor) == n
        factor.append(K[n : n + 9, :n], K[n : n + 9, n : n + 9])
    assert np.array_equal(lower(touched), lower(untouched))
    assert np.array_equal(touched.inverse(), untouched.inverse())


def test_rows_on_approval_vanish_after_an_error() -> None:
    factor = Factor(gram(5))
    before = lower(factor)
    with pytest.raises(KeyError), factor.extended(np.zeros((1, 5)), np.eye(1)):
        raise KeyError
    with pytest.raises(ModelFailure), factor.extended(np.full((1, 5), np.nan), np.eye(1)):
        pass
    assert np.array_equal(lower(factor), before)


def test_singular_rows_get_jitter_and_say_so() -> None:
    K = np.ones((3, 3))
    factor = Factor(K[:1, :1])
    assert factor.jitter == 0
    with factor.extended(K[1:, :1], K[1:, 1:]):
        assert 0 < factor.jitter < 1e-10
        assert factor.inverse().shape == (3, 3)
    assert factor.jitter == 0
    assert factor.inverse().tolist() == [[1.0]]
    factor.append(K[1:, :1], K[1:, 1:])
    assert 0 < factor.jitter < 1e-10
    np.testing.assert_allclose(lower(factor) @ lower(factor).T, K + factor.jitter * np.eye(3), atol=1e-15)
    np.testing.assert_array_equal(gram_of(factor), K)
    jitter = factor.jitter
    factor.append(np.ones((1, 3)), np.ones((1, 1)))
    assert factor.jitter >= jitter
    assert np.isfinite(factor.inverse()).all()


def test_a_pivot_of_rounding_errors_is_not_built_on() -> None:
    K = np.array([[1.0, 1.0], [1.0, 1.0 + 4e-16]])
    assert np.linalg.cholesky(K)[1, 1] > 0  # LAPACK would
    grown = Factor(K[:1, :1])
    grown.append(K[1:, :1], K[1:, 1:])
    for factor in (grown, Factor(K)):
        assert factor.jitter > 0


def test_jitter_is_the_smallest_that_works() -> None:
    K = np.eye(3)
    K[0, 1] = K[1, 0] = 1 + 1e-8
    factor = Factor(K)
    assert factor.jitter == pytest.approx(1e-7)
    np.testing.assert_allclose(lower(factor) @ lower(factor).T, K + factor.jitter * np.eye(3), atol=1e-12)


@pytest.mark.parametrize(
    "bad", [np.full((2, 2), np.nan), np.diag([1.0, np.inf]), -np.eye(2), np.array([[1, 9], [9, 1.0]])]
)
def test_what_is_no_covariance_is_refused(bad: np.ndarray) -> None:
    with pytest.raises(ModelFailure):
        Factor(bad)


def test_a_failed_append_changes_nothing() -> None:
    factor = Factor(gram(5))
    before = lower(factor)
    with pytest.raises(ModelFailure):
        factor.append(np.full((1, 5), np.inf), np.eye(1))
    assert np.array_equal(lower(factor), before)


def test_an_inverse_handed_out_stays_as_it_was() -> None:
    K = gram(12)
    factor = Factor(K[:10, :10])
    handed = factor.inverse()
    copy = handed.copy()
    factor.append(K[10:, :10], K[10:, 10:])
    factor.inverse()
    assert np.array_equal(handed, copy)
    with pytest.raises(ValueError, match="read-only"):
        handed[0, 0] = 1.0


@pytest.mark.parametrize("n", [1, 30, 600])
def test_a_factor_of_what_is_packed_already_is_the_same_bit_by_bit(n: int) -> None:
    K = gram(n)
    ours, other = Factor.of_packed(*packed_cholesky(K.copy(), overwrite=True), np.diagonal(K)), Factor(K)
    for factor in (ours, other):
        factor.append(np.full((1, n), 0.01), np.array([[2.0]]))
    assert lower(ours).tobytes() == lower(other).tobytes()
    assert gram_of(ours).tobytes() == gram_of(other).tobytes()
    assert ours.inverse().tobytes() == other.inverse().tobytes()


def test_an_inverse_of_several_blocks_is_symmetric_and_right() -> None:
    K = gram(600, noise=0.1)
    inverse = Factor(K).inverse()
    assert (inverse == inverse.T).all()
    np.testing.assert_allclose(inverse @ K, np.eye(600), atol=1e-8)
