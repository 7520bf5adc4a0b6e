"""Tables of past data on the page and over HTTP: nothing is written before it is confirmed, and no file breaks it."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import steerbo as sb
from steerbo.cli.serving import _openers
from steerbo.serve import StudyPool, application
from steerbo.serve.importing import LARGEST_FILE
from steerbo.study import Study
from tests.cli.calls import call
from tests.serve.accessibility import SMALL, needs_axe, violations
from tests.serve.browser import CHROMIUM, Browser
from tests.serve.players import Person, bearer, key_for, oven, served
from tests.serve.processes import serving_here

TABLE = (
    "day;Ofen;SPEED;weather;Ertrag;EUR;state\n"
    "1;150 °C;0,5;12;9,8;1,00;\n"
    "2;160;n/a;12;7,6;1;\n"
    "3;950;0,25;13;7;1;\n"
    "4;170;0,5;14;;1;abgebrochen\n"
)
CHOSEN = {
    "column:value": "Ertrag",
    "column:cost": "EUR",
    "column:oven": "Ofen",
    "column:speed": "SPEED",
    "column:weather": "weather",
    "column:state": "state",
}


class Reader(Person):
    """Somebody with a file."""

    def look(self, content: bytes, name: str = "old.csv") -> Any:
        data = {"form": self.hidden()["form"]}
        return self.client.post(f"/page/{self.name}/import", data=data, files={"file": (name, content)})

    def go_on(self, page: str, then: str, **fields: str) -> Any:
        """Send the page's form, with some fields otherwise."""
        form = page.partition('class="card">')[2].partition("</form>")[0]
        sent = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', form))
        for name, options in re.findall(r'(?s)<select[^>]*name="([^"]+)"[^>]*>(.*?)</select>', form):
            sent[name] = next(iter(re.findall("<option selected>([^<]*)", options)), "")
        sent = {name: unescape(text) for name, text in sent.items()}
        files = {"nothing": ("", b"")}
        return self.client.post(f"/page/{self.name}/import", data={**sent, **fields, "then": then}, files=files)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return oven(tmp_path)


@pytest.fixture
def reader(place: Path) -> Iterator[Reader]:
    with served(place) as client:
        yield Reader(client)


def events(place: Path) -> int:
    with Study.open(place) as study:
        return len(study.events)


def alerts(page: str) -> str:
    return unescape(" ".join(re.findall(r'(?s)<ul class="wrong"[^>]*>(.*?)</ul>', page)))


def test_what_would_be_taken_is_shown_and_written_once_it_is_confirmed(reader: Reader, place: Path) -> None:
    assert 'id="past"' in reader.text
    first = reader.look(TABLE.encode("utf-8-sig"))
    assert first.status_code == 422
    assert "expected a column 'value'" in alerts(first.text)
    assert "<option selected>SPEED</option>" in first.text, "what could be matched is"
    bare = unescape(reader.go_on(first.text, "look", **CHOSEN).text)
    assert "say speed=n/a under “Stands for a missing value”" in bare
    second = reader.go_on(first.text, "look", missing="n/a", **CHOSEN)
    assert second.status_code == 200
    assert "old.csv: 2 new, 2 refused" in second.text
    assert "150; 160; 950; …" in second.text
    said = unescape(second.text)
    assert "Line 3: speed: nothing is given" in said
    assert "Line 5: state: 'abgebrochen' is not allowed" in said
    assert "Write failed where the evaluation broke" in said
    assert "oven = 950 is far outside its range" in said
    assert "'day'" in said
    assert events(place) == 1
    done = reader.go_on(second.text, "add", missing="n/a")
    assert "Added from old.csv: 2 new, 2 refused" in done.text
    with Study.open(place) as study:
        assert [outcome.value for outcome in study.history.added] == [9.8, 7.0]
        assert study.history.added[0].realised == {"oven": 150.0, "speed": 0.5, "weather": 12.0}
        assert study.history.spent == 0.0
    again = reader.go_on(second.text, "add", missing="n/a")
    assert "0 new, 2 there already, 2 refused" in again.text


