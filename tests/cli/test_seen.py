"""What is seen before choosing, by hand: asked with, kept, imported, shown, applied."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calls import begin, call, refused, said

GREENHOUSE = """
[problem]
kind = "cost-varying"
control_sets = [["heat"], ["heat", "light"]]
variables = [
    { kind = "float", name = "heat", low = 0, high = 1, law = { kind = "uniform" } },
    { kind = "float", name = "light", low = 0, high = 1, law = { kind = "uniform" } },
    { kind = "float", name = "weather", low = 0, high = 30, unit = "°C", seen = true },
]
[study]
rounds = 30
"""


@pytest.fixture
def greenhouse(tmp_path: Path) -> Path:
    return begin(tmp_path, GREENHOUSE)


@pytest.mark.parametrize("given", ["weather=12", '{"weather": 12}', "table.csv", "table.json"])
def test_every_way_to_say_what_is_seen(greenhouse: Path, given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(greenhouse.parent)
    Path("table.csv").write_text("weather\n12\n")
    Path("table.json").write_text('[{"weather": 12}]')
    (suggestion,) = json.loads(said("ask", greenhouse, "--context", given, "--json"))
    assert suggestion["context"] == {"weather": 12.0}
    assert "weather" not in suggestion["values"]


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ((), "context.weather: nothing is given; expected a value, 0 to 30 °C"),
        (("wether=12",), "context.wether: 12.0 is not allowed; expected values for one of weather"),
        (("weather=warm",), "context.weather: 'warm'"),
        (("weather=1", "weather=2"), "context: 'weather=2' is not allowed; expected NAME=VALUE, each name once"),
        (('[{"weather": 1}, {"weather": 2}]',), "expected one case, not 2"),
        (("nowhere.csv",), "a file that can be read"),
        (("12",), "context: '12' is not allowed; expected NAME=VALUE for each of weather"),
    ],
)
def test_what_is_no_context_is_refused(greenhouse: Path, given: tuple[str, ...], complaint: str) -> None:
    assert complaint in refused(call("ask", greenhouse, *(word for text in given for word in ("--context", text))), 2)
    assert "0 of 30 rounds" in said("show", greenhouse)


def test_it_is_in_every_table_and_answer(greenhouse: Path, tmp_path: Path) -> None:
    assert "seen before choosing" in said("check", greenhouse)
    assert "having seen weather = 3 °C, hold" in said("ask", greenhouse, "--context", "weather=3")
    table = said("ask", greenhouse, "--context", "weather=21", "--batch", 2, "--csv")
    header, *rows = [line.split(",") for line in table.splitlines()]
    assert [row[header.index("weather")] for row in rows] == ["21.0", "21.0"]
    value, light = header.index("value"), header.index("light")
    for k, row in enumerate(rows):
        row[value] = str(1.5 + k)
        row[light] = row[light] or "0.5"
    (tmp_path / "filled.csv").write_text("\n".join(",".join(row) for row in [header, *rows]))
    assert "taken" in said("import", greenhouse, tmp_path / "filled.csv")
    exported = said("export", greenhouse, "--format", "csv").splitlines()
    assert [line.split(",")[exported[0].split(",").index("weather")] for line in exported[1:]] == [
        "3.0",
        "21.0",
        "21.0",
    ]
    shown = said("show", greenhouse)
    assert "Recommended by context" in shown
    assert "having seen weather = 21 °C" in shown
    assert "having seen weather = 7 °C: hold" in said("policy", greenhouse, "--context", "weather=7")
    many = said("policy", greenhouse, "--contexts", '[{"weather": 1}, {"weather": 29}]').splitlines()
    assert [line.split(":")[0] for line in many] == ["having seen weather = 1 °C", "having seen weather = 29 °C"]
    assert "context.weather" in refused(call("policy", greenhouse), 2)
    said("report", greenhouse)
    assert "for weather 21 °C" in greenhouse.with_suffix(".html").read_text(encoding="utf-8")


def test_a_problem_that_sees_nothing_takes_no_context(tmp_path: Path) -> None:
    blind = begin(tmp_path, GREENHOUSE.replace(", seen = true", ', law = { kind = "uniform" }'))
    complaint = refused(call("ask", blind, "--context", "weather=12"), 2)
    assert "context: 'weather=12' is not allowed; expected nothing" in complaint
    assert "seen = true" in complaint


def test_a_law_that_nature_does_not_keep_is_warned_of_once_and_stays_in_sight(tmp_path: Path) -> None:
    """Light is left to nature, and always .9; declared is that anything is as likely."""
    greenhouse = begin(tmp_path, GREENHOUSE.replace('["heat"], ["heat", "light"]', '["heat"]'))
    warned = []
    for number in range(12):
        (suggestion,) = json.loads(said("ask", greenhouse, "--context", "weather=12", "--json"))
        result = call("tell", greenhouse, suggestion["token"], "1", "--realised", f"light={0.9 + number / 1000}")
        assert result.exit_code == 0, result.output
        warned += [line for line in result.stderr.splitlines() if "light is not as its law says" in line]
    assert len(warned) == 1
    assert warned[0].startswith("steerbo: light is not as its law says. Expected: half")
    document = json.loads(said("show", greenhouse, "--json"))
    (kept,) = document["status"]["findings"]
    assert kept["text"] in warned[0]
    assert document["explanation"]["findings"] == [kept]
    shown = " ".join(said("show", greenhouse).split())
    assert "warning: light is not as its law says" in shown
    assert " ".join(kept["text"].split()) in shown
    page = tmp_path / "page.html"
    said("report", greenhouse, "--out", page)
    assert "Light is not as its law says. Expected" in page.read_text()
