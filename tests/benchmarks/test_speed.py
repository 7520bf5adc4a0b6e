"""The harness of the speed tables, and each wing's cases at sizes that take no time. No time is judged."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import speed
from benchmarks.causal import speed as causal
from benchmarks.costvarying import rivals
from benchmarks.costvarying import speed as costvarying
from benchmarks.costvarying.problems import World
from benchmarks.meanfield import speed as meanfield
from benchmarks.timevarying import speed as timevarying

FIELDS = {"name", "ours_ms", "rival_ms", "ratio", "bar", "value_gap"}
RESULTS = Path(__file__).parents[2] / "docs" / "results"


def check(rows: list[speed.Row], **some: Any) -> None:
    for row in rows:
        assert row.keys() >= FIELDS
        assert row["ours_ms"] > 0
        if row["rival_ms"] is not None:
            assert row["ratio"] == pytest.approx(row["rival_ms"] / row["ours_ms"])


def test_medians_of_sides_that_run_by_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, turns = [0.0], []
    monkeypatch.setattr("time.process_time", lambda: clock[0])

    def side(name: str, *seconds: float) -> Any:
        def work(k: int) -> None:
            turns.append((name, k))
            clock[0] += seconds[k]

        return work

    assert speed.medians(side("ours", 1, 9, 2), side("rival", 5, 4, 4), repeats=3) == [2000.0, 4000.0]
    assert turns == [(name, k) for k in range(3) for name in ("ours", "rival")]


def test_the_table_is_written_after_each_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "results" / "bench.json"
    seen: list[Any] = []

    def first() -> list[speed.Row]:
        return [speed.row("first", 2.0, 100.0, bar=30.0, gap=1e-3)]

    def second() -> list[speed.Row]:
        seen.append(json.loads(out.read_text()))
        return [speed.row("second", 1.0, bar_ms=5.0)]

    tables = {"rows": {"one": first, "two": second}, "memory": {"three": lambda: [{"name": "third", "megabytes": 7}]}}
    monkeypatch.setattr(causal, "TABLES", tables)
    speed.main(["causal", "--out", str(out)])
    (begun,), done = seen, json.loads(out.read_text())
    assert [row["name"] for row in begun["rows"]] == ["first"]
    assert set(done) == {"machine", "rows", "memory"}
    assert set(done["rows"][0]) == FIELDS
    assert (done["rows"][0]["ratio"], done["rows"][1]["ratio"], done["rows"][1]["bar_ms"]) == (50.0, None, 5.0)
    assert capsys.readouterr().out.splitlines() == [
        "first: ours_ms 2, rival_ms 100, ratio 50, bar 30, value_gap 0.001",
        "second: ours_ms 1, bar_ms 5",
        "third: megabytes 7",
    ]


def test_some_cases_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(causal, "TABLES", {"rows": {c: lambda c=c: [speed.row(c, 1.0)] for c in ("a-1", "a-2", "b")}})
    speed.main(["causal", "--only", "a"])
    assert capsys.readouterr().out == "a-1: ours_ms 1\na-2: ours_ms 1\n"
    assert not list(tmp_path.iterdir()), "the published file keeps its other rows"
    with pytest.raises(SystemExit):
        speed.main(["causal", "--only", "c"])
    assert "a-1, a-2, b" in capsys.readouterr().err


@pytest.mark.parametrize("wing", speed.WINGS)
def test_every_wing_says_what_is_timed(wing: str) -> None:
    tables = import_module(f"benchmarks.{wing}.speed").TABLES
    published = json.loads((RESULTS / f"bench-{wing}.json").read_text())
    assert set(published) == {"machine", *tables}
    assert all(callable(work) for cases in tables.values() for work in cases.values())


def test_rows_of_causal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(causal, "find_spec", lambda name: None)
    check(rows := causal.rounds(8))
    assert [row["rival_ms"] for row in rows] == [None, None]


def test_rows_of_cost_varying(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SAMPLES", "EVALUATED", "SCALED"):
        monkeypatch.setattr(costvarying, name, 16)
    monkeypatch.setattr(rivals, "SCREENED", 4)
    monkeypatch.setattr(rivals, "STARTS", 1)
    check([row := costvarying.acquisition(World("hartmann"), 12, 2)])
    assert row["bar"] is None
    assert np.isfinite(row["value_gap"])


def test_rows_of_mean_field() -> None:
    check(rows := [*meanfield.run("swarm", 3, against=False), *meanfield.scaling(4, 50, 3)])
    assert rows[0]["default_ms"] > 0


@pytest.mark.parametrize("shared", [False, True])
def test_rows_of_time_varying(shared: bool) -> None:
    check(rows := timevarying.finite(3, 5, 10, shared, 2))
    assert len(rows) == 1 + shared
    assert rows[0]["value_gap"] < 1e-10
    check(timevarying.stream(20))
