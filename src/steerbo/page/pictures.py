"""The pictures of a study's kind of problem, drawn; needs matplotlib (`pip install 'steerbo[plots]'`)."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO

from ..core import BaseStudy, Recommendation
from ..errors import SteerboError
from ..plots import Picture, pictures
from ..plots.drawing import save_figure

_DOTS, _PIXELS = 144, 96  # an inch, in the file and on the screen


@dataclass(frozen=True)
class Drawn:
    """A picture: its title, what is to be seen, PNG, and how wide it is meant; one that could not be drawn has no PNG.

    Its title then says why not.
    """

    title: str
    text: str = ""
    png: bytes = b""
    width: int = 0


def drawn(study: BaseStudy, advice: Recommendation) -> tuple[Drawn, ...]:
    """All of a study; in the place of each that cannot be made, such as where matplotlib is missing, a sentence."""
    found: list[Drawn] = []
    try:
        found.extend(map(_written, pictures(study, advice)))  # those before one that fails stay
    except SteerboError as error:
        found.append(Drawn(str(error)))
    return tuple(found)


def _written(picture: Picture) -> Drawn:
    """A picture as a PNG, or a sentence that says why there is none."""
    written = BytesIO()
    title, text = str(picture.title), str(picture.text)
    try:
        save_figure(picture.figure, written, format="png", dpi=_DOTS)
        width = round(_PIXELS * picture.figure.get_figwidth())
    except Exception as error:  # a figure of others, drawn at last: whatever matplotlib makes of it
        return Drawn(f"{title}: this picture could not be drawn ({type(error).__name__}: {error}).")
    return Drawn(title, text, written.getvalue(), width)
