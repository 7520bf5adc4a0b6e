"""Functions that no model of ours assumes: sums of bumps, ridges, kinks, steps, products and saturating curves.

None is a draw of a Gaussian process with a kernel that steerbo fits. Each is scaled so that its
standard deviation over the unit cube is 1, whatever its terms are: noise is said in these units.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from ..randomness import even_points, keyed

_POINTS = 4096  # that a function is scaled on

Points = Float[np.ndarray, "p d"]
Term = Callable[[Points], Float[np.ndarray, " p"]]


@dataclass(frozen=True, eq=False)
class Drawn:
    """`f(x) = (Σ a_m t_m(x) − shift) / scale` on the unit cube.

    Attributes:
        terms: t_m, of points (p, d).
        weights: a_m.
        shift: the mean, so that f has none. scale: the standard deviation, so that f has 1.
        kinds: what the terms are, for people.
    """

    terms: tuple[Term, ...]
    weights: Float[np.ndarray, " m"]
    shift: float
    scale: float
    kinds: tuple[str, ...]

    def value(self, x: Points) -> Float[np.ndarray, " p"]:
        """Without noise."""
        total = sum(weight * term(x) for weight, term in zip(self.weights, self.terms, strict=True))
        return np.asarray((total - self.shift) / self.scale)


def draw(
    seed: int, d: int, interaction: float, stream: str = "function", kinds: Sequence[str] = ()
) -> Drawn:
    """A function of d variables.

    Args:
        seed: of all that is drawn.
        d: how many variables there are.
        interaction: the share of terms that more than one variable enters; 0: effects add up.
        stream: tells functions of one seed apart.
        kinds: of the terms; default: all of `KINDS`.
    """
    random = keyed(seed, d, stream)
    importance = 10 ** random.uniform(-0.7, 0.0, d)  # weak effects stand beside strong ones
    names = list(kinds or KINDS)
    terms, weights, said = [], [], []
    for m in range(2 * d + 2):
        first = m % d if m < d else int(random.integers(d))
        several = d > 1 and random.random() < interaction
        others: Any = (
            random.permutation([j for j in range(d) if j != first])[
                : 1 + int(random.random() < 0.3)
            ]
            if several
            else []
        )
        chosen = np.array([first, *others], dtype=int)
        kind = names[int(random.integers(len(names)))]
        terms.append(KINDS[kind](random, chosen))
        weights.append(
            float(random.choice([-1.0, 1.0]) * random.uniform(0.5, 1.5) * importance[chosen].mean())
        )
        said.append(kind)
    at = even_points(_POINTS, d, 0)
    columns = np.array([term(at) for term in terms])
    sizes = columns.std(axis=1)
    scaled = np.array(weights) / np.where(sizes > 1e-3, sizes, 1e-3)
    total = scaled @ columns
    return Drawn(tuple(terms), scaled, float(total.mean()), float(total.std()), tuple(said))


def _bump(random: np.random.Generator, of: np.ndarray) -> Term:
    """A rational bump: its tails are heavy, its top is round."""
    centre, width = random.random(len(of)), random.uniform(0.12, 0.5, len(of))
    return lambda x: 1 / (1 + (((x[:, of] - centre) / width) ** 2).sum(axis=1))


def _tent(random: np.random.Generator, of: np.ndarray) -> Term:
    """A bump with an edge, 0 outside."""
    centre, width = random.random(len(of)), random.uniform(0.3, 0.8)
    return lambda x: np.maximum(1 - np.abs(x[:, of] - centre).sum(axis=1) / width, 0.0)


def _ridge(random: np.random.Generator, of: np.ndarray) -> Term:
    """A wave, or a cliff, along one direction."""
    direction = random.normal(size=len(of))
    direction /= np.linalg.norm(direction)
    middle, steep = float(random.random(len(of)) @ direction), random.uniform(2.0, 8.0)
    if random.random() < 0.5:
        return lambda x: np.tanh(steep * (x[:, of] @ direction - middle))
    return lambda x: np.sin(steep * (x[:, of] @ direction - middle))


def _kink(random: np.random.Generator, of: np.ndarray) -> Term:
    """A roof without a slope at its ridge, or a bend."""
    centre, slopes = random.uniform(0.15, 0.85, len(of)), random.uniform(0.3, 1.0, len(of))
    if random.random() < 0.5:
        return lambda x: np.abs(x[:, of] - centre) @ slopes
    return lambda x: np.maximum((x[:, of] - centre) @ slopes, 0.0)


def _step(random: np.random.Generator, of: np.ndarray) -> Term:
    """Two levels."""
    direction = random.uniform(0.3, 1.0, len(of)) * random.choice([-1.0, 1.0], len(of))
    middle = float(random.uniform(0.25, 0.75, len(of)) @ direction)
    return lambda x: (x[:, of] @ direction > middle).astype(float)


def _product(random: np.random.Generator, of: np.ndarray) -> Term:
    """Powers of variables, or of what lacks to 1, times each other."""
    powers, turned = random.uniform(0.5, 2.5, len(of)), random.random(len(of)) < 0.5
    return lambda x: (np.where(turned, 1 - x[:, of], x[:, of]) ** powers).prod(axis=1)


def _saturating(random: np.random.Generator, of: np.ndarray) -> Term:
    """What rises fast and then no more; with inhibition it falls again."""
    half, turned = random.uniform(0.05, 0.4), random.random(len(of)) < 0.5
    inhibited = random.uniform(0.5, 4.0) if random.random() < 0.5 else 0.0

    def term(x: Points) -> np.ndarray:
        total = np.where(turned, 1 - x[:, of], x[:, of]).mean(axis=1)
        return np.asarray(total / (half + total + inhibited * total**2))

    return term


KINDS: dict[str, Callable[[np.random.Generator, np.ndarray], Term]] = {
    "bump": _bump,
    "tent": _tent,
    "ridge": _ridge,
    "kink": _kink,
    "step": _step,
    "product": _product,
    "saturating": _saturating,
}
