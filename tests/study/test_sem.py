"""The column `sem` of tables: read, written, and completed where it came later."""

from __future__ import annotations

import pandas as pd

from steerbo.study import Study, add_frame
from steerbo.study.files.export import rounds_csv, to_frame
from steerbo.study.files.import_csv import import_csv
from tests.study.sheets import begin

LINES = "temperature,ph,value,sem\n20,6,1.5,0.2\n21,7,1.7,\n"


def known(study: Study) -> list[float | None]:
    return [event.outcome.sem for event in study.history.data.values()]


def test_it_goes_in_and_out_by_tables() -> None:
    study, other = begin(), begin()
    assert all(line.taken for line in import_csv(study, LINES))
    assert known(study) == [0.2, None]
    table = rounds_csv(study.problem, study.history)
    assert import_csv(study, table)[0].known, "the same table changes nothing"
    import_csv(other, table.replace("added-", ""))
    frame = to_frame(study)
    assert frame["sem"].tolist()[0] == 0.2
    assert known(study) == [0.2, None]


def test_a_table_that_says_more_completes_what_is_there() -> None:
    study = begin()
    import_csv(study, LINES.replace(",0.2", ","))
    assert known(study) == [None, None]
    (first, _) = import_csv(study, LINES)
    (other, _) = import_csv(study, LINES.replace("0.2", "0.3"))
    assert other.fate == "refused"
    assert "sem: 0.3 is not allowed; expected 0.2, or nothing" in other.message
    assert "now also: sem 0.2" in first.message
    assert known(study) == [0.2, None]


def test_a_round_of_a_table_keeps_its_error() -> None:
    study = begin()
    suggestion = study.ask()
    line = f"{suggestion.token},20,6,1.5,1"
    (taken,) = import_csv(study, f"token,temperature,ph,value,cost,sem\n{line},0.25\n")
    assert taken.taken
    outcome = study.history[suggestion.token].outcome
    assert outcome is not None
    assert outcome.sem == 0.25
    (same,) = import_csv(study, f"token,temperature,ph,value,cost\n{line}\n")
    assert same.known, "a table without the column says the same"


def test_a_frame_has_it_and_a_bad_cell_is_refused() -> None:
    study = begin()
    frame = pd.DataFrame({"temperature": [20.0, 21.0], "ph": [6.0, 7.0], "value": [1.5, 1.7], "sem": [0.2, -1.0]})
    taken, refused = add_frame(study, frame)
    assert taken.taken
    assert known(study) == [0.2]
    assert refused.fate == "refused"
    assert "sem: -1" in refused.message
