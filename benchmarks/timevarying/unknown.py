"""Problems that drift, or do not, of which nobody knows how: `partial_control_bench` draws them."""

from __future__ import annotations

from dataclasses import dataclass

from partial_control_bench.timevarying import unknown
from partial_control_bench.timevarying.unknown import ROUNDS
from steerbo.space import Float
from steerbo.timevarying import TimeVarying

__all__ = ["KINDS", "ROUNDS", "Unknown"]


@dataclass(frozen=True)
class Unknown(unknown.Unknown):
    """One kind of problem."""

    @property
    def problem(self) -> TimeVarying:
        """Without priors."""
        return TimeVarying([Float(f"x{i}", 0, 1, step=1 / (k - 1)) for i, k in enumerate(self.sides)])


KINDS = {name: Unknown(**vars(kind)) for name, kind in unknown.KINDS.items()}
