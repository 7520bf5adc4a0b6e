"""The server's log for programs: every line a JSON document, whoever wrote it."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..redaction import redact
from ..text import escape_unprintable

REQUEST = "request"
"""Of a record: a request as data, with method, path, status and ms."""
_LOUD = ("steerbo", "uvicorn")


class JsonFormatter(logging.Formatter):
    """A record as one line: when, how grave, who says it, what; a request's parts beside these.

    >>> record = logging.LogRecord("steerbo.study", logging.WARNING, "", 1, "the %s is away", ("log",), None)
    >>> record.created = 0.0
    >>> JsonFormatter().format(record)
    '{"time": "1970-01-01T00:00:00.000Z", "level": "warning", "logger": "steerbo.study", "message": "the log is away"}'
    """

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line: dict[str, Any] = {
            "time": f"{stamp}.{int(record.created * 1000) % 1000:03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": escape_unprintable(redact(record.getMessage())),
            **getattr(record, REQUEST, {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = escape_unprintable(redact(f"{record.exc_info[0].__name__}: {record.exc_info[1]}"))
        return json.dumps(line, ensure_ascii=True, default=str)


@contextmanager
def json_lines() -> Iterator[None]:
    """Have all that is logged meanwhile written to standard error as JSON; what warns beside logging, too."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    loggers = [logging.root, *map(logging.getLogger, _LOUD)]
    levels, handlers = [logger.level for logger in loggers], logging.root.handlers[:]
    logging.captureWarnings(True)
    logging.root.handlers[:] = [handler]
    for logger in loggers:
        logger.setLevel(logging.WARNING if logger is logging.root else logging.INFO)
    try:
        yield
    finally:
        logging.captureWarnings(False)
        logging.root.handlers[:] = handlers
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
