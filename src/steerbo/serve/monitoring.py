"""Monitoring of a server: health, figures for Prometheus, and log lines as JSON documents."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Histogram,
    Metric,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from starlette.responses import PlainTextResponse, Response

from .._redaction import redact
from .._text import escape_unprintable
from .auth import Principal, visitor_of
from .problem_details import LOOKING

REQUEST = "request"
"""Of a record: a request as data, with method, path, status and ms."""
_LOUD = ("steerbo", "uvicorn")


class JsonFormatter(logging.Formatter):
    """Formatter of records as JSON lines: time, level, logger, message, and parts of a request.

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
            line["error"] = escape_unprintable(
                redact(f"{record.exc_info[0].__name__}: {record.exc_info[1]}")
            )
        return json.dumps(line, ensure_ascii=True, default=str)


@contextmanager
def json_lines() -> Iterator[None]:
    """Context in which logs and warnings are written to standard error as JSON."""
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


router = APIRouter(tags=["operations"], responses=LOOKING)
LOGGER = logging.getLogger("steerbo.serve")
"""A line a request, at INFO."""

_METHODS = ("GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE")


class Counts:
    """Requests by method and status, and the seconds until their answers began."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "steerbo_requests",
            "Requests that were answered.",
            ["method", "status"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "steerbo_request_seconds",
            "Seconds until an answer began.",
            ["method"],
            registry=self.registry,
        )

    def add(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count a request whose answer begins; one line of it goes to the log."""
        known = method if method in _METHODS else "other"
        self._requests.labels(known, status).inc()
        self._seconds.labels(known).observe(seconds)
        parts = {
            "method": method,
            "path": escape_unprintable(path),
            "status": status,
            "ms": round(1000 * seconds, 1),
        }
        LOGGER.info("%s %s %d", method, parts["path"], status, extra={REQUEST: parts})


class _Figures(Collector):
    """Figures that a key may see."""

    def __init__(self, state: Any, who: Principal) -> None:
        self._state, self._who = state, who

    def collect(self) -> Iterator[Metric]:
        """Yield those of all requests, of listeners, and of the rounds of studies that were opened."""
        yield from self._state.counts.registry.collect()
        yield GaugeMetricFamily(
            "steerbo_listeners", "Pages that wait for events.", self._state.listeners
        )
        rounds = GaugeMetricFamily(
            "steerbo_rounds", "Rounds of a study by their state.", labels=["study", "state"]
        )
        for name in self._who.studies:
            status = self._state.pool.studies[name].glance(
                "status", lambda study: study.status.to_dict()
            )
            if status is None:  # it was never opened
                continue
            for state in ("told", "failed", "abandoned"):
                rounds.add_metric([name, state], status.get(state, 0))
            rounds.add_metric([name, "open"], len(status.get("pending", ())))
        yield rounds


@router.get("/healthz", include_in_schema=False)
async def health() -> dict[str, str]:
    """Report that the server answers; without a thread, which may all be taken."""
    return {"status": "ok"}


@router.get("/metrics", response_class=PlainTextResponse)
def figures(request: Request, who: Annotated[Principal, Depends(visitor_of)]) -> Response:
    """Requests, and rounds of the studies that this key opens, as Prometheus reads them."""
    return Response(
        generate_latest(_Figures(request.app.state, who)), media_type=CONTENT_TYPE_LATEST
    )
