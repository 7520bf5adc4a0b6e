"""Files over HTTP and on the page: taken in with a bound, given out to be saved, and never run."""

from __future__ import annotations

import re
import socket
import time
from pathlib import Path
from typing import Any

import pytest

from steerbo.serve import middleware
from steerbo.storage.kept_files import LIMIT
from steerbo.study import Study
from tests.serve.browser import CHROMIUM, Browser
from tests.serve.players import Person, bearer, key_for, of_kind, oven, served
from tests.serve.processes import serving_here

PNG = b"\x89PNG\r\n\x1a\n and so on"
PAGE = b"<script>alert(1)</script>"


def upload(client: Any, token: str, name: str, content: Any, **more: Any) -> Any:
    return client.post(f"/v1/studies/oven/rounds/{token}/files", params={"file": name}, content=content, **more)


def begun(client: Any) -> str:
    asked = client.post("/v1/studies/oven/ask", json={"context": {"weather": 3}})
    return str(asked.json()["suggestions"][0]["token"])


def test_a_file_is_kept_listed_and_given_out(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        token = begun(client)
        kept = upload(client, token, "../photos/a7.png", PNG)
        assert kept.status_code == 200, kept.text
        file = kept.json()["file"]
        assert (file["name"], file["media_type"]) == ("a7.png", "image/png")
        assert upload(client, token, "a7.png", PNG).json()["file"] == file
        assert client.get("/v1/studies/oven/files").json() == {"files": [{"token": token, **file}]}
        assert client.get("/v1/studies/oven/rounds").json()["rounds"][0]["files"] == [file]
        for place in ("/v1/studies", "/page"):
            given = client.get(f"{place}/oven/files/{file['sha256']}")
            assert given.content == PNG
            assert given.headers["content-type"] == "image/png"
            assert given.headers["content-disposition"] == "attachment; filename*=UTF-8''a7.png"
            assert given.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("name", ["a.html", "a.svg", "a.png", "a.xhtml", "a.js"])
def test_what_is_no_picture_is_only_saved(tmp_path: Path, name: str) -> None:
    with served(oven(tmp_path)) as client:
        token = begun(client)
        file = upload(client, token, name, PAGE).json()["file"]
        given = client.get(f"/page/oven/files/{file['sha256']}")
        assert given.headers["content-type"] == "application/octet-stream"
        assert given.headers["content-disposition"].startswith("attachment")
        assert "<img" not in client.get("/page/oven").text


def test_what_is_too_large_is_refused_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LIMIT, "0.001")
    monkeypatch.setattr(middleware, "LONGEST_BODY", 1000)
    with served(oven(tmp_path)) as client:
        token = begun(client)
        assert upload(client, token, "a.txt", b"x" * 1000).status_code == 200
        larger = upload(client, token, "b.txt", b"x" * 1001)
        assert larger.status_code == 422
        assert "at most 0.001 MB" in larger.json()["errors"][0]["allowed"]
        assert upload(client, token, "b.txt", b"x" * 2001).status_code == 413
        pieces = upload(client, token, "b.txt", (b"x" * 100 for _ in range(1000)))
        assert pieces.status_code in (413, 422), "whatever length it states"
        assert upload(client, token, "empty", b"").status_code == 422
        assert len([path for path in (tmp_path / "oven.db.files").rglob("*") if path.is_file()]) == 1
        person = Person(client)
        text = person.send(f"rounds/{token}/remark", text="lot 7")
        assert text.status_code == 303
        path, files = f"/page/oven/rounds/{token}/remark", {"file": ("a", b"x" * 1001)}
        large = client.post(path, data={**person.hidden(), "text": "x"}, files=files)
        assert large.status_code == 422
        assert "at most 0.001 MB" in large.text
        assert 'value="x"' in large.text, "what was typed is kept"


def test_a_key_opens_the_files_of_its_study_alone(tmp_path: Path) -> None:
    place = oven(tmp_path)
    may = {right: bearer(key_for(place, right)) for right in ("read", "play")}
    with served(place, keyed=True) as client:
        asked = client.post("/v1/studies/oven/ask", json={"context": {"weather": 3}}, headers=may["play"])
        token = asked.json()["suggestions"][0]["token"]
        assert upload(client, token, "a.png", PNG).status_code == 401
        assert upload(client, token, "a.png", PNG, headers=may["read"]).status_code == 403
        file = upload(client, token, "a.png", PNG, headers=may["play"]).json()["file"]
        url = f"/v1/studies/oven/files/{file['sha256']}"
        assert client.get(url).status_code == 401
        assert client.get(url, headers=may["read"]).content == PNG
        folder = tmp_path / "oven.db.files"
        (folder / "00").mkdir()
        (folder / "00" / ("0" * 64)).write_bytes(b"of another study of this log")
        for sha256 in ("0" * 64, "..%2F..%2Foven.db", "%2e%2e%2foven.db"):
            answer = client.get(f"/v1/studies/oven/files/{sha256}", headers=may["read"])
            assert answer.status_code in (404, 405), sha256
        assert upload(client, "no-such", "a.png", PNG, headers=may["play"]).status_code == 404


