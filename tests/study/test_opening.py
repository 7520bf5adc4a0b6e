"""From a log to what its events lead to."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from steerbo.core import Event, Optimizer
from steerbo.errors import InvalidOption, InvalidStudy
from steerbo.gp._factor import Factor
from steerbo.records import from_dict, to_dict
from steerbo.study import Study
from steerbo.testing import Case
from tests.causal import worlds as causal
from tests.core.stub import Nearest, Stub
from tests.costvarying import worlds as costvarying
from tests.meanfield import worlds as meanfield
from tests.study.files import (
    MEASURE,
    Watcher,
    logged,
    rewrite,
    write_function,
)
from tests.study.runs import run
from tests.timevarying import cases as timevarying


def test_logs_changed_by_hand(tmp_path: Path) -> None:
    path = write_function(tmp_path, MEASURE)
    run(path, rounds=3)
    created, _, *rest = logged(path)
    rewrite(path, [created, *rest])
    with pytest.raises(InvalidStudy, match="events that follow from one another"):
        run(path)
    rewrite(path, rest)
    with pytest.raises(InvalidStudy, match=r"event 1: .* a 'created' event"):
        run(path)


def test_other_wheels_are_said(tmp_path: Path) -> None:
    path = write_function(tmp_path, MEASURE)
    run(path, rounds=1)
    created, *rest = logged(path)
    changed = to_dict(created, Event)
    changed["fingerprint"]["numpy"] = "0.1"
    rewrite(path, [from_dict(Event, changed), *rest])
    watcher = Watcher()
    run(path, rounds=1, watcher=watcher)
    assert "other wheels" in watcher.said[0]


def test_the_only_study_needs_no_name(tmp_path: Path) -> None:
    place = tmp_path / "study.db"
    Study.create(place, Stub(), Nearest, name="field").close()
    with Study.open(place, Stub()) as study:
        assert study.ask().round == 1
    with Study.open(f"sqlite:///{place}#field", Stub()) as study:
        assert study.status.rounds == 1
    Study.create(place, Stub(), Nearest, name="glasshouse").close()
    for wrong in (place, f"sqlite:///{place}#feld"):
        with pytest.raises(InvalidStudy, match="field, glasshouse"):
            Study.open(wrong, Stub())


@pytest.mark.parametrize("name", ["self", "problem", "method", "seed", "rounds", "budget", "stop", "log"])
def test_what_a_study_takes_itself_is_no_option_of_its_method(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match=rf"options\.{name}: 1 .*an option of the method"):
        Study.create(tmp_path / "study.db", Stub(), Nearest, rounds=3, options={name: 1})


KINDS: dict[str, Callable[[], Case]] = {
    "cost-varying": lambda: costvarying.case("explore-then-commit"),
    "time-varying": lambda: timevarying.case("prior-elimination", timevarying.box()),
    "causal": lambda: causal.staged("coca-bo", initial=2),
    "mean-field": lambda: meanfield.case("mf-gp-ucb"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_read_back_is_computed_when_somebody_asks(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A factor takes O(n³): one for each event would make reopening a long study take days."""
    case = KINDS[kind]()
    optimizer = case.play(case.start(), 7)
    made, build = list[int](), Factor._build

    def counted(factor: Factor, gram: Any, *rest: Any) -> None:
        made.append(len(gram))
        build(factor, gram, *rest)

    monkeypatch.setattr(Factor, "_build", counted)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = Optimizer.replay(case.problem, optimizer.events)
    assert sum(made) == 0
    monkeypatch.undo()
    assert again.recommend() == optimizer.recommend()
