"""Studies behind a server: one request computes, the others read."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from steerbo.errors import InvalidStudy, LogUnavailable
from steerbo.serve import StudyPool
from steerbo.serve.pool import OpenStudy
from steerbo.study import Study
from tests.serve.players import key_for, opener, oven


def test_what_is_read_is_computed_once_between_two_events(tmp_path: Path) -> None:
    place = oven(tmp_path)
    one, calls = OpenStudy("oven", str(place), opener(place)), []

    def look(study: Study) -> int:
        calls.append(1)
        return len(study.history)

    assert [one.read("n", look) for _ in range(3)] == [0, 0, 0]
    assert len(calls) == 1
    with Study.open(place) as other:
        other.ask(context={"weather": 1.0})
    assert one.read("n", look) == 1
    assert len(calls) == 2
    one.close()


def test_while_a_round_is_chosen_others_read_what_was_last(tmp_path: Path) -> None:
    place = oven(tmp_path)
    one = OpenStudy("oven", str(place), opener(place))
    assert one.events() == 1
    inside, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        with one.use() as study:
            study.ask(context={"weather": 1.0})
            inside.set()
            go_on.wait(20)

    thread = threading.Thread(target=slow)
    thread.start()
    assert inside.wait(20)
    assert one.events() == 1, "not kept waiting"
    go_on.set()
    thread.join()
    assert one.events() == 2
    one.close()


def test_a_file_that_was_replaced_is_opened_anew(tmp_path: Path) -> None:
    place = oven(tmp_path)
    one = OpenStudy("oven", str(place), opener(place))
    assert one.events() == 1
    place.rename(tmp_path / "away.db")
    with pytest.raises((InvalidStudy, LogUnavailable)):
        one.events()
    (tmp_path / "away.db").rename(place)
    assert one.events() == 1
    one.close()


def test_who_caused_it_is_in_the_log(tmp_path: Path) -> None:
    place = oven(tmp_path)
    one = OpenStudy("oven", str(place), opener(place))
    with one.use("ann") as study:
        first = study.ask(context={"weather": 1.0})
    with one.use() as study:
        study.abandon(first)
        assert [getattr(event, "by", None) for event in study.events] == [None, "ann", None]
    one.close()
    with Study.open(place) as again:
        assert again.events[1].by == "ann"  # type: ignore[union-attr]


def test_a_key_opens_its_study(tmp_path: Path) -> None:
    place = oven(tmp_path)
    pool = StudyPool({"oven": (str(place), opener(place))}, keyed=True)
    found = pool.key(key_for(place, "play", "ann"))
    assert found is not None
    assert (found[0].name, found[1]) == ("ann", ("oven",))
    assert pool.key(key_for(place, "play", study="another")) is None
    assert pool.key("") is None
    pool.close()


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What studies were asked to prepare; any choice is worth it, and nobody waits for quiet."""
    asked: list[int] = []
    monkeypatch.setattr("steerbo.serve.pool.QUIET", 0.01)
    monkeypatch.setattr("steerbo.serve.pool.DEAR", 0.0)
    monkeypatch.setattr(Study, "prepare", lambda study, k: asked.append(k))
    return asked


def quiet(one: OpenStudy) -> None:
    """Until nothing is to come any more."""
    one._quiet.join(20)


def test_suggestions_are_prepared_when_something_has_come_and_then_nothing(tmp_path: Path, prepared: list[int]) -> None:
    place = oven(tmp_path)
    one = OpenStudy("oven", str(place), opener(place), prepare=2)
    for _ in range(3):
        one.events()
    quiet(one)
    assert prepared == [2], "when it was opened, and not whenever somebody looked"
    with one.use() as study:
        study.ask(context={"weather": 1.0})
    quiet(one)
    assert prepared == [2, 2]
    with Study.open(place) as other:
        other.ask(context={"weather": 1.0})
    one.events()
    quiet(one)
    assert prepared == [2, 2, 2]
    one.close()


def test_nothing_is_prepared_where_nobody_wants_it_it_is_cheap_or_all_is_over(
    tmp_path: Path, prepared: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = oven(tmp_path)
    unwanted = OpenStudy("oven", str(place), opener(place))
    unwanted.events()
    assert not unwanted._quiet.is_alive()
    unwanted.close()
    monkeypatch.setattr("steerbo.serve.pool.DEAR", 60.0)
    cheap = OpenStudy("oven", str(place), opener(place), prepare=1)
    cheap.events()
    quiet(cheap)
    cheap.close()
    monkeypatch.setattr("steerbo.serve.pool.QUIET", 60.0)
    late = OpenStudy("oven", str(place), opener(place), prepare=1)
    late.events()
    assert late._quiet.is_alive()
    late.close()
    quiet(late)
    assert not late._quiet.is_alive()
    assert not prepared
