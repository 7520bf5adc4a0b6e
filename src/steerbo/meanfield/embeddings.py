"""How distributions are laid out, so that distances between them tell how different their payoffs may be."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from .features import Features

_RANGES = (0.3, 1.0, 3.0, 10.0)  # in median distances between cells
_SHARES = (0.9, 0.99)
_LEAST = 1e-12  # shares are kept above this where a slope would be infinite

Tables = Float[np.ndarray, "r C A"]


@dataclass(frozen=True, eq=False)
class Embedding:
    """φ(ξ): the shares, or their square roots (distances are Hellinger's), as they are or smoothed over a map.

    On a map distances are `√((φ − φ')ᵀ M (φ − φ'))` with `M = (1 − w) 1 + w T`, `T_ab = exp(−d_ab/r)`, d the distance
    of two cells: what a payoff says of one cell it then says of those beside it. The trace of M is that of 1.

    Args:
        name: in logs and explanations.
        root: whether square roots are taken.
        places: where the cells lie; None: no map.
        range: r, in median distances.
        share: w.
    """

    name: str
    root: bool = False
    places: Features | None = None
    range: float = 1.0
    share: float = 0.0

    @cached_property
    def _map(self) -> tuple[Float[np.ndarray, " A"], Float[np.ndarray, "A k"]] | None:
        """What every φ is multiplied by, and what all of them together are: side by side they give `φᵀ M φ'`."""
        if self.places is None:
            return None
        factor, rest = self.places.exponential(self.range)
        return np.sqrt(1 - self.share + self.share * rest), np.sqrt(self.share) * factor

    def __call__(self, tables: Tables) -> Float[np.ndarray, "r C D"]:
        """φ."""
        phi = np.sqrt(tables) if self.root else tables
        if self._map is None:
            return phi
        own, factor = self._map
        together = (phi.reshape(-1, phi.shape[-1]) @ factor).reshape(*phi.shape[:-1], -1)
        return np.concatenate([phi * own, together], axis=-1)

    def pull_back(self, by_phi: Float[np.ndarray, "r C D"], tables: Tables) -> Tables:
        """The gradient by the tables, from that by φ."""
        if self._map is not None:
            own, factor = self._map
            together = by_phi[..., len(own) :]
            joined = (together.reshape(-1, together.shape[-1]) @ factor.T).reshape(tables.shape)
            by_phi = by_phi[..., : len(own)] * own + joined
        return 0.5 * by_phi / np.sqrt(np.maximum(tables, _LEAST)) if self.root else by_phi


PLAIN, ROOT = Embedding("plain"), Embedding("root", root=True)


def on_map(places: Features | None) -> tuple[Embedding, ...]:
    """Square roots smoothed over a map as far, and as much, as may be; none without places.

    >>> len(on_map(None))
    0
    """
    if places is None:
        return ()
    return tuple(
        Embedding(f"map {reach:g} {share:g}", True, places, reach, share) for reach in _RANGES for share in _SHARES
    )
