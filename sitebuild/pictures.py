"""Pictures: figures that a block of a page ends with, and those in `docs/pictures/`, which are drawn once and kept.

`make pictures` (`python -m sitebuild.pictures`) draws the kept ones anew: each Python file's `draw()` as an SVG beside
it, and the page of a study as Chromium shows it.
"""

from __future__ import annotations

import base64
import contextlib
import html
import io
import random
import runpy
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import steerbo as sb
from tests.serve.browser import CHROMIUM, browser

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
WINDOW = 1280, 1130
"""Width and height of the picture of the page, in pixels."""


def shown(value: Any, text: str = "") -> str:
    """A matplotlib figure, or that of axes, as an image that needs no file; empty for everything else.

    >>> shown(3)
    ''
    """
    value = getattr(value, "figure", value)
    if not hasattr(value, "savefig"):
        return ""
    stream = io.BytesIO()
    value.savefig(stream, format="png", dpi=max(110, value.dpi), metadata={"Software": None})
    data = base64.b64encode(stream.getvalue()).decode()
    text = (
        text
        or "; ".join(title for axes in value.axes if (title := axes.get_title()))
        or "a picture of the study"
    )
    return f'<img alt="{html.escape(text)}" src="data:image/png;base64,{data}">'


def draw_all() -> None:
    """Write what every file's `draw()` draws beside it."""
    import matplotlib as mpl

    # the same bytes each time
    mpl.rcParams.update({"svg.hashsalt": "steerbo", "svg.fonttype": "path"})
    for file in sorted(PICTURES.glob("*.py")):
        figure = runpy.run_path(str(file))["draw"]()
        getattr(figure, "figure", figure).savefig(file.with_suffix(".svg"), metadata={"Date": None})


def photograph(file: Path) -> None:
    """Write what Chromium shows of the page that `steerbo serve` has for the greenhouse of the README.

    Raises:
        SystemExit: Chromium is not installed.
    """
    if CHROMIUM is None:
        raise SystemExit(
            "Chromium is needed for the picture of the page (Debian: apt-get install chromium)"
        )
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        study_file = Path(
            shutil.copy(
                PICTURES.parents[1] / "examples" / "greenhouse-by-hand" / "study.toml", folder
            )
        )
        subprocess.run([sys.executable, "-m", "steerbo", "new", str(study_file)], check=True)
        play(study_file.with_suffix(".db"))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        with (
            subprocess.Popen(
                [sys.executable, "-m", "steerbo", "serve", str(study_file), "--port", str(port)]
            ) as server,
            browser(Path(folder)) as chromium,
        ):
            _wait_for(f"http://127.0.0.1:{port}/healthz")
            tab = chromium.tab()
            tab.size(*WINDOW)
            tab.send("Emulation.setScrollbarsHidden", hidden=True)
            tab.open(f"http://127.0.0.1:{port}/")
            # these are drawn after the page is there
            tab.wait("!!document.querySelector('#learned svg')")
            tab.wait("document.querySelector('#progress').textContent.includes('Line:')")
            file.write_bytes(base64.b64decode(tab.send("Page.captureScreenshot")["data"]))
            server.terminate()


def _wait_for(address: str) -> None:
    for _ in range(240):
        with contextlib.suppress(OSError), urllib.request.urlopen(address):
            return
        time.sleep(0.5)
    raise SystemExit(f"no answer from {address}")


def play(log: Path) -> None:
    """Play some weeks of the greenhouse, and leave the next one open."""
    chance = random.Random(0)
    with sb.Study.open(log) as study:
        for _ in range(24):
            suggestion = study.ask()
            week = {
                "temperature": chance.gauss(22, 3),
                "ph": chance.uniform(4, 8),
                **suggestion.values,
            }
            kilograms = (
                10
                - (week["temperature"] - 26) ** 2 / 50
                - (week["ph"] - 6.5) ** 2
                + chance.gauss(0, 0.2)
            )
            study.tell(
                suggestion,
                round(kilograms, 1),
                realised={name: round(x, 1) for name, x in week.items()},
            )
        study.ask()


if __name__ == "__main__":
    draw_all()
    photograph(PICTURES / "page.png")
