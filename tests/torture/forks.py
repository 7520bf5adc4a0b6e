"""fork with an open study: parent and children go on together; no round is out twice, and none is lost."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

from steerbo.core import Suggestion
from steerbo.study import Study
from tests.core.stub import Nearest, Stub, stub_case
from tests.torture.kills import in_child, world


def noted(file: Path, suggestion: Suggestion) -> None:
    """An evaluation that is over, in a file that many processes write."""
    opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(opened, f"{suggestion.token}\n".encode())
    os.close(opened)


def play(study: Study, evaluated: Path, rounds: int | None = None) -> None:
    """By hand, as people write it: ask, look, decide, tell."""
    measure = world(stub_case())
    while rounds is None or rounds > 0:
        suggestion = study.ask()
        if suggestion is None:
            return
        while suggestion.observe:
            suggestion = study.decide(suggestion, measure(suggestion)["context"])
        outcome = measure(suggestion)
        noted(evaluated, suggestion)
        study.tell(suggestion, **outcome)
        rounds = None if rounds is None else rounds - 1


def forks(place: str, name: str, folder: Path, children: int, rounds: int, again: int = 1) -> dict[str, Any]:
    """A study is opened, `children` are forked, and all play on, the parent too; `again` so often."""
    found: Counter[str] = Counter()
    for number in range(again):
        evaluated = folder / f"{name} {number}.evaluated"
        with Study.create(place, Stub(), Nearest, name=f"{name} {number}", rounds=rounds) as study:
            play(study, evaluated, 2)
            held = study.ask()
            crew = [in_child(lambda: play(study, evaluated)) for _ in range(children)]  # noqa: B023
            play(study, evaluated, rounds // (children + 1))
            for child in crew:
                _, code = os.waitpid(child, 0)
                assert code == 0, f"a child ended with {code}"
            while held.observe:
                held = study.decide(held, world(stub_case())(held)["context"])
            noted(evaluated, held)
            study.tell(held, **world(stub_case())(held))
            play(study, evaluated)
        with Study.open(place, Stub(), name=f"{name} {number}") as study:
            tokens = evaluated.read_text().split()
            told = [r.suggestion.token for r in study.history if r.state == "told"]
            found["rounds"] += study.status.rounds
            found["evaluated twice"] += len(tokens) - len(set(tokens))
            found["lost"] += len(set(tokens) - set(told)) + rounds - len(told)
    result = {"forks": children * again, **found}
    assert (found["evaluated twice"], found["lost"]) == (0, 0), result
    return result
