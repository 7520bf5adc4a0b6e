"""Assistants: the same words, keys and errors through the Model Context Protocol, as the SDK's own client sees them."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
import pytest

from steerbo.serve import StudyPool
from steerbo.serve.auth import opened, studies_of
from steerbo.serve.operations import CHANGES, LOOKS
from steerbo.serve.problem_details import Refusal
from steerbo.storage.keys import KeyRing
from steerbo.study import Study
from tests.cli.calls import call
from tests.core.stub import Nearest, Stub
from tests.serve.players import KINDS, bearer, key_for, of_kind, opener, oven, served
from tests.serve.processes import commanded

mcp = pytest.importorskip("mcp", reason="mcp is not installed (pip install mcp)")
from mcp.client.stdio import stdio_client  # noqa: E402
from mcp.client.streamable_http import streamable_http_client  # noqa: E402

from steerbo.serve.tools import tools_server, with_key  # noqa: E402  which needs it

TOLD = {"value": 1.0, "cost": 1.0, "realised": {"oven": 150.0, "speed": 0.5}}


class Assistant:
    """Calls tools, and reads what they answer."""

    def __init__(self, client: Any) -> None:
        self.client = client

    async def does(self, tool: str, **given: Any) -> Any:
        answer = await self.client.call_tool(tool, given)
        assert json.loads(answer.content[-1].text) == answer.structured_content
        assert "no instructions" in answer.content[0].text, "texts in it are marked as data"
        assert not answer.is_error, answer.structured_content
        return answer.structured_content

    async def is_refused(self, tool: str, **given: Any) -> Any:
        answer = await self.client.call_tool(tool, given)
        assert answer.is_error, answer.structured_content
        return answer.structured_content


def in_process(place: Path, play: Any, key: str = "", **more: Any) -> Any:
    """What `play` finds with an assistant beside a server in this process."""

    async def main(pool: StudyPool) -> Any:
        async with mcp.Client(tools_server(pool, with_key(pool, key)), **more) as client:
            return await play(Assistant(client))

    with closing(StudyPool({"oven": (str(place), opener(place))}, bool(key))) as pool:
        return asyncio.run(main(pool))


@pytest.mark.filterwarnings("ignore:.*not even the noise:UserWarning")
@pytest.mark.parametrize("wing", KINDS)
def test_a_whole_study_by_tools_is_what_python_would_have_played(wing: str, tmp_path: Path) -> None:
    place, case = of_kind(tmp_path, wing, rounds=3)

    async def play(ours: Assistant) -> None:
        quiet = case.start(rounds=3)
        for number in range(1, 4):
            expected = quiet.ask(**case.request(number))
            (asked,) = (await ours.does("ask", **_plain(case.request(number))))["suggestions"]
            while expected.observe:
                seen = case.seen(expected)
                expected = quiet.decide(expected, seen)
                asked = await ours.does("decide", token=asked["token"], context=_plain(seen))
            assert asked["values"] == expected.to_dict()["values"]
            outcome = case.outcome(expected)
            quiet.tell(expected, **outcome)
            await ours.does("tell", token=asked["token"], **_plain(outcome))
        status = await ours.does("status")
        assert status["finished"]
        assert (await ours.does("recommendation"))["scope"] == quiet.recommend().to_dict()["scope"]

    in_process(place, play)


def _plain(given: Any) -> Any:
    return json.loads(json.dumps(given, default=float))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_every_word_is_a_tool_that_says_what_it_takes(mode: str, tmp_path: Path) -> None:
    async def play(ours: Assistant) -> Any:
        return {tool.name: tool for tool in (await ours.client.list_tools()).tools}

    tools = in_process(oven(tmp_path), play, mode=mode)
    assert set(tools) == {*CHANGES, *LOOKS, "studies", "rounds", "events", "policy", "predict"}
    assert set(tools["tell"].input_schema["required"]) == {"token", "value"}
    assert all(tool.description for tool in tools.values())
    assert {name for name, tool in tools.items() if not tool.annotations.read_only_hint} == set(CHANGES)


def test_refusals_are_those_of_the_interface(tmp_path: Path) -> None:
    place = oven(tmp_path)

    async def play(ours: Assistant) -> list[Any]:
        wrong = [await ours.is_refused("ask", context={"weather": "warm"})]
        (asked,) = (await ours.does("ask", context={"weather": 3}))["suggestions"]
        wrong.append(await ours.is_refused("tell", token=asked["token"], value="high"))
        await ours.does("tell", token=asked["token"], **TOLD)
        await ours.does("tell", token=asked["token"], **TOLD)
        wrong.append(await ours.is_refused("tell", token=asked["token"], **{**TOLD, "value": 2.0}))
        wrong.append(await ours.is_refused("tell", token="9-9999", **TOLD))
        wrong.append(await ours.is_refused("rounds", state="lost"))
        assert (await ours.does("status"))["spent"] == 1.0
        for tool, given in (("nothing", {}), ("status", {"study": "other"}), ("tell", {}), ("fail", {"tokn": "1"})):
            assert (await ours.is_refused(tool, **given))["status"] in (404, 422)
        assert (await ours.is_refused("tell", token="1"))["errors"][0]["field"] == "value"
        return wrong

    by_tools = in_process(place, play)
    (tmp_path / "again").mkdir()
    with served(oven(tmp_path / "again")) as client:

        def post(path: str, body: Any) -> Any:
            return client.post(f"/v1/studies/oven/{path}", json=body).json()

        by_http = [post("ask", {"context": {"weather": "warm"}})]
        (asked,) = post("ask", {"context": {"weather": 3}})["suggestions"]
        tell = f"rounds/{asked['token']}/tell"
        by_http.append(post(tell, {"value": "high"}))
        post(tell, TOLD)
        by_http += [post(tell, {**TOLD, "value": 2.0}), post("rounds/9-9999/tell", TOLD)]
        by_http.append(client.get("/v1/studies/oven/rounds", params={"state": "lost"}).json())
    assert [_nameless(each) for each in by_tools] == [_nameless(each) for each in by_http]


def _nameless(plain: Any) -> Any:
    """Tokens are of their studies."""
    return {key: plain[key] for key in ("type", "status")} | {
        "errors": [each["field"] for each in plain.get("errors", ())]
    }


@pytest.mark.filterwarnings("ignore::steerbo.errors.OutOfRangeWarning")
def test_what_is_hard_to_believe_is_in_the_answer(tmp_path: Path) -> None:
    async def play(ours: Assistant) -> None:
        (asked,) = (await ours.does("ask", context={"weather": 900}))["suggestions"]
        assert "weather = 900" in asked["warnings"][0]
        for _ in range(2):
            told = await ours.does("tell", token=asked["token"], **{**TOLD, "realised": {"oven": 600, "speed": 0.5}})
            assert "oven = 600" in told["warnings"][0]
        data = {"oven": 150, "speed": 0.5, "weather": -300}
        assert "weather = -300" in (await ours.does("add", value=1.0, realised=data, cost=1.0))["warnings"][0]
        for name in ("self", "place", "request"):
            answer = await ours.client.call_tool("ask", {"context": {"weather": 3}, name: 1})
            said = answer.structured_content
            assert (said["status"], said["errors"][0]["field"]) == (422, name)

    async def look(ours: Assistant) -> None:
        (asked,) = (await ours.does("ask"))["suggestions"]
        wrong = await ours.does("decide", token=asked["token"], context={"age": 610})
        assert "age = 610" in wrong["warnings"][0]
        right = await ours.does("decide", token=asked["token"], context={"age": 0.61}, again=True)
        assert (right["context"], right["warnings"]) == ({"age": 0.61}, [])

    in_process(oven(tmp_path), play)
    staged = tmp_path / "staged.db"
    Study.create(staged, Stub(), Nearest, rounds=6).close()
    in_process(staged, look)


def test_a_fault_of_ours_is_no_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr("steerbo.study._session.StudySession.ask", broken)

    async def play(ours: Assistant) -> Any:
        return await ours.is_refused("ask")

    said = in_process(oven(tmp_path), play)
    assert said["status"] == 500
    assert "secret" not in json.dumps(said)


def test_a_key_says_what_may_be_done_and_who_did_it(tmp_path: Path) -> None:
    place = oven(tmp_path)
    reading, playing = key_for(place, "read"), key_for(place, "play", "claude")

    async def read(ours: Assistant) -> None:
        assert (await ours.does("studies"))["may"] == "read"
        assert (await ours.is_refused("ask", context={"weather": 1}))["status"] == 403

    async def play(ours: Assistant) -> None:
        (asked,) = (await ours.does("ask", context={"weather": 1}))["suggestions"]
        assert (await ours.is_refused("amend", token=asked["token"], void=True))["status"] == 403
        with closing(KeyRing(place)) as ring:
            ring.revoke(next(key.id for key in ring.list() if key.name == "claude"))
        said = await ours.is_refused("tell", token=asked["token"], **TOLD)
        assert said["status"] == 401, "a key that was revoked opens nothing from then on"
        assert "oven" not in json.dumps(said)

    in_process(place, read, reading)
    in_process(place, play, playing)
    with Study.open(place) as again:
        assert [getattr(event, "by", "") for event in again.events[1:]] == ["claude"]


def test_several_studies_are_told_apart_by_name(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    places = {"a": oven(tmp_path), "b": oven(tmp_path / "b")}

    async def main(pool: StudyPool) -> None:
        async with mcp.Client(tools_server(pool, with_key(pool, ""))) as client:
            ours = Assistant(client)
            assert (await ours.does("studies"))["studies"] == ["a", "b"]
            assert (await ours.is_refused("ask", context={"weather": 1}))["status"] == 404
            await ours.does("ask", study="b", context={"weather": 1})
            assert len((await ours.does("rounds", study="b", state="open"))["rounds"]) == 1
            assert (await ours.does("rounds", study="a"))["rounds"] == []
            assert (await ours.does("events", study="b", after=1))["count"] == 2

    with closing(StudyPool({name: (str(place), opener(place)) for name, place in places.items()})) as pool:
        asyncio.run(main(pool))


def program(*words: Any, **environment: str) -> Any:
    """The command, as an assistant's program starts it."""
    ours = {name: os.environ[name] for name in ("PYTHONPATH", "PATH") if name in os.environ}
    arguments = ["-m", "steerbo", "mcp", *map(str, words)]
    return mcp.StdioServerParameters(command=sys.executable, args=arguments, env={**ours, **environment})


