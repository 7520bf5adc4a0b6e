"""The table of priors: the heaviest first, not too many, and on how many outcomes each rests."""

from __future__ import annotations

import steerbo as sb
from steerbo.timevarying import SquaredExponential
from steerbo.timevarying.method import SHOWN, TimeVaryingMethod


def played(count: int, rounds: int) -> TimeVaryingMethod:  # type: ignore[type-arg]
    priors = [sb.Prior(SquaredExponential(0.05 * (k + 1)), name=f"{k}") for k in range(count)]
    optimizer = sb.Optimizer(sb.TimeVarying([sb.Float("x", 0, 1)], priors), "fully-bayesian", seed=0)
    for _ in range(rounds):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, suggestion.values["x"])
    assert isinstance(optimizer._method, TimeVaryingMethod)
    return optimizer._method


def test_every_prior_has_a_row_with_what_else_is_known_of_it() -> None:
    method = played(3, 4)
    table = method.table_of_priors({p: (10 * p,) for p in range(3)}, ("tens",))
    assert table.columns == ("prior", "rounds", "weight", "tens")
    weights = [row[2] for row in table.rows]
    assert weights == sorted(weights, reverse=True)
    assert abs(sum(weights) - 1) < 1e-9
    assert sum(row[1] for row in table.rows) == 4
    assert all(row[3] == 10 * int(row[0]) for row in table.rows)


def test_of_many_priors_the_most_probable_are_shown() -> None:
    table = played(SHOWN + 5, 1).table_of_priors({}, ())
    assert len(table.rows) == SHOWN
    assert table.title == f"Priors ({SHOWN} of {SHOWN + 5}, most probable first)"
