"""A short stream is measured as a long one is."""

from __future__ import annotations

from pathlib import Path

from benchmarks.runs import keep
from benchmarks.timevarying import stream


def test_marks_of_a_short_stream(tmp_path: Path) -> None:
    run = stream.run(("tempered-elimination", 310, 7))
    ((rounds, milliseconds, size, _),) = run["marks"]
    assert rounds == 300
    assert milliseconds > 0
    assert 10 < size < 3000
    keep(tmp_path / stream.KEPT, {"key": "tempered-elimination/10000/7", "marks": [*run["marks"], [1000, 0.5, 9, 1.0]]})
    assert "every seventh round fails" in stream.section(tmp_path / stream.KEPT)
