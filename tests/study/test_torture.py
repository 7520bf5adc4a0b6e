"""The torture of `make torture`, in short: kills, crowds, damage and rubbish, on SQLite and on a real PostgreSQL."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from steerbo.errors import LogUnavailable
from steerbo.storage.connections import SharedClock
from steerbo.study import DatabaseLog, Study
from steerbo.study.workers import Leases
from tests.core.stub import Nearest, Stub, stub_case
from tests.sizes import FULL, size
from tests.study.waiting import ELSEWHERE, take
from tests.torture import order, reopening
from tests.torture.clocks import clocks
from tests.torture.crowd import crowd
from tests.torture.damage import damage
from tests.torture.first_connection import first_connection
from tests.torture.kills import WINGS, kill_often
from tests.torture.lifetime import lifetime, small_disk
from tests.torture.malformed import malformed
from tests.torture.outside_limits import outside_limits
from tests.torture.reporting import reporting
from tests.torture.server import Server
from tests.torture.threads import threads
from tests.torture.unpickled import unpickled

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="signals")]


@pytest.fixture(scope="module")
def server(running: Server) -> str:
    return running.database().url


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("wing", ["cost-varying", "causal"])
def test_kills_on_sqlite(tmp_path: Path, wing: str) -> None:
    assert kill_often(str(tmp_path / "study.db"), wing, tmp_path, 6, 60, rounds=10)["kills"] == 6


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_kills_while_reports_are_made(tmp_path: Path) -> None:
    found = reporting(str(tmp_path / "study.db"), tmp_path, workers=2, kills=6, seconds=60, seed=7)
    assert found["kills"] == 8
    assert found["reports"] > 0


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_kills_and_a_crowd_on_postgresql(server: str, tmp_path: Path) -> None:
    assert kill_often(server, "stub in stages", tmp_path, 6, 60, rounds=10)["kills"] == 6
    assert crowd(server, "crowd", 3, 24, 1, 120)["killed"] == 1


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_clocks_that_are_apart(tmp_path: Path) -> None:
    assert clocks(str(tmp_path / "study.db"), tmp_path, 12)["evaluated twice"] == 0


def test_a_crash_during_a_first_connection_is_an_outage(server: str) -> None:
    assert first_connection(server)["called wrong input"] == 0


def test_threads_on_postgresql(server: str) -> None:
    assert threads(server, "threads", 4, 24)["rounds"] == 24


def test_studies_have_names_on_postgresql(server: str) -> None:
    with (
        Study.create(f"{server}#one", Stub(), Nearest, seed=7) as one,
        Study.create(server, Stub(), Nearest, name="two") as two,
    ):
        stub_case().play(one.optimizer, 3)
        assert two.ask().round == 1
    with Study.open(f"{server}#one", Stub()) as again:
        assert again.status.told == 3
        assert "postgresql://steerbo@127.0.0.1" in again.log.place


def test_turns_are_taken_on_postgresql(server: str) -> None:
    with closing(DatabaseLog(server, "turns")) as log:
        take(log, 4)


def test_a_server_that_went_away_is_named(running: Server) -> None:
    study = Study.create(running.database().url, Stub(), Nearest, wait=0.1)
    with running.away():
        with pytest.raises(LogUnavailable, match="cannot be reached or written just now"):
            study.ask()
        study.session.contention.quiet = 0
        with pytest.raises(LogUnavailable, match="cannot be reached or written just now"):
            study.ask()


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_long_session_in_short(tmp_path: Path) -> None:
    with small_disk(tmp_path) as disk:
        size: dict[str, Any] = {"workers": 2, "rounds": 12, "every": 0.5, "seconds": 300}
        found = lifetime("time-varying", f"{disk or tmp_path}/study.db", tmp_path, disk=disk, pause=0.3, **size)
    assert found["lost"] == found["twice"] == 0
    assert found["ms an ask by round"]


def test_values_come_in_the_same_order_after_a_kill(tmp_path: Path) -> None:
    found = order._ordered(f"{tmp_path}/study.db", "cost-varying", 3, time.monotonic() + 300)
    assert found["processes killed"] == 2


def test_damage(tmp_path: Path) -> None:
    assert damage(tmp_path / "damage", 15)["refused"] > 2


def test_malformed(tmp_path: Path) -> None:
    counts = malformed(600, tmp_path, seed=1)
    assert sum(number for kind, number in counts.items() if "refused" not in kind) == 600
    assert sum(number for kind, number in counts.items() if "refused" in kind) > 300


@pytest.mark.parametrize("wing", sorted(WINGS))
def test_long_studies_are_built_and_reopened(wing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All wings, with refits among the rounds that are drawn at random."""
    monkeypatch.setattr(reopening, "ROUNDS", 24)
    monkeypatch.setattr(reopening, "PLAYED", 8)
    found = reopening._reopened(tmp_path / "study.db", wing)
    assert found["wing"] == wing
    assert found["events"] > 2 * 24


def _later(clock: Callable[[], float]) -> float:
    return clock() + 61.0


@pytest.mark.parametrize("wrong", [3600.0, -3600.0])
def test_machines_whose_clocks_are_an_hour_apart(server: str, wrong: float) -> None:
    with closing(DatabaseLog(server, "clocks")) as log, closing(DatabaseLog(server, "clocks")) as far:
        far._database.clock = SharedClock(far._database._time, lambda: time.time() + wrong)
        here, there = Leases(log, ELSEWHERE, 60.0, log.now), Leases(far, f"{ELSEWHERE}2", 60.0, far.now)
        for mine, other in ((here, there), (there, here)):
            assert log.claim("1-ab", mine.new(), None)
            assert not [*other.take_over(["1-ab"])], "its holder is heard of"
            mine.drop("1-ab")
            assert log.claim("1-ab", mine.new(), None)
            ended = Leases(other.log, other.holder, 60.0, partial(_later, other.clock))
            assert [token for token, *_ in ended.take_over(["1-ab"])] == ["1-ab"], "it was not heard of for too long"
            ended.drop("1-ab")


def test_nothing_that_lies_on_a_disk_is_unpickled(tmp_path: Path) -> None:
    """By default with pickles of two protocols, and an array of numpy's."""
    found = unpickled(tmp_path / "unpickled", every=1 if FULL else 3)
    assert found["pickles read"] == 0
    assert found["poisons"] >= 3


def test_limits_of_a_kind_from_outside_hold_for_every_answer(tmp_path: Path) -> None:
    found = outside_limits(tmp_path / "ward", size(40, 16))
    assert found["limits broken"] == 0
    assert all(found["kept"][way] for way in ("recommend", "policy", "GET policy", "page")), "not all is refused"
