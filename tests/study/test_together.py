"""Many pieces of data are one commit: all of it is in the log, or nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import steerbo as sb
from steerbo.core import DataAdded, Optimizer
from steerbo.errors import LogUnavailable
from steerbo.study import Study, read_events
from steerbo.study.files.import_csv import import_csv

PROBLEM = sb.CostVarying([sb.Float(name, 0, 1, law=sb.Uniform()) for name in ("heat", "ph")], [["heat"], ["ph"]])
NAMES = PROBLEM.space.names


def table(rows: int, **odd: Any) -> str:
    lines = [",".join([*NAMES, "value"])]
    for row in range(rows):
        values = {name: (row * (d + 1) % 17) / 17 for d, name in enumerate(NAMES)} | {"value": row / 7}
        lines.append(",".join(repr(odd.get(f"{name} {row}", value)) for name, value in values.items()))
    return "\n".join(lines) + "\n"


def added(place: Path) -> list[DataAdded]:
    return [event for event in read_events(place) if isinstance(event, DataAdded)]


def commits(study: Study) -> list[int]:
    """How many events went into each commit from here on."""
    counted: list[int] = []
    log: Any = study.session.log.log
    extend = log.extend

    def counting(events: Any, lease: Any = None) -> None:
        extend(events, lease)
        counted.append(len(events))

    log.extend = counting
    return counted


def test_a_long_table_takes_few_commits_and_leads_to_the_same_as_line_by_line(tmp_path: Path) -> None:
    with Study.create(tmp_path / "one.db", PROBLEM, "random") as study:
        counted = commits(study)
        lines = import_csv(study, table(600))
        assert counted == [250, 250, 100], "and no model is fitted for a method that reads none"
        assert [line.number for line in lines] == list(range(2, 602))
        assert lines[0].message == "added as added-1"
        assert lines[-1].message == "added as added-600"
    alone = Optimizer(PROBLEM, "random")
    found = added(tmp_path / "one.db")
    for event in found:
        alone.add(event.outcome.value, event.outcome.realised)
    assert [event for event in alone.events if isinstance(event, DataAdded)] == found


def test_who_brought_the_data_stands_in_the_log(tmp_path: Path) -> None:
    with Study.create(tmp_path / "by.db", PROBLEM, "random") as study, study.said_by("Ann"):
        import_csv(study, table(3))
        assert {event.by for event in study.events if isinstance(event, DataAdded)} == {"Ann"}


def test_lines_that_are_refused_or_hard_to_believe_say_so_in_their_place(tmp_path: Path) -> None:
    with Study.create(tmp_path / "odd.db", PROBLEM, "random") as study:
        lines = import_csv(study, table(4, **{"value 1": "x", f"{NAMES[0]} 2": 40.0}))
        assert [line.fate for line in lines] == ["taken", "refused", "taken", "taken"]
        assert "40" in lines[2].message
        assert lines[3].message == "added as added-3"


def test_a_round_that_is_told_in_the_middle_stands_there_in_the_log(tmp_path: Path) -> None:
    with Study.create(tmp_path / "mixed.db", PROBLEM, "random") as study:
        asked = study.ask()
        assert asked is not None
        head, *rows = table(4).splitlines()
        told = ",".join(["0.5"] * len(NAMES) + ["1.0"])
        text = "\n".join(
            [head + ",token", *(f"{r}," for r in rows[:2]), f"{told},{asked.token}", *(f"{r}," for r in rows[2:])]
        )
        assert [line.fate for line in import_csv(study, text)] == ["taken"] * 5
        assert [event.kind for event in study.events[2:7]] == ["added", "added", "told", "added", "added"]


def test_a_commit_that_fails_leaves_nothing_and_the_same_table_again_all_of_it(tmp_path: Path) -> None:
    place = tmp_path / "away.db"
    with Study.create(place, PROBLEM, "random", wait=0) as study:
        log: Any = study.session.log.log
        write = log._write

        def failing(rows: Any, *more: Any) -> None:
            if rows[0]["position"] > 250:
                raise LogUnavailable("the log", "no room on the disk", "")
            write(rows, *more)

        log._write = failing
        with pytest.raises(LogUnavailable):
            import_csv(study, table(300))
        assert len(study.history.data) == len(added(place)) == 250
        log._write = write
        lines = import_csv(study, table(300))
    assert sum("there already" in line.message for line in lines) == 250
    assert len(added(place)) == 300
