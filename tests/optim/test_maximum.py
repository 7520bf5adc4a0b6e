from __future__ import annotations

import numpy as np
import pytest

from steerbo.errors import ModelFailure
from steerbo.optim import best_first


def test_best_comes_first_and_ties_keep_their_order() -> None:
    best = best_first(np.arange(5.0)[:, None], np.array([1.0, np.nan, 3.0, np.inf, 3.0]))
    np.testing.assert_array_equal(best.points[:, 0], [2, 4, 0, 1, 3])
    np.testing.assert_array_equal(best.values, [3, 3, 1, -np.inf, -np.inf])
    assert (best.point[0], best.value) == (2, 3)


@pytest.mark.parametrize("values", [[], [np.nan], [np.inf, -np.inf]])
def test_nothing_finite_is_a_model_failure(values: list[float]) -> None:
    with pytest.raises(ModelFailure, match="not a finite number"):
        best_first(np.zeros((len(values), 1)), np.array(values))
