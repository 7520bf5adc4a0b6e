"""Residuals of predictions on measured tables."""

from __future__ import annotations

import numpy as np
import pytest

from partial_control_bench import data
from partial_control_bench.residuals import PREDICTED, Listed, residuals, tables
from steerbo.space import Categorical, Space

GRID = Space(tuple(Categorical(name, [str(level) for level in range(24)]) for name in ("a", "b")))


def test_deviations_are_right_where_every_cell_is_its_own() -> None:
    """Pure cells of unit deviation: residuals have a root mean square of 1; 40 rows tell the scale to a third."""
    points = GRID.encode([{"a": str(a), "b": str(b)} for a in range(24) for b in range(24)])
    table = Listed("cells", GRID, points, np.random.default_rng(0).standard_normal(len(points)), 0.01)
    found = residuals(table, 40, seed=1)
    assert found.shape == (PREDICTED,)
    assert 0.7 < np.sqrt(np.mean(found**2)) < 1.4


@pytest.mark.skipif(data.folder() is None, reason="STEERBO_DATA names no folder with the real data: see CONTRIBUTING")
def test_tables_are_those_that_were_measured() -> None:
    folder = data.folder()
    assert folder is not None
    found = {table.name: table.points.shape for table in tables(folder / "real" / "open")}
    assert found == {"bms": (1728, 5), "aryl": (4132, 4), "barrel": (600, 4)}
