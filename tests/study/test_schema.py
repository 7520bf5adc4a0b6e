"""The schema of study files takes what is read, and marks what is refused."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from steerbo.study.files.schema import study_schema

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed: pip install jsonschema")
EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*/study.toml"))
CHECK = jsonschema.Draft202012Validator(study_schema())


def read(text: str) -> dict[str, Any]:
    return tomllib.loads(text)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_it_takes_the_examples(path: Path) -> None:
    complaints = [each.message for each in CHECK.iter_errors(read(path.read_text(encoding="utf-8")))]
    assert not complaints


PLANT = """
[problem]
kind = "cost-varying"
variables = [
  { kind = "float", name = "ph", low = 4, high = 8, column = "pH value", law = { kind = "uniform" } },
  { kind = "float", name = "t", low = 10, high = 35, law = { kind = "empirical", file = "t.csv", column = "temp" } },
]
control_sets = [["ph"], ["t", "ph"]]
[study]
budget = 30
[objective]
command = ["python", "plant.py"]
timeout = 10
"""


def test_it_takes_what_only_a_file_says() -> None:
    CHECK.validate(read(PLANT))
    assert len(EXAMPLES) > 10


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("budget = 30", "budgt = 30"),
        ("budget = 30", 'budget = "much"'),
        ("low = 4", "lower = 4"),
        ('kind = "uniform"', 'kind = "unifrom"'),
        ('kind = "cost-varying"', 'kind = "cost"'),
        ("timeout = 10", 'function = "plant:run"'),
        ("[objective]", "[objektive]"),
    ],
)
def test_it_marks_mistakes(right: str, wrong: str) -> None:
    assert right in PLANT
    assert not CHECK.is_valid(read(PLANT.replace(right, wrong)))


def test_its_fields_say_what_they_are() -> None:
    schema = study_schema()
    assert schema["$defs"]["Float"]["properties"]["low"]["description"] == "the bounds of settings, in `unit`."
    assert all("minimize" in problem["properties"] for problem in schema["properties"]["problem"]["oneOf"])
