"""Servers: in a process of its own, as `steerbo serve` makes it, and in a thread of this one."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any
from urllib.parse import urlsplit

import httpx2
import pytest
from fastapi import FastAPI

from steerbo.serve import StudyPool, application
from steerbo.serve.server import _Server, configured, socket_at
from tests.cli.calls import call
from tests.serve.players import opener


@dataclass
class Listening:
    """Where a server listens."""

    url: str

    def client(self, **more: Any) -> httpx2.Client:
        return httpx2.Client(base_url=self.url, timeout=60, trust_env=False, **more)


@dataclass
class Serving(Listening):
    """A process and where it listens."""

    process: subprocess.Popen[str]

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


def start(
    *places: Path | str,
    port: int = 0,
    options: tuple[str, ...] = (),
    errors: IO[str] | int = subprocess.PIPE,
    folder: Path | None = None,
) -> Serving:
    """Make one. It writes a line a request to `errors`: whoever makes thousands gives a file, for a pipe gets full."""
    command = [sys.executable, "-m", "steerbo", "serve", *map(str, places), "--port", str(port), "--json", *options]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=errors, text=True, env=dict(os.environ), cwd=folder
    )
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        lines.append(line)
        if line.rstrip() == "}":
            break
    assert lines, process.communicate()[1]
    return Serving(json.loads("".join(lines))["url"], process)


@contextmanager
def serving(*places: Path | str, options: tuple[str, ...] = (), folder: Path | None = None) -> Iterator[Serving]:
    with TemporaryFile("w") as errors:
        made = start(*places, options=options, errors=errors, folder=folder)
        try:
            yield made
        finally:
            made.kill()


@contextmanager
def serving_here(
    *places: Path, keyed: bool = False, forwarded_by: tuple[str, ...] = (), folder: Path | None = None
) -> Iterator[Listening]:
    """A server in a thread of this process, which begins in no time: for all but what a process does by itself."""
    pool = StudyPool({place.stem: (str(place), opener(place)) for place in places}, keyed)
    pool.folder = folder or Path()
    with closing(socket_at("127.0.0.1", 0)) as bound, _listening(application(pool), bound, forwarded_by) as made:
        yield made


@contextmanager
def commanded(*places: Path | str, options: tuple[str, ...] = (), folder: Path | None = None) -> Iterator[Listening]:
    """What `steerbo serve` makes of these arguments, in a thread of this process.

    For all that its arguments decide. What a signal does, and what a process imports, take one: see `serving`.
    """
    made: list[tuple[FastAPI, socket.socket, Sequence[str]]] = []
    with ExitStack() as held:
        patch = held.enter_context(pytest.MonkeyPatch.context())
        patch.setattr("steerbo.serve.listen", lambda app, bound, by: made.append((app, bound.dup(), by)))
        if folder is not None:
            patch.chdir(folder)
        said = call("serve", *places, "--port", 0, "--json", *options)
        assert said.exit_code == 0, said.output
        ((app, bound, forwarded_by),) = made
        held.enter_context(closing(bound))
        served = held.enter_context(_listening(app, bound, forwarded_by))
        assert json.loads(said.stdout)["url"] == served.url
        yield served


@contextmanager
def _listening(app: FastAPI, bound: socket.socket, forwarded_by: Sequence[str]) -> Iterator[Listening]:
    server = _Server(configured(app, forwarded_by))
    thread = threading.Thread(target=server.run, args=([bound],))
    thread.start()
    try:
        yield Listening(f"http://127.0.0.1:{bound.getsockname()[1]}/")
    finally:
        app.state.ending.set()
        server.should_exit = True
        thread.join()


def half_heads(url: str, count: int) -> int:
    """The status of one more request while so many connections have sent half a head, as their first or second."""
    place = urlsplit(url)
    whole, half = (f"GET /healthz HTTP/1.1\r\nHost: localhost\r\n{end}".encode() for end in ("\r\n", "X: "))
    with ExitStack() as held:
        for number in range(count):
            one = held.enter_context(socket.create_connection((place.hostname, place.port), timeout=60))
            with suppress(OSError):  # it may have had to make room already
                if number % 2:
                    one.sendall(whole)
                    one.recv(2**16)
                one.sendall(half)
        with httpx2.Client(base_url=url, timeout=60, trust_env=False) as client:
            return client.get("/v1/studies").status_code
