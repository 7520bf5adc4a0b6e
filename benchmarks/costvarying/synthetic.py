"""Synthetic objectives, as `partial_control_bench` defines them."""

from __future__ import annotations

from partial_control_bench.costvarying.synthetic import ackley, hartmann, levy

__all__ = ["ackley", "hartmann", "levy"]
