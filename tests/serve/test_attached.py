"""Plays of one's own by page, HTTP and assistants."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from steerbo.study import Study
from tests.serve.players import Person, bearer, key_for, of_kind, served

WINGS = ["cost-varying", "time-varying", "causal", "mean-field"]
NOW = 10.0  # a time-varying case plays its fourth round at 8


def played(tmp_path: Path, wing: str) -> tuple[Path, dict[str, Any], dict[str, Any]]:
    """A study with some outcomes; settings of a play, and what was seen before."""
    place, case = of_kind(tmp_path, wing, rounds=8)
    with Study.open(place) as study:
        case.play(study.optimizer, 4)
        played = next(r for r in study.history.last(4) if r.outcome is not None and r.suggestion.values)
        values = {name: x for name, x in played.suggestion.values.items() if name in study.problem.settable}
        return place, values, {name: x for name, x in played.suggestion.context.items() if name not in values}


@pytest.mark.parametrize("wing", WINGS)
def test_http_begins_a_round(wing: str, tmp_path: Path) -> None:
    place, values, context = played(tmp_path, wing)
    with served(place) as client:
        when = {"time": NOW} if wing == "time-varying" else {}
        answer = client.post("/v1/studies/oven/attach", json={"values": values, "context": context or None, **when})
        assert answer.status_code == 200, answer.text
        own = answer.json()
        assert (own["round"], own["note"]) == (5, {"own": True})
        assert {name: own["values"][name] for name in values} == values
        assert client.get("/v1/studies/oven/status").json()["pending"] == [own["token"]]
        assert client.post("/v1/studies/oven/attach", json={"values": {"nothing": 1}}).status_code == 422
        assert client.get("/v1/studies/oven/explanation").status_code == 200
        page = client.get("/page/oven", params={"whole": 1})
        assert page.status_code == 200
        assert f'id="round-{own["token"]}"' in page.text


def test_the_page_begins_a_round_once(tmp_path: Path) -> None:
    place, values, _ = played(tmp_path, "time-varying")
    with served(place) as client:
        person = Person(client)
        typed = {"ask:time": str(NOW), **{f"what:{name}": str(x) for name, x in values.items()}}
        assert set(typed) <= set(person.fields("/attach"))
        hidden = person.hidden()
        assert person.send("attach", **typed).status_code == 303
        assert len(person.open) == 1
        assert person.send("attach", **{**typed, **hidden}).status_code == 303
        assert len(person.open) == 1, "a form that is sent twice begins one round"
        name = next(iter(values))
        wrong = person.send("attach", **{**typed, f"what:{name}": "very much"})
        assert wrong.status_code == 422
        assert 'value="very much"' in wrong.text, "what was typed stays"


def test_a_key_to_read_is_not_enough(tmp_path: Path) -> None:
    place, values, _ = played(tmp_path, "time-varying")
    reading, playing = bearer(key_for(place, "read", "reader")), bearer(key_for(place, "play", "player"))
    body = {"values": values, "time": NOW}
    with served(place, keyed=True) as client:
        assert client.post("/v1/studies/oven/attach", json=body, headers=reading).status_code == 403
        assert client.post("/v1/studies/oven/attach", json=body, headers=playing).status_code == 200
