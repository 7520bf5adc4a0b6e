"""Errors as documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from steerbo import errors
from steerbo.errors import InvalidOutcome, LogUnavailable, SteerboError, combine
from steerbo.serve.problem_details import STATUSES, details, status_of
from tests.serve.players import bearer, key_for, oven, served


def test_every_error_has_a_status() -> None:
    kinds = [kind for name in errors.__all__ if isinstance(kind := getattr(errors, name), type)]
    assert len(kinds) > 10
    for kind in kinds:
        if issubclass(kind, SteerboError):
            assert 400 <= status_of(kind.__new__(kind)) <= 503
    assert STATUSES[-1][0] is SteerboError


def test_each_thing_that_is_wrong_is_there() -> None:
    found = details(combine([InvalidOutcome("cost", -1, "0 or more"), InvalidOutcome("value", None, "a number")]))
    assert found["status"] == 422
    assert [(each["field"], each["allowed"]) for each in found["errors"]] == [
        ("cost", "0 or more"),
        ("value", "a number"),
    ]


def test_no_secret_is_said() -> None:
    found = details(InvalidOutcome("realised", "postgresql://ann:sesame@db/lab", "a number"))
    assert "sesame" not in str(found)


def test_a_log_that_is_away_is_to_be_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with served(oven(tmp_path)) as client:

        def away(*_: object) -> None:
            raise LogUnavailable("oven.db", "disk I/O error")

        monkeypatch.setattr("steerbo.study.Study.refresh", away)
        answer = client.get("/v1/studies/oven/status")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert answer.json()["type"] == "urn:steerbo:LogUnavailable"
        assert "cannot be reached" in client.get("/page/oven").text


def test_a_fault_of_ours_says_nothing_of_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with served(oven(tmp_path)) as client:

        def faulty(*_: object) -> None:
            raise KeyError("inner thing")

        monkeypatch.setattr("steerbo.study.Study.refresh", faulty)
        answer = client.get("/v1/studies/oven/status")
        assert answer.status_code == 500
        assert "inner thing" not in answer.text


def test_people_get_a_page_of_it(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        answer = client.get("/page/nothing")
        assert answer.status_code == 404
        assert "<h1>Not Found</h1>" in answer.text
        assert "There is nothing at this address." in client.get("/page/oven/nowhere").text
        assert client.get("/v1/nowhere").json()["detail"] == "There is nothing at this address."
        assert client.get("/v1/studies/nothing").headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("keyed", [True, False])
@pytest.mark.parametrize("then", ["gone", "rubbish", "a link elsewhere"])
def test_a_log_that_is_gone_is_the_servers_fault_and_its_place_nobodys_business(
    then: str, keyed: bool, tmp_path: Path
) -> None:
    """It was said to be an input that is not allowed, with the file's whole path, to who had no key, too."""
    place = oven(tmp_path)
    key = bearer(key_for(place, "amend"))
    with served(place, keyed=keyed) as client:
        assert client.get("/v1/studies/oven/status", headers=key).status_code == 200
        for name in ("oven.db-wal", "oven.db-shm"):
            (tmp_path / name).unlink(missing_ok=True)
        place.rename(tmp_path / "away")
        if then == "rubbish":
            place.write_text("rubbish" * 1000)
        elif then == "a link elsewhere":
            place.symlink_to("/etc/passwd")
        for headers in (key, {}):
            answers = [
                client.get("/v1/studies/oven/status", headers=headers),
                client.post("/v1/studies/oven/ask", json={"context": {"weather": 3}}, headers=headers),
                client.get("/page/oven", headers=headers),
            ]
            for answer in answers:
                assert answer.status_code in ((503, 401) if keyed else (503,)), answer.text
                assert str(tmp_path) not in answer.text
                assert "steerbo doctor" not in answer.text
        place.unlink(missing_ok=True)
        (tmp_path / "away").rename(place)
        assert client.get("/v1/studies/oven/status", headers=key).status_code == 200, "it goes on by itself"


ASK: dict[str, Any] = {"context": {"weather": 1}}
BODIES: dict[str, Any] = {
    "ask": ASK,
    "decide": ASK,
    "tell": {"value": 1},
    "amend": {"value": 1},
    "predict": {"values": {"oven": 150, "speed": 0.5}, **ASK},
    "attach": {"values": {"oven": 150, "speed": 0.5}, **ASK},
    "remark": {"text": "lot 7"},
    "import": {"table": "oven,speed,weather,value\n150,0.5,3,1\n"},
}
ADDED = {"value": 1, "realised": {"oven": 150, "speed": 0.5, "weather": 3}, "cost": 1}


