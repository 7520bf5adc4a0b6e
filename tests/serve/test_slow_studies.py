"""One study that is slow, or many: others are served meanwhile, nobody waits for long, and nothing is lost."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from starlette.testclient import TestClient

import steerbo as sb
from steerbo.serve import StudyPool, application
from steerbo.serve.operations import MOST_AT_ONCE
from steerbo.serve.pool import Line, OpenStudy
from steerbo.serve.problem_details import StudyBusyError
from steerbo.serve.server import _Server, configured, socket_at
from steerbo.study import Study
from tests.serve.players import oven

HUNG = 120.0  # seconds: what takes so long hangs
WEATHER = {"context": {"weather": 12.0}}


class Slow:
    """A study whose choices take until they are let go, and the other of the two that are served beside it."""

    def __init__(self, folder: Path) -> None:
        (folder / "other").mkdir()
        self.places = {"slow": oven(folder), "other": oven(folder / "other")}
        self.choosing, self.go_on, self.chosen = threading.Event(), threading.Event(), 0

    def opened(self) -> Study:
        study = Study.open(self.places["slow"])
        choose = study.session.ask

        def ask(*words: Any) -> Any:
            self.choosing.set()
            assert self.go_on.wait(HUNG)
            self.chosen += 1
            return choose(*words)

        study.session.ask = ask  # type: ignore[assignment, method-assign]
        return study

    @contextmanager
    def served(self) -> Iterator[str]:
        opens: dict[str, tuple[str, Callable[[], Study]]] = {
            "slow": (str(self.places["slow"]), self.opened),
            "other": (str(self.places["other"]), lambda: Study.open(self.places["other"])),
        }
        self.pool = StudyPool(opens)
        app = application(self.pool)
        server = _Server(configured(app))
        with closing(socket_at("127.0.0.1", 0)) as bound:
            thread = threading.Thread(target=server.run, args=([bound],))
            thread.start()
            try:
                yield f"http://127.0.0.1:{bound.getsockname()[1]}"
            finally:
                self.go_on.set()
                app.state.ending.set()
                server.should_exit = True
                thread.join(HUNG)
                assert not thread.is_alive()


def post(url: str, study: str, batch: int) -> httpx2.Response:
    return httpx2.post(f"{url}/v1/studies/{study}/ask", json={"batch": batch, **WEATHER}, timeout=HUNG, trust_env=False)


def get(url: str, path: str) -> httpx2.Response:
    return httpx2.get(f"{url}{path}", timeout=HUNG, trust_env=False)


def test_a_slow_study_takes_nothing_from_others_and_nobody_waits_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("steerbo.serve.pool.PATIENCE", 0.5)
    monkeypatch.setattr("steerbo.serve.pool.LONGEST", HUNG)
    slow = Slow(tmp_path)
    with ThreadPoolExecutor(64) as many, slow.served() as url:
        first = many.submit(post, url, "slow", 2)
        assert slow.choosing.wait(HUNG)
        asks = [many.submit(post, url, "slow", MOST_AT_ONCE) for _ in range(8)]
        looks = [many.submit(get, url, f"/v1/studies/slow/{word}") for word in ("status", "rounds", "events") * 15]
        assert get(url, "/healthz").json() == {"status": "ok"}
        assert get(url, "/v1/studies/other/status").json()["rounds"] == 0
        figures = get(url, "/metrics")
        assert figures.status_code == 200, "who watches a server need not wait for a study"
        assert 'steerbo_rounds{state="told",study="other"} 0.0' in figures.text
        assert get(url, "/page").status_code == 200
        assert len(post(url, "other", 1).json()["suggestions"]) == 1
        for answer in [*asks, *looks]:  # while the first is still being chosen
            found = answer.result(HUNG)
            assert found.status_code == 503
            later = int(found.headers["retry-after"])
            assert later > 0
            assert "slow is busy" in found.json()["detail"]
            assert f"again in {later} s" in found.json()["detail"]
        assert not first.done()
        slow.go_on.set()
        assert len(first.result(HUNG).json()["suggestions"]) == 2
        assert len(get(url, "/v1/studies/slow/rounds").json()["rounds"]) == 2, "what was refused was not done"


def test_who_is_refused_comes_back_before_a_slow_choice_is_likely_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the seconds that the one before has taken; at once where that says nothing."""
    clock = [0.0]
    monkeypatch.setattr("steerbo.serve.pool.time", SimpleNamespace(monotonic=lambda: clock[0]))
    monkeypatch.setattr("steerbo.serve.pool.PATIENCE", 0.1)
    served = OpenStudy("slow", str(tmp_path), lambda: pytest.fail("it need not be open"))

    async def refused_after(seconds: float) -> int:
        async with served.turn(changing=True):
            clock[0] += seconds
            with pytest.raises(StudyBusyError) as refused:
                async with served.turn(changing=True):
                    pass
        return refused.value.later

    async def play() -> list[int]:
        async with served.turn(changing=True):
            clock[0] += 60
        async with served.turn(changing=True):
            clock[0] += 0.01  # what is quick keeps nobody waiting, and is no measure
        return [await refused_after(20.5), await refused_after(30)]

    assert asyncio.run(play()) == [39, 1]


