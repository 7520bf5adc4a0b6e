"""Shared drawing: figures at the width of a journal's column, colours with shapes, legends, texts.

Every text has a size of its own, 7 to 9 points, whatever matplotlib's settings are: a picture is
legible at 90 mm and at 180 mm. Legends stand below the axes, so that they cover nothing.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from textwrap import wrap
from typing import Any, Protocol, TypeVar

import numpy as np

from .._text import escape_unprintable
from ..core import BaseStudy, Problem, Recommendation
from ..errors import InvalidOption, InvalidProblem, MissingExtra
from ..space import Categorical

BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#D55E00",
    "#CC79A7",
    "#56B4E9",
)
YELLOW, BLACK = "#F0E442", "#000000"
GREY = "#8C8C8C"
COLOURS = (BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY, YELLOW, BLACK)
"""Colours of Okabe and Ito, told apart by every eye; pages and the terminal use them, too."""
SHAPES = "osD^vP*X"
"""Shapes of marks, in the order of the colours: a picture can be read without colour."""
HATCHES = ("", "////", "....", "\\\\\\\\", "xxxx", "++++", "----", "||||")
"""Patterns of areas, in the order of the colours."""

_Other = TypeVar("_Other")


def each_look(others: Sequence[_Other]) -> Iterator[tuple[str, _Other]]:
    """Pairs of a colour and a shape or pattern, without end: only after all combinations does one come again.

    >>> some = [pair for pair, _ in zip(each_look(HATCHES), range(64))]
    >>> len(set(some)), some[0] == (BLUE, HATCHES[0]), some[8] == (BLUE, HATCHES[1])
    (64, True, True)
    """
    turn = 0
    while True:
        for k, colour in enumerate(COLOURS):
            yield colour, others[(k + turn) % len(others)]
        turn += 1


def shades(problem: Problem, name: str) -> str:
    """A scale of colours for outcomes on which dark is good: that of this name, turned where smaller is better."""
    light_first = name == "Blues"  # from the smallest to the largest
    return name if light_first == (problem.sign > 0) else f"{name}_r"


MM = 1 / 25.4  # inches
COLUMN, PAGE = 90 * MM, 180 * MM
"""Widths in inches: one column of a journal, and two."""
TITLE, LABEL, SMALL = 9.0, 8.0, 7.0
"""Sizes of texts in points; none is smaller."""
_DPI = 200  # dots an inch of pictures without a size of their own
# characters of a text; of the objective, which "expected" may precede
_LONGEST, _LONGEST_VALUE = 48, 36
# of a legend; rows; characters of a line where they have to be broken
_COLUMNS, _ENTRIES, _BROKEN = 4, 6, 28
_SHARE = 0.97  # of a figure's width that several columns may fill
# points between a mark and its name; between a name and a line
_GAP, _FARTHER, _CLEAR = 2.5, 6.0, 1.5
_WORSE = 100.0  # how many points of lines it is as bad to cover as a mark
_LEAVES = 15.0  # and to leave the axes
_SAMPLES, _SHOWN_SAMPLES = 201, 25  # points of a curve; those that count
_WIDE = 4.7  # points of an axis that a letter of its label needs
_BESIDE = 0.8  # of the height that axes have before there is a legend


@dataclass(frozen=True)
class Picture:
    """A picture of a study, which is drawn when it is looked at.

    Args:
        title: its headline.
        text: a description for readers who cannot see it.
        source: a matplotlib `Figure`, or a function without arguments that draws one.
    """

    title: str
    text: str
    source: Any

    @cached_property
    def figure(self) -> Any:
        """The matplotlib `Figure`, drawn when this is first read where `source` is a function."""
        return self.source() if callable(self.source) else self.source


# -- whose picture, and in which words -------------------------------------------------------------


class DrawPictures(Protocol):
    """The signature of the function that `Problem.pictures` names; `study` is an `Optimizer` or a `Study`.

    It is called before anything is measured, too, and may yield nothing then. It reads, and never
    asks or tells.
    """

    def __call__(self, study: BaseStudy, advice: Recommendation, /) -> Iterable[Picture]:
        """Draw a study whose present recommendation is `advice`."""
        ...


P = TypeVar("P", bound=Problem)


def of_kind(optimizer: BaseStudy, kind: type[P]) -> P:
    """The problem of an optimizer, of this kind.

    Raises:
        InvalidProblem: it is of another kind.
    """
    if not isinstance(optimizer.problem, kind):
        raise InvalidProblem("optimizer.problem", optimizer.problem, f"a {kind.__name__} problem")
    return optimizer.problem


def value_words(study: BaseStudy, value: str = "") -> str:
    """Name and unit of the objective for a label of matplotlib; see `value_name`."""
    return words(value_name(study, value), _LONGEST_VALUE)


def value_name(study: BaseStudy, value: str = "") -> str:
    """Name and unit of the objective: as given, else as the study heads its column, else a causal target's name."""
    target = getattr(getattr(study.problem, "graph", None), "target", "value")
    return value or study.history.columns.get("value", target)


