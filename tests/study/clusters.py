"""A study whose objective runs on a cluster."""

from __future__ import annotations

import os
import signal
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any

from steerbo.core import Suggestion
from steerbo.errors import ObjectiveFailure
from steerbo.study import MemoryLog, Study
from tests.core.stub import Nearest, Stub
from tests.study.processes import measure


def dangerous(mark: Path, suggestion: Suggestion) -> Any:
    """Takes its worker down once, and breaks in another round."""
    if suggestion.round == 4 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if suggestion.round == 6:
        raise ObjectiveFailure("the pump broke")
    return measure(suggestion)


def play(executor: Executor, mark: Path) -> None:
    study = Study.create(MemoryLog(), Stub(), Nearest, rounds=12)
    study.run(partial(dangerous, mark), executor=executor, parallel=4)
    assert mark.exists(), "a worker was killed"
    assert study.pending == ()
    assert [r.outcome.value if r.outcome else None for r in study.history] == [
        None if number == 6 else 1.0 / number for number in range(1, 13)
    ]
    (failure,) = (r.failure for r in study.history if r.failure)
    assert "the pump broke" in failure.reason
    assert len(failure.reason) < 300, "no foreign traceback"
