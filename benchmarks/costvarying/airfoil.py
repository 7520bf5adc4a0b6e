"""Airfoil self-noise, as `partial_control_bench` defines it."""

from __future__ import annotations

from partial_control_bench.costvarying.airfoil import COLUMNS, inputs, noise_level, table

__all__ = ["COLUMNS", "inputs", "noise_level", "table"]
