"""Tables with one column for each action: how many agents were there, or which share of them."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.errors import InvalidOutcome
from steerbo.meanfield import MeanField
from steerbo.study import MemoryLog, Study, add_frame
from steerbo.study.files.export import OWN, cells_of, columns_of, rounds_csv, suggestions_csv
from steerbo.study.files.import_csv import as_data, import_csv, read_results, take
from tests.cli.calls import FLEET, begin, call, refused
from tests.meanfield.worlds import WEATHER
from tests.study.frames import REASON

EVERYWHERE = {"a": {"north": 0.5, "south": 0.5, "depot": 0.0}, "b": {"north": 0.0, "south": 0.0, "depot": 1.0}}


def fleet(**changes: Any) -> Study:
    problem = MeanField(**{"actions": ("north", "south", "depot"), "agents": 40, **changes})
    return Study.create(MemoryLog(), problem, rounds=20, seed=0)


def shares(study: Study) -> list[list[float]]:
    """Of every piece of data."""
    problem = study.problem
    assert isinstance(problem, MeanField)
    return [problem.table(outcome.realised["distribution"]).ravel().tolist() for outcome in study.history.added]


def test_numbers_of_agents_their_means_and_shares_are_read() -> None:
    """As people write them: a date, decimal commas, empty cells, other capitals."""
    study = fleet()
    head = "date;North;south;Depot;value\n"
    text = f"{head}1 May;10;20;10;7,5\n2 May;12;;28;7,9\n3 May;10,5;19,5;10;8\n4 May;0,25;0,5;0,25;6\n"
    assert [line.fate for line in import_csv(study, text)] == ["taken"] * 4
    assert shares(study) == [[0.25, 0.5, 0.25], [0.3, 0.0, 0.7], [0.2625, 0.4875, 0.25], [0.25, 0.5, 0.25]]
    assert [outcome.value for outcome in study.history.added] == [7.5, 7.9, 8.0, 6.0]
    before = study.events
    assert all("it was there already" in line.message for line in import_csv(study, text))
    assert study.events == before


def test_what_is_seen_may_have_a_unit() -> None:
    study = fleet(variables=[sb.Float("rain", 0, 30, seen=True, unit="mm")])
    (line,) = import_csv(study, "north,south,depot,rain [mm],value\n10,20,10,4.5,7\n")
    assert line.taken
    assert [outcome.realised["rain"] for outcome in study.history.added] == [4.5]


def test_percentages_are_shares() -> None:
    study = fleet()
    (line,) = import_csv(study, "north;south;depot;value\n12,5 %;50%;37.5%;7\n")
    assert line.taken, line
    assert shares(study) == [[0.125, 0.5, 0.375]]
    (line,) = import_csv(study, "north;south;depot;value\nhalf %;50%;%;7\n")
    assert "'half %' is not allowed" in line.message


def test_shares_may_be_rounded() -> None:
    study = fleet()
    assert import_csv(study, "north,south,depot,value\n.333,.333,.333,7\n")[0].taken
    assert shares(study) == [pytest.approx([1 / 3] * 3)]


def test_of_several_contexts_each_has_its_columns() -> None:
    study = fleet(contexts=("a", "b"))
    head = "a/north,a/south,a/depot,b/north,b/south,b/depot,value\n"
    lines = import_csv(study, f"{head}10,10,0,0,0,20,1\n.5,.5,0,0,0,1,2\n10,10,0,0,0,1,3\n10,10,0,5,5,5,1\n")
    assert [line.fate for line in lines] == ["taken"] * 3 + ["refused"]
    assert "sum of b: 15.0 is not allowed; expected 20, the number of its agents" in lines[-1].message
    assert [outcome.realised["distribution"] for outcome in study.history.added] == [EVERYWHERE] * 3


def test_what_is_not_open_needs_no_column() -> None:
    study = fleet(contexts=("a", "b"), allowed={"a": ["north", "south"], "b": ["depot"]})
    assert import_csv(study, "a/north,a/south,b/depot,value\n10,10,20,1\n")[0].taken
    assert study.history.added[0].realised["distribution"] == EVERYWHERE


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("-1,31,10", "north: -1.0 is not allowed; expected a finite number not below 0"),
        ("10,20,9", "sum of all actions: 39.0 is not allowed; expected 40, the number of its agents, or shares"),
        ("10,20,9", "Where the number of agents varies, give shares"),
        ("25,50,25", "Divide percentages by 100"),
        ("0.2,0.2,0.2", "sum of all actions: 0.6"),
        ("0,0,0", "sum of all actions: 0.0"),
        ("ten,20,10", "north: 'ten' is not allowed; expected a finite number"),
        ("nan,20,10", "north: "),
        ("1e400,20,10", "north: "),
    ],
)
def test_a_wrong_number_is_refused_by_name_and_other_lines_are_taken(row: str, said: str) -> None:
    wrong, right = import_csv(fleet(), f"north,south,depot,value\n{row},1\n10,20,10,2\n")
    assert (wrong.fate, right.fate) == ("refused", "taken")
    assert said in wrong.message


def test_a_missing_column_is_named_with_the_likely_one() -> None:
    for head, said in (
        ("north,south", r"a column 'depot', with the number of agents there, or their share. Write 0"),
        ("north,south,depto", r"Is it 'depto'\? Rename it, or say so in `headers`: 'depot'"),
        ("date", r"a column 'north' \(and of 2 others\)"),
    ):
        with pytest.raises(InvalidOutcome, match=said):
            import_csv(fleet(), f"{head},value\n1,1,1,1\n")
    assert import_csv(fleet(), 'value,distribution\n1,"{""everyone"": [0.5, 0.5, 0]}"\n')[0].taken


def test_a_template_with_what_was_really_played_and_the_table_of_another_study() -> None:
    study = fleet(counts=True)
    asked = [study.ask() for _ in range(3)]
    head, *rows = csv.reader(suggestions_csv(study.problem, asked).splitlines())
    first, last = head.index("north"), head.index("depot")
    assert not {"distribution", "counts"} & {*head}
    for row, value in zip(rows, "123", strict=True):
        row[head.index("value")] = value
    rows[0][first : last + 1], rows[1][first : last + 1] = ["10", "20", "10"], ["0.5", "0.25", "0.25"]
    out = io.StringIO()
    csv.writer(out).writerows([head, *rows])
    assert [line.fate for line in import_csv(study, out.getvalue())] == ["taken"] * 3
    assert isinstance(study.problem, MeanField)
    played = [study.problem.table(one.realised["distribution"])[0].tolist() for one in study.history]
    assert played[:2] == [[0.25, 0.5, 0.25], [0.5, 0.25, 0.25]]
    assert one_of_them(study, 2) == asked[2].values["counts"]
    other = fleet(counts=True)
    text = rounds_csv(study.problem, study.history)
    for _ in range(2):
        assert all(line.taken for line in take(other, as_data(read_results(other.problem, text))))
    assert shares(other) == played


def test_a_template_as_it_was_asked_changes_no_share() -> None:
    study = fleet(agents=7)
    study.ask()
    head, row = csv.reader(suggestions_csv(study.problem, study.pending).splitlines())
    text = "\n".join(",".join(line) for line in (head, [cell if cell or i != 3 else "1" for i, cell in enumerate(row)]))
    assert head[3] == "value"
    assert import_csv(study, text)[0].taken
    (played,) = study.history
    assert played.realised == played.suggestion.values


def one_of_them(study: Study, k: int) -> Any:
    return list(study.history)[k].realised["counts"]


def test_a_frame_that_was_turned_is_taken() -> None:
    pandas = pytest.importorskip("pandas", reason=REASON)
    rows = {
        "date": [1, 1, 1, 2, 2],
        "place": ["north", "south", "depot", "south", "depot"],
        "there": [9, 20, 11, 30, 10],
    }
    table = pandas.DataFrame(rows).pivot(index="date", columns="place", values="there").assign(value=[7.5, 8.0])
    study = fleet()
    assert all(line.taken for line in add_frame(study, table))
    assert shares(study) == [[0.225, 0.5, 0.275], [0.0, 0.75, 0.25]]


def test_its_own_frame_changes_nothing() -> None:
    """Distributions are tables in one cell; they were refused as texts."""
    pytest.importorskip("pandas", reason=REASON)
    study = fleet(counts=True)
    for value in (1.0, 2.0):
        study.tell(study.ask(), value)
    before = study.events
    assert all(line.taken for line in add_frame(study, study.to_frame()))
    assert study.events == before


def test_no_action_s_column_is_taken_for_another() -> None:
    problem = MeanField((*OWN, "weather", "x"), agents=10, variables=WEATHER)
    cells = cells_of(problem)
    assert not {*cells} & {*columns_of(problem)}
    assert list(cells.values()) == [*OWN, "weather", "x"]
    assert [name for name in cells if not name.startswith("agents ")] == ["x"]
    study = Study.create(MemoryLog(), problem, rounds=3, seed=0)
    text = ",".join([*cells, "weather", "fair", "value"]) + "\n" + ",".join(["1"] * 10) + ",0.5,no,3\n"
    assert import_csv(study, text)[0].taken
    assert shares(study) == [[0.1] * 10]


def test_the_study_file_says_how_an_action_is_headed(tmp_path: Path) -> None:
    text = FLEET.format(contexts="") + '[study.columns]\nnorth = "Station North"\nvalue = "Profit"\n'
    path = begin(tmp_path, text)
    (tmp_path / "past.csv").write_text("Day,Station North,south,Profit\n1,3,7,2.5\n")
    done = call("import", path, tmp_path / "past.csv")
    assert done.exit_code == 0, done.output
    assert "not read: 'Day'" in done.stderr
    path.write_text(text.replace("Station North", "south"))
    assert "another header than that of 'south'" in refused(call("check", path), 2)


def test_many_places_are_read_in_no_time() -> None:
    """Headers are compared by hash, and not each with each."""
    problem = MeanField([str(k) for k in range(2000)], agents=4000)
    study = Study.create(MemoryLog(), problem, "random", rounds=3, seed=0)
    head = ",".join([*problem.actions, "value"])
    lines = import_csv(study, head + "\n" + ",".join(["2"] * 2000) + ",1\n")
    assert lines[0].taken
    assert np.allclose(shares(study), 1 / 2000)
