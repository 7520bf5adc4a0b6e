"""Programs as objectives."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from steerbo.core import Scope, Suggestion
from steerbo.study import Command

SUGGESTION = Suggestion("3-ab", 3, Scope(["ph"]), {"ph": 6.5}, ("age",), {"weight": 70.0}, {"why": "curious"})


def python(folder: Path, code: str, timeout: float = 60.0) -> Command:
    (folder / "plant.py").write_text("import json, os, sys, time\n" + code)
    return Command([sys.executable, "plant.py"], folder, timeout)


def gone(process: int) -> bool:
    """Whether it has ended, or will within a minute: whoever adopts it may take a moment to bury it."""
    for _ in range(1200):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        state = Path(f"/proc/{process}/stat")
        if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.05)
    return False
