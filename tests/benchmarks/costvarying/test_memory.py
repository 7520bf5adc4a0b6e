"""Memory of one `ask`."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.costvarying.memory import asked


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads /proc")
def test_memory_is_measured() -> None:
    found = asked(20)
    assert set(found) == {"n", "megabytes", "first_ask_s", "later_ask_s"}
    assert found["n"] == 20
    assert found["megabytes"] >= 0
