"""Ctrl-C at any moment loses nothing."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from steerbo.core import OutcomeTold
from steerbo.study import DatabaseLog, MemoryLog, Study, resume, run_study
from tests.core.stub import Nearest, Stub, stub_case
from tests.study.files import (
    MEASURE,
    Watcher,
    function_study,
)


def test_ctrl_c_while_measuring_leaves_the_round_pending(tmp_path: Path) -> None:
    body = f"import os, signal\nif suggestion.round == 3:\n    os.kill(os.getpid(), signal.SIGINT)\n{MEASURE}"
    before = signal.getsignal(signal.SIGINT)
    study = function_study(tmp_path, body)
    assert study.objective is not None
    with resume(study, DatabaseLog(study.log), Watcher()) as going, pytest.raises(KeyboardInterrupt):
        run_study(going, going.session, study.objective, Watcher())
    assert signal.getsignal(signal.SIGINT) is before
    with resume(study, DatabaseLog(study.log), Watcher()) as again:
        assert (again.status.told, len(again.pending)) == (2, 1)
        assert again.ask() == again.pending[0], "offered again"


def test_ctrl_c_while_writing_waits_until_it_is_written() -> None:
    class Interrupting(MemoryLog):
        def append(self, event: Any, lease: Any = None) -> None:
            if isinstance(event, OutcomeTold):
                os.kill(os.getpid(), signal.SIGINT)
            super().append(event, lease)

    world = stub_case()
    optimizer = Study.create(Interrupting(), Stub(), Nearest, rounds=5)

    def objective(suggestion: Any) -> Any:
        return {"context": world.seen(suggestion)} if suggestion.observe else {"value": 1.0}

    with pytest.raises(KeyboardInterrupt):
        run_study(optimizer, optimizer.session, objective, Watcher())
    assert (optimizer.status.told, optimizer.status.rounds) == (1, 1), "told, and no further round was begun"
