"""What every picture shares: figures, colours, and texts of users as they wrote them."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from ..errors import InvalidOption, MissingExtra
from ..text import visible

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442", "#000000")
"""Okabe and Ito's: told apart by every eye."""
_LONGEST = 48


def new_figure(size: tuple[float, float], dpi: float) -> Any:
    """An empty matplotlib `Figure`, in inches.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "plots") from None
    return Figure(figsize=size, layout="constrained", dpi=dpi)


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
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"(?s)Glyph .* missing from (current )?font", category=UserWarning)
        shown.savefig(target, **how)


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
