"""What a worker can be told, checked before anything is written; and a forked child is another one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from steerbo.errors import InvalidInput, InvalidOption, InvalidStudy
from steerbo.study import BY_HAND, DatabaseLog, Study, read_study, resume
from tests.core.stub import Nearest, Stub
from tests.study.files import Watcher, write_study
from tests.study.processes import ended_well, posix, threads
from tests.torture.kills import in_child

WRONG: list[dict[str, Any]] = [
    {"poll": 1}, {"lease": "x"}, {"lease": -1}, {"lease": float("nan")}, {"lease": True}, {"wait": "x"},
    {"wait": float("inf")}, {"clock": 3}, {"holder": 3}, {"holder": "a\0"}, {"say": 3}, {"wiat": 3},
]  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_what_no_worker_can_be_told(tmp_path: Path, wrong: dict[str, Any]) -> None:
    (name,) = wrong
    place = tmp_path / "study.db"
    with pytest.raises(InvalidOption, match=f"^{name}: "):
        Study.create(place, Stub(), Nearest, rounds=3, **wrong)
    assert not place.exists(), "nothing is begun"
    with pytest.raises(InvalidOption, match=f"^{name}: "):
        resume(read_study(write_study(tmp_path)), DatabaseLog(place), Watcher(), **wrong)
    Study.create(tmp_path / "there.db", Stub(), Nearest, rounds=3).close()
    with pytest.raises(InvalidOption, match=f"^{name}: "):
        Study.open(tmp_path / "there.db", Stub(), **wrong)


def test_all_at_once(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as caught:
        Study.create(tmp_path / "study.db", Stub(), Nearest, rounds=3, lease=-1, wait=-1, poll=1)
    assert {error.field for error in caught.value.errors} == {"lease", "wait", "poll"}


@pytest.mark.parametrize("name", ["", " ", "a\0b", "a\nb", "caf\udce9", "x" * 201, 3, None, b"x", ["x"]])
def test_what_no_study_is_called(tmp_path: Path, name: Any) -> None:
    with pytest.raises(InvalidStudy, match=r"^name: "):
        DatabaseLog(tmp_path / "study.db", name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["", "a\0b", 3, None, ["x"]])
def test_what_is_no_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: Any) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidStudy, match=r"^log: "):
        DatabaseLog(place)
    assert list(tmp_path.iterdir()) == []


@posix
@threads
def test_a_child_is_another_worker(tmp_path: Path) -> None:
    with Study.create(tmp_path / "study.db", Stub(), Nearest, rounds=9) as study:
        mine = study.ask()

        def work() -> None:
            assert study.ask().token != mine.token
            study.close()

        assert ended_well(in_child(work))
        assert set(study.log.leases()) == {mine.token}, "a child that leaves takes nothing of its parent's with it"
    with Study.create(tmp_path / "hand.db", Stub(), Nearest, rounds=9, holder=BY_HAND) as study:

        def person() -> None:
            study.ask()
            assert study.session.worker.leases.holder == BY_HAND

        assert ended_well(in_child(person))
