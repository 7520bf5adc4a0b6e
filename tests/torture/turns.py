"""Workers whose method takes its time: how long one waits for a suggestion, and who gets how many."""

from __future__ import annotations

import json
import os
import random
import signal
import statistics
import time
from pathlib import Path
from typing import Any

from steerbo.search import sobol_points
from steerbo.study import Study
from tests.costvarying.worlds import PROBLEM
from tests.costvarying.worlds import case as cost_varying
from tests.torture.kills import in_child, world


def turns(
    place: str, folder: Path, *, workers: int, rounds: int, kills: int, seconds: float, evaluation: float = 0.0
) -> dict[str, Any]:
    """The same number of rounds by one worker, and by all of them at once, some of whom are killed.

    A Gaussian process with four variables chooses. Where evaluations take no time, all of them want to ask always.

    Args:
        place: of the log.
        folder: for notes of what each worker was given.
        workers: so many.
        rounds: so many, of one and of all together.
        kills: so many.
        seconds: limit of the whole.
        evaluation: seconds that one takes.

    Raises:
        AssertionError: a round was lost, or was out twice.
    """
    names = f"lone {evaluation:g}", f"crowd {evaluation:g}"
    lone = _played(place, names[0], folder, 1, rounds, 0, seconds, evaluation)
    crew = _played(place, names[1], folder, workers, rounds, kills, seconds, evaluation)
    return {
        "workers": workers,
        "an evaluation takes": evaluation,
        "rounds": rounds,
        "killed": kills,
        "lone": {name: lone[name] for name in ("rounds a second", "ask, median", "ask, worst")},
        "crowd": crew,
        "worst ask, in lone ones": round(crew["ask, worst"] / lone["ask, worst"], 2),
    }


def _played(
    place: str, name: str, folder: Path, workers: int, rounds: int, kills: int, seconds: float, evaluation: float
) -> dict[str, Any]:
    Study.create(place, PROBLEM, name=name, rounds=rounds).close()
    sobol_points(1, 1, seed=0)  # what a first choice imports takes as long as some rounds
    began, chance, killed = time.monotonic(), random.Random(3), 0
    crew: list[int] = []
    throughout: dict[int, Path] = {}  # workers that were there from the first round to the last

    def hire() -> None:
        file = folder / f"{name}-{len(crew) + killed}-of-{killed}.jsonl"
        crew.append(in_child(lambda: _work(place, name, file, evaluation)))
        if not killed:
            throughout[crew[-1]] = file

    for _ in range(workers):
        hire()
    with Study.open(place, PROBLEM, name=name) as watch:
        while crew:
            assert time.monotonic() - began < seconds, f"{watch.status} after {seconds} s"
            for child in list(crew):
                gone, code = os.waitpid(child, os.WNOHANG)
                if gone:
                    assert code == 0, f"a worker ended with {code}"
                    crew.remove(child)
            watch.refresh()
            if crew and killed < kills and watch.status.told > (killed + 1) * rounds / (kills + 2):
                victim = chance.choice(crew)
                os.kill(victim, signal.SIGKILL)
                os.waitpid(victim, 0)
                crew.remove(victim)
                throughout.pop(victim, None)
                killed += 1
                hire()
            time.sleep(0.05)
        took = time.monotonic() - began
        watch.refresh()
        tokens = [event.token for event in watch.events if event.kind == "asked"]
        told = [event.token for event in watch.events if event.kind == "told"]
        status = watch.status
    assert len(set(tokens)) == len(tokens) == status.rounds == rounds
    assert len(set(told)) == len(told) == status.told == rounds, "lost"
    files = list(folder.glob(f"{name}-*.jsonl"))
    played = [[json.loads(line) for line in file.read_text().splitlines()] for file in files]
    whole = [len(rounds) for file, rounds in zip(files, played, strict=True) if file in throughout.values()]
    handed = [token for each in played for token, _ in each]
    asks = [waited for each in played for _, waited in each]
    return {
        "rounds a second": round(rounds / took, 2),
        "ask, median": round(statistics.median(asks), 3),
        "ask, worst": round(max(asks), 3),
        "of a worker that was there throughout, least and most": [min(whole, default=0), max(whole, default=0)],
        "handed out again after a kill": len(handed) - len(set(handed)),
    }


def _work(place: str, name: str, file: Path, evaluation: float) -> None:
    case = cost_varying("cheap-first")
    measure = world(case)
    with Study.open(place, case.problem, name=name) as study, file.open("a") as asked:
        while True:
            began = time.perf_counter()
            suggestion = study.ask()
            waited = time.perf_counter() - began
            if suggestion is None:
                return
            asked.write(json.dumps([suggestion.token, waited]) + "\n")
            asked.flush()
            time.sleep(evaluation)
            study.tell(suggestion, **measure(suggestion))
