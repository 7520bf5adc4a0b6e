"""Remarks over HTTP and on the page."""

from __future__ import annotations

from pathlib import Path

from tests.serve.players import Person, of_kind, served


def test_a_remark_is_kept_and_shown(tmp_path: Path) -> None:
    place, case = of_kind(tmp_path, "time-varying")
    with served(place) as client:
        person = Person(client)
        person.play(case)
        (played,) = client.get("/v1/studies/oven/rounds").json()["rounds"]
        token = played["token"]
        said = client.post(f"/v1/studies/oven/rounds/{token}/remark", json={"text": "lot 7"})
        assert said.status_code == 200, said.text
        assert client.get(f"/page/oven/rounds/{token}").status_code == 200
        assert person.send(f"rounds/{token}/remark", text="photo <a7>").status_code == 303
        (played,) = client.get("/v1/studies/oven/rounds").json()["rounds"]
        assert played["remarks"] == ["lot 7", "photo <a7>"]
        assert "lot 7; photo &lt;a7&gt;" in client.get("/page/oven/rounds").text
        assert person.send(f"rounds/{token}/remark", text=" ").status_code == 422
        again = client.post(f"/v1/studies/oven/rounds/{token}/remark", json={"text": "lot 7"})
        assert again.json()["warnings"] == ["this remark is there already: it is kept once"]
        again = person.send(f"rounds/{token}/remark", text="lot 7")
        assert (again.status_code, "is there already" in again.text) == (409, True)
        assert client.post("/v1/studies/oven/rounds/no-such/remark", json={"text": "x"}).status_code == 404
