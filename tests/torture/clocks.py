"""Processes whose clocks are apart: none takes the round of another that lives on the same machine."""

from __future__ import annotations

import os
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

from steerbo.core import Suggestion
from steerbo.study import Study
from tests.core.stub import Nearest, Stub, stub_case
from tests.torture.forks import noted
from tests.torture.kills import in_child, world


def _work(place: str, evaluated: Path, ahead: float) -> None:
    measure = world(stub_case())

    def slowly(suggestion: Suggestion) -> Any:
        if not suggestion.observe:
            noted(evaluated, suggestion)
            time.sleep(0.2)
        return measure(suggestion)

    with Study.open(place, name="clocks", clock=lambda: time.time() + ahead) as study:
        study.run(slowly)


def clocks(place: str, folder: Path, rounds: int, ahead: tuple[float, ...] = (0.0, 120.0, -120.0)) -> dict[str, Any]:
    """A process with each of these clocks, so many seconds ahead, on one study."""
    evaluated = folder / "clocks.evaluated"
    Study.create(place, Stub(), Nearest, name="clocks", rounds=rounds).close()
    crew = [in_child(partial(_work, place, evaluated, seconds)) for seconds in ahead]
    for child in crew:
        assert os.waitpid(child, 0)[1] == 0
    times = Counter(evaluated.read_text().split())
    with Study.open(place, name="clocks") as study:
        found = {
            "seconds ahead": list(ahead),
            "rounds": study.status.told,
            "evaluated twice": times.total() - len(times),
        }
    assert (found["rounds"], found["evaluated twice"]) == (rounds, 0), found
    return found
