"""Errors as documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from steerbo import errors
from steerbo.errors import InvalidOutcome, LogUnavailable, SteerboError, together
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
    found = details(together([InvalidOutcome("cost", -1, "0 or more"), InvalidOutcome("value", None, "a number")]))
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
        answer = client.get("/studies/oven/status")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert answer.json()["type"] == "urn:steerbo:LogUnavailable"
        assert "cannot be reached" in client.get("/page/oven").text


def test_a_fault_of_ours_says_nothing_of_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with served(oven(tmp_path)) as client:

        def faulty(*_: object) -> None:
            raise KeyError("inner thing")

        monkeypatch.setattr("steerbo.study.Study.refresh", faulty)
        answer = client.get("/studies/oven/status")
        assert answer.status_code == 500
        assert "inner thing" not in answer.text


def test_people_get_a_page_of_it(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        answer = client.get("/page/nothing")
        assert answer.status_code == 404
        assert "<h1>Not Found</h1>" in answer.text
        assert client.get("/studies/nothing").headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("keyed", [True, False])
@pytest.mark.parametrize("then", ["gone", "rubbish", "a link elsewhere"])
def test_a_log_that_is_gone_is_the_servers_fault_and_its_place_nobodys_business(
    then: str, keyed: bool, tmp_path: Path
) -> None:
    """It was said to be an input that is not allowed, with the file's whole path, to who had no key, too."""
    place = oven(tmp_path)
    key = bearer(key_for(place, "amend"))
    with served(place, keyed=keyed) as client:
        assert client.get("/studies/oven/status", headers=key).status_code == 200
        for name in ("oven.db-wal", "oven.db-shm"):
            (tmp_path / name).unlink(missing_ok=True)
        place.rename(tmp_path / "away")
        if then == "rubbish":
            place.write_text("rubbish" * 1000)
        elif then == "a link elsewhere":
            place.symlink_to("/etc/passwd")
        for headers in (key, {}):
            answers = [
                client.get("/studies/oven/status", headers=headers),
                client.post("/studies/oven/ask", json={"context": {"weather": 3}}, headers=headers),
                client.get("/page/oven", headers=headers),
            ]
            for answer in answers:
                assert answer.status_code in ((503, 401) if keyed else (503,)), answer.text
                assert str(tmp_path) not in answer.text
                assert "steerbo doctor" not in answer.text
        place.unlink(missing_ok=True)
        (tmp_path / "away").rename(place)
        assert client.get("/studies/oven/status", headers=key).status_code == 200, "it goes on by itself"
