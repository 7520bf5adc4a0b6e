"""Addresses of logs, in all forms that libpq has."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from steerbo.errors import InvalidStudy
from steerbo.storage.outbox_files import OutboxFiles
from steerbo.study import Study, read_events
from tests.core.stub import Nearest, Stub
from tests.torture.server import Server


@pytest.mark.parametrize(
    "place",
    [
        "host=127.0.0.1 port=55432 user=lab dbname=steerbo",
        "dbname = steerbo",
        "service=lab",
        "user=lab password=sesame host=db.example",
        "password='open sesame' host=db.example",
    ],
)
def test_keywords_of_libpq_make_no_file(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidStudy, match="postgresql://USER@HOST") as refused:
        Study.create(place, Stub(), Nearest)
    assert "sesame" not in str(refused.value)
    assert not [*tmp_path.iterdir()]


def test_a_file_may_be_called_like_keywords(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Study.create("./host=north.db", Stub(), Nearest).close()
    assert read_events("host=north.db"), "it is there: no doubt is left"


def test_the_host_that_serves_is_taken_of_several(running: Server) -> None:
    found = urlsplit(running.database().url)
    several = f"postgresql://{found.username}@127.0.0.1:1,{found.hostname}:{found.port}{found.path}"
    with closing(Study.create(several, Stub(), Nearest)) as study:
        assert study.ask() is not None


def test_sockets_are_reached(running: Server) -> None:
    import psycopg

    with psycopg.connect(running.url) as connection:
        (folder,) = connection.execute("SHOW unix_socket_directories").fetchone() or ("",)
    assert Path(folder).is_relative_to(tempfile.gettempdir())
    found = urlsplit(running.database().url)
    forms = (
        f"postgresql://{found.username}@{quote(folder, safe='')}:{found.port}{found.path}#socket",
        f"postgresql:///{found.path[1:]}?user={found.username}&host={folder}&port={found.port}#option",
    )
    for url in forms:
        with closing(Study.create(url, Stub(), Nearest)) as study:
            assert study.ask() is not None


@pytest.mark.parametrize(
    "url", ["postgresql://h1:5432,h2:x/lab", "postgresql://host/lab?no_such_option=1", "postgresql://[::1/lab"]
)
def test_what_libpq_cannot_read_is_refused(url: str) -> None:
    with pytest.raises(InvalidStudy, match="log: "):
        Study.create(url, Stub(), Nearest)


def test_files_of_the_outbox_tell_servers_apart() -> None:
    urls = ("postgresql://h1,h2/lab", "postgresql://h1/lab", "postgresql://h1/lab?port=5433", "postgresql://h1/other")
    assert len({OutboxFiles.of(url, "study").places for url in urls}) == len(urls)
    same = ("postgresql://ann:sesame@h1:5433/lab", "postgresql:///lab?host=h1&port=5433", "postgres://h1:5433/lab")
    assert len({OutboxFiles.of(url, "study").places for url in same}) == 1


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_text_reaches_a_database_of_any_encoding(
    encoding: str, running: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    monkeypatch.setenv("PGCLIENTENCODING", encoding)
    name = f"steerbo_{encoding.lower()}"
    with psycopg.connect(running.url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0")
    url = f"{running.url.rpartition('/')[0]}/{name}"
    with closing(Study.create(url, Stub(), Nearest, name="Gewächs")) as study:
        assert study.ask() is not None
    assert read_events(url, name="Gewächs")
    if encoding == "LATIN1":
        with pytest.raises(InvalidStudy, match="no equivalent in encoding"):
            Study.create(url, Stub(), Nearest, name="温室")