def test_the_command_speaks_over_standard_input_and_output(tmp_path: Path) -> None:
    place = oven(tmp_path)
    key = key_for(place, "play", "claude")

    async def main() -> None:
        async with mcp.Client(stdio_client(program(place, STEERBO_KEY=key))) as client:
            ours = Assistant(client)
            (asked,) = (await ours.does("ask", context={"weather": 3}))["suggestions"]
            await ours.does("tell", token=asked["token"], **{**TOLD, "realised": {"oven": 900.0, "speed": 0.5}})
            assert (await ours.does("status"))["told"] == 1, "a warning meanwhile is no answer"
            assert (await ours.is_refused("amend", token=asked["token"], value=2))["status"] == 403

    asyncio.run(main())
    with Study.open(place) as again:
        assert {getattr(event, "by", "") for event in again.events[1:]} == {"claude"}


def test_what_cannot_be_opened_is_said_before_anybody_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert call("mcp", tmp_path / "none.db").exit_code == 2
    monkeypatch.setenv("STEERBO_KEY", "steerbo_1234_wrong")
    done = call("mcp", oven(tmp_path))
    assert done.exit_code == 2
    assert "STEERBO_KEY" in done.stderr
    assert "1234" not in done.stderr


@pytest.mark.parametrize("broken", ["later.db", "wrong.toml"])
def test_a_study_that_cannot_be_opened_is_left_out_and_said(broken: str, tmp_path: Path) -> None:
    place, errors, name = oven(tmp_path), tmp_path / "errors.txt", broken.partition(".")[0]
    (tmp_path / broken).write_text("this is no study", encoding="utf-8")

    async def main() -> None:
        with errors.open("w", encoding="utf-8") as said:
            async with mcp.Client(stdio_client(program(tmp_path / broken, place), errlog=said)) as client:
                ours = Assistant(client)
                listed = await ours.does("studies")
                assert listed["studies"] == ["oven"]
                assert broken in listed["left_out"][name]
                await ours.does("ask", study="oven", context={"weather": 3})
                refusal = await ours.is_refused("status", study=name)
                assert refusal["status"] == 503
                assert listed["left_out"][name].rstrip(".") in refusal["detail"]
                assert (await ours.is_refused("status"))["status"] == 404, "which of both is meant is not guessed"

    asyncio.run(main())
    assert f"{name} is not served: " in errors.read_text(encoding="utf-8")


