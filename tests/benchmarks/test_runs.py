"""Runs are kept and taken up again."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.meanfield.runner import Job, play
from benchmarks.runs import as_csv, command, fill, finished, main, page, play_missing


def test_finished_runs_are_not_played_again(tmp_path: Path) -> None:
    file = tmp_path / "new" / "runs.jsonl"
    wanted = {job.key: job for job in (Job("swarm", "random", seed, rounds=20) for seed in (0, 1))}
    (first, second) = wanted
    assert [run["key"] for run in play_missing({first: wanted[first]}, play, file, 1)] == [first]
    assert [run["key"] for run in play_missing(wanted, play, file, 1)] == [second]
    assert list(finished(file)) == [first, second]
    again = pytest.approx(play(wanted[first])["best"], rel=1e-8)
    assert finished(file)[first]["best"] == again, "a run depends on its job alone"


def test_a_command_plays_what_is_missing_and_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "kept.jsonl"
    file.write_text('{"key": "a/1", "value": 7}\n')
    monkeypatch.setattr("sys.argv", ["entrant", "--runs", str(file)])
    command("what it does", "kept.jsonl", [("a", 1), ("a", 2)], _length, lambda place: str(len(finished(place))))
    assert capsys.readouterr().out == "2\n"
    assert finished(file)["a/1"]["value"] == 7


def test_without_tables_runs_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "kept.jsonl"
    monkeypatch.setattr("sys.argv", ["entrant", "--runs", str(file)])
    command("what it does", "kept.jsonl", [("a", 1)], _apart, between=" / ")
    command("what it does", "kept.jsonl", [("a", 1)], _apart, between=" / ")
    assert capsys.readouterr().out == "a / 1\n", "the second time nothing is missing"
    assert finished(file)["a / 1"]["value"] == 2


def test_a_page_is_made_of_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["page", "--folder", str(tmp_path)])
    page("what it does", lambda folder: folder.name)
    assert capsys.readouterr().out == f"{tmp_path.name}\n"


def test_files_are_made_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "kept.jsonl"
    file.write_text('{"key": "ℓ", "value": [0.12345678912345, 7], "none": null}\n', encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["runs", str(file)])
    main()
    assert file.read_text(encoding="utf-8") == '{"key":"ℓ","value":[0.123456789,7],"none":null}\n'


def test_a_table_is_a_file_or_a_part_of_a_page(tmp_path: Path) -> None:
    table = "| a | b |\n| --- | --- |\n| 1, 2 |  |\n"
    as_csv(table, file := tmp_path / "table.csv")
    assert file.read_text() == 'a,b\n"1, 2",\n'
    page = tmp_path / "page.md"
    fill(page, "table", table)
    assert not page.exists()
    page.write_text("before\n<!-- table -->\n\nold\n\n<!-- /table -->\nafter\n")
    fill(page, "table", table)
    fill(page, "table", table)
    assert page.read_text() == f"before\n<!-- table -->\n\n{table}\n<!-- /table -->\nafter\n"


def _apart(job: tuple[str, int]) -> dict[str, object]:
    return {"key": " / ".join(map(str, job)), "value": len(job)}


def _length(job: tuple[str, int]) -> dict[str, object]:
    return {"key": "/".join(map(str, job)), "value": len(job)}
