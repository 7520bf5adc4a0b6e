"""Data of another year or site, over HTTP and on the page."""

from __future__ import annotations

from pathlib import Path

from steerbo.study import Study
from tests.serve.players import Person, of_kind, served


def test_it_is_added_shown_and_refused(tmp_path: Path) -> None:
    place, case = of_kind(tmp_path, "cost-varying")
    values = [getattr(v, "choices", (getattr(v, "low", 0.0),))[0] for v in case.problem.space]
    realised = dict(zip(case.problem.space.names, values, strict=True))
    with served(place) as client:
        said = {"value": 1.0, "realised": realised, "source": "last year"}
        assert client.post("/v1/studies/oven/data", json=said).status_code == 200
        assert client.post("/v1/studies/oven/data", json={**said, "source": " "}).status_code == 422
        person = Person(client)
        page = client.get("/page/oven/settings").text
        assert "Of where, or when" in page
        given = {f"realised:{name}": str(value) for name, value in realised.items()}
        assert person.send("settings/add", value="2", source="pilot plant", **given).status_code == 303
        assert "added, of pilot plant" in client.get("/page/oven/rounds").text
    with Study.open(place) as study:
        assert [event.source for event in study.history.data.values()] == ["last year", "pilot plant"]