def test_a_lost_file_is_said_to_be_lost_and_ends_nothing(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        token = begun(client)
        file = upload(client, token, "a.png", PNG).json()["file"]
        (path,) = (tmp_path / "oven.db.files").glob("*/*")
        path.write_bytes(b"x")
        lost = client.get(f"/v1/studies/oven/files/{file['sha256']}")
        assert lost.status_code == 410
        assert "a.png is changed" in lost.json()["detail"]
        assert str(tmp_path) not in lost.text
        assert client.get("/page/oven").status_code == 200


def test_who_hangs_up_leaves_nothing(tmp_path: Path) -> None:
    place, folder = oven(tmp_path), tmp_path / "oven.db.files"
    with serving_here(place) as made:
        with made.client() as client:
            token = begun(client)
        host, port = re.findall(r"//(.*):(\d+)", made.url)[0]
        with socket.create_connection((host, int(port))) as line:
            head = f"POST /v1/studies/oven/rounds/{token}/files?file=a.png HTTP/1.1\r\nHost: {host}\r\n"
            line.sendall(f"{head}Content-Length: 1000\r\n\r\nabc".encode())
            while not list(folder.glob("*.part")):
                time.sleep(0.01)
        while list(folder.glob("*.part")):
            time.sleep(0.01)
    with Study.open(place) as study:
        assert not study.history.files
    assert not [path for path in folder.rglob("*") if path.is_file()]


def test_the_page_takes_a_file_and_shows_it(tmp_path: Path) -> None:
    place, case = of_kind(tmp_path, "time-varying")
    with served(place) as client:
        person = Person(client)
        person.play(case)
        (played,) = person.rounds()
        form = client.get(f"/page/oven/rounds/{played['token']}").text
        assert 'enctype="multipart/form-data"' in form
        files = {"file": ("a7.png", PNG), "another": ("b.png", PNG)}
        path = f"/page/oven/rounds/{played['token']}/remark"
        assert client.post(path, data=person.hidden(), files=files).status_code == 400, "one at a time"
        del files["another"]
        forged = client.post(path, data={"form": "x"}, files=files)
        assert forged.status_code == 403
        assert client.post(path, data=person.hidden(), files=files).status_code == 303
        assert client.post("/page/oven/rounds/study/remark", data=person.hidden(), files=files).status_code == 303
        shown = person.read()
        (sha256,) = set(re.findall(r'<img src="/page/oven/files/([0-9a-f]{64})"', shown))
        assert client.get(f"/page/oven/files/{sha256}").content == PNG
        found = client.get("/page/oven/rounds?q=A7.png").text
        assert "a7.png" in found
        assert "a7.png" not in client.get("/page/oven/rounds?q=nothing").text.replace("q=", "")
        report = client.get("/page/oven/report.html").text
        assert "a7.png" in report
        assert sha256 not in report, "a file that is read elsewhere has no server behind it"


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian: apt-get install chromium)")
def test_a_person_keeps_a_photograph_by_clicking(tmp_path: Path, chromium: Browser) -> None:
    place, photo = oven(tmp_path), tmp_path / "a7.gif"
    photo.write_bytes(bytes.fromhex("47494638396101000100800000ff0000ffffff2c00000000010001000002024401003b"))
    with Study.open(place) as study:
        told, waiting = (study.ask(context={"weather": 3.0}).token for _ in range(2))
        study.tell(told, 1.0, cost=1.0, realised={"oven": 150.0, "speed": 0.5})
    with serving_here(place) as made:
        tab = chromium.tab()
        for width in (1280, 390):
            tab.size(width)
            tab.open(f"{made.url}page/oven")
            form = f"#round-{waiting} form[action$=remark]"
            tab.run(f"document.querySelector({form!r}).closest('details').open = true")
            tab.fill(f"{form} [name=text]", f"{width} wide")
            tab.choose(f"{form} [type=file]", photo)
            tab.click(f"{form} button")
            tab.wait(f"!!document.querySelector('#round-{waiting} .files img')?.naturalWidth")
            assert f"{width} wide" in tab.text("#rounds") or width < 500, "that column has no room on a telephone"
            assert tab.text(f"{form} [name=text]") == "", "nothing is kept as a draft"
            assert tab.run("document.documentElement.scrollWidth") <= width
        tab.press(f"[data-token='{told}'] [data-edit]")
        form = "tr.editing form[action$=remark]"
        tab.wait(f"!!document.querySelector({form!r})")
        tab.click(f"{form} button")
        tab.wait(f"document.querySelector({form!r})?.innerText.includes('Not saved')")
        tab.choose(f"{form} [type=file]", photo)
        tab.click(f"{form} button")
        tab.wait(f"!!document.querySelector(\"[data-token='{told}'] .files img\")?.naturalWidth")
    with Study.open(place) as study:
        assert study.history.remarks == {waiting: ("1280 wide", "390 wide")}
        assert [[kept.name for kept in several] for several in study.history.files.values()] == [["a7.gif"], ["a7.gif"]]
