"""A worker is heard of while it lives."""

from __future__ import annotations

import time
from typing import Any

from steerbo.core import Suggestion
from steerbo.study import MemoryLog, Study, run_study
from tests.core.stub import Nearest, Stub
from tests.study.processes import measure


def test_leases_are_renewed_while_a_run_lasts() -> None:
    study = Study.create(MemoryLog(), Stub(), Nearest, rounds=1, lease=0.3)
    ends: list[float] = []

    def slow(suggestion: Suggestion) -> Any:
        for _ in range(3000):
            (lease,) = study.log.leases().values()
            ends.append(lease.until or 0.0)
            if len(set(ends)) > 2:
                break
            time.sleep(0.02)
        return measure(suggestion)

    run_study(study, study.session, slow)
    assert len(set(ends)) > 2
