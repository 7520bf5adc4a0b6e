"""What is typed after `ask`: the time, what is available, the present distribution; logged, replayed, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calls import FLEET, LINE, ask, begin, call, refused
from tests.study.files import logged

PLACES = """
[problem]
kind = "time-varying"
variables = [{ kind = "categorical", name = "place", choices = ["north", "south", "east"] }]
coordinates = [[0.0], [1.0], [2.0]]
priors = [{ kernel = { kind = "squared-exponential", lengthscale = 0.3 }, drift = { kind = "decay", epsilon = 0.1 } }]
[study]
method = "random"
rounds = 20
"""
PLANE = """
[problem]
kind = "time-varying"
variables = [{ kind = "float", name = "x", low = 0, high = 1 }, { kind = "float", name = "y", low = 0, high = 1 }]
[study]
rounds = 20
"""


def test_time_and_bounds(tmp_path: Path) -> None:
    study = begin(tmp_path, LINE)
    assert ask(study, "--time", "8.5")["request"] == {"time": 8.5}
    near = ask(study, "--time", 9, "--available", '{"x": [0.2, 0.3]}')
    assert near["request"] == {"time": 9.0, "available": {"low": [0.2], "high": [0.3]}}
    assert 0.2 <= near["values"]["x"] <= 0.3
    (tmp_path / "now.csv").write_text("x\n0.5\n0.75\n")
    (tmp_path / "now.json").write_text("[0.5, 0.75]")
    for given in ("0.5, 0.75", "[0.5, 0.75]", tmp_path / "now.csv", tmp_path / "now.json"):
        found = ask(study, "--time", 10, "--available", given)
        assert found["request"]["available"] == {"points": [[0.5], [0.75]]}
        assert found["values"]["x"] in (0.5, 0.75)
    assert call("show", study).exit_code == 0, "a replay reads what was given back"


def test_tables_have_the_time(tmp_path: Path) -> None:
    study = begin(tmp_path, LINE)
    token = ask(study, "--time", "8.5")["token"]
    assert call("tell", study, token, "1.5").exit_code == 0
    table = call("export", study).stdout.splitlines()
    assert table[0] == "token,round,state,value,cost,charged,time,x,reason"
    assert table[1].split(",")[6] == "8.5"
    (tmp_path / "all.csv").write_text("\n".join([*table, ",,,2.5,,,7,0.25"]))
    said = call("import", study, tmp_path / "all.csv").stdout
    assert "round 1 (it was there already)" in said
    added = logged(study)[-1]
    assert added.kind == "added"
    assert added.outcome.realised == {"time": 7.0, "x": 0.25}


def test_some_choices(tmp_path: Path) -> None:
    study = begin(tmp_path, PLACES)
    for given in ("south,north", '["north", "south"]', "[true, true, false]"):
        found = ask(study, "--available", given)
        assert found["request"]["available"] == [0, 1]
        assert found["values"]["place"] in ("north", "south")
    assert "available" not in ask(study, "--available", "north,south,east")["request"]


def test_the_present_distribution(tmp_path: Path) -> None:
    study = begin(tmp_path, FLEET.format(contexts=""))
    (tmp_path / "now.csv").write_text("north,south\n0.3,0.7\n")
    (tmp_path / "now.json").write_text('{"everyone": {"north": 0.3, "south": 0.7}}')
    for given in ("[[0.3, 0.7]]", (tmp_path / "now.json").read_text(), tmp_path / "now.csv", tmp_path / "now.json"):
        found = ask(study, "--current", given)
        assert found["request"]["current"] == {"everyone": {"north": 0.3, "south": 0.7}}
        assert abs(found["values"]["distribution"]["everyone"].get("north", 0.0) - 0.3) <= 0.25 + 1e-9


def test_the_present_distribution_by_context(tmp_path: Path) -> None:
    study = begin(tmp_path, FLEET.format(contexts='contexts = ["van", "lorry"]'))
    (tmp_path / "now.csv").write_text("context,north,south\nlorry,1,\nvan,0.5,0.5\n")
    current = ask(study, "--current", tmp_path / "now.csv")["request"]["current"]
    assert current == {"van": {"north": 0.5, "south": 0.5}, "lorry": {"north": 1.0, "south": 0.0}}
    (tmp_path / "now.csv").write_text("north,south\n0.5,0.5\n0.5,0.5\n")
    assert "column 'context'" in refused(call("ask", study, "--current", tmp_path / "now.csv"), 2)


@pytest.mark.parametrize(
    ("text", "option", "value", "says"),
    [
        (LINE, "time", "noon", "time: 'noon' is not allowed; expected a finite number"),
        (LINE, "time", "2026-11-27", "A date is written as a number"),
        (LINE, "time", "nan", "time: 'nan'"),
        (LINE, "available", "2", "available.x: 2.0 is not allowed"),
        (LINE, "available", "", "at least one point"),
        (LINE, "available", '{"x": [0.3, 0.2]}', "available.x"),
        (LINE, "available", '{"y": [0, 1]}', "available.y"),
        (LINE, "available", "{x", "available: '{x'"),
        (LINE, "available", "{'x': [0.2, 0.3]}", 'expected bounds such as {"x": [0.0, 1.0]}'),
        (LINE, "available", '{"x": [0,2, 0,3]}', "Write numbers with a point, 0.5"),
        (LINE, "available", '{"x": ["0,2", "0,3"]}', "Write numbers with a point, 0.5"),
        (LINE, "available", "0,5", "Write 0.5, with a decimal point. Two numbers are 0; 5."),
        (PLANE, "available", "0,5; 0,75", 'points such as [{"x": 0.0, "y": 0.0}], or a file, CSV or JSON'),
        (LINE, "available", "none.csv", "a file that can be read"),
        (LINE, "current", "[[1]]", "current: [[1]] is not allowed; expected nothing"),
        (PLACES, "available", "north,west", "'west'"),
        (PLACES, "available", "[true]", "3 truth values"),
        (FLEET, "time", "3", "time: 3.0 is not allowed; expected nothing"),
        (FLEET, "current", "[[0.5, 0.6]]", "current.everyone"),
        (FLEET, "current", "[[1]", "current: '[[1]'"),
        (FLEET, "current", '{"everyone": {"west": 1}}', "west"),
        (FLEET, "current", "none.json", "a file that can be read"),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str, option: str, value: str, says: str) -> None:
    study = begin(tmp_path, text.replace("{contexts}", ""))
    assert says in refused(call("ask", study, f"--{option}", value), 2)
    assert len(logged(study)) == 1, "nothing was asked"


@pytest.mark.parametrize("table", ["x\n0.5,1\n", 'x\n"0.5\n', "", "x\n", "y\n0.5\n"])
def test_tables_that_are_refused(tmp_path: Path, table: str) -> None:
    study = begin(tmp_path, LINE)
    (tmp_path / "now.csv").write_text(table)
    assert "available" in refused(call("ask", study, "--available", tmp_path / "now.csv"), 2)


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_tables_with_decimal_commas(tmp_path: Path, separator: str) -> None:
    study = begin(tmp_path, LINE)
    now = tmp_path / "now.csv"
    now.write_text("x\n0,5\n0,75\n")
    assert ask(study, "--time", 1, "--available", now)["request"]["available"] == {"points": [[0.5], [0.75]]}
    assert ask(study, "--time", 2, "--available", "0,5; 0,75")["request"]["available"] == {"points": [[0.5], [0.75]]}
    fleet = tmp_path / "fleet"
    fleet.mkdir()
    study = begin(fleet, FLEET.format(contexts='contexts = ["van", "lorry"]'))
    lines = (["context", "north", "south"], ["lorry", "1", ""], ["van", "0,5", "0,5"])
    now.write_bytes("\n".join(separator.join(line) for line in lines).encode("utf-16"))
    current = ask(study, "--current", now)["request"]["current"]
    assert current == {"van": {"north": 0.5, "south": 0.5}, "lorry": {"north": 1.0, "south": 0.0}}


def test_one_context_needs_no_name(tmp_path: Path) -> None:
    study = begin(tmp_path, FLEET.format(contexts=""))
    for given in ('{"north": 0.3, "south": 0.7}', "[0.3, 0.7]"):
        current = ask(study, "--current", given)["request"]["current"]
        assert current == {"everyone": {"north": 0.3, "south": 0.7}}
    for wrong in ("north=3", "0.3,0.7", '{"north": 3.0, "south": 900}'):
        said = refused(call("ask", study, "--current", wrong), 2)
        assert 'such as {"north": 0.5, "south": 0.5}' in said, wrong


def test_numbers_of_two_meanings_are_refused(tmp_path: Path) -> None:
    study = begin(tmp_path, LINE.replace("high = 1 ", "high = 9000 "))
    (tmp_path / "now.csv").write_text("x\n1,234\n")
    for given in (tmp_path / "now.csv", "1,234; 2,345"):
        assert "Is it 1234? Then write 1234. Is it 1.234? Then write 1.234." in refused(
            call("ask", study, "--available", given), 2
        )
    (tmp_path / "now.csv").write_text("x\n1,234\n0,5\n")
    assert ask(study, "--available", tmp_path / "now.csv")["request"]["available"] == {"points": [[1.234], [0.5]]}
    assert "Write 8.5, with a decimal point." in refused(call("ask", study, "--time", "8,5"), 2)
