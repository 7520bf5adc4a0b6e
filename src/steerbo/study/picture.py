"""The wing's own picture of a study, as part of its page; needs matplotlib (`pip install 'steerbo[plots]'`)."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from html import escape
from typing import Any

from ..errors import MissingExtra
from ..plots.drawing import save_figure
from ..rounds import Optimizer

_DOTS = 90  # an inch


def pictures(optimizer: Optimizer) -> str:
    """Titles and images as HTML; a sentence where matplotlib is missing, nothing where the wing has no picture."""
    try:
        return "".join(_image(title, text, shown) for title, text, shown in _figures(optimizer))
    except MissingExtra as missing:
        return f"<h2>Picture</h2><p>{escape(str(missing))}</p>"


def _figures(optimizer: Optimizer) -> Iterator[tuple[str, str, Any]]:
    """Title, what is to be seen, and the figure."""
    match optimizer.problem.kind:
        case "cost-varying":
            from ..plots import costvarying

            text = "What each control set would give for its price, with bounds, and every play"
            yield "Control sets", text, costvarying.figure(optimizer)
        case "time-varying":
            from ..plots import timevarying

            text = "What each round gave, and which prior was behind each choice; a cross where one was dropped"
            yield "Priors", text, timevarying.figure(optimizer)
        case "causal":
            from ..plots import causal

            text = "The causal graph: what is set in the recommended scope, and what is looked at before"
            yield "Recommended scope", text, causal.recommended_figure(optimizer)
            yield "Scopes", "Share of rounds of every scope, and what came of them", causal.figure(optimizer)
        case "mean-field":
            from ..plots import meanfield

            text = "Payoff of every round, and how the agents should spread"
            yield "Agents", text, meanfield.figure(optimizer)


def _image(title: str, text: str, shown: Any) -> str:
    written = io.BytesIO()
    save_figure(shown, written, format="png", dpi=_DOTS)
    data = base64.b64encode(written.getvalue()).decode()
    return (
        f'<h2>{escape(title)}</h2><div class="wide"><img alt="{escape(text)}" src="data:image/png;base64,{data}"></div>'
    )
