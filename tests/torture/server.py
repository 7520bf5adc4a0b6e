"""A PostgreSQL server of our own, on loopback, in a temporary folder, for as long as a context lasts."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest


def _binaries() -> Path | None:
    found = shutil.which("pg_ctl")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((f for f in folders if (f / "pg_ctl").exists()), Path(found).parent if found else None)


def missing() -> str:
    """Why there can be no server here; empty where there can."""
    if os.name != "posix" or _binaries() is None:
        return "PostgreSQL is not installed (Debian: apt-get install postgresql)"
    if os.geteuid() == 0 and shutil.which("runuser") is None:
        return "PostgreSQL does not run as root, and there is no runuser"
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return "psycopg is not installed: pip install 'steerbo[postgres]'"
    return ""


@dataclass(frozen=True)
class Server:
    """A running server, and how to stop it and start it again."""

    url: str
    _call: Callable[..., None]

    def stop(self, mode: str = "fast") -> None:
        """`fast` tells those who are connected; `immediate` is a crash."""
        self._call("--wait", "--mode", mode, "stop")

    def start(self) -> None:
        """At the same address, with the same data."""
        self._call("--wait", "start")

    @contextmanager
    def away(self, mode: str = "immediate") -> Iterator[None]:
        """It is stopped meanwhile."""
        self.stop(mode)
        try:
            yield
        finally:
            self.start()

    def database(self) -> Server:
        """The same server, and the URL of an empty database of its own."""
        import psycopg

        name = f"steerbo_{secrets.token_hex(8)}"
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return replace(self, url=f"{self.url.rpartition('/')[0]}/{name}")


@contextmanager
def postgres(password: str = "", *, durable: bool = True) -> Iterator[str]:
    """The URL, without the password, of a fresh server. It asks for the password where one is given.

    Args:
        password: of its user.
        durable: with `fsync`, which a machine needs that loses its power: a crash of the server alone loses nothing
            without it, and it is back at once, instead of when each of its thousand files is on the disk.
    """
    with server(password, durable=durable) as running:
        yield running.url


@contextmanager
def server(password: str = "", *, durable: bool = True) -> Iterator[Server]:
    """The same, and it can be restarted."""
    if reason := missing():
        pytest.skip(reason)
    binaries = _binaries()
    assert binaries is not None
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    import pwd  # nowhere but on POSIX

    with tempfile.TemporaryDirectory(prefix="steerbo-pg-") as folder:
        user, prefix = pwd.getpwuid(os.geteuid()).pw_name, []
        if os.geteuid() == 0:
            user = next(name for name in ("postgres", "nobody") if any(u.pw_name == name for u in pwd.getpwall()))
            prefix = ["runuser", "-u", user, "--"]
            shutil.chown(folder, user)
        data = f"{folder}/data"

        def call(*command: str) -> None:
            done = subprocess.run([*prefix, *command], cwd=folder, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr

        auth = ["--auth", "trust"]
        if password:
            file = Path(folder) / "password"
            file.write_text(password)
            file.chmod(0o644)
            auth = ["--auth", "scram-sha-256", "--pwfile", str(file)]
        # not synced yet: there is nothing in it that anybody could lose
        call(f"{binaries}/initdb", "--no-sync", "--pgdata", data, "--username", "steerbo", *auth, "--encoding", "UTF8")
        options = f"-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories={folder}"
        options += "" if durable else " -c fsync=off"
        control = [f"{binaries}/pg_ctl", "--pgdata", data, "--log", f"{folder}/log", "--options", options]
        running = Server(f"postgresql://steerbo@127.0.0.1:{port}/postgres", partial(call, *control))
        running.start()
        try:
            yield running
        finally:
            with suppress(AssertionError):  # it was stopped already
                running.stop("immediate")
