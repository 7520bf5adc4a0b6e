"""A server of studies under load: clients that play at once, and thousands of requests that mean no good."""

from __future__ import annotations

import random
import resource
import statistics
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import httpx2

from steerbo.errors import LawWarning, OutOfRangeWarning
from steerbo.serve import middleware
from steerbo.study import BY_HAND, Study
from tests.serve.players import bearer, key_for, oven, served
from tests.serve.processes import half_heads, serving
from tests.serve.rubbish import request

TOLD = {"value": 1.0, "cost": 0.001, "realised": {"oven": 150.0, "speed": 0.5}}


def rounds_served(place: Path | str, name: str, clients: int, seconds: float) -> dict[str, Any]:
    """Rounds a second that so many clients of one server play together with the method `random`, and waits in ms.

    Raises:
        AssertionError: a round was lost, or is out twice.
    """
    asks: list[float] = []
    played: list[list[str]] = [[] for _ in range(clients)]

    def work(number: int) -> None:
        with made.client() as client:
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                began = time.perf_counter()
                asked = client.post(f"/v1/studies/{name}/ask", json={"context": {"weather": float(number)}}).json()
                asks.append(time.perf_counter() - began)
                token = asked["suggestions"][0]["token"]
                client.post(f"/v1/studies/{name}/rounds/{token}/tell", json=TOLD).raise_for_status()
                played[number].append(token)

    with serving(place) as made:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with made.client() as client:
            waits = {path: _waits(client, path) for path in ("/healthz", f"/v1/studies/{name}/status", f"/page/{name}")}
            status = client.get(f"/v1/studies/{name}/status").json()
    tokens = [token for each in played for token in each]
    assert len(set(tokens)) == len(tokens) == status["told"]
    fair = [len(each) for each in played]
    return {
        "rounds a second": round(len(tokens) / seconds, 1),
        "of a client, least and most": [min(fair), max(fair)],
        "longest ask": round(1000 * max(asks)),
        "GET, median and 99 %": waits,
    }


def _waits(client: Any, path: str) -> list[float]:
    found = []
    for _ in range(200):
        began = time.perf_counter()
        assert client.get(path).status_code == 200
        found.append(1000 * (time.perf_counter() - began))
    return [round(statistics.median(found), 1), round(sorted(found)[197], 1)]


BARE = """
import json, socket, sys
import uvicorn
from fastapi import FastAPI
app = FastAPI()
@app.get("/")
def bare() -> dict[str, str]:
    return {"status": "ok"}
listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
listening.bind(("127.0.0.1", 0))
listening.listen(100)
print(listening.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False)).run([listening])
"""


