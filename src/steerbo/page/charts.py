"""Charts of the page and the report.

They are drawn by the browser from marks placed in hundredths of width and height, in any size and
colour scheme. `steerbo.plots` draws the same numbers by matplotlib, for papers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..core import numeral
from ..plots.choices import look
from ..plots.drawing import COLOURS

_STEPS = (1.0, 2.0, 5.0, 10.0)  # of an axis, times a power of ten
_BELOW = 1e6  # times below its lower end a value still has a place on a logarithmic axis
_MOST_DOTS = 400  # more are no longer told apart


@dataclass(frozen=True)
class Mark:
    """Point or vertical line of a chart.

    Args:
        x, y: its place.
        text: what it is.
        kind: its role, for its colour and shape.
        radius: of a point, in pixels.
        name: written beside it.
    """

    x: str
    y: str
    text: str
    kind: str = "dot"
    radius: float = 4
    name: str = ""


# Outlines of marks about their middle, in pixels, by matplotlib's names of shapes.
_PATHS = {
    "o": "M6 0A6 6 0 1 1-6 0A6 6 0 1 1 6 0Z",
    "s": "M-5-5H5V5H-5Z",
    "D": "M0-7 7 0 0 7-7 0Z",
    "^": "M0-7 7 5H-7Z",
    "v": "M0 7-7-5H7Z",
    "P": "M-2-6H2V-2H6V2H2V6H-2V2H-6V-2H-2Z",
    "*": "M0-8 2-2 8-2 3 1 5 7 0 3-5 7-3 1-8-2-2-2Z",
    "X": "M-6-3-3-6 0-3 3-6 6-3 3 0 6 3 3 6 0 3-3 6-6 3-3 0Z",
}


@dataclass(frozen=True)
class Look:
    """Colour and shape of a mark: the number of the colour, and the path of its outline about the middle."""

    colour: int
    path: str

    @classmethod
    def of(cls, number: int) -> Look:
        """The look of this number, as in pictures of matplotlib.

        >>> Look.of(1)
        Look(colour=1, path='M-5-5H5V5H-5Z')
        """
        colour, shape = look(number)
        return cls(COLOURS.index(colour), _PATHS[shape])


@dataclass(frozen=True)
class Point:
    """A mark with bounds: place, text, look, and the ends of its lines; empty ends where it has none."""

    x: str
    y: str
    text: str
    look: Look
    left: str = ""
    right: str = ""
    top: str = ""
    bottom: str = ""
    chosen: bool = False


@dataclass(frozen=True)
class Curve:
    """One of several lines: its points, those round its band, number of its colour and dash, and name."""

    line: str
    band: str = ""
    number: int = 0
    name: str = ""


@dataclass(frozen=True)
class Shade:
    """A rectangle of a chart, in hundredths: place, size, and how good it is, from 0."""

    x: str
    y: str
    width: str
    height: str
    level: int


@dataclass(frozen=True)
class Chart:
    """A drawing; places are per cent from the left and from the top.

    Args:
        line: the points of a line.
        dots: outcomes.
        across, up: ticks of the axes, each with its number.
        along: the label of the horizontal axis.
        text: for readers who cannot see it.
        band: the points round an area; "" for none.
        marks: the labelled points: the best, the next.
        says: the meaning of line, band and dots.
        upward: name of the vertical axis, where it is no outcome.
        shades: outcomes in shades, behind all else.
        curves: several lines, each with its band.
        ends: the outcomes that the palest and the darkest shade stand for.
        points: marks with bounds.
        frontier: the points of a dashed line.
        good: the range of good enough values.
        square: whether it is as high as wide, as maps are.
    """

    line: str
    dots: tuple[Mark, ...]
    across: tuple[tuple[str, str], ...]
    up: tuple[tuple[str, str], ...]
    along: str
    text: str
    band: str = ""
    marks: tuple[Mark, ...] = ()
    says: str = ""
    upward: str = ""
    shades: tuple[Shade, ...] = ()
    curves: tuple[Curve, ...] = ()
    ends: tuple[str, str] = ("", "")
    points: tuple[Point, ...] = ()
    frontier: str = ""
    good: Shade | None = None
    square: bool = False


@dataclass(frozen=True)
class Crowd:
    """A table of numbers with bars: agents by action and context, or shares by scope.

    Args:
        title: heading of the rows.
        heads: a column each: contexts or actions, or the thing counted.
        rows: name, and for each column the text, the length of its bar, and the place of its upper
            limit.
        limited: whether anything is.
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[str, str, str], ...]], ...]
    limited: bool


