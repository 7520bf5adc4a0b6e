"""Box to search in, functions to maximise, and result of a search.

Every coordinate of a box is continuous or has finitely many levels.

Coordinates are encoded numbers (unit intervals, codes of categories): the box knows nothing of
variables.

Quasi-random points: a Kronecker sequence, and Sobol points shifted by a seed.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from .._arrays import Bool, Float, Int
from ..errors import InvalidProblem, ModelFailure
from ..space import Space

Value = Callable[[Float[np.ndarray, "r *shape"]], Float[np.ndarray, " r"]]
"""Points `(r, …)` to their values `(r,)`."""

ValueAndGradient = Callable[
    [Float[np.ndarray, "r *shape"]], tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r *shape"]]
]
"""Points `(r, …)` to their values `(r,)` and gradients `(r, …)`."""

_LARGEST_BOUND = 1e300  # so that no width overflows
ENUMERATED = 8192
"""Points of a finite box that are all tried: an exchange of levels tries more of them, by turns."""
ROUNDING = 1e-12
"""Of a limit's size, or a coordinate's end: rounding error."""


@dataclass(frozen=True, eq=False)
class Box:
    """A product of intervals and finite sets of levels.

    Args:
        low: smallest value of each coordinate, `(d,)`.
        high: largest value of each coordinate, `(d,)`; `low == high` fixes a coordinate.
        levels: for each coordinate `None` (continuous) or the values it can take; nothing given:
            all continuous.
        unordered: `(d,)`, true where the levels are codes of categories, whose distances mean
            nothing.

    Raises:
        InvalidProblem: a bound or level that is not finite, out of order or outside the bounds, or
            a wrong length.

    >>> box = Box([0, 0], [1, 2], levels=[None, [0, 1, 2]], unordered=[False, True])
    >>> box.place(np.array([[0.5, 0.9]]))
    array([[0.5, 2. ]])
    """

    low: Float[np.ndarray, " d"]
    high: Float[np.ndarray, " d"]
    levels: tuple[Float[np.ndarray, " k"] | None, ...]
    unordered: Bool[np.ndarray, " d"]
    constrained: ClassVar[bool] = False
    """Whether more than the bounds restricts its points."""

    def __init__(
        self,
        low: ArrayLike,
        high: ArrayLike,
        levels: Sequence[ArrayLike | None] | None = None,
        unordered: ArrayLike | None = None,
    ) -> None:
        lows, highs = _frozen(low), _frozen(high)
        d = lows.size
        given = [None] * d if levels is None else list(levels)
        flags = np.zeros(d, dtype=bool) if unordered is None else np.array(unordered, dtype=bool)
        flags = flags.reshape(-1)
        flags.flags.writeable = False
        lengths = {"high": highs.size, "levels": len(given), "unordered": flags.size}
        for field, length in lengths.items():
            if length != d:
                raise InvalidProblem(
                    f"box.{field}", length, f"{d} entries, one for each entry of low"
                )
        for field, bounds in (("low", lows), ("high", highs)):
            if not (np.abs(bounds) <= _LARGEST_BOUND).all():
                raise InvalidProblem(
                    f"box.{field}",
                    bounds.tolist(),
                    f"finite numbers, none beyond ±{_LARGEST_BOUND:g}",
                )
        if (lows > highs).any():
            j = int(np.argmax(lows > highs))
            raise InvalidProblem(
                f"box.low[{j}]",
                float(lows[j]),
                f"at most high[{j}] = {highs[j]:g}",
                "Swap the two.",
            )
        object.__setattr__(self, "low", lows)
        object.__setattr__(self, "high", highs)
        object.__setattr__(
            self, "levels", tuple(_levels(j, lows[j], highs[j], k) for j, k in enumerate(given))
        )
        object.__setattr__(self, "unordered", flags)

    @property
    def dimension(self) -> int:
        """The number of coordinates, d."""
        return self.low.size

    @property
    def continuous(self) -> Bool[np.ndarray, " d"]:
        """True where a coordinate moves through an interval that is more than one point."""
        return np.array([k is None for k in self.levels], dtype=bool) & (self.high > self.low)

    @property
    def size(self) -> float:
        """Number of points of the box, infinite if any coordinate is continuous.

        >>> Box([0, 0], [2, 1], levels=[[0, 1, 2], [0, 1]]).size
        6.0
        """
        if self.continuous.any():
            return math.inf
        return float(math.prod(1 if k is None else k.size for k in self.levels))

    def place(self, unit: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        """Points of the unit cube, `(n, d)`, spread evenly over the box.

        The share of a level is as large as the gaps beside it; categories have equal shares.
        """
        points: Float[np.ndarray, "n d"] = np.minimum(
            self.low + unit * (self.high - self.low), self.high
        )
        for j, levels in enumerate(self.levels):
            if levels is not None:
                ends = self.level_ends(j)[1:-1]
                points[:, j] = levels[np.searchsorted(ends, unit[:, j], side="right")]
        return points

    def level_ends(self, j: int) -> Float[np.ndarray, " k+1"]:
        """Ends of the parts of the unit interval that `place` turns into the k levels of coordinate j, `(k + 1,)`.

        >>> Box([0], [4], levels=[[0, 1, 4]]).level_ends(0).round(3)
        array([0.   , 0.167, 0.5  , 1.   ])
        """
        at = self.levels[j]
        assert at is not None
        if self.unordered[j] or at.size == 1:
            at = np.arange(float(at.size))
        gaps = np.diff(at) if at.size > 1 else np.ones(1)
        before, after = np.append(gaps[:1], gaps), np.append(gaps, gaps[-1:])
        ends = np.append(0.0, np.cumsum((before + after)[: at.size]))
        # rounded: quasi-random points lie at simple fractions, where evenly spaced levels meet
        return np.asarray(np.round(ends / ends[-1], 12))

    def snap(self, points: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        """The nearest points of the box, `(n, d)`.

        >>> Box([0, 0], [1, 2], levels=[None, [0, 1, 2]]).snap(np.array([[7.0, 1.4]]))
        array([[1., 1.]])
        """
        snapped: Float[np.ndarray, "n d"] = np.clip(points, self.low, self.high)
        for j, levels in enumerate(self.levels):
            if levels is not None:
                snapped[:, j] = levels[nearest(levels, snapped[:, j])]
        return snapped

    @property
    def whole(self) -> Box:
        """The box without further restrictions."""
        return Box(self.low, self.high, self.levels, self.unordered) if self.constrained else self

    @property
    def reduced(self) -> Box | None:
        """The same without constraints that can be bounds; None: it is empty."""
        return self

    def allows(self, points: Float[np.ndarray, "n d"]) -> Bool[np.ndarray, " n"]:
        """Mark points within the bounds that satisfy all constraints, where there are any."""
        return np.asarray(
            ((points >= self.low - ROUNDING) & (points <= self.high + ROUNDING)).all(axis=1)
        )

    def into(self, point: Float[np.ndarray, " d"]) -> Float[np.ndarray, " d"]:
        """The point if it is allowed, else moved to where it is."""
        return point if self.allows(point[None])[0] else self.snap(point[None])[0]

    def grid(self) -> Float[np.ndarray, "n d"]:
        """All points of a finite box, `(size, d)`, the last coordinate running fastest."""
        axes = [self.low[j : j + 1] if k is None else k for j, k in enumerate(self.levels)]
        mesh = np.meshgrid(*axes, indexing="ij")
        return np.stack([m.ravel() for m in mesh], axis=-1) if mesh else np.empty((1, 0))


def nearest(levels: Float[np.ndarray, " k"], values: Float[np.ndarray, " n"]) -> np.ndarray:
    """The index of the level nearest to each value, the lower one of two equally near, `(n,)`.

    >>> nearest(np.array([0.0, 1.0, 2.0]), np.array([0.4, 1.5, 9.0]))
    array([0, 1, 2])
    """
    midpoints = levels[:-1] + (levels[1:] - levels[:-1]) / 2
    return np.searchsorted(midpoints, values)


def _frozen(values: ArrayLike) -> Float[np.ndarray, " n"]:
    array = np.array(values, dtype=np.float64).reshape(-1)
    array.flags.writeable = False
    return array


def _levels(
    j: int, low: float, high: float, given: ArrayLike | None
) -> Float[np.ndarray, " k"] | None:
    if given is None:
        return None
    levels = _frozen(np.unique(np.array(given, dtype=np.float64)))
    if not levels.size or not (
        np.isfinite(levels).all() and low <= levels[0] and levels[-1] <= high
    ):
        raise InvalidProblem(
            f"box.levels[{j}]", given, f"at least one number, all within {low:g} and {high:g}"
        )
    return levels


def box_of(
    space: Space, columns: Sequence[int], near: Mapping[str, tuple[float, float]] | None = None
) -> Box:
    """Build the encoded box of some columns of a space; `near` has encoded ends that cut a variable's own, by name.

    Levels at these ends are of the box, whatever rounding has made of the ends.

    >>> from steerbo.space import Integer
    >>> box_of(Space([Integer("pumps", 0, 6)]), [0], {"pumps": (1.0 - 2 * (1.0 - 5 / 6), 1.0)}).levels[0].round(3)
    array([0.667, 0.833, 1.   ])
    """
    ends = [(near or {}).get(space.names[d], (-np.inf, np.inf)) for d in columns]
    given = [space.variables[d].levels for d in columns]
    low, high = list[float](), list[float]()
    levels: list[Float[np.ndarray, " k"] | None] = []
    for every, (a, b) in zip(given, ends, strict=True):
        among = None if every is None else every[(a - ROUNDING <= every) & (every <= b + ROUNDING)]
        levels.append(among)
        low.append(max(0.0, a) if among is None else among[0])
        high.append(min(1.0, b) if among is None else among[-1])
    return Box(low, high, levels, space.categorical[list(columns)])


def kronecker(n: int, d: int, seed: int | None = None) -> Float[np.ndarray, "n d"]:
    """`n` points spread evenly in the unit cube: a Kronecker sequence (Roberts 2018), shifted at random by `seed`.

    >>> kronecker(3, 1).ravel().round(3)
    array([0.5  , 0.118, 0.736])
    """
    ratio = 2.0
    for _ in range(40):
        ratio = (1.0 + ratio) ** (1.0 / (d + 1))
    steps = ratio ** -np.arange(1, d + 1)
    start = (
        np.full(d, 0.5) if seed is None else np.random.Generator(np.random.Philox(seed)).random(d)
    )
    return np.asarray((start + np.outer(np.arange(n), steps)) % 1.0)


_COVERING = 64  # points for each dimension that cover a box
_CORNERS = 6  # dimensions at most of a box all of whose corners are among these


def with_corners(n: int, d: int) -> Float[np.ndarray, "g d"]:
    """Points spread evenly in the unit cube, n of them and its corners, where these are few, (g, d)."""
    ends = np.array([*product((0.0, 1.0), repeat=d)]) if d <= _CORNERS else np.zeros((1, d))
    return np.vstack([kronecker(n, d), ends])


def covering(box: Box) -> Float[np.ndarray, "g d"]:
    """Points that cover a box, its corners included where they are few, within its constraints, (g, d).

    >>> covering(Box([0.0], [1.0])).shape
    (66, 1)
    """
    points = box.place(with_corners(_COVERING * box.dimension, box.dimension))
    allowed = box.allows(points)
    return np.asarray(points[allowed]) if allowed.any() else points


_MOST_DIMENSIONS = 21201  # as far as the published direction numbers go
_BITS = 30  # of a coordinate: its digits in base two
# of eight tried, the one that leaves the smallest gaps in a square: smaller ones than a fresh
# scramble for each seed
SCRAMBLE = 6
SOBOL_FILE = Path(__file__).with_name("sobol.npy")
# of `sobol.npy`: columns, and the power of two that is its rows
KEPT_DIMENSIONS, KEPT_POWER = 32, 12


def sobol_points(n: int, dimension: int, seed: int) -> Float[np.ndarray, "n d"]:
    """The first `n` points of a scrambled Sobol sequence in the open unit cube, `(n, d)`, shifted digitally at random.

    The sequence is scrambled once and for all (Matoušek 1998; direction numbers of Joe & Kuo 2008);
    the seed's shift flips the same binary digits in every point, which keeps its balance and costs
    microseconds. Any `n` will do; powers of two are balanced best. The same seed gives the same
    points, and fewer points are the first of more.

    Raises:
        InvalidProblem: more dimensions than there are direction numbers.

    >>> sobol_points(3, 2, seed=0).shape
    (3, 2)
    """
    if dimension > _MOST_DIMENSIONS:
        raise InvalidProblem(
            "dimension", dimension, f"at most {_MOST_DIMENSIONS}", "Search over fewer variables."
        )
    if n < 1 or dimension == 0:
        return np.empty((max(n, 0), dimension))
    shift = np.random.Generator(np.random.Philox(seed)).integers(0, 2**_BITS, dimension)
    shifted: Float[np.ndarray, "n d"] = (
        (_digits((n - 1).bit_length(), dimension)[:n] ^ shift) + 0.5
    ) * 2.0**-_BITS
    return shifted


@functools.lru_cache(maxsize=32)
def _digits(power: int, dimension: int) -> Int[np.ndarray, "n d"]:
    """The scrambled sequence's first 2^power points, as whole numbers of `_BITS` binary digits.

    `sobol.npy` keeps the result of SciPy's scramble of them in up to `KEPT_DIMENSIONS`, since the
    import of `scipy.stats` is half of a command's time: the first point, and for each power the
    digits that its half of the points flips. Points come in the order of a reflected Gray code.
    """
    if power > KEPT_POWER or dimension > KEPT_DIMENSIONS:
        from scipy.stats import qmc  # slow to import, for large searches alone

        points = qmc.Sobol(dimension, scramble=True, bits=_BITS, seed=SCRAMBLE).random_base2(power)
        return (points * 2.0**_BITS).astype(np.int64)
    before = dimension * (dimension - 1) // 2
    first, *flips = _kept()[: power + 1, before : before + dimension]
    digits = first[None]
    for flip in flips:
        digits = np.concatenate([digits, digits[::-1] ^ flip])
    return digits


@functools.cache
def _kept() -> Int[np.ndarray, "powers columns"]:
    """The file `sobol.npy`, one block of columns a dimension; made by tests.optim.sobol_file."""
    return np.load(SOBOL_FILE).astype(np.int64)


def sobol_in_box(box: Box, n: int, seed: int) -> Float[np.ndarray, "n d"]:
    """`n` Sobol points of a box, `(n, d)`, levels included.

    >>> sobol_in_box(Box([0], [9], levels=[range(10)]), 4, seed=0).shape
    (4, 1)
    """
    return box.place(sobol_points(n, box.dimension, seed))


Screen = tuple[Float[np.ndarray, "p d"], Float[np.ndarray, " p"]]
"""Points `(p, d)` and values `(p,)`."""


@dataclass(frozen=True, eq=False)
class Maximum:
    """The best point found, and every local maximum behind it.

    Attributes:
        point: where the largest value was found, `(d,)` in a box, `(C, A)` on simplices.
        value: that value; `-inf` where no point is likely enough.
        points: the end of every restart, best first, `(r, …)`.
        values: their values, `(r,)`, `-inf` where no number was found.
        widest: of a bound, the deviation that those at the first points of a screen do not exceed,
            if there was one.
        screen: points that were tried before climbing, and their values; None: not all are known.
        margin: of the likeliest point, where none is likely enough: below 0.
    """

    point: Float[np.ndarray, "*shape"]
    value: float
    points: Float[np.ndarray, r * shape]
    values: Float[np.ndarray, " r"]
    widest: float = math.inf
    screen: Screen | None = None
    margin: float = 0.0

    @property
    def likely(self) -> bool:
        """Whether any point is likely enough."""
        return self.value > -math.inf

    @property
    def rank(self) -> tuple[float, float]:
        """The value, then the margin: of maxima none of which is likely enough the likeliest is largest."""
        return self.value, self.margin


def best_first(points: Float[np.ndarray, r * shape], values: Float[np.ndarray, " r"]) -> Maximum:
    """Sort restarts by value; ties keep their order.

    Raises:
        ModelFailure: no value is a finite number.

    >>> best_first(np.array([[0.0], [1.0]]), np.array([2.0, 3.0])).point
    array([1.])
    """
    values = finite(values)
    order = np.argsort(-values, kind="stable")
    points, values = points[order], values[order]
    if not values.size or values[0] == -np.inf:
        raise ModelFailure(
            f"the function to maximise is not a finite number at any of {values.size} points tried; "
            "check what was told for infinite or not-a-number values"
        )
    return Maximum(points[0], float(values[0]), points, values)


def finite(values: Float[np.ndarray, " r"]) -> Float[np.ndarray, " r"]:
    """Values with everything that is no finite number as `-inf`: nothing can be gained there.

    >>> finite(np.array([1.0, np.nan, np.inf]))
    array([  1., -inf, -inf])
    """
    return np.where(np.isfinite(values), values, -np.inf)
