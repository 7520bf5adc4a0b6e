"""Samples that stand in files beside a study file."""

from __future__ import annotations

from pathlib import Path

import pytest

import steerbo as sb
from steerbo.study import Study
from tests.study.sheets import LAW


def test_a_law_is_a_column_of_a_file_beside_the_study_file(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    weather = tmp_path / "data" / "weather.csv"
    weather.write_bytes("Tag;TEMP (°C)\r\n1;20,5\r\n2;\r\n3;-3,5\r\n4;20,5\r\n".encode("cp1252"))
    file = tmp_path / "study.toml"
    file.write_text(LAW.replace("LAW", 'file = "data/weather.csv", column = "temp (°C)"'), encoding="utf-8")
    problem = sb.study.read_study(file).problem
    assert problem.space["temp"].law == sb.space.Empirical([20.5, -3.5, 20.5])
    with Study.create(tmp_path / "study.db", problem, rounds=3):
        weather.unlink()
    with Study.open(tmp_path / "study.db") as study:
        assert study.problem == problem, "the log says it all"


def test_a_column_of_choices_is_read_as_these_and_one_of_numbers_as_numbers(tmp_path: Path) -> None:
    (tmp_path / "w.csv").write_text("line;temp\n2;20\n10;21\n2;22\n")
    line = '{ kind = "categorical", name = "line", choices = ["2", "10"], law = { kind = "empirical", LAW } },\n]'
    text = LAW.replace("LAW", 'file = "w.csv", column = "temp"').replace("\n]", "\n" + line)
    (tmp_path / "study.toml").write_text(text.replace("LAW", 'file = "w.csv", column = "line"'))
    space = sb.study.read_study(tmp_path / "study.toml").problem.space
    assert space["line"].law == sb.space.Empirical(["2", "10", "2"])
    assert space["temp"].law == sb.space.Empirical([20.0, 21.0, 22.0])


REFUSED = {
    "no file": ('file = "none.csv", column = "temp"', "law.file: 'none.csv'.*beside the study file"),
    "no column": ('file = "w.csv", column = "tmp"', r"law.column: 'tmp'.*did you mean 'temp'"),
    "file alone": ('file = "w.csv"', "a file and a column"),
    "column alone": ('column = "temp"', "a file and a column"),
    "both": ('file = "w.csv", column = "temp", sample = [1]', "not both"),
    "a text": ('file = "w.csv", column = "day"', r"w.csv, line 2: 'Monday'.*a number in column 'day'"),
    "empty": ('file = "w.csv", column = "none"', "0 cells"),
    "two meanings": ('file = "w.csv", column = "rain"', "1,234.*one way only"),
    "no text": ('file = 3, column = "temp"', "the name of a file"),
}


@pytest.mark.parametrize(("law", "says"), REFUSED.values(), ids=REFUSED)
def test_columns_that_are_refused(tmp_path: Path, law: str, says: str) -> None:
    (tmp_path / "w.csv").write_text("day;temp;none;rain\nMonday;20;;1,234\n")
    (tmp_path / "study.toml").write_text(LAW.replace("LAW", law))
    with pytest.raises(sb.errors.InvalidProblem, match=says) as caught:
        sb.study.read_study(tmp_path / "study.toml")
    assert str(caught.value).startswith("study.toml: problem.variables.1.law")


def test_one_column_with_decimal_commas_is_read_whole_and_a_line_with_more_cells_is_refused(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(LAW.replace("LAW", 'file = "w.csv", column = "temp"'))
    (tmp_path / "w.csv").write_text("temp\n3\n4,5\n")
    law = sb.study.read_study(tmp_path / "study.toml").problem.space["temp"].law
    assert isinstance(law, sb.space.Empirical)
    assert list(law.sample) == [3.0, 4.5]
    (tmp_path / "w.csv").write_text("temp,day\n3,1\n4,5,2\n")
    with pytest.raises(sb.errors.InvalidProblem, match=r"line 3: 3 is not allowed.*decimal comma"):
        sb.study.read_study(tmp_path / "study.toml")


class Series:
    """A column as pandas and polars have it, as far as it matters here."""

    def to_numpy(self) -> object:
        import numpy as np

        return np.array([3.0, 1.0, 3.0])


def test_a_sample_is_a_list_an_array_or_a_series() -> None:
    import numpy as np

    for sample in ([3.0, 1.0, 3.0], np.array([3.0, 1.0, 3.0]), Series()):
        assert sb.space.Empirical(sample) == sb.space.Empirical((3.0, 1.0, 3.0))  # type: ignore[arg-type]
