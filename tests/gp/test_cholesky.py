"""Factors in place, against factors of a copy."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.errors import ModelFailure
from steerbo.gp._factor import packed_cholesky


def test_singular_rows_are_mended_in_place_too() -> None:
    K = np.ones((5, 5))
    (ours, jitter), (other, same) = packed_cholesky(K.copy(), overwrite=True), packed_cholesky(K)
    assert jitter == same > 0
    assert np.tril(ours).tobytes() == np.tril(other).tobytes()
    assert packed_cholesky(K)[0] is not K
    assert K.tolist() == np.ones((5, 5)).tolist(), "without being asked nothing is overwritten"


@pytest.mark.parametrize("K", [np.array([[np.nan]]), np.array([[1.0, 5.0], [5.0, 1.0]])])
def test_what_is_no_covariance_is_refused(K: np.ndarray) -> None:
    with pytest.raises(ModelFailure, match="covariances"):
        packed_cholesky(K)
