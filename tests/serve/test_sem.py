"""How accurate a value is, over HTTP and on the page."""

from __future__ import annotations

from pathlib import Path

from steerbo.records import to_dict
from steerbo.study import Study
from tests.serve.players import Person, of_kind, served


def test_it_is_told_corrected_and_taken_back(tmp_path: Path) -> None:
    place, case = of_kind(tmp_path, "time-varying")
    with served(place) as client:
        person = Person(client)
        person.play(case)
        (played,) = client.get("/v1/studies/oven/rounds").json()["rounds"]
        token = played["token"]
        edit = f"/page/oven/rounds/{token}"
        assert client.post(f"/v1/studies/oven/rounds/{token}/amend", json={"sem": 0.5}).status_code == 200
        assert "value ± 0.5" in client.get("/page/oven/rounds").text
        assert 'value="0.5"' in client.get(edit).text
        assert person.send(f"rounds/{token}/amend", sem="0.25").status_code == 303
        assert "value ± 0.25" in client.get("/page/oven/rounds").text
        assert person.send(f"rounds/{token}/amend", sem="-1").status_code == 422
        assert "How accurate the value is" not in client.get("/page/oven").text, "no round is out"
        assert client.post("/v1/studies/oven/ask", json=to_dict(dict(case.request(2)))).status_code == 200
        assert "How accurate the value is" in client.get("/page/oven").text
        assert client.post("/v1/studies/oven/data", json={"value": 1, "realised": {}, "sem": "x"}).status_code == 422
    with Study.open(place) as study:
        outcome = study.history[token].outcome
        assert outcome is not None
        assert outcome.sem == 0.25