def test_what_was_read_before_is_shown_while_a_round_is_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steerbo.serve.pool.PATIENCE", 0.5)
    slow = Slow(tmp_path)
    with ThreadPoolExecutor(32) as many, slow.served() as url:
        before = get(url, "/v1/studies/slow/status").json()
        first = many.submit(post, url, "slow", 1)
        assert slow.choosing.wait(HUNG)
        answers = [many.submit(get, url, "/v1/studies/slow/status") for _ in range(20)]
        assert all(each.result(HUNG).json() == before for each in answers if each.result(HUNG).status_code == 200)
        assert any(each.result(HUNG).status_code == 200 for each in answers)
        slow.go_on.set()
        assert first.result(HUNG).status_code == 200


def test_who_was_refused_keeps_the_rank_of_the_first_time() -> None:
    """Also against those who never leave the line, and who come again at once."""

    async def play() -> list[str]:
        line, came = Line(1), list[str]()
        refused, other = hash("refused"), hash("other")

        async def wait(name: str, who: int) -> None:
            async with line.place(who):
                came.append(name)

        async with line.place(0):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(wait("never", refused), 0.01)
            others = [asyncio.create_task(wait("other", other)) for _ in range(2)]
            while line.waiting < 2:
                await asyncio.sleep(0)
            again = asyncio.create_task(wait("refused", refused))
            while line.waiting < 3:
                await asyncio.sleep(0)
        await asyncio.gather(*others, again)
        async with line.place(0):
            assert line.waiting == 0
        return came

    assert asyncio.run(play()) == ["refused", "other", "other"]


def test_a_thread_that_waits_for_a_study_takes_no_place_of_those_that_compute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("steerbo.serve.pool.PATIENCE", HUNG)
    monkeypatch.setattr("steerbo.serve.pool.READING", 1)
    monkeypatch.setattr("steerbo.serve.pool.CHANGING", 1)
    slow = Slow(tmp_path)
    with ThreadPoolExecutor(8) as many, slow.served() as url:
        first = many.submit(post, url, "slow", 1)
        assert slow.choosing.wait(HUNG)
        looks = [many.submit(get, url, f"/v1/studies/slow/{word}") for word in ("status", "rounds", "events")]
        while slow.pool.studies["slow"].turns[False]._free > 1:
            assert get(url, "/healthz").json() == {"status": "ok"}
        assert get(url, "/v1/studies/other/status").json()["rounds"] == 0
        assert not any(each.done() for each in (first, *looks))
        slow.go_on.set()
        assert all(each.result(HUNG).status_code == 200 for each in (first, *looks))


def test_once_the_client_has_hung_up_no_more_is_chosen(tmp_path: Path) -> None:
    slow = Slow(tmp_path)
    with slow.served() as url:
        at = urlsplit(url)
        body = json.dumps({"batch": 20, **WEATHER})
        lines = "POST /v1/studies/slow/ask HTTP/1.1", "Host: localhost", "Content-Type: application/json"
        head = "\r\n".join((*lines, f"Content-Length: {len(body)}", "\r\n"))
        with socket.create_connection((at.hostname, at.port), timeout=HUNG) as client:
            client.sendall((head + body).encode())
            assert slow.choosing.wait(HUNG)
        for _ in range(2):  # by then it has heard of the end that came before
            assert get(url, "/healthz").status_code == 200
        slow.go_on.set()
        rounds = get(url, "/v1/studies/slow/rounds").json()["rounds"]
        assert len(rounds) == slow.chosen == 1, "the one that was being chosen is among the open ones"


