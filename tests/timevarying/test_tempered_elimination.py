"""The test that tempered elimination is."""

from __future__ import annotations

import numpy as np

from steerbo import Optimizer
from tests.timevarying.toy import TOY, Plain
from tests.timevarying.toy_problem import TRUE


def test_tempered_elimination_is_the_test_it_says() -> None:
    truth = TOY.truth(3, 40)
    optimizer = Optimizer(TOY.problem, "tempered-elimination", seed=3)
    plain, alive = Plain([]), np.ones(11, dtype=bool)
    for t in range(1, 41):
        suggestion = optimizer.ask(available=TOY.available(t))
        assert suggestion is not None
        x = TOY.problem.site(suggestion.values)
        plain.data.append((float(t), x, float(truth[t - 1, x])))
        optimizer.tell(suggestion, float(truth[t - 1, x]))
        log = plain.posteriors(t)[2]
        alive &= np.exp(np.minimum(0.5 * (log[:, None] - log), 700.0)).mean(axis=0) <= 10
        assert optimizer._method.alive.tolist() == alive.tolist()  # type: ignore[attr-defined]
    assert alive[TRUE]
    assert alive.sum() < 11
