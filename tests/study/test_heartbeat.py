"""A worker is heard of while it lives."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from steerbo.core import Suggestion
from steerbo.study import MemoryLog, Study, run_study
from tests.core.stub import Nearest, Stub
from tests.study.processes import measure


@pytest.mark.parametrize("others", [0, 1])
def test_leases_are_renewed_while_a_run_lasts(others: int) -> None:
    """Also where another run of the same study ends meanwhile, in another thread."""
    study = Study.create(MemoryLog(), Stub(), Nearest, rounds=1 + others, lease=0.3)
    other = [threading.Thread(target=study.run, args=(measure,), kwargs={"rounds": 1}) for _ in range(others)]
    ends: list[float] = []

    def slow(suggestion: Suggestion) -> Any:
        while other:
            thread = other.pop()
            thread.start()
            thread.join()
        for _ in range(3000):
            (lease,) = study.log.leases().values()
            ends.append(lease.until or 0.0)
            if len(set(ends)) > 2:
                break
            time.sleep(0.02)
        return measure(suggestion)

    run_study(study, study.session, slow, rounds=1)
    assert len(set(ends)) > 2
