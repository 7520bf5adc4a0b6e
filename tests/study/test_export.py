"""Rounds and data as tables, and back."""

from __future__ import annotations

from typing import Any

from steerbo.study import Study
from steerbo.study.files.export import rounds_csv
from steerbo.study.files.import_csv import import_csv
from tests.study.sheets import begin


def played() -> Study:
    """A study with a round in every state."""
    study = begin()
    rounds = study.ask(6)
    measured: dict[str, Any] = {"realised": {"temperature": 20.0, "ph": 6.0}}
    study.tell(rounds[0], 1.5, cost=2, **measured)
    study.fail(rounds[1], "=the pump, broke", cost=1)
    study.abandon(rounds[2], "nobody came")
    study.tell(rounds[3], 99.0, cost=3, **measured)
    study.amend(rounds[3], void=True, reason="typo")
    study.fail(rounds[4], "no power", cost=1)
    study.amend(rounds[4], void=True)
    return study


def test_an_export_is_taken_whole_and_changes_nothing() -> None:
    with played() as study:
        before = study.events
        lines = import_csv(study, rounds_csv(study.problem, study.history))
        assert [line.fate for line in lines] == ["taken"] * 5 + ["left"], list(map(str, lines))
        assert study.events == before


def test_an_export_rebuilds_the_rounds_elsewhere() -> None:
    with played() as one, begin() as other:
        other.ask(6)
        table = rounds_csv(one.problem, one.history)
        for _ in range(2):
            assert all(line.fate != "refused" for line in import_csv(other, table))
        assert [(r.state, r.paid, r.realised) for r in other.history] == [
            (r.state, r.paid, r.realised) for r in one.history
        ]
        assert [r.failure and r.failure.reason for r in other.history] == [
            r.failure and r.failure.reason for r in one.history
        ]
        assert other.history.spent == one.history.spent
