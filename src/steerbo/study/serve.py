"""The page of a study, live: read only, and on this machine only unless told otherwise."""

from __future__ import annotations

from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

from ..errors import InvalidOption, SteerboError

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def server(render: Callable[[], str], host: str = "127.0.0.1", port: int = 8000) -> ThreadingHTTPServer:
    """A server that answers GET / with what `render` returns, and refuses everything else. Run its `serve_forever`.

    Raises:
        InvalidOption: there is no listening at this address.
    """
    one_at_a_time = Lock()

    class Page(BaseHTTPRequestHandler):
        """Nothing can be written: there is only GET."""

        def do_GET(self) -> None:
            """The page, and nothing beside it."""
            if self.path != "/":
                self.send_error(404)
                return
            try:
                with one_at_a_time:
                    body = render().encode()
            except SteerboError as error:
                self.send_error(500, "the study cannot be read", str(error))
                return
            self.send_response(200)
            for name, value in {
                "Content-Type": "text/html; charset=utf-8",
                "Content-Length": str(len(body)),
                "Content-Security-Policy": _POLICY,
                "X-Content-Type-Options": "nosniff",
            }.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    try:
        return ThreadingHTTPServer((host, port), Page)
    except (OSError, OverflowError) as error:
        raise InvalidOption("port", f"{host}:{port}", "a free port of this machine", f"({error})") from None
