"""Actions of an arm whose model has columns for more than the arm looks at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..surrogate import Uncontrolled
from .acting import Actor
from .nearness import Realised, few


@dataclass(frozen=True, eq=False)
class NestedActor(Actor):
    """Sets actions of an arm that does not look at all that its model has columns for.

    Attributes:
        realised: contexts, from which nature draws what is not looked at, given what is.
    """

    realised: Realised = field(kw_only=True)

    def _unseen(self, held: Mapping[str, Any], random: np.random.Generator) -> dict[str, Uncontrolled]:
        """The contexts that are not known: together, as rows near to what is known."""
        arm = self.arm
        seen = [j for j, name in enumerate(arm.measured) if name in held]
        drawn = [j for j in range(len(arm.measured)) if j not in seen]
        if not drawn:
            return {}
        at = [float(arm.problem_space[arm.measured[j]].encode([held[arm.measured[j]]])[0]) for j in seen]
        law = few(self.realised.law(seen, np.array(at), drawn), self.realised.categorical[drawn])
        return {arm.measured[j]: Uncontrolled(law, k) for k, j in enumerate(drawn)}