def test_what_was_changed_since_it_was_shown_is_shown_first(reader: Reader, place: Path) -> None:
    table = "oven,speed,weather,value,cost\n150,0.5,12,9.8,1\n"
    shown = reader.look(table.encode())
    assert "1 new, 0 refused" in shown.text
    other = reader.go_on(shown.text, "add", charge="yes")
    assert "Nothing is written yet" in other.text
    assert events(place) == 1
    assert "Added from old.csv" in reader.go_on(other.text, "add", charge="yes").text
    with Study.open(place) as study:
        assert study.history.spent == 1.0
    none = reader.look(table.encode())
    assert "There is nothing to add" in none.text
    assert 'value="add"' not in none.text


def workbook(rows: list[list[Any]]) -> bytes:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def archive(**files: bytes) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return written.getvalue()


def with_macros(book: bytes) -> bytes:
    written = io.BytesIO(book)
    with zipfile.ZipFile(written, "a") as made:
        made.writestr("xl/vbaProject.bin", b"\0" * 100)
    return written.getvalue()


BOOK: list[list[Any]] = [["oven", "speed", "weather", "value"], [150, 0.5, 12, 9.75], [160, 0.25, 12, 7]]


@pytest.mark.parametrize(
    "content",
    [
        "oven;speed;weather;value\n150;0,5;12;9,75\n160;0,25;12;7\n".encode("utf-8-sig"),
        "oven\tspeed\tweather\tvalue\n150\t0,5\t12\t9,75\n160\t0,25\t12\t7\n".encode("utf-16"),
        "oven [°C],speed,weather,value\n150,0.5,12,9.75\n160,0.25,12,7\n".encode("cp1252"),
        lambda: workbook(BOOK),
        lambda: with_macros(workbook(BOOK)),
    ],
    ids=["semicolons", "utf-16", "windows", "workbook", "macros"],
)
def test_files_as_people_have_them_are_read(reader: Reader, place: Path, content: Any) -> None:
    shown = reader.look(content() if callable(content) else content, "C:\\data\\old.xlsm")
    assert "old.xlsm: 2 new, 0 refused" in shown.text, alerts(shown.text)
    assert "Added from old.xlsm: 2 new" in reader.go_on(shown.text, "add").text
    with Study.open(place) as study:
        assert [outcome.value for outcome in study.history.added] == [9.75, 7.0]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "and is not empty"),
        (b"\r\n\r\n", "The table is empty"),
        (b"oven,speed,weather,value\n", ""),
        (b"value\n1\n2\n", ""),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(range(256)), "old workbook (.xls), or has a password"),
        (bytes(range(128, 256)) * 9, "neither a workbook nor text"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 50, "It is no text"),
        (archive(hello=b"you"), "no workbook"),
        (archive(hello=b"you")[:-9], "no workbook"),
        (archive(**{"xl/worksheets/sheet1.xml": b"\0" * 60_000_000}), "unpacks to more than 50 MB"),
        (b'oven,speed,weather,value\n"' + b"x" * 200_000, "a table in CSV"),
        (b"oven,speed\n" + b"1,2\n" * LARGEST_FILE, "at most 0.7 MB here"),
        (b"oven,oven,value\n1,2,3\n", "each column once"),
    ],
    ids=[
        "empty",
        "blank",
        "no rows",
        "one column",
        "xls",
        "no text",
        "png",
        "zip",
        "cut",
        "bomb",
        "quote",
        "large",
        "twice",
    ],
)
def test_files_that_are_broken_are_refused_in_words(reader: Reader, place: Path, content: bytes, said: str) -> None:
    answer = reader.look(content, "old")
    assert answer.status_code in (200, 422), answer.text
    assert said in alerts(answer.text)
    assert "Traceback" not in answer.text
    assert 'value="add"' not in answer.text
    assert events(place) == 1


