"""For who operates it: whether it lives, and figures for Prometheus."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import PlainTextResponse

from ..text import escape_unprintable
from .auth import Principal, visitor_of
from .logging import REQUEST
from .problem_details import LOOKING

router = APIRouter(tags=["operations"], responses=LOOKING)
LOGGER = logging.getLogger("steerbo.serve")
"""A line a request, at INFO."""

_METHODS = ("GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE")


class Counts:
    """Requests by method and status, and seconds spent on them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.requests: Counter[tuple[str, int]] = Counter()
        self.seconds = 0.0

    def add(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count a request whose answer begins; one line of it goes to the log."""
        known = method if method in _METHODS else "other"
        with self._lock:
            self.requests[known, status] += 1
            self.seconds += seconds
        parts = {"method": method, "path": escape_unprintable(path), "status": status, "ms": round(1000 * seconds, 1)}
        LOGGER.info("%s %s %d", method, parts["path"], status, extra={REQUEST: parts})


@router.get("/healthz", include_in_schema=False)
def health() -> dict[str, str]:
    """It answers."""
    return {"status": "ok"}


@router.get("/metrics", response_class=PlainTextResponse)
def figures(request: Request, who: Annotated[Principal, Depends(visitor_of)]) -> str:
    """Requests, and rounds of the studies that this key opens, as Prometheus reads them."""
    counts: Counts = request.app.state.counts
    lines = ["# TYPE steerbo_requests_total counter"]
    lines += [
        f'steerbo_requests_total{{method="{method}",status="{status}"}} {number}'
        for (method, status), number in sorted(counts.requests.items())
    ]
    lines += ["# TYPE steerbo_request_seconds_total counter", f"steerbo_request_seconds_total {counts.seconds:.6f}"]
    lines += ["# TYPE steerbo_listeners gauge", f"steerbo_listeners {request.app.state.listeners}"]
    lines += ["# TYPE steerbo_rounds gauge"]
    for name in who.studies:
        status = request.app.state.hall.studies[name].read("status", lambda study: study.status.to_dict())
        label = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        for state in ("told", "failed", "abandoned"):
            lines.append(f'steerbo_rounds{{study="{label}",state="{state}"}} {status.get(state, 0)}')
        lines.append(f'steerbo_rounds{{study="{label}",state="open"}} {len(status.get("pending", ()))}')
    return "\n".join([*lines, ""])
