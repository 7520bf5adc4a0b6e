"""The application: pages for people, JSON for programs, one set of studies behind both."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cached_property, partial
from http import HTTPStatus
from typing import Any

from anyio import to_thread
from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.routing import Route
from starlette.staticfiles import StaticFiles

from .. import __version__
from ..page.report import STATIC
from . import api, files, importing, managing, monitoring, pages, problem_details
from .auth import WRONG_KEYS, visitor_of
from .middleware import RequestLimits, TokenBucket
from .pool import StudyPool
from .problem_details import Refusal

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

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        to_thread.current_default_thread_limiter().total_tokens = pool.threads
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
    app.state.pool, app.state.listeners, app.state.ending = pool, 0, pool.ending
    app.state.uploads = 0
    app.state.counts, app.state.misses = monitoring.Counts(), TokenBucket(*WRONG_KEYS)
    problem_details.install(app, pages.error_page)
    app.include_router(importing.router)
    app.include_router(files.router)  # before the pages: it takes one of their addresses
    app.include_router(api.router)
    app.include_router(monitoring.router)
    app.include_router(pages.router)
    app.include_router(managing.router)
    app.router.routes.append(Route("/mcp", _Tools(pool), include_in_schema=False))
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.openapi = partial(_described, app, pool.keyed)  # type: ignore[method-assign]
    app.add_middleware(RequestLimits, names=names, answered=app.state.counts.add)
    return app


class _Tools:
    """Tools for assistants, behind the guard and the keys of the server: an ASGI application.

    The package `mcp` takes as long to import as half of the server: it is imported at the first
    request. Without the extra of this name all else is served.
    """

    def __init__(self, pool: StudyPool) -> None:
        self.pool = pool

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request where a key is valid.

        Raises:
            MissingExtra: mcp is not installed.
        """
        if scope["method"] != "POST":
            raise Refusal(
                HTTPStatus.METHOD_NOT_ALLOWED, "tools are called by POST", {"Allow": "POST"}
            )
        await run_in_threadpool(visitor_of, Request(scope))
        handle = await run_in_threadpool(lambda: self._handle)
        await handle(scope, receive, send)

    @cached_property
    def _handle(self) -> Callable[[Any, Any, Any], Awaitable[None]]:
        from .tools import handler  # start-up time; an extra

        return handler(self.pool)


def _described(app: FastAPI, keyed: bool) -> dict[str, Any]:
    """The OpenAPI document: with the documents that errors are, and how a key is given where one is needed."""
    if app.openapi_schema is None:
        found = FastAPI.openapi(app)
        components = found.setdefault("components", {})
        components["schemas"] = {**components.get("schemas", {}), **problem_details.schemas()}
        said = "A key of the study, as `steerbo key create` prints it."
        components["securitySchemes"] = {
            "key": {"type": "http", "scheme": "bearer", "description": said}
        }
        found["security"] = [{"key": []}] if keyed else [{}, {"key": []}]
        app.openapi_schema = found
    return app.openapi_schema