class Reader:
    """Holds every answer against the OpenAPI document."""

    def __init__(self, client: TestClient) -> None:
        self.client, self.seen = client, set[tuple[str, str, int]]()
        self.document = client.get("/openapi.json").json()
        self.calls = [
            (method, path)
            for path, operations in self.document["paths"].items()
            for method in operations
            if not path.endswith("/changes")  # which has no end
        ]

    def read(self, method: str, path: str, token: str = "1-x", **more: Any) -> int:
        """Make a request, and hold the answer against the document."""
        named = {"name": more.pop("name", "oven"), "token": token, "sha256": "0" * 64}
        url, word = path.format(**named), path.rpartition("/")[2]
        if word == "files" and method == "post":
            more = {"params": {"file": "a7.jpg"}, "content": b"a crack", **more}
        elif method == "post":
            more = {"json": ADDED if word == "data" else BODIES.get(word, {}), **more}
        answer = self.client.request(method, url, **more)
        found = self.document["paths"][path][method]["responses"][str(answer.status_code)]
        assert answer.headers["content-type"].partition(";")[0] in found["content"], (method, path, answer.status_code)
        self.seen.add((method, path, answer.status_code))
        return answer.status_code

    def all(self, **more: Any) -> set[int]:
        return {self.read(method, path, **more) for method, path in self.calls}


def test_the_document_names_every_status_that_comes_and_its_content_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = oven(tmp_path)
    with served(place) as client:
        reader = Reader(client)
        assert len(reader.calls) == 23
        assert reader.all() == {200, 404}
        assert reader.all(name="other") >= {404}
        assert reader.all(headers={"Host": "evil.example"}) == {421}
        asked = client.post("/v1/studies/oven/ask", json=ASK).json()["suggestions"][0]["token"]
        told = {"value": 1, "cost": 1, "realised": {"oven": 150, "speed": 0.5}}
        tell = ("post", "/v1/studies/{name}/rounds/{token}/tell")
        assert [reader.read(*tell, token=asked, json={**told, "value": v}) for v in (1, 1, 2)] == [200, 200, 409]
        posts = [call for call in reader.calls if call[0] == "post"]
        assert {reader.read(*call, headers={"Origin": "http://evil.example"}) for call in posts} == {403}
        posts = [call for call in posts if not call[1].endswith("/files")]  # whose body is anything
        assert {reader.read(*call, json={"x": "x" * 2**20}) for call in posts} == {413}
        assert {reader.read(*call, token=asked, json=[1]) for call in posts} == {422}
        looks = [call for call in reader.calls if "{name}" in call[1]]
        for error, status in ((LogUnavailable("oven.db", "away"), 503), (KeyError("inner"), 500)):

            def away(*_: object, error: Exception = error) -> None:
                raise error

            monkeypatch.setattr("steerbo.study.Study.refresh", away)
            assert {reader.read(*call, token=asked) for call in looks} == {status}
    monkeypatch.undo()
    with served(place, keyed=True) as client:
        reader = Reader(client)
        assert reader.document["security"] == [{"key": []}]
        assert reader.all() == {401}
        assert 403 in reader.all(headers=bearer(key_for(place, "read")))
        monkeypatch.setattr("steerbo.serve.middleware.TokenBucket.take", lambda *_: False)
        assert reader.all() == {429}
    for method, path in reader.calls:
        responses = reader.document["paths"][path][method]["responses"]
        assert {"401", "403", "404", "421", "422", "429", "500", "503"} <= set(responses)
        assert method == "get" or {"400", "408", "409", "413"} <= set(responses)


@pytest.mark.parametrize(
    ("body", "field", "allowed"),
    [
        (b'{"values": ', "body", "a JSON document"),
        (b"[1]", "body", "a table"),
        (b"{}", "value", "this field to be given"),
        (b'{"value": 1, "realised": "x"}', "realised", "values by name, such as {'ph': 1}"),
        (b'{"value": 1, "realised": {}, "charge": "maybe"}', "charge", "true or false"),
        (b'{"value": 1, "realised": {}, "valu": 2}', "valu", "no field of this name"),
    ],
)
def test_what_is_malformed_is_named_in_the_words_of_all_other_errors(
    body: bytes, field: str, allowed: str, tmp_path: Path
) -> None:
    with served(oven(tmp_path)) as client:
        answer = client.post("/v1/studies/oven/data", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    first = answer.json()["errors"][0]
    assert (first["field"], first["allowed"], first["kind"]) == (field, allowed, "InvalidRequest")
