"""The speed bench runs, at sizes that take no time, and writes what the documentation says. No time is judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.costvarying import speed
from benchmarks.costvarying.memory import asked
from benchmarks.costvarying.problems import World


def test_the_table_has_the_documented_shape(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(speed, "World", lambda _: World("hartmann"))  # airfoil needs data, which may not be at hand
    for name in ("SAMPLES", "EVALUATED"):
        monkeypatch.setattr(speed, name, 16)
    monkeypatch.setattr("benchmarks.costvarying.rivals.SCREENED", 4)
    monkeypatch.setattr("benchmarks.costvarying.rivals.STARTS", 1)
    out = tmp_path / "results" / "bench.json"
    speed.main(["--out", str(out), "--sizes", "12", "--memory"])
    written = json.loads(out.read_text())
    assert set(written) == {"machine", "rows", "memory"}
    (row,) = written["rows"]
    assert set(row) == {"name", "ours_ms", "rival_ms", "ratio", "bar", "value_gap"}
    assert row["ratio"] == pytest.approx(row["rival_ms"] / row["ours_ms"])
    assert row["bar"] is None
    assert "n = 12" in capsys.readouterr().out


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads /proc")
def test_memory_is_measured() -> None:
    found = asked(20)
    assert set(found) == {"n", "megabytes", "first_ask_s", "later_ask_s"}
    assert found["n"] == 20
    assert found["megabytes"] >= 0