def money_words(study: BaseStudy, money: str = "", said: str = "cost of a round") -> str:
    r"""A label of costs, with their unit: as given, else as the study heads its column.

    >>> import steerbo as sb
    >>> optimizer = sb.Optimizer(sb.CostVarying([sb.Float("ph", 4, 8)], [["ph"]]))
    >>> money_words(optimizer, "EUR"), money_words(optimizer, "$", "money spent")
    ('cost of a round (EUR)', 'money spent (\\$)')
    """
    return words(money_name(study, money, said))


def money_name(study: BaseStudy, money: str = "", said: str = "cost of a round") -> str:
    """A label of costs as people wrote it; see `money_words`."""
    own = study.history.columns.get("cost", "")
    if not money and own:
        return own if said == "cost of a round" else f"{said}: {own}"
    return f"{said} ({money})" if money else said


def with_unit(problem: Problem, name: str, most: int = _LONGEST) -> str:
    """A variable's name with its unit, as a label of matplotlib: "temperature (°C)"."""
    return words(name_and_unit(problem, name), most)


def name_and_unit(problem: Problem, name: str) -> str:
    """A variable's name with its unit, as people wrote them."""
    unit = getattr(problem.space[name], "unit", "") if name in problem.space.names else ""
    return f"{name} ({unit})" if unit else name


# -- figures ---------------------------------------------------------------------------------------


def bare(*panels: Any) -> None:
    """Take the upper and the right edge away."""
    for axes in panels:
        axes.spines[["top", "right"]].set_visible(False)


def new_figure(size: tuple[float, float], dpi: float = _DPI) -> Any:
    """An empty matplotlib `Figure`, in inches, which notebooks show.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    return _figure_class()(figsize=size, layout="constrained", dpi=dpi)


@cache
def _figure_class() -> Any:
    """Matplotlib's `Figure`, but that notebooks show it also where pyplot was never imported."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "plots") from None

    class Shown(Figure):
        def _repr_png_(self) -> bytes:
            written = io.BytesIO()
            save_figure(self, written, format="png")
            return written.getvalue()

    return Shown


def on(ax: Any, height: float = 2.4) -> Any:
    """The given axes, or new ones of one column's width and `height` inches.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidOption: the value is no `Axes`.
    """
    if ax is None:
        return new_figure((COLUMN, height)).subplots()
    if not callable(getattr(ax, "errorbar", None)):
        raise InvalidOption(
            "ax", ax, "axes of matplotlib, or none", "plt.subplots() gives a figure and its axes."
        )
    return ax


def side_by_side(height: float = 2.9) -> tuple[Any, Any, Any]:
    """A figure two columns wide, and its two panels."""
    shown = new_figure((PAGE, height))
    left, right = shown.subplots(1, 2)
    return shown, left, right


def styled(axes: Any) -> None:
    """Sizes of the texts of axes, which no setting of matplotlib changes, and no upper and right edge."""
    bare(axes)
    axes.title.set_size(TITLE)
    axes.tick_params(labelsize=SMALL)
    for axis, room in ((axes.xaxis, axes.bbox.width), (axes.yaxis, _BESIDE * axes.bbox.height)):
        axis.label.set_size(LABEL)
        axis.get_offset_text().set_size(SMALL)
        letters = max(int(room * 72.0 / axes.figure.dpi / _WIDE), 12)
        axis.set_label_text(
            "\n".join(_broken(line, letters) for line in axis.get_label_text().split("\n"))
        )
    if axes.get_xlabel() == "round":
        axes.xaxis.get_major_locator().set_params(integer=True)


def finished(axes: Any, rows: int = _ENTRIES) -> Any:
    """The axes with their style, and a legend of so many rows at most below, where marks are to be told apart."""
    styled(axes)
    if axes.get_legend_handles_labels()[0]:
        if isinstance(axes.figure, _figure_class()) and not axes.figure.legends:
            legend_below(axes.figure, axes, rows=rows)
        elif not isinstance(axes.figure, _figure_class()):
            _legend_under(axes)
    return axes


