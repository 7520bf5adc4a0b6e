"""`steerbo policy`, and tables of rounds that say what was seen and what nature did."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calls import DRUG, FLEET, LINE, PLANT, begin, call, refused, said
from tests.study.files import logged


def play(study: Path, rounds: int = 6) -> None:
    """A drug that helps the young in small doses and the old in large ones."""
    for k in range(rounds):
        (suggestion,) = json.loads(said("ask", study, "--json"))
        age = 25 + 12 * k
        if suggestion["observe"]:
            said("decide", study, suggestion["token"], "--context", f"age={age}")
        said("tell", study, suggestion["token"], 1.0 + k % 3)


@pytest.fixture(scope="module")
def drug(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Played once: a policy logs nothing."""
    study = begin(tmp_path_factory.mktemp("drug"), DRUG)
    play(study)
    return study


def test_a_policy_says_what_to_look_at_and_then_what_to_set(drug: Path) -> None:
    before = logged(drug)
    first = said("policy", drug)
    assert "look at age, then" in first
    assert f"steerbo policy {drug} --context age=…" in first
    told = said("policy", drug, "--context", "age=61")
    assert "set dose = " in told
    assert " mg" in told
    step = json.loads(said("policy", drug, "--context", "age=61", "--json"))
    assert step["context"] == {"age": 61.0}
    assert step["observe"] == []
    assert 0 <= step["values"]["dose"] <= 1
    assert step["lower"] < step["mean"] < step["upper"]
    assert re.search(r"^  expected value \S+ \(between \S+ and \S+\)$", told, re.MULTILINE)
    assert "expected" not in first
    assert logged(drug) == before, "nothing is logged"


def test_many_cases_at_once(drug: Path, tmp_path: Path) -> None:
    one = [json.loads(said("policy", drug, "--context", f"age={age}", "--json")) for age in (61, 44)]
    (tmp_path / "cases.csv").write_text("age\n61\n44\n")
    (tmp_path / "cases.json").write_text('[{"age": 61}, {"age": 44}]')
    for given in (tmp_path / "cases.csv", tmp_path / "cases.json", '[{"age": 61}, {"age": 44}]'):
        assert json.loads(said("policy", drug, "--contexts", given, "--json")) == one
    assert said("policy", drug, "--contexts", '[{"age": 61}]').startswith("having seen age = 61")
    lines = said("policy", drug, "--contexts", tmp_path / "cases.csv").splitlines()
    assert all(
        re.match(r"having seen age = .* mg; expected value \S+ \(between \S+ and \S+\)$", line) for line in lines
    )
    (tmp_path / "none.csv").write_text("age\n")
    for given in (tmp_path / "none.csv", "[]"):
        assert "no cases" in said("policy", drug, "--contexts", given)
        assert json.loads(said("policy", drug, "--contexts", given, "--json")) == []


def test_what_was_seen_far_away_is_a_guess(drug: Path) -> None:
    said_of = {age: said("policy", drug, "--context", f"age={age}") for age in (61, 610)}
    assert "guess" not in said_of[61]
    assert "age = 610 is outside its range, " in said_of[610]
    assert "this is a guess" in said("policy", drug, "--contexts", '[{"age": 610}]')


REFUSED = {
    ("--context", "agee=61"): "context.agee: 61.0 is not allowed; expected values for one of age (did you mean 'age'?)",
    ("--context", "age=old"): "context.age: 'old'",
    ("--context", "age"): "NAME=VALUE",
    ("--contexts", '[{"age": 61}, {"agee": 1}]'): "contexts, case 2.context.agee",
    ("--contexts", '{"age": 61}'): "a list of tables in JSON",
    ("--contexts", "none.csv"): "a file that can be read",
    ("--contexts", "[]", "--context", "age=1"): "either --context or --contexts",
    ("--time", "3"): "time: 3.0 is not allowed; expected nothing",
}


@pytest.mark.parametrize(("given", "says"), REFUSED.items(), ids=map(str, REFUSED))
def test_what_a_policy_refuses(drug: Path, given: tuple[str, ...], says: str) -> None:
    assert says in refused(call("policy", drug, *given), 2)


def test_nothing_is_known_yet(tmp_path: Path) -> None:
    assert "an outcome to learn from" in refused(call("policy", begin(tmp_path, DRUG)), 2)


def test_the_other_kinds(tmp_path: Path) -> None:
    for name, text in {"line": LINE, "fleet": FLEET.format(contexts=""), "plant": PLANT}.items():
        (tmp_path / name).mkdir()
        study = begin(tmp_path / name, text)
        (suggestion,) = json.loads(said("ask", study, "--json"))
        nature = ["--cost", 1, *(["--realised", "ph=6"] if "ph" not in suggestion["values"] else [])]
        assert call("tell", study, suggestion["token"], 1, *(nature if name == "plant" else ())).exit_code == 0
    assert "as of time 100" in said("policy", tmp_path / "line" / "study.toml", "--time", 100)
    current = '{"everyone": {"north": 1.0}}'
    fleet = said("policy", tmp_path / "fleet" / "study.toml", "--current", current)
    assert "everyone: north = 0." in fleet
    assert "°C" in said("policy", tmp_path / "plant" / "study.toml")
    assert "context.ph" in refused(call("policy", tmp_path / "plant" / "study.toml", "--context", "ph=6"), 2)


def rounds(study: Path) -> list[dict[str, Any]]:
    return list(json.loads(said("show", study, "--json"))["rounds"])


def test_rounds_say_what_was_seen_and_what_nature_did(drug: Path, tmp_path: Path) -> None:
    assert next(r["seen"] for r in rounds(drug) if r["seen"])["age"] >= 25
    assert "age = " in said("show", drug)
    said("report", drug)
    page = drug.with_suffix(".html").read_text(encoding="utf-8")
    assert re.search(r"age \d", page)
    (tmp_path / "plant").mkdir()
    plant = begin(tmp_path / "plant", PLANT.replace('[["temperature"], ["temperature", "ph"]]', '[["temperature"]]'))
    (suggestion,) = json.loads(said("ask", plant, "--json"))
    said("tell", plant, suggestion["token"], 1, "--cost", 1, "--realised", "ph=6.25")
    (played,) = rounds(plant)
    assert (played["nature"], played["seen"]) == ({"ph": 6.25}, {})
    assert "ph = 6.25" in said("show", plant)
    said("report", plant)
    assert "6.25" in plant.with_suffix(".html").read_text(encoding="utf-8")
