"""What is a result, and what is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from partial_control_bench.errors import BenchError
from partial_control_bench.record import SCHEMA, machine, parse, read, schema

GOOD: dict[str, Any] = {
    "schema_version": 1, "problem": "daily", "version": 1, "entrant": "mine", "seed": 1000, "budget": {"rounds": 72},
    "rounds": 72, "money": 72.0, "curve": {"unit": "rounds", "at": [36, 72], "cumulative": [3.0, 4.0]},
}  # fmt: skip


def test_a_result_comes_back_as_it_was() -> None:
    found = parse(json.dumps(GOOD), "here")
    assert parse(found.line(), "there") == found
    assert (found.last("cumulative"), found.last("simple")) == (4.0, None)
    assert (found.at("cumulative", 36), found.at("cumulative", 40)) == (3.0, None)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seed": "x"}, "seed"),
        ({"place": "home"}, "place"),
        ({"schema_version": 2}, "schema_version"),
        ({"money": float("nan")}, "money"),
        ({"curve": {"unit": "rounds", "at": [36, 72], "cumulative": [4.0, 3.0]}}, "cumulative: must not fall"),
        ({"curve": {"unit": "rounds", "at": [36, 72], "simple": [3.0, 4.0]}}, "simple: must not rise"),
        ({"curve": {"unit": "rounds", "at": [72], "simple": [-1.0]}}, "never below 0"),
        ({"curve": {"unit": "rounds", "at": [72, 36], "simple": [1, 1]}}, "marks must rise"),
        ({"curve": {"unit": "rounds", "at": [36, 72], "simple": [1]}}, "one number for each of 2 marks"),
        ({"curve": {"unit": "rounds", "at": [72]}}, "simple or cumulative"),
        ({"curve": {"unit": "hours", "at": [72], "simple": [1]}}, "unit"),
    ],
)
def test_what_is_none_is_told_with_its_place(change: dict[str, Any], said: str) -> None:
    with pytest.raises(BenchError, match=f"here: .*{said}"):
        parse(json.dumps(GOOD | change), "here")


def test_files(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="no such file"):
        list(read(tmp_path / "none.jsonl"))
    (tmp_path / "some.jsonl").write_text(json.dumps(GOOD) + "\n\n{\n")
    with pytest.raises(BenchError, match=r"some\.jsonl, line 3: no JSON"):
        list(read(tmp_path / "some.jsonl"))


def test_the_published_schema_is_that_of_the_code() -> None:
    assert json.loads(SCHEMA.read_text()) == schema(), "run: pcb schema > schema.json"


def test_a_machine_has_no_name() -> None:
    import platform

    told = machine(("steerbo", "no-such-package")).model_dump_json()
    assert "steerbo" in told
    assert "no-such-package" not in told
    assert platform.node() not in told
