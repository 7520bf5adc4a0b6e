"""Workers that tell, amend, add and import, killed at random moments: nothing acknowledged is lost, nothing doubled."""

from __future__ import annotations

import os
import random
import signal
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import steerbo as sb
from steerbo.core import DataAdded, OutcomeTold
from steerbo.errors import OutOfRangeWarning
from steerbo.study import Study
from steerbo.study.files.import_csv import import_csv
from tests.torture.kills import in_child

LINE = sb.CostVarying([sb.Float("x", 0, 1, law=sb.Uniform())], [["x"]])
_LINES = 30  # of a table, about the most
_LEASE = 60.0  # seconds, longer than any call: a worker that is killed is seen to be gone at once


class _Diary:
    """What a worker is about to do, and what was acknowledged; its successor reads what was left."""

    def __init__(self, file: Path) -> None:
        self.lines = [line.split() for line in file.read_text().splitlines()] if file.exists() else []
        self._file = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def write(self, *words: object) -> None:
        os.write(self._file, (" ".join(map(str, words)) + "\n").encode())

    @property
    def left(self) -> list[str]:
        """Words of what was begun and not acknowledged; none: all was."""
        return self.lines[-1][1:] if self.lines and self.lines[-1][0] == "begin" else []


def _do(study: Study, diary: _Diary, words: list[str]) -> None:
    """Do one thing, the same whenever it is done again."""
    diary.write("begin", *words)
    call, name, number = words[0], words[1], int(words[2])
    chance = random.Random(number)
    match call:
        case "tell":
            study.tell(name, number)
        case "amend":
            study.amend(name, number)
        case "add":
            study.add(number, {"x": chance.random()}, id=name)
        case "import":
            lines = [f"{name}-{k},{number + k},{chance.random():.6f}" for k in range(chance.randint(1, _LINES))]
            import_csv(study, "\n".join(["sample,value,x", *lines]), {"id": "sample"})
    diary.write("done", *words)


def _one_life(place: str, name: str, file: Path, who: str, seed: int) -> None:
    warnings.simplefilter("ignore", OutOfRangeWarning)  # values are drawn, whatever the settings are
    chance, diary = random.Random(seed), _Diary(file)
    with Study.open(place, name=name, lease=_LEASE) as study:
        if diary.left:
            try:
                _do(study, diary, diary.left)
            except sb.SteerboError:  # its round was another's meanwhile
                diary.write("refused", *diary.left)
        own: list[str] = []
        while True:
            number = chance.randrange(10**9)
            match chance.choice(["tell", "amend", "add", "import"]) if own else "tell":
                case "tell":
                    asked = study.ask()
                    assert asked is not None
                    _do(study, diary, ["tell", asked.token, str(number)])
                    own.append(asked.token)
                case "amend":
                    _do(study, diary, ["amend", chance.choice(own), str(number)])
                case call:
                    _do(study, diary, [call, f"{who}-{number}", str(number)])


def reporting(place: str, folder: Path, *, workers: int, kills: int, seconds: float, seed: int) -> dict[str, Any]:
    """Kill workers of one study so many times; each is replaced by one that does again what was not acknowledged.

    Raises:
        AssertionError: something acknowledged is not there, or something is there twice.
    """
    chance, name = random.Random(seed), f"reporting {workers} {seed}"
    Study.create(place, LINE, "random", name=name, seed=seed % 1000).close()
    files = [folder / f"{name} {who}" for who in range(workers)]

    def hire(who: int) -> int:
        life = chance.randrange(10**9)
        return in_child(lambda: _one_life(place, name, files[who], f"w{who}", life))

    crew, done, end = [hire(who) for who in range(workers)], 0, time.monotonic() + seconds
    while done < kills and time.monotonic() < end:
        who = chance.randrange(workers)
        if chance.random() < 0.8:  # often it has begun something
            _await_growth(files[who], 20.0)
        time.sleep(chance.uniform(0.0, 0.3))
        os.kill(crew[who], signal.SIGKILL)
        _, code = os.waitpid(crew[who], 0)
        assert code == signal.SIGKILL, f"a worker of {name} ended with {code}"
        crew[who], done = hire(who), done + 1
    for child in crew:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    diaries = [_Diary(file).lines for file in files]
    return {"workers": workers, "kills": done + workers, "seed": seed, **_compared(place, name, diaries)}


def _await_growth(file: Path, seconds: float) -> None:
    """Wait until a file is longer."""
    end, before = time.monotonic() + seconds, _size(file)
    while _size(file) == before and time.monotonic() < end:
        time.sleep(0.002)


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def _compared(place: str, name: str, diaries: list[list[list[str]]]) -> dict[str, Any]:
    """Count what was acknowledged, and what of it is lost or there twice."""
    with Study.open(place, name=name) as study:
        ids = Counter(event.id for event in study.events if isinstance(event, DataAdded))
        told = Counter(event.token for event in study.events if isinstance(event, OutcomeTold))
        values = {r.suggestion.token: r.outcome.value for r in study.history if r.outcome is not None}
    reports, lost = 0, 0
    for diary in diaries:
        amended = {words[2] for words in diary if words[1] == "amend"}
        for state, call, about, number in diary:
            if state != "done":
                continue
            reports += 1
            if call == "import":
                lost += sum(not ids[f"{about}-{k}"] for k in range(random.Random(int(number)).randint(1, _LINES)))
            elif call == "add":
                lost += not ids[about]
            elif call == "tell":
                lost += not told[about] or (about not in amended and values[about] != int(number))
    last = {words[2]: words for diary in diaries for words in diary if words[1] == "amend"}
    lost += sum(state == "done" and values[about] != int(number) for state, _, about, number in last.values())
    doubled = sum(count > 1 for count in (*ids.values(), *told.values()))
    assert (lost, doubled) == (0, 0), (name, lost, doubled)
    return {"reports": reports, "data": sum(ids.values()), "lost": lost, "doubled": doubled}
