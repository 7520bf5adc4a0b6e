"""`steerbo import --source`, and a column of the study file."""

from __future__ import annotations

from pathlib import Path

from steerbo.study import Study
from tests.cli.calls import begin, call, said
from tests.study.files import PROBLEM, STUDY

LINES = "temperature,ph,value,season\n20,6,1.5,2024\n21,7,1.7,\n"


def test_a_table_of_another_year(tmp_path: Path) -> None:
    study, table = begin(tmp_path, PROBLEM + STUDY + '[study.columns]\nsource = "season"\n'), tmp_path / "old.csv"
    table.write_text(LINES, encoding="utf-8")
    said("import", study, table)
    assert "of 2024" in said("show", study)
    table.write_text(LINES.replace("season", "note"), encoding="utf-8")
    assert "2 new" in call("import", study, table, "--source", "pilot plant").stderr
    assert "2024" in said("export", study)
    with Study.open(tmp_path / "study.db") as opened:
        assert [*opened.history.sources] == ["2024", "pilot plant"]
