"""The interface: the words of a study as JSON over HTTP."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from steerbo.records import to_dict
from steerbo.study import Study
from tests.core.stub import Nearest, Stub
from tests.serve.players import KINDS, bearer, key_for, of_kind, oven, served

ROUND = "/v1/studies/oven/rounds/{}/{}"


def ask(client: Any, **body: Any) -> dict[str, Any]:
    answer = client.post("/v1/studies/oven/ask", json={"context": {"weather": 12.0}, **body})
    assert answer.status_code == 200, answer.text
    (suggestion,) = answer.json()["suggestions"]
    return dict(suggestion)


@pytest.mark.filterwarnings("ignore:.*not even the noise:UserWarning")
@pytest.mark.parametrize("wing", KINDS)
def test_a_whole_study_over_http_is_what_python_would_have_played(wing: str, tmp_path: Path) -> None:
    place, case = of_kind(tmp_path, wing, rounds=4)
    quiet = case.start(rounds=4)
    with served(place) as client:
        for number in range(1, 5):
            body = to_dict(dict(case.request(number)))
            (plain,) = client.post("/v1/studies/oven/ask", json=body).json()["suggestions"]
            wanted: Any = quiet.ask(**case.request(number))
            while wanted.observe:
                assert plain["observe"] == list(wanted.observe)
                context = case.seen(wanted)
                plain = client.post(ROUND.format(plain["token"], "decide"), json={"context": context}).json()
                wanted = quiet.decide(wanted, context)
            assert plain["values"] == to_dict(dict(wanted.values))
            outcome = case.outcome(wanted)
            quiet.tell(wanted, **outcome)
            told = client.post(ROUND.format(plain["token"], "tell"), json=to_dict(outcome))
            assert told.json()["status"] == quiet.status.to_dict()
        assert client.get("/v1/studies/oven/recommendation").json() == quiet.recommend().to_dict()
        ended = client.post("/v1/studies/oven/ask", json=to_dict(dict(case.request(5)))).json()
        assert ended == {"suggestions": [], "left": 0, "finished": "all rounds are made"}


def test_answers_may_be_given_twice_and_not_otherwise(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        token = ask(client)["token"]
        told = {"value": 1, "cost": 2, "realised": {"oven": 150, "speed": 0.5}}
        answers = [client.post(ROUND.format(token, "tell"), json=told) for _ in range(2)]
        assert [a.status_code for a in answers] == [200, 200]
        other = client.post(ROUND.format(token, "tell"), json={**told, "value": 3})
        assert other.status_code == 409
        assert other.headers["content-type"] == "application/problem+json"
        assert client.get("/v1/studies/oven/status").json()["spent"] == 2.0


@pytest.mark.parametrize(
    ("path", "body", "status", "field"),
    [
        ("ask", {"context": {"weather": 1}, "batch": 0}, 422, "batch"),
        ("ask", {"context": {"weather": 1}, "batch": "x"}, 422, "batch"),
        ("ask", {"context": {"weather": 1}, "batch": "3"}, 422, "batch"),
        ("ask", {"context": {"weather": 1}, "batch": True}, 422, "batch"),
        ("rounds/{}/decide", {"context": {"age": 3}, "again": "yes"}, 422, "again"),
        ("ask", {"context": {"wether": 1}}, 422, "context.wether"),
        ("ask", {"context": {"weather": 1}, "time": 3}, 422, "time"),
        ("ask", {"context": {"weather": 1}, "tme": 3}, 422, "tme"),
        ("ask", {"context": {"weather": 1}, "more": {"speed": 1}}, 422, "speed"),
        ("attach", {"values": {"oven": 150, "speed": 0.5}, "contxt": {"weather": 1}}, 422, "contxt"),
        ("predict", {"values": {"oven": 150, "speed": 0.5}, "contxt": {"weather": 1}}, 422, "contxt"),
        ("ask", [1], 422, ""),
        ("ask", {"context": {"weather": 1}, "self": 1}, 422, "self"),
        ("ask", {"context": {"weather": 1}, "request": {}}, 422, "request"),
        ("ask", {"context": {"weather": 1}, "place": 1}, 422, "place"),
        ("ask", {"context": {"self": 1}}, 422, "context.self"),
        ("rounds/{}/tell", {"value": 1, "cost": 1, "self": 1}, 422, "self"),
        ("rounds/{}/tell", {"value": 1, "cost": 1, "realised": {"self": 1}}, 422, "realised.self"),
        ("rounds/{}/fail", {"self": 1}, 422, "self"),
        ("rounds/{}/amend", {"value": 1, "suggestion": 1}, 422, "suggestion"),
        ("data", {"value": 1, "realised": {}, "self": 1}, 422, "self"),
        ("rounds/{}/tell", {}, 422, "value"),
        ("rounds/{}/tell", {"value": "high"}, 422, "value"),
        ("rounds/{}/tell", {"value": 1}, 422, "cost"),
        ("rounds/{}/tell", {"value": 1, "cost": -1}, 422, "cost"),
        ("rounds/{}/tell", {"value": 1, "cost": 1, "realised": {"ovn": 1}}, 422, "realised.ovn"),
        ("rounds/{}/tell", {"value": 1, "cost": 1, "extra": 1}, 422, "extra"),
        ("rounds/{}/fail", {"cost": "x"}, 422, "cost"),
        ("rounds/{}/decide", {"context": {"age": 3}}, 409, ""),
        ("rounds/nobody/tell", {"value": 1}, 404, ""),
        ("rounds/{}/amend", {"value": 1}, 409, ""),
        ("data", {"value": 1, "realised": {}}, 422, ""),
    ],
)
def test_what_is_wrong_is_said_with_field_and_what_is_allowed(
    path: str, body: Any, status: int, field: str, tmp_path: Path
) -> None:
    with served(oven(tmp_path)) as client:
        token = ask(client)["token"]
        before = client.get("/v1/studies/oven/events").json()["count"]
        answer = client.post(f"/v1/studies/oven/{path.format(token)}", json=body)
        plain = answer.json()
        assert (answer.status_code, plain["status"]) == (status, status), plain
        assert plain["detail"]
        if field:
            assert field in [each["field"] for each in plain["errors"]]
            assert all(each["allowed"] for each in plain["errors"])
        assert client.get("/v1/studies/oven/events").json()["count"] == before


def test_every_body_is_closed_and_its_fields_have_types_and_words(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        document = client.get("/openapi.json").json()
    bodies = {
        path: operation["post"]["requestBody"]["content"]["application/json"]["schema"]
        for path, operation in document["paths"].items()
        if "post" in operation and not path.endswith("/files")  # their bodies are what is kept
    }
    assert len(bodies) == 11
    for path, schema in bodies.items():
        (named,) = re.findall("schemas/([A-Z][A-Za-z]+)", json.dumps(schema))
        body = document["components"]["schemas"][named]
        assert body["additionalProperties"] is False, path
        assert body["examples"], path
        assert all(field["description"] for field in body["properties"].values()), path
    for named in ("Ask", "Attach", "Predict"):
        fields = document["components"]["schemas"][named]["properties"]
        assert {"context", "time", "available", "current", "more"} < set(fields)
        assert all({"type", "anyOf"} & set(field) for field in fields.values()), named


RUBBISH = ["{", "[" * 100_000, '{"value": ' + "9" * 10_000 + "}", "\ud800", '{"value": NaN}', ""]


@pytest.mark.parametrize("body", RUBBISH)
def test_rubbish_is_no_fault_of_ours(body: str, tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        token = ask(client)["token"]
        sent = body.encode(errors="surrogatepass")
        answer = client.post(ROUND.format(token, "tell"), content=sent, headers={"Content-Type": "application/json"})
        assert 400 <= answer.status_code < 500, answer.text
        assert answer.json()["detail"]


def test_a_name_that_stands_twice_is_refused(tmp_path: Path) -> None:
    """Only the last of two would be read."""
    with served(oven(tmp_path)) as client:
        token = ask(client)["token"]
        headers = {"Content-Type": "application/json"}
        for body in ('{"value": 1, "value": 2, "cost": 1}', '{"value": 1, "realised": {"oven": 1, "oven": 2}}'):
            answer = client.post(ROUND.format(token, "tell"), content=body, headers=headers)
            assert answer.status_code == 422
            assert "stands 2 times" in answer.json()["detail"]
        assert client.get("/v1/studies/oven/status").json()["told"] == 0


@pytest.mark.parametrize(
    "asked", ["rounds?stat=open", "rounds?after=3", "events?state=told", "status?rounds=3", "events?after=1&limit=2"]
)
def test_an_address_asks_for_nothing_that_is_not_read(asked: str, tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        answer = client.get(f"/v1/studies/oven/{asked}")
        assert answer.status_code == 422
        (fault,) = answer.json()["errors"]
        assert fault["field"] in asked
        assert fault["allowed"] in {"state", "after", "nothing after the question mark"}


def test_everything_can_be_looked_at(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        token = ask(client)["token"]
        client.post(ROUND.format(token, "tell"), json={"value": 1, "cost": 1, "realised": {"oven": 150, "speed": 0.5}})
        second = ask(client)["token"]
        open_ones = client.get("/v1/studies/oven/rounds", params={"state": "open"}).json()["rounds"]
        assert [r["token"] for r in open_ones] == [second], "who did not get the answer finds it here"
        assert client.get("/v1/studies/oven/rounds", params={"state": "lost"}).status_code == 422
        found = client.get("/v1/studies/oven").json()
        assert found["problem"]["kind"] == "cost-varying"
        assert [each["name"] for each in found["takes"]] == ["context"]
        assert client.get("/v1/studies/oven/explanation").json()["summary"]
        at = client.get("/v1/studies/oven/policy", params={"weather": "12.5"})
        assert at.status_code == 200, at.text
        assert at.json()["context"] == {"weather": 12.5}
        events = client.get("/v1/studies/oven/events", params={"after": 2}).json()
        assert len(events["events"]) == events["count"] - 2 > 0
        assert client.get("/openapi.json").json()["paths"]["/v1/studies/{name}/ask"]


def test_correcting_and_adding_need_the_right_to_amend(tmp_path: Path) -> None:
    place = oven(tmp_path)
    keys = {may: bearer(key_for(place, may, f"{may}er")) for may in ("read", "play", "amend")}
    with served(place, keyed=True) as client:
        body = {"context": {"weather": 3}}
        assert client.post("/v1/studies/oven/ask", json=body, headers=keys["read"]).status_code == 403
        (asked,) = client.post("/v1/studies/oven/ask", json=body, headers=keys["play"]).json()["suggestions"]
        told = {"value": 1, "cost": 1, "realised": {"oven": 150, "speed": 0.5}}
        tell, amend = (ROUND.format(asked["token"], word) for word in ("tell", "amend"))
        assert client.post(tell, json=told, headers=keys["play"]).status_code == 200
        assert client.post(amend, json={"value": 2}, headers=keys["play"]).status_code == 403
        assert client.post(amend, json={"value": 2}, headers=keys["amend"]).status_code == 200
        data = {"value": 1, "realised": {"oven": 150, "speed": 0.5, "weather": 3}, "cost": 1, "scope": ["oven"]}
        assert client.post("/v1/studies/oven/data", json=data, headers=keys["play"]).status_code == 403
        assert client.post("/v1/studies/oven/data", json=data, headers=keys["amend"]).status_code == 200
    with Study.open(place) as played:
        by = [(event.kind, event.by) for event in played.events[1:]]  # type: ignore[union-attr]
    assert by == [("asked", "player"), ("told", "player"), ("amended", "amender"), ("added", "amender")]


def test_a_key_is_told_of_its_study_and_of_no_other(tmp_path: Path) -> None:
    place = oven(tmp_path)
    key = bearer(key_for(place, "amend", study="another"))
    with served(place, keyed=True) as client:
        for path in ("/v1/studies", "/v1/studies/oven", "/v1/studies/nothing", "/metrics"):
            answers = [client.get(path), client.get(path, headers=key), client.get(path, headers=bearer("x"))]
            assert [a.status_code for a in answers] == [401, 401, 401]
            assert all("oven" not in a.text for a in answers)
        right = bearer(key_for(place, "read"))
        assert client.get("/v1/studies", headers=right).json() == {"studies": ["oven"], "may": "read"}
        assert client.get("/v1/studies/nothing", headers=right).status_code == 404


@pytest.mark.filterwarnings("ignore::steerbo.errors.OutOfRangeWarning")
def test_every_answer_carries_what_is_hard_to_believe(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        asked = ask(client)
        assert asked["warnings"] == []
        assert "weather = 900 is far" in ask(client, context={"weather": 900})["warnings"][0]
        told = {"value": 1, "cost": 1, "realised": {"oven": 600, "speed": 0.5}}
        for _ in range(2):  # who did not get the answer asks again, and is told
            answer = client.post(ROUND.format(asked["token"], "tell"), json=told)
            (said,) = answer.json()["warnings"]
            assert "oven = 600 is far outside its range, 100 to 200 °C" in said
        right = client.post(ROUND.format(asked["token"], "amend"), json={"realised": {"oven": 160}})
        assert right.json()["warnings"] == []
        data = {"value": 1, "realised": {"oven": 150, "speed": 90, "weather": 3}, "cost": 1, "scope": ["oven"]}
        assert "added-1: speed = 90" in client.post("/v1/studies/oven/data", json=data).json()["warnings"][0]
        for value in (4.0, 9.0, 6.0, 5.0):
            plain = {"value": value, "cost": 1, "realised": {"oven": 150, "speed": 0.5}}
            token = ask(client)["token"]
            assert client.post(ROUND.format(token, "tell"), json=plain).json()["warnings"] == []
        token = ask(client)["token"]
        (said,) = client.post(ROUND.format(token, "tell"), json={**plain, "value": 740}).json()["warnings"]
        assert "value = 740 is far from the others" in said
        late = ask(client)["token"]
        (said,) = client.post(ROUND.format(late, "fail"), json={"cost": 1, "realised": {"speed": -8}}).json()[
            "warnings"
        ]
        assert "speed = -8" in said


@pytest.mark.filterwarnings("ignore::steerbo.errors.OutOfRangeWarning")
def test_a_mistyped_look_is_said_and_taken_back(tmp_path: Path) -> None:
    place = tmp_path / "study.db"
    Study.create(place, Stub(), Nearest, rounds=6).close()
    with served(place, name="oven") as client:
        (asked,) = client.post("/v1/studies/oven/ask").json()["suggestions"]
        decide = ROUND.format(asked["token"], "decide")
        wrong = client.post(decide, json={"context": {"age": 610}}).json()
        assert "age = 610 is far outside its range" in wrong["warnings"][0]
        assert client.post(decide, json={"context": {"age": 0.61}}).status_code == 422
        right = client.post(decide, json={"context": {"age": 0.61}, "again": True}).json()
        assert (right["context"], right["warnings"], right["observe"]) == ({"age": 0.61}, [], ["pulse"])
        twice = client.post(decide, json={"context": {"age": 0.61}, "again": True}).json()
        assert twice == right
        assert client.get("/v1/studies/oven/events").json()["count"] == 4
        client.post(decide, json={"context": {"pulse": 0.5}})
        late = client.post(decide, json={"context": {"age": 0.3}, "again": True})
        assert late.status_code == 422
        assert late.json()["errors"][0]["field"] == "context.age"


@pytest.mark.parametrize("kind", KINDS)
def test_a_suggestion_says_what_to_do_in_digits_that_can_be_set(kind: str, tmp_path: Path) -> None:
    place, case = of_kind(tmp_path, kind)
    with served(place, name="study") as client:
        body = to_dict(dict(case.request(1)))
        (asked,) = client.post("/v1/studies/study/ask", json=body).json()["suggestions"]
        last = "decide" if asked["observe"] else "tell"
        assert asked["do"].endswith(f"by `{last}`.")
        for name in asked["observe"]:
            assert name in asked["do"]
        for name, value in asked["values"].items():
            said = f"as `values.{name}` says" if isinstance(value, dict) else f"to {asked['shown'][name]}"
            assert f"et {name} {said}" in asked["do"], asked["do"]
