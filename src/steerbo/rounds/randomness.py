"""Randomness without a running generator: every draw is keyed on (seed, round, stream)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np


def keyed(seed: int, round: int, stream: str) -> np.random.Generator:
    """A counter-based generator (Philox) that depends on its three keys and on nothing else.

    >>> keyed(0, 3, "screen").random() == keyed(0, 3, "screen").random()
    True
    """
    key = hashlib.blake2b(f"{seed}|{round}|{stream}".encode(), digest_size=16).digest()
    return np.random.Generator(np.random.Philox(key=int.from_bytes(key, "little")))


@dataclass(frozen=True)
class Streams:
    """The generators of one study, by round and name of what they are for."""

    seed: int

    def __call__(self, round: int, stream: str) -> np.random.Generator:
        """The generator of `stream` in `round`."""
        return keyed(self.seed, round, stream)

    def integer(self, round: int, stream: str) -> int:
        """A whole number below 2³², for libraries that want a seed."""
        return int(self(round, stream).integers(2**32))