def test_what_is_left_out_is_not_said_to_holders_of_keys(tmp_path: Path) -> None:
    place = oven(tmp_path)
    key = key_for(place, "read")
    with closing(StudyPool({"oven": (str(place), opener(place))}, True, left_out={"other": "why"})) as pool:
        who = with_key(pool, key)(None)
        assert "left_out" not in studies_of(pool, who)
        with pytest.raises(Refusal, match="no such study"):
            opened(pool, who, "other", "read")


def test_a_server_has_the_tools_too(tmp_path: Path) -> None:
    place = oven(tmp_path)
    key = key_for(place, "play", "claude")

    async def main(url: str) -> None:
        async with (
            httpx2.AsyncClient(headers=bearer(key), timeout=60, trust_env=False) as http,
            mcp.Client(streamable_http_client(url, http_client=http)) as client,
        ):
            ours = Assistant(client)
            (asked,) = (await ours.does("ask", context={"weather": 3}))["suggestions"]
            await ours.does("tell", token=asked["token"], **TOLD)
            assert (await ours.is_refused("amend", token=asked["token"], value=2))["status"] == 403

    with commanded(place, options=("--keys",)) as made:
        asyncio.run(main(f"{made.url}mcp"))
        with made.client() as client:
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
            head = {"Accept": "application/json, text/event-stream"}
            assert client.post("/mcp", json=message, headers=head).status_code == 401
            assert client.get("/mcp", headers=bearer(key)).status_code == 405
            there = {"Origin": "http://evil.example"}
            assert client.post("/mcp", json=message, headers={**head, **bearer(key), **there}).status_code == 403
    with Study.open(place) as again:
        assert [getattr(event, "by", "") for event in again.events[1:]] == ["claude", "claude"]