def _broken(text: str, letters: int) -> str:
    """Wrap a label to a number of letters a line, so that it is no longer than its axis."""
    return text if len(text) <= letters else "\n".join(wrap(text, letters))


def colour_bar(axes: Any, marks: Any, label: str, problem: Problem | None = None) -> None:
    """A scale of colours to the right of axes; of outcomes of a problem, with its good end marked."""
    bar = axes.figure.colorbar(marks, ax=axes, pad=0.02)
    bar.set_label(label, size=LABEL)
    bar.ax.tick_params(labelsize=SMALL)
    bar.ax.yaxis.get_offset_text().set_size(SMALL)
    bar.outline.set_visible(False)
    if problem is not None:
        mark_good(bar, problem)


def mark_good(bar: Any, problem: Problem) -> None:
    """Mark the good end of a scale of colours."""
    place, side = (1.01, "bottom") if problem.sign > 0 else (-0.01, "top")
    bar.ax.text(0.5, place, "good", size=SMALL, ha="center", va=side, transform=bar.ax.transAxes)


def stacked(
    axes: Any, rounds: Sequence[int], heights: Any, names: Sequence[str], colours: Sequence[str]
) -> None:
    """Heights (k, n) of n rounds, one upon the other, each as wide as its round; patterns repeat the colours."""
    if rounds:
        edges = np.append(np.array(rounds) - 0.5, rounds[-1] + 0.5)
        levels = [np.append(line, line[-1]) for line in heights]
        layers = axes.stackplot(
            edges, *levels, labels=names, colors=list(colours), step="post", alpha=0.85
        )
        for layer, (_, hatch) in zip(layers, each_look(HATCHES), strict=False):
            layer.set(hatch=hatch, edgecolor="white", linewidth=0.3)


def texts_at_right(axes: Any, texts: Sequence[str]) -> Any:
    """A text at the right of each row; returns their axis."""
    right = axes.secondary_yaxis("right")
    right.set_yticks(range(len(texts)), texts)
    right.tick_params(length=0, labelsize=SMALL)
    right.spines[:].set_visible(False)
    return right


# -- axes of a variable ----------------------------------------------------------------------------


def places_on(variable: Any, values: Sequence[Any]) -> list[float]:
    """Places of a variable's values on its axis: numbers where they are, categories in their order."""
    if isinstance(variable, Categorical):
        choices = [str(choice) for choice in variable.choices]
        return [float(choices.index(str(value))) for value in values]
    return [float(value) for value in values]


def scale_axis(axis: Any, variable: Any) -> None:
    """Scale an axis as its variable is: logarithmic, or with the names of a category's choices."""
    if isinstance(variable, Categorical):
        choices = [wrapped(str(choice), 12) for choice in variable.choices]
        axis.set_ticks(range(len(choices)), choices)
    elif is_log(variable):
        axis.axes.set(**{f"{axis.axis_name}scale": "log"})


def is_log(variable: Any) -> bool:
    """Whether a variable is on a logarithmic scale."""
    return getattr(variable, "scale", "linear") == "log"


# -- names beside marks ----------------------------------------------------------------------------

Box = tuple[float, float, float, float]
"""Left, bottom, right and top, in points."""


def name_beside(
    axes: Any,
    texts: Mapping[tuple[float, float], str],
    sizes: Sequence[float],
    lines: Sequence[Any] = (),
    always: bool = True,
) -> None:
    """Write names beside marks, on that side where each covers least.

    Args:
        axes: whose limits are set.
        texts: names by place.
        sizes: diameters of all marks in points, in the order of `texts`; those of more marks come
            with their places.
        lines: points of lines that names should not cover, (s, 2) each, in points.
        always: whether a name is written even where it covers another name or a mark.
    """
    from matplotlib.patheffects import withStroke

    scale = 72.0 / axes.figure.dpi
    inside: Box = tuple(axes.bbox.padded(2.0).extents * scale)
    at = [axes.transData.transform(place) * scale for place in texts]
    taken: list[Box] = [_around(x, y, size, size) for (x, y), size in zip(at, sizes, strict=True)]
    halo = [withStroke(linewidth=2, foreground="white")]
    for (place, name), (x, y), size in zip(texts.items(), at, sizes, strict=True):
        if not name:
            continue
        text = axes.annotate(
            name, place, (0, 0), textcoords="offset points", fontsize=SMALL, zorder=6
        )
        text.set_path_effects(halo)
        with _boxes():
            box = text.get_window_extent()
        width, height = box.width * scale, box.height * scale

        def covers(
            side: tuple[float, float],
            x: float = x,
            y: float = y,
            w: float = width,
            h: float = height,
        ) -> float:
            box = _around(x + side[0], y + side[1], w, h)
            return _covered(box, taken, lines) + _leaves(box, inside)

        found = min(_sides(size / 2 + _GAP, width, height), key=covers)
        if not always and covers(found) >= _WORSE:
            text.remove()
            continue
        text.set(ha="center", va="center", position=found)
        taken.append(_around(x + found[0], y + found[1], width, height))


