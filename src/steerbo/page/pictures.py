"""The pictures of a study's kind of problem, drawn; needs matplotlib (`pip install 'steerbo[plots]'`)."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO

from ..errors import SteerboError
from ..plots import pictures
from ..plots.drawing import save_figure
from ..rounds import Reading, Recommendation

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


def drawn(study: Reading, advice: Recommendation) -> tuple[Drawn, ...]:
    """All of a study; of those that cannot be made, such as where matplotlib is missing, one that says so."""
    found = []
    try:
        for picture in pictures(study, advice):
            written = BytesIO()
            save_figure(picture.figure, written, format="png", dpi=_DOTS)
            width = round(_PIXELS * picture.figure.get_figwidth())
            found.append(Drawn(picture.title, picture.text, written.getvalue(), width))
    except SteerboError as error:
        found.append(Drawn(str(error)))
    return tuple(found)