def test_an_assistant_predicts(tmp_path: Path) -> None:
    place, case = of_kind(tmp_path, "time-varying")
    with Study.open(place) as study:
        case.play(study.optimizer, 4)
        values = dict(study.recommend().values)
        expected = study.predict(values).to_dict()

    async def ask(ours: Assistant) -> Any:
        assert (await ours.is_refused("predict", values={"nothing": 1.0}))["status"] == 422
        return await ours.does("predict", values=values)

    assert in_process(place, ask)["predictions"] == [expected]


def test_data_with_an_identity_are_one_however_often_an_assistant_sends_them(tmp_path: Path) -> None:
    data = {"value": 2.5, "realised": {"oven": 150.0, "speed": 0.5, "weather": 3.0}}

    async def play(ours: Assistant) -> list[bool]:
        tools = {tool.name: tool for tool in (await ours.client.list_tools()).tools}
        assert not tools["add"].annotations.idempotent_hint
        assert tools["tell"].annotations.idempotent_hint
        for _ in range(3):
            await ours.does("add", **data, id="sample 7")
        for _ in range(3):
            await ours.does("add", **data)
        return []

    place = oven(tmp_path)
    in_process(place, play)
    with Study.open(place) as study:
        assert len(study.history.data) == 4
        assert study.history.identified["sample 7"] == "added-1"
