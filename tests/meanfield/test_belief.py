"""Units of a belief, and the width of the theorem's bound."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steerbo.meanfield.belief import Belief, theorem_beta


def test_the_way_back_is_the_inverse_of_standardising() -> None:
    values = np.random.default_rng(0).normal(-3.0, 7.0, 20)
    offset, unit = float(values.mean()), float(values.std())
    bounds: Any = None
    belief = Belief(bounds, offset, unit)
    assert [belief.raw(float(z)) for z in (values - offset) / unit] == pytest.approx(values.tolist())
    assert belief.raw(0.0) == offset


@pytest.mark.parametrize(("cells", "number", "beta"), [(2, 1, 4.14912), (30, 1, 296.37753), (30, 10, 581.89808)])
def test_the_theorem_s_width_is_that_of_its_formula(cells: int, number: int, beta: float) -> None:
    """2 log(m t² / √2π) + 2 m log(m t² (log m + √π / 2)), worked out beside."""
    assert theorem_beta(cells, number) == pytest.approx(beta, abs=1e-3)


def test_it_grows_with_rounds_and_cells_and_never_makes_a_bound_pessimistic() -> None:
    by_round = [theorem_beta(5, t) for t in range(1, 50)]
    by_cells = [theorem_beta(m, 3) for m in range(1, 50)]
    assert by_round == sorted(by_round)
    assert by_cells == sorted(by_cells)
    assert theorem_beta(1, 1) == 0.0
