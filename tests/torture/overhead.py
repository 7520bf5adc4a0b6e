"""What a round costs beside the evaluation and the choice, at 1000 rounds, beside Optuna's RDB on the same disk.

Both write to SQLite with `journal_mode = WAL` and `synchronous = FULL`, blocks interleaved; the median block of each
counts.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from steerbo.core import Choice, Explanation, Method, Problem, Recommendation, Scope
from steerbo.records import record
from steerbo.space import Float, Space
from steerbo.study import Study

ROUNDS, BLOCK = 1000, 25


@record
class Fixed(Problem):
    """Three variables."""

    minimize: bool = False
    kind: str = "fixed"

    @property
    def space(self) -> Space:
        return Space(tuple(Float(name, 0, 1) for name in "abc"))


class Constant(Method[Fixed, Any]):
    """Always the same: what is left is storage."""

    name: ClassVar[str] = "constant"
    solves = Fixed

    def choose(self, request: Mapping[str, Any]) -> Choice:
        return Choice(Scope(["a", "b", "c"]), {"a": 0.1, "b": 0.2, "c": 0.3})

    def recommend_at(self, context: Any) -> Recommendation:
        return Recommendation(Scope(["a", "b", "c"]), {})

    def explain(self) -> Explanation:
        return Explanation("")


OPTUNA = """
import sys, time, optuna, sqlalchemy
from optuna.storages import RDBStorage
optuna.logging.set_verbosity(optuna.logging.ERROR)

@sqlalchemy.event.listens_for(sqlalchemy.engine.Engine, "connect")
def prepare(connection, _):
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")

study = optuna.create_study(storage=RDBStorage(f"sqlite:///{sys.argv[1]}"), sampler=optuna.samplers.RandomSampler(0))
print("ready", optuna.__version__, flush=True)
for line in sys.stdin:
    start = time.perf_counter()
    for _ in range(int(line)):
        trial = study.ask()
        for name in "abc":
            trial.suggest_float(name, 0, 1)
        study.tell(trial, 1.0)
    print((time.perf_counter() - start) / int(line), flush=True)
"""


def overhead(folder: Path) -> dict[str, Any]:
    """Milliseconds a round, ours and Optuna's, over the last 10 of 40 blocks."""
    ours: list[float] = []
    theirs: list[float] = []
    with (
        subprocess.Popen(
            [sys.executable, "-c", OPTUNA, str(folder / "optuna.db")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as rival,
        Study.create(folder / "ours.db", Fixed(), Constant) as study,
    ):
        assert rival.stdin is not None
        assert rival.stdout is not None
        version = rival.stdout.readline().split()[-1]
        for _ in range(ROUNDS // BLOCK):
            start = time.perf_counter()
            for _ in range(BLOCK):
                study.tell(study.ask(), 1.0)
            ours.append((time.perf_counter() - start) / BLOCK)
            rival.stdin.write(f"{BLOCK}\n")
            rival.stdin.flush()
            theirs.append(float(rival.stdout.readline()))
        rival.stdin.close()
    start = time.perf_counter()
    with Study.open(folder / "ours.db", Fixed()) as again:
        assert again.status.told == ROUNDS
    reopened = time.perf_counter() - start
    ours_ms, rival_ms = (1000 * statistics.median(times[-10:]) for times in (ours, theirs))
    return json.loads(
        json.dumps(
            {
                "rounds": ROUNDS,
                "ours_ms": round(ours_ms, 3),
                "optuna_ms": round(rival_ms, 3),
                "optuna": version,
                "ratio": round(ours_ms / rival_ms, 3),
                "bar": 0.333,
                "reopen_1000_rounds_s": round(reopened, 3),
            }
        )
    )
