"""Plant growth, as `partial_control_bench` defines it."""

from __future__ import annotations

from partial_control_bench.costvarying.plant import leaf_area

__all__ = ["leaf_area"]
