"""Problems of which no candidate prior holds for long, as problems of ours: `partial_control_bench` draws them."""

from __future__ import annotations

from partial_control_bench.timevarying.drifting import (
    KINDS,
    LENGTHSCALES,
    LONG,
    NOISE,
    POINTS,
    RATES,
    ROUNDS,
    SIDE,
    truth,
)
from steerbo.space import Float
from steerbo.timevarying import Decay, Prior, SquaredExponential, TimeVarying

__all__ = ["KINDS", "LINE", "LONG", "NOISE", "ROUNDS", "problem", "truth"]

LINE = Float("x", 0, 1, step=1 / (POINTS - 1))


def problem(kind: str) -> TimeVarying:
    """Twelve generic candidates on a line of 50 points, or (moving) on a square of 16 × 16."""
    some = [
        Prior(SquaredExponential(scale), 0.0, Decay(rate), NOISE, f"{scale:g}, {rate:g}")
        for scale in LENGTHSCALES
        for rate in RATES
    ]
    if kind == "moving":
        return TimeVarying([Float(name, 0, 1, step=1 / (SIDE - 1)) for name in ("x", "y")], some)
    return TimeVarying([LINE], some)
