"""Predictions by page, HTTP and assistants: the numbers that Python gives."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from steerbo.study import Study
from tests.serve.players import Person, bearer, key_for, of_kind, served

WINGS = ["cost-varying", "time-varying", "causal", "mean-field"]


def played(tmp_path: Path, wing: str) -> tuple[Path, dict[str, Any], dict[str, Any], dict[str, Any]]:
    """A study with some outcomes; settings, what is seen, and the prediction there."""
    place, case = of_kind(tmp_path, wing, rounds=8)
    with Study.open(place) as study:
        case.play(study.optimizer, 6)
        played = next(r for r in study.history.last(6) if r.outcome is not None and r.suggestion.values)
        values = {name: x for name, x in played.suggestion.values.items() if name in study.problem.settable}
        context = {name: x for name, x in played.suggestion.context.items() if name not in values}
        prediction = study.predict(values, context or None)
    return place, values, context, prediction.to_dict()


@pytest.mark.parametrize("wing", WINGS)
def test_http_and_page_say_what_python_says(wing: str, tmp_path: Path) -> None:
    place, values, context, expected = played(tmp_path, wing)
    with served(place) as client:
        answer = client.post("/v1/studies/oven/predict", json={"values": values, "context": context or None})
        assert answer.status_code == 200, answer.text
        assert answer.json()["predictions"] == [expected]
        several = client.post("/v1/studies/oven/predict", json={"values": [values, values], "context": context or None})
        assert several.json()["predictions"] == [expected, expected]
        if wing == "mean-field":
            return  # a table of shares is typed as JSON
        typed = {f"what:{name}": str(x) for name, x in values.items()}
        typed |= {f"given:{name}": str(x) for name, x in context.items()}
        page = client.get("/page/oven/predict", params=typed)
        assert page.status_code == 200, page.text
        (said,) = re.findall(r'<p role="status"><strong>(.*?)</strong>', page.text)
        mean = float(re.findall(r"-?[\d.]+", unescape(said))[0])
        assert mean == pytest.approx(expected["mean"], rel=0.01, abs=0.01 * (expected["upper"] - expected["lower"]))


def test_what_cannot_be_set_is_said_at_its_field(tmp_path: Path) -> None:
    place, values, _, _ = played(tmp_path, "time-varying")
    name = next(iter(values))
    with served(place) as client:
        person = Person(client)
        assert f'name="what:{name}"' in person.text
        wrong = client.get("/page/oven/predict", params={f"what:{name}": "very much"})
        assert wrong.status_code == 422
        assert "is not allowed" in wrong.text
        assert 'value="very much"' in wrong.text, "what was typed stays"
        body = {"values": {name: "much"}}
        assert client.post("/v1/studies/oven/predict", json=body).json()["errors"][0]["field"] == name
        assert client.post("/v1/studies/oven/predict", json={}).status_code == 422


def test_a_key_to_read_is_enough(tmp_path: Path) -> None:
    place, values, _, expected = played(tmp_path, "time-varying")
    reading = bearer(key_for(place, "read", "reader"))
    with served(place, keyed=True) as client:
        events = client.get("/v1/studies/oven/events", headers=reading).json()["count"]
        answer = client.post("/v1/studies/oven/predict", json={"values": values}, headers=reading)
        assert answer.json()["predictions"] == [expected]
        assert client.get("/v1/studies/oven/events", headers=reading).json()["count"] == events, "nothing is logged"
        assert client.post("/v1/studies/oven/predict", json={"values": values}).status_code == 401
