"""Algorithm 1 against a plain one."""

from __future__ import annotations

import numpy as np
import pytest

from tests.timevarying.toy import follow


def test_algorithm_1() -> None:
    _, plain, rows = follow("prior-elimination", 60)
    for t, mean, sd, _, mask, x, p, _, alive, suggestion in rows:
        upper = np.where(np.array(alive)[:, None] & mask, mean + plain.beta(t) * sd, -np.inf)
        assert upper[p, x] == pytest.approx(upper.max(), rel=1e-9)
        assert suggestion.note["mean"] == pytest.approx(mean[p, x], rel=1e-9)
        assert suggestion.note["band"] == pytest.approx(plain.beta(t) * sd[p, x], rel=1e-9)
    assert sum(plain.alive) < 11, "somebody was dropped, or nothing was tested"