def _sides(near: float, width: float, height: float) -> list[tuple[float, float]]:
    """Possible centres of a text about its mark, best first: below, above, beside, aslant, farther."""
    w, h = width / 2, height / 2
    sides = [(0.0, -near - h), (0.0, near + h), (near + w, 0.0), (-near - w, 0.0)]
    sides += [(i * (w + 0.6 * near), j * (h + 0.6 * near)) for i in (1, -1) for j in (-1, 1)]
    farther = [
        (_farther(x, step), _farther(y, step))
        for step in (1, 2, 3)
        for x, y in (*sides[:2], *sides[4:])
    ]
    return [*sides, *farther]


def _farther(distance: float, step: int) -> float:
    return distance + math.copysign(step * _FARTHER, distance) if distance else 0.0


def _around(x: float, y: float, width: float, height: float) -> Box:
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _leaves(box: Box, inside: Box) -> float:
    """Penalty of a text that leaves the axes there: above them is a title, beside them there may be room."""
    beside = box[0] < inside[0] or box[2] > inside[2]
    return _LEAVES * (box[1] < inside[1] or box[3] > inside[3]) + 2.0 * beside


def _covered(box: Box, taken: Sequence[Box], lines: Sequence[Any]) -> float:
    """Penalty of the points of lines, and far larger of marks and texts, that a text there would cover."""
    left, bottom, right, top = box
    others = sum(left < c and a < right and bottom < d and b < top for a, b, c, d in taken)
    left, bottom, right, top = left - _CLEAR, bottom - _CLEAR, right + _CLEAR, top + _CLEAR
    points = sum(
        int(
            (
                (line[:, 0] > left)
                & (line[:, 0] < right)
                & (line[:, 1] > bottom)
                & (line[:, 1] < top)
            ).sum()
        )
        for line in lines
    )
    return _WORSE * others + points * _SHOWN_SAMPLES / _SAMPLES


def curve(axes: Any, start: tuple[float, float], end: tuple[float, float], bend: float) -> Any:
    """Points (s, 2), in points, of an arrow of matplotlib with the style `arc3`; see `arc`."""
    scale = 72.0 / axes.figure.dpi
    a, b = (axes.transData.transform(place) * scale for place in (start, end))
    return arc(a, b, bend)


def arc(start: Any, end: Any, bend: float) -> Any:
    """Points (s, 2) of a quadratic Bézier curve whose control point lies `bend` lengths of the chord beside its middle.

    >>> float(arc(np.array([0.0, 0.0]), np.array([2.0, 0.0]), 0.5)[:, 1].min())
    -0.5
    """
    dx, dy = end - start
    control = (start + end) / 2 + bend * np.array([dy, -dx])
    s = np.linspace(0.0, 1.0, _SAMPLES)[:, None]
    return (1 - s) ** 2 * start + 2 * s * (1 - s) * control + s**2 * end


# -- legends ---------------------------------------------------------------------------------------


def legend_below(shown: Any, *panels: Any, rows: int = _ENTRIES) -> None:
    """A legend below a figure, in as many columns as its labels leave room for; of very many labels the first.

    Args:
        shown: the figure.
        panels: the axes whose labels it has, each once; none given: the first axes.
        rows: most labels in a column.
    """
    named: dict[str, Any] = {}
    for axes in panels or shown.axes[:1]:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            named.setdefault(label, handle)
    handles, labels = list(named.values()), list(named)
    if not labels:
        return
    for columns in range(min(_COLUMNS, len(labels)), 0, -1):
        most = rows * columns
        made = shown.legend(
            handles[:most], labels[:most], loc="outside lower center", ncols=columns, **_looks()
        )
        if _width(made) <= _SHARE * shown.bbox.width:
            return
        if columns > 1:
            made.remove()
    _fit(made, shown.bbox.width)


