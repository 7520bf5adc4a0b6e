"""The application: pages for people, JSON for programs, one set of studies behind both."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from typing import Any

from fastapi import FastAPI
from starlette.routing import Route
from starlette.staticfiles import StaticFiles

from .. import __version__
from ..errors import MissingExtra
from ..page.report import STATIC
from . import api, managing, monitoring, pages, problem_details
from .auth import WRONG_KEYS
from .middleware import RequestLimits, TokenBucket
from .pool import StudyPool

try:
    from .tools import ToolsAtHttp as _Tools
except MissingExtra:  # without the extra `mcp` all else is served
    _Tools = None  # type: ignore[assignment, misc]

_ABOUT = (
    "Ask what to set next, say what came of it. Every answer about a round may be given twice. Errors are RFC 9457 "
    "documents with `errors`: field, value, what is allowed, and a hint."
)


def application(pool: StudyPool, names: tuple[str, ...] = ()) -> FastAPI:
    """The application for these studies, as any ASGI server runs it.

    Args:
        pool: the studies.
        names: by which this machine is called, beside its addresses, "localhost" and its own name.
    """
    tools = _Tools(pool) if _Tools is not None else None

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with tools.manager.run() if tools else nullcontext():
            yield
        app.state.ending.set()
        pool.close()

    app = FastAPI(
        title="steerbo",
        version=__version__,
        description=_ABOUT,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.pool, app.state.listeners, app.state.ending = pool, 0, threading.Event()
    app.state.counts, app.state.misses = monitoring.Counts(), TokenBucket(*WRONG_KEYS)
    problem_details.install(app, pages.error_page)
    app.include_router(api.router)
    app.include_router(monitoring.router)
    app.include_router(pages.router)
    app.include_router(managing.router)
    if tools:
        app.router.routes.append(Route("/mcp", tools, include_in_schema=False))
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.openapi = partial(_described, app, pool.keyed)  # type: ignore[method-assign]
    app.add_middleware(RequestLimits, names=names, answered=app.state.counts.add)
    return app


def _described(app: FastAPI, keyed: bool) -> dict[str, Any]:
    """The OpenAPI document: with the documents that errors are, and how a key is given where one is needed."""
    if app.openapi_schema is None:
        found = FastAPI.openapi(app)
        components = found.setdefault("components", {})
        components["schemas"] = {**components.get("schemas", {}), **problem_details.schemas()}
        if keyed:
            components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
            found["security"] = [{"key": []}]
        app.openapi_schema = found
    return app.openapi_schema
