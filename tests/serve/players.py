"""Studies to serve, a client for them, and somebody who plays by forms."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
from starlette.testclient import TestClient

import steerbo as sb
from steerbo.core import Suggestion
from steerbo.serve import StudyPool, application
from steerbo.storage.keys import KeyRing
from steerbo.study import BY_HAND, Study
from steerbo.testing import Case
from tests.torture.kills import WINGS

OVEN = sb.CostVarying(
    [
        sb.Float("oven", 100, 200, law=sb.Uniform(), unit="°C"),
        sb.Float("speed", 0, 1, law=sb.Uniform()),
        sb.Float("weather", 0, 30, law=sb.Uniform(), seen=True, unit="°C"),
    ],
    [["oven"], ["oven", "speed"]],
    tolerance=sb.Absolute(0.1),
)
KINDS = [wing for wing in WINGS if wing != "stub in stages"]


def opener(place: Path) -> Callable[[], Study]:
    return lambda: Study.open(place, holder=BY_HAND, wait=5.0)


def oven(folder: Path, **limits: Any) -> Path:
    """A study of an oven that nobody has played."""
    place = folder / "oven.db"
    Study.create(place, OVEN, "random", **{"budget": 20.0, "seed": 1, **limits}).close()
    return place


def of_kind(folder: Path, wing: str, rounds: int = 6) -> tuple[Path, Case]:
    """A study of this kind, and the world that it is played in."""
    case, _ = WINGS[wing]
    place = folder / "study.db"
    Study.create(place, case.problem, case.method, rounds=rounds, seed=7, options=case.options).close()
    return place, case


@contextmanager
def served(place: Path, *, keyed: bool = False, name: str = "oven") -> Iterator[TestClient]:
    """A client of an application that serves this study."""
    app = application(StudyPool({name: (str(place), opener(place))}, keyed))
    with TestClient(app, "http://localhost", raise_server_exceptions=False, follow_redirects=False) as client:
        yield client


def key_for(place: Path, may: str, name: str = "ann", study: str = "study") -> str:
    ring = KeyRing(place)
    try:
        return ring.create(study, name, may)[1]
    finally:
        ring.close()


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


class Person:
    """Reads the page, fills in its forms, and sends them."""

    def __init__(self, client: TestClient, name: str = "oven", languages: str = "en") -> None:
        self.client, self.name, self.headers = client, name, {"Accept-Language": languages}
        self.read()

    def read(self) -> str:
        answer = self.client.get(f"/page/{self.name}", headers=self.headers)
        assert answer.status_code == 200, answer.text
        self.text: str = answer.text
        return self.text

    @property
    def open(self) -> list[str]:
        """Tokens of the rounds that are out."""
        return re.findall(r'id="round-([^"]+)"', self.text)

    def hidden(self) -> dict[str, str]:
        (form,) = set(re.findall(r'name="form" value="([0-9a-f]+)"', self.text))
        rounds = re.search(r'name="rounds" value="(\d+)"', self.text)
        return {"form": form, "rounds": rounds[1] if rounds else ""}

    def send(self, path: str, **fields: Any) -> Any:
        answer = self.client.post(f"/page/{self.name}/{path}", data={**self.hidden(), **fields}, headers=self.headers)
        if answer.status_code == 303:
            self.read()
        return answer

    def fields(self, path: str) -> list[str]:
        """Names of what can be filled in, in the form that goes there."""
        form = re.search(rf'action="[^"]*{re.escape(path)}">(.*?)</form>', self.text, re.S)
        assert form is not None, path
        return [unescape(name) for name in re.findall(r'name="([^"]+:[^"]+|value|cost)"', form[1])]

    def play(self, case: Case) -> None:
        """A whole round by forms."""
        if not self.open:
            request = case.request(len(self.rounds()) + 1)
            asked = {f"ask:{name}": _text(x) for name, x in request.items() if name != "context"}
            seen = {f"seen:{name}": _text(x) for name, x in request.get("context", {}).items()}
            assert self.send("ask", **asked, **seen).status_code == 303
        token = self.open[0]
        while (suggestion := self.suggestion(token)).observe:
            looked = {f"context:{name}": _text(x) for name, x in case.seen(suggestion).items()}
            assert set(looked) == set(self.fields(f"{token}/decide"))
            assert self.send(f"rounds/{token}/decide", **looked).status_code == 303
        outcome = case.outcome(suggestion)
        realised = {f"realised:{name}": _text(x) for name, x in (outcome.get("realised") or {}).items()}
        given = {"value": _text(outcome["value"]), "cost": _text(outcome["cost"]), **realised}
        answer = self.send(f"rounds/{token}/tell", **given)
        assert answer.status_code == 303, re.findall(r"(?s)<ul class=.wrong.*?</ul>", answer.text)

    def rounds(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.client.get(f"/v1/studies/{self.name}/rounds").json()["rounds"]
        return found

    def suggestion(self, token: str) -> Suggestion:
        (plain,) = [each for each in self.rounds() if each["token"] == token]
        names = ("token", "round", "values", "scope", "observe", "context")
        kept = {name: plain[name] for name in names if name in plain}
        return Suggestion(**{**kept, "scope": sb.core.Scope(**kept["scope"])})


def _text(value: Any) -> str:
    return str(value) if isinstance(value, str | float | int | np.floating) else json.dumps(value)