def test_a_sheet_that_states_millions_of_cells_is_not_read_to_its_end(reader: Reader) -> None:
    book = workbook([["value"]])
    wide = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as old, zipfile.ZipFile(wide, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            text = old.read(name)
            if name.endswith("sheet1.xml"):
                text = re.sub(rb'<dimension ref="[^"]*"', b'<dimension ref="A1:XFD1048576"', text)
                text = text.replace(b"</sheetData>", b'<row r="1048576"><c r="A1048576"><v>1</v></c></row></sheetData>')
            new.writestr(name, text)
    assert "unpacks to more than" in alerts(reader.look(wide.getvalue(), "wide.xlsx").text)


def test_only_those_who_may_correct_may_add(place: Path) -> None:
    with served(place, keyed=True) as client:
        for may, allowed in (("read", 403), ("play", 403), ("amend", 422)):
            key = bearer(key_for(place, may, may))
            shown = client.get("/page/oven", headers=key)
            assert ('id="past"' in shown.text) == (may == "amend")
            form = re.findall(r'name="form" value="([0-9a-f]+)"', shown.text)[:1]
            data, files = {"form": form[0] if form else ""}, {"file": ("a.csv", b"x")}
            assert client.post("/page/oven/import", headers=key, data=data, files=files).status_code == allowed
            body = {"table": "oven,speed,weather,value\n150,0.5,12,9\n"}
            done = client.post("/v1/studies/oven/import", headers=key, json=body)
            assert done.status_code == (200 if may == "amend" else 403)
        assert client.post("/page/oven/import", files={"file": ("a.csv", b"x")}).status_code == 401


def test_a_form_of_another_page_is_refused(place: Path, tmp_path: Path) -> None:
    with served(place) as client:
        files = {"file": ("a.csv", b"oven,speed,weather,value\n150,0.5,12,9\n")}
        assert client.post("/page/oven/import", data={"form": "0" * 64}, files=files).status_code == 403
    assert events(place) == 1


def test_programs_send_the_text_of_a_table(place: Path) -> None:
    with served(place) as client:
        table = "Ofen;speed;weather;value\n150 °C;0,5;12;9,75\n160;0,25;12;-200\n170;0,5;12;x\n"
        body = {"table": table, "headers": {"oven": "Ofen"}, "missing": {"value": [-200]}, "dry_run": True}
        trial = client.post("/v1/studies/oven/import", json=body).json()
        assert trial["summary"] == "1 new, 1 left as they are, 1 refused"
        assert [line["fate"] for line in trial["lines"]] == ["taken", "left", "refused"]
        assert events(place) == 1
        done = client.post("/v1/studies/oven/import", json={**body, "dry_run": False}).json()
        assert done["summary"] == trial["summary"]
        assert "missing={column: [code]}" in done["lines"][2]["message"]
        wrong = client.post("/v1/studies/oven/import", json={"table": "Ofen\n1\n"})
        assert wrong.status_code == 422
        unknown = client.post("/v1/studies/oven/import", json={**body, "id": "day"})
        assert unknown.json()["errors"][0]["field"] == "id"
    with Study.open(place) as study:
        assert [outcome.value for outcome in study.history.added] == [9.75]


def test_a_table_that_would_keep_others_waiting_is_refused(reader: Reader) -> None:
    table = "oven,speed,weather,value\n" + "150,0.5,12,9\n" * 5001
    assert "'5001 lines' is not allowed; expected at most 5000" in alerts(reader.look(table.encode()).text)
    refused = reader.client.post("/v1/studies/oven/import", json={"table": table})
    assert refused.json()["errors"][0]["field"] == "table"


STUDY = """
[study]
rounds = 9
[study.columns]
value = "Yield (kg)"
[study.missing]
value = [-200]
[problem]
kind = "cost-varying"
control_sets = [["x"]]
variables = [{ kind = "float", name = "x", low = 0, high = 9, unit = "mm" }]
"""


def test_the_headings_and_codes_of_the_study_file_count(tmp_path: Path) -> None:
    file = tmp_path / "oven.toml"
    file.write_text(STUDY, encoding="utf-8")
    assert call("new", file).exit_code == 0
    studies, _, _ = _openers([str(file)])
    with TestClient(application(StudyPool(studies)), "http://localhost", follow_redirects=False) as client:
        shown = Reader(client).look(b"x;Yield (kg)\n1,5 mm;4,25 kg\n2;-200\n")
        assert "1 new, 1 left as they are, 0 refused" in shown.text, alerts(shown.text)
        assert "Line 3: its value is -200, a code for a missing one" in shown.text
        assert "4.25; -200" in shown.text


def test_a_fleets_table_has_a_column_for_each_action(tmp_path: Path) -> None:
    place = tmp_path / "fleet.db"
    Study.create(place, sb.MeanField(["north", "south"], agents=20, counts=True), rounds=9).close()
    with served(place) as client:
        reader = Reader(client)
        shown = reader.look(b"north;south;value\n5;15;7,5\n")
        assert "1 new, 0 refused" in shown.text, alerts(shown.text)
        assert "Added from old.csv: 1 new" in reader.go_on(shown.text, "add").text


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian: apt-get install chromium)")
@needs_axe
def test_a_person_adds_a_table_by_clicking(place: Path, tmp_path: Path, chromium: Browser) -> None:
    file = tmp_path / "old.csv"
    with serving_here(place) as made:
        tab = chromium.tab()
        for number, (width, scheme) in enumerate(((390, "light"), (320, "dark"), (1280, "light"))):
            file.write_text(TABLE.replace(";9,8;", f";9,{number};"), encoding="utf-8")
            tab.look(scheme)
            tab.size(width)
            tab.open(f"{made.url}page/oven")
            tab.press("#past summary")
            tab.choose("#past [type=file]", file)
            tab.click("#past button")
            tab.wait("!!document.querySelector('.wrong')?.innerText.includes('Ertrag')")
            for column, header in CHOSEN.items():
                named = f"[name={json.dumps(column)}]"
                tab.run(f"document.querySelector('{named}').closest('details')?.setAttribute('open', '')")
                tab.fill(named, header)
            assert tab.run("document.documentElement.scrollWidth") <= width
            assert [*violations(tab), *tab.run(SMALL)] == [], width
            tab.click("[value=look]")
            tab.wait("!!document.querySelector('[value=add]')")
            assert tab.run("document.documentElement.scrollWidth") <= width
            assert [*violations(tab), *tab.run(SMALL)] == [], width
            tab.click("[value=add]")
            tab.wait("document.body.innerText.includes('Added from old.csv')")
            assert [*violations(tab), *tab.run(SMALL)] == [], width
            tab.click(".finished a")
            tab.wait("!!document.querySelector('#rounds')")
    with Study.open(place) as study:
        assert [outcome.value for outcome in study.history.added] == [9.0, 7.0, 9.1, 9.2]


def test_a_reader_with_decimal_commas_is_answered_with_them(place: Path) -> None:
    """Quoted cells stay as they are; a column is named in the page's words, not in a study file's."""
    with served(place) as client:
        client.headers["Accept-Language"] = "de-DE"
        reader = Reader(client)
        said = unescape(reader.look(b"oven;speed;weather;Ernte\n950,5;0,5;12;9,8\n").text)
        assert "Say under “Columns”: value is" in said
        said = unescape(reader.look(b"oven;speed;weather;value\n950,5;0,5;12;9,8\n160;1.2.5;12;7\n").text)
        assert "oven = 950,5 is far outside its range" in said
        assert "speed: '1.2.5' is not allowed" in said
