"""Findings and reasons: each kind that is made has its words, and is data in JSON."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

import steerbo
import steerbo as sb
from steerbo.core import Finding, finding, reason
from steerbo.core._words import WORDS
from steerbo.errors import OutOfRangeWarning, UnusualOutcomeWarning
from steerbo.records import from_dict

SOURCES = sorted(Path(steerbo.__file__).parent.rglob("*.py"))
CODE = {"name": "value", "value": 7.3, "times": 5, "token": "3-ab"}
MAKERS = ("finding", "reason", "Finding", "Reason", "_Compared")


def kinds_made() -> set[str]:
    """Kinds that some source names in a call that makes a finding or a reason, or compares what becomes one."""
    found = set()
    for file in SOURCES:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Constant):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in MAKERS and isinstance(node.args[0].value, str):
                found.add(node.args[0].value)
    return found


def test_words_and_kinds_are_the_same() -> None:
    """`law` brings a text of its own, and `said` is for methods of other packages."""
    assert kinds_made() - {"law"} == WORDS.keys() - {"said"}


def test_it_comes_back_from_json() -> None:
    found = finding("strange-outcome", "0003", value=7.0, where="round 3 (3-ab)", name="3-ab")
    assert str(found) == "7 in round 3 (3-ab) is far from all others: if it is wrong, amend 3-ab."
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["text"] == found.text
    assert from_dict(Finding, plain) == found
    assert json.loads(json.dumps(reason("as-of", time=3.0).to_dict()))["text"] == "as of time 3"


@pytest.mark.parametrize(("kind", "warning"), [("too-small", OutOfRangeWarning), ("code", UnusualOutcomeWarning)])
def test_what_is_compared_with_other_outcomes_is_unusual(kind: str, warning: type[Warning]) -> None:
    told: dict[str, dict[str, Any]] = {
        "too-small": {"name": "value", "value": 1e-200, "smallest": 1e-100},
        "code": CODE,
    }
    values = told[kind]
    assert type(Finding(kind, "round 3", "value", values, "amend 3-ab").warning) is warning


def test_an_outcome_has_the_name_that_the_lab_gives_it() -> None:
    optimizer = sb.Optimizer(sb.CostVarying([sb.Float("ph", 4, 8)], [["ph"]]), "random", seed=0)
    optimizer.revise(columns={"value": "Yield (kg)"})
    for value in (3.0, 10.0, 5.0, 4.0):
        optimizer.tell(optimizer.ask(), value)
    with pytest.warns(UnusualOutcomeWarning, match="round 5: Yield = 740 is far from the others, 3 to 10"):
        optimizer.tell(optimizer.ask(), 740.0)
    coded = sb.Optimizer(sb.CostVarying([sb.Float("ph", 4, 8)], [["ph"]]), "random", seed=0)
    coded.revise(columns={"value": "Yield (kg)"})
    for k in range(40):
        coded.add(-200.0 if k % 4 == 0 else k / 7, {"ph": 4 + k / 10})
    assert "Yield = -200 in 10 of 40 outcomes" in str(coded.status)
