"""Studies of a database, put in order."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from steerbo.errors import InvalidStudy
from steerbo.storage.backup import archive, delete, rename, shelved
from steerbo.storage.keys import KeyRing, keys_of
from steerbo.study import Study, restore
from tests.study.folders import filled
from tests.torture.server import Server


def test_they_are_listed_with_how_far_they_have_come(tmp_path: Path) -> None:
    filled(tmp_path / "log.db")
    assert [(s.name, s.kind, s.status, s.events) for s in shelved(tmp_path / "log.db")] == [
        ("north", "cost-varying", "1 round", 3),
        ("south", "cost-varying", "1 round", 3),
    ]


def in_order(place: Path | str, folder: Path) -> None:
    filled(place)
    with closing(KeyRing(place)) as ring:
        _, text = ring.create("north", "ann", "play")
        rename(place, "north", "west")
        key = ring.check(text)
        assert key is not None
        assert key.study == "west", "keys come with it"
    with Study.open(place, name="west") as study:
        assert study.status.told == 1
        study.ask(context={"weather": 2.0})
    assert archive(place, "south", folder / "south.db") == 3
    assert [s.name for s in shelved(place)] == ["west"]
    restore(folder / "south.db", place)
    assert [s.name for s in shelved(place)] == ["south", "west"]
    delete(place, "west")
    assert [s.name for s in shelved(place)] == ["south"]
    assert keys_of(place) == []


def test_in_a_file(tmp_path: Path) -> None:
    in_order(tmp_path / "log.db", tmp_path)


def test_on_a_server(running: Server, tmp_path: Path) -> None:
    in_order(running.database().url, tmp_path)


@pytest.mark.parametrize("call", [lambda p: rename(p, "north", "east"), lambda p: delete(p, "north")])
def test_what_somebody_works_on_is_left_alone(call: Callable[[Path], None], tmp_path: Path) -> None:
    place = tmp_path / "log.db"
    filled(place)
    with Study.open(place, name="north") as study:
        study.ask(context={"weather": 1.0})
        with pytest.raises(InvalidStudy, match="Stop its runs first"):
            call(place)
        with pytest.raises(InvalidStudy, match="Stop its runs first"):
            archive(place, "north", tmp_path / "away.db")
    call(place)


def test_names_that_are_wrong(tmp_path: Path) -> None:
    place = tmp_path / "log.db"
    filled(place)
    with pytest.raises(InvalidStudy, match="new: 'south'"):
        rename(place, "north", "south")
    for new in ("", "a\nb"):
        with pytest.raises(InvalidStudy, match="name"):
            rename(place, "north", new)
    with pytest.raises(InvalidStudy, match="did you mean 'north'"):
        delete(place, "norht")
    with pytest.raises(InvalidStudy, match="name another file"):
        archive(place, "north", place)
    assert [s.name for s in shelved(place)] == ["north", "south"]
