"""A line of a table is a measurement: the same table again changes nothing, and a true repetition is not dropped."""

from __future__ import annotations

from pathlib import Path

import pytest

import steerbo as sb
from steerbo.errors import InvalidOutcome, OutcomeConflict
from steerbo.study import Study
from tests.cli.calls import call

STUDY = """
[study]
rounds = 50
[problem]
kind = "cost-varying"
control_sets = [["x"]]
variables = [{ kind = "float", name = "x", low = 0, high = 10 }]
"""
CAUSAL = """
[study]
rounds = 50
[study.columns]
id = "date"
[problem]
kind = "causal"
graph = { directed = [["age", "dose"], ["dose", "y"], ["age", "y"]], target = "y", intervenable = ["dose"] }
variables = [
    { kind = "categorical", name = "dose", choices = ["low", "mid", "high"] },
    { kind = "categorical", name = "age", choices = ["young", "old"] },
]
"""


def begun(folder: Path, text: str = STUDY) -> Path:
    place = folder / "study.toml"
    place.write_text(text)
    assert call("new", place).exit_code == 0
    return place


def values(place: Path) -> list[float]:
    with Study.open(place.with_suffix(".db")) as study:
        return [outcome.value for outcome in study.history.added]


def imported(place: Path, name: str, text: str, *words: str) -> str:
    (place.parent / name).write_text(text)
    result = call("import", place, place.parent / name, *words)
    assert result.exit_code == 0, result.output
    return str(result.stderr)


def test_a_line_of_another_table_is_counted_apart_and_kept_when_it_is_said_to_be_a_repetition(tmp_path: Path) -> None:
    place = begun(tmp_path)
    assert "1 new, 0 refused" in imported(place, "a.csv", "x,value\n1,0\n")
    said = imported(place, "b.csv", "x,value\n1,0\n")
    assert "0 new, 1 there already, 0 refused" in said
    assert "--repetitions" in said
    assert values(place) == [0.0]
    for news in (1, 0):  # the same table again changes nothing, with that word or without
        assert f"{news} new" in imported(place, "b.csv", "x,value\n1,0\n", "--repetitions")
        assert values(place) == [0.0, 0.0]
    for name in ("a.csv", "b.csv"):
        for words in ((), ("--repetitions",)):
            assert "0 new, 1 there already" in imported(place, name, "x,value\n1,0\n", *words)
    assert values(place) == [0.0, 0.0]


def test_dates_tell_equal_measurements_apart(tmp_path: Path) -> None:
    place = begun(tmp_path, CAUSAL)
    first = "date,dose,age,value\n2024-01-01,low,young,1\n2024-01-02,low,young,1\n2024-01-03,high,old,0\n"
    later = "date,dose,age,value\n2024-01-08,low,young,1\n2024-01-09,low,young,1\n2024-01-10,low,young,1\n"
    later += "2024-01-11,high,old,0\n"
    assert "3 new" in imported(place, "week1.csv", first)
    assert "4 new" in imported(place, "week2.csv", later)
    assert "0 new, 4 there already" in imported(place, "week2.csv", later)
    assert "0 new, 4 there already" in imported(place, "moved.csv", later)
    assert len(values(place)) == 7


def test_a_variable_called_id_is_no_identity(tmp_path: Path) -> None:
    """Lines with the same value of it were taken for the same measurement, and others refused."""
    place = begun(tmp_path, STUDY.replace('"x"', '"id"'))
    assert "3 new" in imported(place, "a.csv", "id,value\n1,0\n1,4\n2,1\n")
    assert values(place) == [0.0, 4.0, 1.0]
    assert "2 new" in imported(place, "b.csv", "day,id,value\nmon,1,0\ntue,1,0\n", "--id", "day")


def test_an_identity_that_is_another_measurement_is_refused(tmp_path: Path) -> None:
    place = begun(tmp_path)
    assert "1 new" in imported(place, "a.csv", "sample,x,value\ns1,1,0\n", "--id", "sample")
    (tmp_path / "b.csv").write_text("sample,x,value\ns1,1,5\ns2,2,1\ns2,2,1\ns2,2,3\n")
    result = call("import", place, tmp_path / "b.csv", "--id", "sample")
    assert result.exit_code == 2
    assert "1 new, 1 there already, 2 refused" in result.stderr
    assert "line 2: refused, id: 's1' is not allowed" in result.stdout
    assert values(place) == [0.0, 1.0]


def test_data_is_added_once_for_each_identity() -> None:
    optimizer = sb.Optimizer(sb.CostVarying([sb.Float("x", 0, 10)], [["x"]]), rounds=5)
    for _ in range(3):
        optimizer.add(1.0, {"x": 2.0}, id="s1")
        optimizer.add(1.0, {"x": 2.0})
    assert len(optimizer.history.added) == 4, "equal ones without an identity are repetitions"
    with pytest.raises(OutcomeConflict, match="'s1' is there already, as added-1"):
        optimizer.add(2.0, {"x": 2.0}, id="s1")
    for wrong in (7, "", "a\x1bb"):
        with pytest.raises(InvalidOutcome, match="id"):
            optimizer.add(1.0, {"x": 2.0}, id=wrong)  # type: ignore[arg-type]
    optimizer.amend("added-1", 3.0)
    optimizer.add(1.0, {"x": 2.0}, id="s1")
    again = sb.load(optimizer.to_json())
    again.add(1.0, {"x": 2.0}, id="s1")
    assert [outcome.value for outcome in again.history.added] == [3.0, 1.0, 1.0, 1.0]


def test_data_that_waited_in_a_file_are_kept_beside_equal_ones_of_another_worker(tmp_path: Path) -> None:
    place = begun(tmp_path).with_suffix(".db")
    with Study.open(place) as study:
        entry = study.session._entry("add", None, {"value": 1.0, "realised": {"x": 2.0}, "id": "of one worker"})
        assert entry is not None
        study.add(1.0, {"x": 2.0})
        for _ in range(2):  # the second time it was logged, and the file was not deleted
            study.session.outbox.store(entry, left=True)
            study.session.settle()
            assert [outcome.value for outcome in study.history.added] == [1.0, 1.0]
    assert not [file for file in tmp_path.iterdir() if "outbox" in file.name and any(file.iterdir())]