def beside_a_bare_route(place: Path | str, name: str, turns: int = 400) -> dict[str, Any]:
    """Waits of GET, in turns with those of a route that does nothing, so that both meet the same load of the machine.

    Returns:
        By path: median and 99 % in ms, and requests a second of one client that waits for each answer.
    """
    process = subprocess.Popen([sys.executable, "-c", BARE], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    waits: dict[str, list[float]] = {}
    try:
        address = f"http://127.0.0.1:{process.stdout.readline().strip()}"
        with (
            serving(place) as made,
            made.client() as ours,
            httpx2.Client(base_url=address, timeout=60, trust_env=False) as bare,
        ):
            paths = ("/healthz", f"/v1/studies/{name}/status", f"/v1/studies/{name}/recommendation", f"/page/{name}")
            routes = {"a bare FastAPI route": (bare, "/"), **{path: (ours, path) for path in paths}}
            for turn in range(turns + 20):
                for what, (client, path) in routes.items():
                    began = time.perf_counter()
                    assert client.get(path).status_code == 200
                    if turn >= 20:  # what is computed once is
                        waits.setdefault(what, []).append(1000 * (time.perf_counter() - began))
                time.sleep(0.02)  # below what one address may ask
    finally:
        process.kill()
        process.communicate()
    return {
        what: {
            "median": round(statistics.median(found), 2),
            "99 %": round(sorted(found)[int(0.99 * len(found))], 2),
            "a second": round(1000 * len(found) / sum(found)),
        }
        for what, found in waits.items()
    }


def hostile_requests(folder: Path, count: int) -> dict[str, Any]:
    """Requests drawn to do harm, to a server that asks for keys.

    Raises:
        AssertionError: one was a fault of ours, told something of a study, or changed it.
    """
    place = oven(folder)
    key, draw = bearer(key_for(place, "read")), random.Random(2)
    rate, burst = middleware.RATE, middleware.BURST
    middleware.RATE = middleware.BURST = 1e9
    answers: dict[int, int] = {}
    try:
        with served(place, keyed=True) as client:
            before = client.get("/v1/studies/oven/events", headers=key).json()["count"]
            for _ in range(count):
                given = request(draw)
                answer = client.request(**given)
                answers[answer.status_code] = answers.get(answer.status_code, 0) + 1
                assert answer.status_code < 500, given
                assert "oven" not in answer.text.replace(given["url"], ""), given
            assert client.get("/v1/studies/oven/events", headers=key).json()["count"] == before
    finally:
        middleware.RATE, middleware.BURST = rate, burst
    return {"requests": count, "answers": dict(sorted(answers.items()))}


def connections_held(place: Path | str, count: int, files: int = 256) -> dict[str, Any]:
    """So many connections that send half a head, as their first request or their second, to a server with few files.

    Raises:
        AssertionError: one request more was not answered.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    found: dict[str, Any] = {"connections": count}
    for allowed in (files, soft):
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))  # which the server inherits
        try:
            with serving(place, options=("--keys",)) as made:
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
                began = time.perf_counter()
                status = half_heads(made.url, count)
                assert status == 401
                found[f"status of one more, {allowed} files"] = status
                found[f"seconds, {allowed} files"] = round(time.perf_counter() - began, 1)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return found


MISTYPED = {"oven": 600.0, "speed": 40.0, "weather": -900.0}
"""Values far outside their ranges."""


def mistyped(folder: Path, count: int) -> dict[str, Any]:
    """So many mistyped values, told by HTTP and by the library in turns, at every word that takes them.

    Raises:
        AssertionError: one was taken without a word in the answer, or something right was doubted.
    """
    place, draw, said = oven(folder, budget=1e9), random.Random(3), 0
    with warnings.catch_warnings(), served(place) as client:
        warnings.simplefilter("ignore", OutOfRangeWarning)
        warnings.simplefilter("ignore", LawWarning)

        def post(path: str, body: Any) -> Any:
            answer = client.post(f"/v1/studies/oven/{path}", json=body)
            assert answer.status_code == 200, answer.text
            return answer.json()

        for _ in range(count):
            name = draw.choice(list(MISTYPED))
            wrong = {"oven": 150.0, "speed": 0.5, "weather": 12.0, name: MISTYPED[name]}
            seen = {"weather": wrong["weather"]}
            asked = post("ask", {"context": seen})["suggestions"][0]
            assert bool(asked["warnings"]) == (name == "weather")
            realised = {key: x for key, x in wrong.items() if key != "weather"}
            told: dict[str, Any] = {"value": 5.0 + draw.random(), "cost": 1.0, "realised": realised}
            word = draw.choice(["tell", "fail", "data", "library"])
            if word == "library":
                with Study.open(place, holder=BY_HAND) as study:
                    found = list(study.tell(asked["token"], **told) or ())
            elif word == "data":
                found = post("data", {**told, "realised": wrong})["warnings"]
                name = "" if name == "weather" else name  # which is among them there
                assert found
                post(f"rounds/{asked['token']}/abandon", {})
            else:
                if word == "fail":
                    told.pop("value")
                found = post(f"rounds/{asked['token']}/{word}", told)["warnings"]
            assert bool(found) == (name != "weather"), (word, name, found)
            said += bool(found) or bool(asked["warnings"])
        asked = post("ask", {"context": {"weather": 12.0}})["suggestions"][0]
        plain = {"cost": 1.0, "realised": {"oven": 150.0, "speed": 0.5}}
        (far,) = post(f"rounds/{asked['token']}/tell", {"value": 740.0, **plain})["warnings"]
        assert "740 is far from" in far
    return {"mistyped": count, "said in the answer": said, "740 among 5 to 6": "said"}


def forged(folder: Path, count: int) -> dict[str, int]:
    """So many wrong keys from one address, each said to be forwarded for another one, and how many were looked at.

    Raises:
        AssertionError: the limit of wrong keys was evaded.
    """
    place = oven(folder)
    key_for(place, "read")
    with serving(place, options=("--keys",)) as made, made.client() as client:
        answers = []
        for number in range(count):
            head = {"X-Forwarded-For": f"203.0.113.{number % 256}", "Forwarded": f"for=203.0.113.{number % 256}"}
            answers.append(client.get("/v1/studies", headers={**head, **bearer(f"steerbo_{number}_x")}).status_code)
    assert set(answers) == {401, 429}
    return {"wrong keys": count, "looked at": answers.count(401), "refused unseen": answers.count(429)}


RESERVED = ("self", "cls", "args", "kwargs", "request", "place", "batch ", "study", "token", "suggestion", "call", "by")
"""Names that arguments have."""


def reserved_names(folder: Path) -> dict[str, int]:
    """Fields with names of arguments in every body that takes any.

    Raises:
        AssertionError: one was a fault of ours, or was taken.
    """
    tried = 0
    with served(oven(folder)) as client:
        ask = {"context": {"weather": 1.0}}
        token = client.post("/v1/studies/oven/ask", json=ask).json()["suggestions"][0]["token"]
        before = client.get("/v1/studies/oven/events").json()["count"]
        bodies: dict[str, dict[str, Any]] = {
            "ask": ask,
            f"rounds/{token}/decide": ask,
            f"rounds/{token}/tell": TOLD,
            f"rounds/{token}/fail": {"cost": 1},
            f"rounds/{token}/amend": {"value": 1},
            f"rounds/{token}/abandon": {},
            "data": {**TOLD, "realised": {**TOLD["realised"], "weather": 1.0}},  # type: ignore[dict-item]
        }
        for path, body in bodies.items():
            inner = [part for part in ("context", "realised") if part in body]
            for name in RESERVED:
                for given in [{**body, name: 1}, *({**body, part: {**body[part], name: 1}} for part in inner)]:
                    answer = client.post(f"/v1/studies/oven/{path}", json=given)
                    assert answer.status_code in (409, 422), (path, given, answer.text)
                    tried += 1
        assert client.get("/v1/studies/oven/events").json()["count"] == before
    return {"bodies": tried, "faults": 0}