@dataclass(frozen=True)
class Axis:
    """Scale of an axis: from values to places.

    Args:
        low, high: values at the ends.
        rising: whether larger values are at the top, not at the right.
        log: whether equal distances are equal ratios; `low` is above 0.
    """

    low: float
    high: float
    rising: bool = False
    log: bool = False

    def __call__(self, value: float) -> float:
        """The place of a value in hundredths, no further outside than a whole width."""
        low, high = self.low, self.high
        if self.log:
            low, high, value = (math.log(max(x, self.low / _BELOW)) for x in (low, high, value))
        share = (value - low) / (high - low) if high > low else 0.5
        share = min(max(share, -1.0), 2.0)
        return 100.0 * (1.0 - share if self.rising else share)

    def at(self, value: float) -> str:
        """The same as an attribute."""
        return f"{self(value):.2f}%"

    def ticks(self, most: int = 5) -> tuple[tuple[str, str], ...]:
        """Round values on the axis, with their places.

        >>> Axis(0.0, 10.0).ticks()
        (('0.00%', '0'), ('50.00%', '5'), ('100.00%', '10'))
        >>> Axis(0.1, 10.0, log=True).ticks()
        (('0.00%', '0.1'), ('50.00%', '1'), ('100.00%', '10'))
        """
        if self.log and (powers := log_ticks(self.low, self.high, most)):
            return tuple((self.at(value), numeral(value)) for value in powers)
        values = ticks(self.low, self.high, most)
        step = values[1] - values[0] if len(values) > 1 else 0.0
        return tuple((self.at(value), tick_text(value, step)) for value in values)


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round values between two, at most so many.

    >>> ticks(0.0, 10.0), ticks(1000.0, 1280.0), ticks(3.0, 3.0)
    ([0.0, 5.0, 10.0], [1000.0, 1100.0, 1200.0], [3.0])
    """
    if not (high > low and math.isfinite(high - low)):
        return [low] if math.isfinite(low) else []
    raw = (high - low) / max(most - 1, 1)
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(s * size for s in _STEPS if s * size >= raw * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    # of numbers that a float hardly tells apart several steps are one
    return [*dict.fromkeys(k * step for k in range(first, last + 1))]


def log_ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Powers of ten between two, every so many that they are few; where there is one, 1, 2 and 5 times them.

    >>> log_ticks(1e-6, 1e3), log_ticks(0.5, 30.0), log_ticks(2.1, 4.9)
    ([1e-06, 0.0001, 0.01, 1.0, 100.0], [1.0, 10.0], [])
    """
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    if last < first:
        return []
    if last == first:
        every = [s * 10.0**k for k in (first - 1, first) for s in (1.0, 2.0, 5.0)]
        return [x for x in every if low * (1 - 1e-9) <= x <= high * (1 + 1e-9)]
    step = math.ceil((last - first + 1) / most)
    return [float(f"1e{k}") for k in range(first, last + 1, step)]


def tick_text(value: float, step: float) -> str:
    """A tick's number, with the decimals of the step.

    >>> tick_text(0.30000000000000004, 0.1), tick_text(1500.0, 500.0), tick_text(2e12, 1e12)
    ('0.3', '1500', '2e+12')
    """
    if step <= 0 or abs(value) >= 1e7 or step < 1e-5:
        return numeral(value, step=step)
    decimals = max(-math.floor(math.log10(step) + 1e-9), 0)
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def points(xs: Iterable[float], ys: Iterable[float], across: Axis, up: Axis) -> str:
    """Values as the points of a line."""
    return " ".join(f"{across(x):.2f},{up(y):.2f}" for x, y in zip(xs, ys, strict=True))


def thinned(dots: Sequence[Mark], most: int = _MOST_DOTS) -> tuple[Mark, ...]:
    """Dots at places of their own; of very many some, the last ones among them."""
    apart = list({(dot.x, dot.y): dot for dot in dots}.values())
    if len(apart) <= most:
        return tuple(apart)
    step = len(apart) / most
    return tuple(apart[int((k + 1) * step) - 1] for k in range(most))