def test_long_batches_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight clients want more than a turn has time for: each gets one; the last, whom nobody waits for, all."""
    monkeypatch.setattr("steerbo.serve.pool.PATIENCE", HUNG)
    slow = Slow(tmp_path)
    with ThreadPoolExecutor(8) as many, slow.served() as url:
        asked = [many.submit(post, url, "slow", 4) for _ in range(8)]
        while slow.pool.studies["slow"].turns[True].waiting < 7:
            assert get(url, "/healthz").json() == {"status": "ok"}
        monkeypatch.setattr("steerbo.serve.pool.PATIENCE", 0.0)  # the time of each is over
        slow.go_on.set()
        answers = [each.result(HUNG).json() for each in asked]
    assert sorted(len(answer["suggestions"]) for answer in answers) == [1] * 7 + [4]
    assert all(len(answer["suggestions"]) + answer["left"] == 4 for answer in answers)


@pytest.mark.parametrize("batch", [0, -1, MOST_AT_ONCE + 1, 10_000])
def test_a_batch_has_a_stated_most(batch: int, tmp_path: Path) -> None:
    slow = Slow(tmp_path)
    slow.go_on.set()
    with slow.served() as url:
        answer = post(url, "slow", batch)
        assert answer.status_code == 422
        (wrong,) = answer.json()["errors"]
        assert (wrong["field"], wrong["value"]) == ("batch", str(batch))
        assert wrong["allowed"] == f"a whole number from 1 to {MOST_AT_ONCE}"
        assert "Ask again for more" in wrong["hint"]
        assert get(url, "/v1/studies/slow/status").json()["rounds"] == 0


def test_a_batch_ends_with_the_money(tmp_path: Path) -> None:
    place = tmp_path / "small.db"
    Study.create(place, sb.CostVarying([sb.Float("x", 0, 1)], [["x"]]), "random", rounds=3, seed=1).close()
    with closing(StudyPool({"small": (str(place), lambda: Study.open(place))})) as pool:
        app = application(pool)
        with TestClient(app, "http://localhost") as client:
            answer = client.post("/v1/studies/small/ask", json={"batch": MOST_AT_ONCE}).json()
    assert len(answer["suggestions"]) == 3


def test_of_many_studies_few_are_open_and_a_list_opens_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steerbo.serve.pool.MOST_OPEN", 5)
    opened: list[str] = []

    def opener(name: str, place: Path) -> Callable[[], Study]:
        def opens() -> Study:
            opened.append(name)
            return Study.open(place)

        return opens

    places = {f"s{k}": tmp_path / f"s{k}.db" for k in range(12)}
    for place in places.values():
        Study.create(place, sb.CostVarying([sb.Float("x", 0, 1)], [["x"]]), "random", rounds=3, seed=1).close()
    pool = StudyPool({name: (str(place), opener(name, place)) for name, place in places.items()})
    with ExitStack() as held:
        client = held.enter_context(TestClient(application(pool), "http://localhost"))
        assert all(name in client.get("/page").text for name in places)
        assert client.get("/metrics").status_code == client.get("/v1/studies").status_code == 200
        assert opened == []
        for name in places:
            assert client.get(f"/v1/studies/{name}/status").json()["rounds"] == 0
        still = [name for name, served in pool.studies.items() if served._study is not None]
        assert still == [f"s{k}" for k in range(7, 12)], "the least recently used were closed"
        assert client.post("/v1/studies/s0/ask", json={}).status_code == 200, "a closed one is opened again"
        assert opened.count("s0") == 2


def test_a_study_in_use_is_not_closed(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    one, two = oven(tmp_path), oven(tmp_path / "b")
    pool = StudyPool({"a": (str(one), lambda: Study.open(one)), "b": (str(two), lambda: Study.open(two))})
    pool.most_open = 1

    def use_other() -> None:
        with pool.studies["b"].use():
            pass

    with pool.studies["a"].use() as study:
        other = threading.Thread(target=use_other)
        other.start()
        other.join(HUNG)
        study.ask(context={"weather": 1.0})
    pool.close()
