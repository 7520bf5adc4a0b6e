"""A database server that crashes while a process makes its first connection, at every point of it."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

from steerbo.study import Study
from tests.core.stub import Nearest, Stub

CUTS = (0, 1, 9, 30, 100, 200, 300, 400, 450)
"""Bytes of a server's answer after which the connection is gone."""
CRASHES = 2


@contextmanager
def crashing(url: str, cut: int) -> Iterator[str]:
    """A way to the server that `CRASHES` times ends a connection after so many bytes of what the server says."""
    real = urlsplit(url)
    with socket.create_server(("127.0.0.1", 0)) as door:
        left = [CRASHES]

        def carry(client: socket.socket) -> None:
            cuts = left[0] > 0
            left[0] -= 1
            with client, suppress(OSError), socket.create_connection((str(real.hostname), real.port or 5432)) as server:
                said = 0
                while True:
                    for ready in select.select([client, server], [], [])[0]:
                        data = ready.recv(4096)
                        if ready is server and cuts:
                            data, said = data[: cut - said], said + len(data)
                        (client if ready is server else server).sendall(data)
                        if not data or (cuts and said >= cut):
                            return

        def serve() -> None:
            with suppress(OSError):
                while True:
                    threading.Thread(target=carry, args=(door.accept()[0],), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        yield url.replace(f":{real.port}", f":{door.getsockname()[1]}")
        door.shutdown(socket.SHUT_RDWR)


def first_connection(url: str) -> dict[str, Any]:
    """The study is opened all the same, wherever the server crashed."""
    Study.create(url, Stub(), Nearest, name="first connection", rounds=3).close()
    for cut in CUTS:
        with crashing(url, cut) as way, Study.open(way, Stub(), name="first connection") as study:
            assert study.status.limit == 3
    return {"crashes": CRASHES * len(CUTS), "called wrong input": 0}
