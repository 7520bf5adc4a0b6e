"""What every picture shares: figures, colours, and texts of users as they wrote them."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import wrap
from typing import Any, Protocol, TypeVar

import numpy as np

from ..errors import InvalidOption, InvalidProblem, MissingExtra
from ..rounds import Problem, Reading, Recommendation
from ..text import visible

BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9"
YELLOW, BLACK = "#F0E442", "#000000"
DARK_GREEN, LIGHT_GREEN = "#007A5A", "#3FC79A"  # for texts on white, on black
COLOURS = (BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY, YELLOW, BLACK)
"""Okabe and Ito's: told apart by every eye. Pages and the terminal have them, too."""
_LONGEST = 48
_COLUMNS, _ENTRIES, _BROKEN = 4, 6, 28  # of a legend; rows; characters of a line where they have to be broken
_SHARE = 0.9  # of a figure's width that several columns may fill


@dataclass(frozen=True)
class Picture:
    """A picture of a study.

    Args:
        title: its headline.
        text: a description of what is to be seen on it, for those who cannot see it.
        figure: a matplotlib `Figure`.
    """

    title: str
    text: str
    figure: Any


class DrawPictures(Protocol):
    """The signature of the function that `Problem.pictures` names; `study` is an `Optimizer` or a `Study`.

    It is called before anything is measured, too, and may yield nothing then. It reads, and never asks or tells.
    """

    def __call__(self, study: Reading, advice: Recommendation, /) -> Iterable[Picture]:
        """Draw a study whose present recommendation is `advice`."""
        ...


P = TypeVar("P", bound=Problem)


def of_kind(optimizer: Reading, kind: type[P]) -> P:
    """The problem of an optimizer, of this kind.

    Raises:
        InvalidProblem: it is of another kind.
    """
    if not isinstance(optimizer.problem, kind):
        raise InvalidProblem("optimizer.problem", optimizer.problem, f"a {kind.__name__} problem")
    return optimizer.problem


def bare(*panels: Any) -> None:
    """Take the upper and the right edge away."""
    for axes in panels:
        axes.spines[["top", "right"]].set_visible(False)


def new_figure(size: tuple[float, float], dpi: float) -> Any:
    """An empty matplotlib `Figure`, in inches, which notebooks show.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    return _figure_class()(figsize=size, layout="constrained", dpi=dpi)


@cache
def _figure_class() -> Any:
    """Matplotlib's `Figure`, but that notebooks show it also where nobody has imported pyplot."""
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


def on(ax: Any) -> Any:
    """The axes to draw on: those that were given, or those of a figure of their own.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidOption: what was given is no `Axes`.
    """
    if ax is None:
        return new_figure((6.4, 4.2), dpi=130).subplots()
    if not callable(getattr(ax, "errorbar", None)):
        raise InvalidOption("ax", ax, "axes of matplotlib, or none", "plt.subplots() gives a figure and its axes.")
    return ax


def stacked(axes: Any, rounds: Sequence[int], heights: Any, names: Sequence[str], colours: Sequence[str]) -> None:
    """Heights (k, n) of n rounds, one upon the other, each as wide as its round."""
    if rounds:
        edges = np.append(np.array(rounds) - 0.5, rounds[-1] + 0.5)
        levels = [np.append(line, line[-1]) for line in heights]
        axes.stackplot(edges, *levels, labels=names, colors=list(colours), step="post", alpha=0.85)


def finished(axes: Any) -> Any:
    """The axes without upper and right edge, with a legend where there is something to tell apart."""
    bare(axes)
    if axes.get_xlabel() == "round":
        axes.xaxis.get_major_locator().set_params(integer=True)
    if axes.get_legend_handles_labels()[0]:
        made = axes.legend(framealpha=0.7, edgecolor="none", fontsize=8, markerscale=0.8)
        _fit(made, axes.figure.bbox.width)
    return axes


def panel(height: float = 3.8) -> tuple[Any, Any]:
    """A figure with one panel, legible on a telephone, and its axes."""
    shown = new_figure((5.6, height), dpi=130)
    return shown, shown.subplots()


def legend_below(shown: Any) -> None:
    """A legend below the panels, in as many columns as its labels leave room for; of very many labels the first."""
    handles, labels = shown.axes[0].get_legend_handles_labels()
    for columns in range(_COLUMNS, 0, -1):
        most = _ENTRIES * columns
        made = shown.legend(
            handles[:most], labels[:most], loc="outside lower center", ncols=columns, frameon=False, markerscale=0.8
        )
        if _width(made) <= _SHARE * shown.bbox.width:
            return
        if columns > 1:
            made.remove()
    _fit(made, shown.bbox.width)


def _width(legend: Any) -> float:
    with _boxes():
        return float(legend.get_window_extent().width)


def _fit(legend: Any, width: float) -> None:
    """Break the labels of a legend that is wider than its place: capitals take more room than one would think."""
    if _width(legend) > width:
        for label in legend.get_texts():
            label.set_text("\n".join(wrap(label.get_text(), _BROKEN)))


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
    shown = visible(text).replace("\n", " ").replace("\t", " ")
    shown = shown if len(shown) <= most else shown[: most - 1] + "…"
    return (" " if shown.startswith("_") else "") + shown.replace("$", r"\$")


def save_figure(shown: Any, target: Any, **how: Any) -> None:
    """Write a figure to a file or stream. Letters that the font lacks are boxes, without a warning for each."""
    with _boxes():
        shown.savefig(target, **how)


@contextmanager
def _boxes() -> Iterator[None]:
    """Letters that the font lacks are boxes."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"(?s)Glyph .* missing from (current )?font", category=UserWarning)
        yield


def save_file(shown: Any, path: Path) -> Path:
    """Write a figure to a file, making its folder; the suffix says the format.

    Raises:
        InvalidOption: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save_figure(shown, path)
    except (OSError, ValueError) as error:
        raise InvalidOption("path", str(path), "a picture file that can be written", f"({error})") from None
    return path
