"""Saved optimizers whose classes are elsewhere."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import steerbo as sb
from steerbo.core import read_problem
from steerbo.errors import InvalidStudy
from tests.core.outside import KIND, PROBLEM, created
from tests.core.stub import Nearest, Stub
from tests.outsiders import FEW, install


def test_a_class_is_logged_by_its_place_and_found_again() -> None:
    options: dict[str, Any] = {"step": 0.2}
    optimizer = sb.Optimizer(Stub(), Nearest, seed=4, **options)
    assert created(optimizer).method == "tests.core.stub:Nearest"
    assert created(optimizer).problem_class == "tests.core.stub:Stub"
    again = sb.load(optimizer.to_json())
    assert again.events == optimizer.events
    assert again.ask() == optimizer.ask()


def test_a_log_says_what_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as installed:
        groups = {"problems": "shelf = gone_shelf:Shelf", "methods": "shelf = gone_shelf:Middle"}
        install(tmp_path / "site", installed, "gone_shelf", KIND + FEW, version="2.5", **groups)
        whole = sb.Optimizer(read_problem({"kind": "shelf"})).to_json()
        lent = sb.Optimizer(PROBLEM, "gone_shelf:Middle").to_json()
    del sys.modules["gone_shelf"]
    for text, field in ((whole, "problem.kind"), (lent, "method")):
        with pytest.raises(
            InvalidStudy,
            match=f"^events.0: {field}: .*It was made with gone_shelf 2.5. There is no module 'gone_shelf'",
        ):
            sb.load(text)


def test_a_log_from_elsewhere_imports_nothing_of_pythons_own() -> None:
    text = sb.Optimizer(PROBLEM).to_json().replace('"cheap-first"', '"antigravity:fly"')
    with pytest.raises(InvalidStudy, match=r"events.0: method: 'antigravity:fly' is not allowed"):
        sb.load(text)
    assert "antigravity" not in sys.modules


JUNK: list[Any] = [3, "x", None, [], [{"lamp": "z"}], {"a": [1]}, [[1]], 1e300, True, [None]]


@pytest.mark.parametrize("junk", JUNK)
def test_what_could_be_chosen_then_changes_nothing_now(junk: Any) -> None:
    """What past requests said of that day is shown and not computed from, whatever a log holds of it."""
    optimizer = sb.Optimizer(sb.TimeVarying([sb.Categorical("lamp", [*"abcdef"])]), seed=0)
    for _ in range(5):
        suggestion = optimizer.ask(available=[{"lamp": kind} for kind in "abcd"])
        optimizer.tell(suggestion, float(ord(suggestion.values["lamp"]) % 5))
    log = json.loads(optimizer.to_json())
    requests = [each["request"] for each in log["events"] if "request" in each]
    assert len(requests) == 5
    for request in requests:
        request["available"] = junk
    again = sb.load(json.dumps(log))
    assert again.recommend() == optimizer.recommend()
    assert again.ask() == optimizer.ask()
    assert str(again.explain()) == str(optimizer.explain())
    assert [again.card(played.suggestion) for played in again.history]


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 200_000, "[" * 900 + "]" * 900])
def test_what_is_nested_without_end_is_no_log(text: str) -> None:
    deep = f'{{"events": [{{"kind": "created", "problem": {text}, "method": "random", "seed": 0}}]}}'
    for given in (text, deep):
        with pytest.raises(InvalidStudy):
            sb.load(given)
