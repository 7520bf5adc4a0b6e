"""The pictures of a study's kind of problem as part of its page; needs matplotlib (`pip install 'steerbo[plots]'`)."""

from __future__ import annotations

import base64
import io
from html import escape

from ..errors import SteerboError
from ..plots import Picture, pictures
from ..plots.drawing import save_figure
from ..rounds import Reading, Recommendation

_DOTS, _PIXELS = 144, 96  # an inch, in the file and on the screen


def images(study: Reading, advice: Recommendation) -> str:
    """Titles and images as HTML; a sentence where they cannot be made, such as where matplotlib is missing."""
    try:
        return f'<div class="pictures">{"".join(map(_image, pictures(study, advice)))}</div>'
    except SteerboError as missing:
        return f"<h2>Picture</h2><p>{escape(str(missing))}</p>"


def _image(picture: Picture) -> str:
    written = io.BytesIO()
    save_figure(picture.figure, written, format="png", dpi=_DOTS)
    data = base64.b64encode(written.getvalue()).decode()
    width = round(_PIXELS * picture.figure.get_figwidth())
    shown = f'<img alt="{escape(picture.text)}" width="{width}" src="data:image/png;base64,{data}">'
    return f"<section><h2>{escape(picture.title)}</h2>{shown}</section>"
