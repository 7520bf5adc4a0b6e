"""A folder with studies."""

from __future__ import annotations

from pathlib import Path

from steerbo.study import Study
from tests.serve.players import OVEN


def filled(place: Path | str) -> None:
    for name in ("north", "south"):
        with Study.create(place, OVEN, "random", name=name, seed=1) as study:
            asked = study.ask(context={"weather": 1.0})
            study.tell(asked, 1.0, cost=1.0, realised={"oven": 150.0, "speed": 0.5})
