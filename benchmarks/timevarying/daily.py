"""The daily cycle as a problem of ours: `partial_control_bench` draws it."""

from __future__ import annotations

from partial_control_bench.timevarying.daily import NOISE, ROUNDS, STEP, truth
from steerbo.space import Float
from steerbo.timevarying import Decay, Periodic, Prior, SquaredExponential, TimeVarying

__all__ = ["NOISE", "ROUNDS", "problem", "truth"]


def problem() -> TimeVarying:
    """Four opinions on how the best setting moves."""
    space = SquaredExponential(lengthscale=40.0, variance=2500.0)
    drifts = {"never": None, "slowly": Decay(0.02), "fast": Decay(0.2), "daily": Periodic(24.0, 1.5)}
    some = [Prior(space, 50.0, drift, NOISE, name) for name, drift in drifts.items()]
    return TimeVarying([Float("setting", 0, 100, step=STEP)], some)
