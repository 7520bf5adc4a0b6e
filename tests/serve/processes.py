"""A server in a process of its own, as `steerbo serve` makes it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any
from urllib.parse import urlsplit

import httpx2


@dataclass
class Serving:
    """A process and where it listens."""

    process: subprocess.Popen[str]
    url: str

    def client(self, **more: Any) -> httpx2.Client:
        return httpx2.Client(base_url=self.url, timeout=60, trust_env=False, **more)

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


def start(
    *places: Path | str, port: int = 0, options: tuple[str, ...] = (), errors: IO[str] | int = subprocess.PIPE
) -> Serving:
    """Make one. It writes a line a request to `errors`: whoever makes thousands gives a file, for a pipe gets full."""
    command = [sys.executable, "-m", "steerbo", "serve", *map(str, places), "--port", str(port), "--json", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=dict(os.environ))
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        lines.append(line)
        if line.rstrip() == "}":
            break
    assert lines, process.communicate()[1]
    return Serving(process, json.loads("".join(lines))["url"])


@contextmanager
def serving(*places: Path | str, options: tuple[str, ...] = ()) -> Iterator[Serving]:
    with TemporaryFile("w") as errors:
        made = start(*places, options=options, errors=errors)
        try:
            yield made
        finally:
            made.kill()


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
            return client.get("/studies").status_code
