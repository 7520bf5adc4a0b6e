"""The source of data in tables: an option, a column that is named, and what is exported."""

from __future__ import annotations

import pandas as pd

from steerbo.study import Study, add_frame
from steerbo.study.files.export import rounds_csv
from steerbo.study.files.import_csv import as_data, as_source, import_csv, read_results, take
from tests.study.sheets import begin

LINES = "temperature,ph,value,season\n20,6,1.5,2024\n21,7,1.7,\n"


def known(study: Study) -> list[str | None]:
    return [event.source for event in study.history.data.values()]


def test_a_column_counts_where_it_is_named_and_comes_back_by_export() -> None:
    study, plain, other = begin(), begin(), begin()
    import_csv(plain, LINES.replace("season", "source"))
    assert known(plain) == [None, None], "many tables have a source of something else"
    for _ in range(2):
        lines = import_csv(study, LINES, {"source": "season"})
        assert all(line.taken for line in lines)
    assert known(study) == ["2024", None], "the same table changes nothing"
    table = rounds_csv(study.problem, study.history)
    assert all(line.known for line in import_csv(study, table))
    take(other, as_data(read_results(other.problem, table)))
    assert known(other) == ["2024", None]


def test_a_whole_table_is_of_a_source_but_no_round_of_here() -> None:
    study = begin()
    suggestion = study.ask()
    text = f"token,temperature,ph,value,cost\n,20,6,1.5,1\n{suggestion.token},20,6,1.5,1\n"
    taken, refused = take(study, as_source(read_results(study.problem, text), "pilot"))
    assert taken.taken
    assert known(study) == ["pilot"]
    assert refused.fate == "refused"
    assert "Rounds are of here" in refused.message


def test_the_same_numbers_of_two_sources_are_two_measurements() -> None:
    study = begin()
    frame = pd.DataFrame({"temperature": [20.0], "ph": [6.0], "value": [1.5]})
    for source in (None, "2024", "2024"):
        add_frame(study, frame, source=source)
    assert known(study) == [None, "2024"]
