"""Algorithm 2 against a plain one."""

from __future__ import annotations

import numpy as np
import pytest

from tests.timevarying.toy import follow


def test_algorithm_2() -> None:
    _, plain, rows = follow("regret-balancing", 60)
    plays = np.zeros(11)
    for t, mean, sd, _, mask, x, p, _, alive, _ in rows:
        assert plays[p] == plays[np.array(alive)].min()
        plays[p] += 1
        assert (mean + plain.beta(t) * sd)[p, x] == pytest.approx((mean + plain.beta(t) * sd)[p, mask].max(), rel=1e-9)
