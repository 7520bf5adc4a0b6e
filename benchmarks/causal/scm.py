"""Structural causal models, as `partial_control_bench` samples and plays them."""

from __future__ import annotations

from partial_control_bench.causal.scm import Mechanism, PolicyFunctions, Round, StructuralCausalModel, Values

__all__ = ["Mechanism", "PolicyFunctions", "Round", "StructuralCausalModel", "Values"]
