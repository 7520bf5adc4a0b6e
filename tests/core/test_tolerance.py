"""Tolerances: what is acceptable, in the user's units."""

from __future__ import annotations

from typing import Any

import pytest

import steerbo as sb


@pytest.mark.parametrize(
    ("tolerance", "expected"),
    [
        (sb.costvarying.Fraction(0.1, worst=0.0), 4.5),
        (sb.costvarying.Fraction(0.1, worst=-5.0), 4.0),
        (sb.costvarying.Fraction(0.1), 4.3),
        (sb.costvarying.Absolute(0.5), 4.5),
        (sb.costvarying.Threshold(2.0), 2.0),
    ],
)
def test_tolerances_are_in_the_users_units(tolerance: Any, expected: float) -> None:
    """f ≥ 0 is assumed by the paper; with best 5 and smallest posterior mean −2."""
    assert tolerance.acceptable(5.0, -2.0, 1.0) == pytest.approx(expected)


def test_tolerances_when_smaller_is_better() -> None:
    """In units of −value: best −5, worst −10 (a value of 10)."""
    assert sb.costvarying.Fraction(0.1, worst=10.0).acceptable(-5.0, -99.0, -1.0) == pytest.approx(-5.5)
    assert sb.costvarying.Threshold(6.0).acceptable(-5.0, -99.0, -1.0) == -6.0
