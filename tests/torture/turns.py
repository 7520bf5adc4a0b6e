"""Workers whose method takes its time: how long one waits for a suggestion, and who gets how many."""

from __future__ import annotations

import json
import statistics
import time
from pathlib import Path
from typing import Any

from steerbo.optim import sobol_points
from steerbo.study import Study
from tests.costvarying.worlds import PROBLEM
from tests.costvarying.worlds import case as cost_varying
from tests.torture.crew import spread, work_through
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
    began, files = time.monotonic(), dict[int, Path]()  # what each worker was given, by its process id

    def hire() -> int:
        file = folder / f"{name}-{len(files)}.jsonl"
        file.unlink(missing_ok=True)  # of the same study in another log
        worker = in_child(lambda: _work(place, name, file, evaluation))
        files[worker] = file
        return worker

    crew = [hire() for _ in range(workers)]
    with Study.open(place, PROBLEM, name=name) as watch:

        def so_far() -> int:
            watch.refresh()
            return watch.status.told

        killed = work_through(crew, hire, strikes=spread(so_far, rounds, kills), seconds=seconds)
        watch.refresh()
        took = time.monotonic() - began
        tokens = [event.token for event in watch.events if event.kind == "asked"]
        told = [event.token for event in watch.events if event.kind == "told"]
        status = watch.status
    assert len(set(tokens)) == len(tokens) == status.rounds == rounds
    assert len(set(told)) == len(told) == status.told == rounds, "lost"
    played = {
        worker: [json.loads(line) for line in file.read_text().splitlines()]
        for worker, file in files.items()
        if file.exists()  # who was killed at once was given nothing
    }
    whole = [len(played[worker]) for worker in crew if worker not in killed]
    handed = [token for each in played.values() for token, _ in each]
    asks = [waited for each in played.values() for _, waited in each]
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
