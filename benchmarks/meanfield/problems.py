"""The paper's problems and ours as problems for an optimizer: `partial_control_bench` has their payoffs."""

from __future__ import annotations

import functools

from partial_control_bench.meanfield.published import CONGESTION, NAMES, REGIONS, crowd
from steerbo.errors import InvalidOption, one_of

from .played import World, world_of

__all__ = ["CONGESTION", "NAMES", "REGIONS", "world"]


@functools.cache
def world(name: str) -> World:
    """The problem of this name.

    Raises:
        InvalidOption: there is none.
        DataMissing: its data are not at hand.
    """
    if name not in NAMES:
        raise InvalidOption("name", name, one_of(NAMES, name))
    return world_of(crowd(name))


TARGETS = {"swarm": (0.99, 0.999), "arena": (0.85, 0.97), "bikes-36": (0.95, 0.99), "new-york-160": (0.5, 0.98)}
"""Of what can be gained, what is wanted after 80 and after 250 rounds."""