def _legend_under(axes: Any) -> None:
    """A legend below axes that were given, under their labels."""
    from matplotlib.transforms import ScaledTranslation

    handles, labels = axes.get_legend_handles_labels()
    shown, spec = axes.figure, axes.get_subplotspec()
    room = shown.bbox.width / (spec.get_gridspec().ncols if spec is not None else 1)
    with _boxes():
        box = axes.xaxis.get_tightbbox(
            shown.canvas.get_renderer() if hasattr(shown.canvas, "get_renderer") else None
        )
    below = 0.3 if box is None else max((axes.bbox.y0 - box.y0) / shown.dpi, 0.0) + 0.05
    shift = axes.transAxes + ScaledTranslation(0, -below, shown.dpi_scale_trans)
    for columns in range(min(_COLUMNS, len(labels)), 0, -1):
        made = axes.legend(
            handles,
            labels,
            loc="upper center",
            bbox_to_anchor=(0.5, 0),
            bbox_transform=shift,
            ncols=columns,
            **_looks(),
        )
        if _width(made) <= _SHARE * room:
            return
    _fit(made, room)


def _looks() -> dict[str, Any]:
    looks: dict[str, Any] = {
        "frameon": False,
        "fontsize": SMALL,
        "markerscale": 0.8,
        "borderaxespad": 0.3,
    }
    return {**looks, "handlelength": 1.6, "columnspacing": 1.2, "handletextpad": 0.5}


def _width(legend: Any) -> float:
    with _boxes():
        return float(legend.get_window_extent().width)


def _fit(legend: Any, width: float) -> None:
    """Break the labels of a legend that is wider than its place: capitals take more room than one would think."""
    if _width(legend) > width:
        for label in legend.get_texts():
            label.set_text("\n".join(wrap(label.get_text(), _BROKEN)))


# -- texts -----------------------------------------------------------------------------------------


def wrapped(text: str, width: int, lines: int = 2, most: int = _LONGEST) -> str:
    r"""A user's text for a picture in a few lines of so many characters.

    >>> wrapped("clear at the weir, moving with the weather", 18)
    'clear at the weir,\nmoving with the…'
    """
    return "\n".join(wrap(words(text, most), width, max_lines=lines, placeholder="…"))


def words(text: str, most: int = _LONGEST) -> str:
    r"""A user's text for a picture: no formula, whatever dollars it has, one line, and no longer than fits.

    matplotlib leaves labels that begin with an underscore out of legends: a space goes before it.

    >>> words("US$ or $x^"), words("_x"), words("a" * 60, 5)
    ('US\\$ or \\$x^', ' _x', 'aaaa…')
    """
    shown = escape_unprintable(text).replace("\n", " ").replace("\t", " ")
    shown = shown if len(shown) <= most else shown[: most - 1] + "…"
    return (" " if shown.startswith("_") else "") + shown.replace("$", r"\$")


def told_apart(names: Sequence[str], most: int) -> list[str]:
    """Shorten names, keeping them different: a common beginning is left out, or they are numbered.

    >>> told_apart(["hills of width 1, which move", "hills of width 2, which move"], 16)
    ['…1, which move', '…2, which move']
    >>> told_apart(["wide", "narrow"], 16)
    ['wide', 'narrow']
    """

    def cut(texts: Sequence[str]) -> list[str]:
        return [text if len(text) <= most else text[: most - 1] + "…" for text in texts]

    if len(set(cut(names))) == len(names) or len(set(names)) < len(names):
        return cut(names)
    alike = 0
    while len({name[: alike + 1] for name in names}) == 1:
        alike += 1
    shorter = cut(["…" + name[alike:] for name in names])
    if len(set(shorter)) == len(names):
        return shorter
    return [f"{k}: {text}"[:most] for k, text in enumerate(cut(names), 1)]


# -- files -----------------------------------------------------------------------------------------


def save_figure(shown: Any, target: Any, **how: Any) -> None:
    """Write a figure to a file or stream. Letters that the font lacks are boxes, without a warning for each."""
    # near the largest float some of the steps of ticks that matplotlib tries, and leaves, overflow
    with _boxes(), np.errstate(over="ignore", invalid="ignore"):
        shown.savefig(target, **how)


@contextmanager
def _boxes() -> Iterator[None]:
    """Letters that the font lacks are boxes."""
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", message=r"(?s)Glyph .* missing from (current )?font", category=UserWarning
        )
        yield


def save(shown: Any, path: Path | str) -> Path:
    """Write a matplotlib `Figure` to a file, making its folder; the suffix says the format. Return the path.

    Raises:
        InvalidOption: the file cannot be written.
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save_figure(shown, path)
    except (OSError, ValueError) as error:
        raise InvalidOption(
            "path", str(path), "a picture file that can be written", f"({error})"
        ) from None
    return path
