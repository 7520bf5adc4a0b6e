"""Authentication by key: `Authorization: Bearer …` for programs, a cookie for the page; and its permissions."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fastapi import Request
from starlette.responses import Response

from ..storage.keys import RIGHTS
from .pool import OpenStudy, StudyPool
from .problem_details import Refusal

COOKIE, FORM = "steerbo_key", "steerbo_form"
"""The key of a person's browser; a random text that forms are bound to."""
WRONG_KEYS = 0.2, 20.0
"""Wrong keys a second from one address for long, and at once."""


@dataclass(frozen=True)
class Principal:
    """Client of a request, with its permissions.

    Args:
        name: stands in the log beside their changes; None: not known, and no key is needed here.
        may: one of `RIGHTS`.
        studies: those they may see.
        key: identity of their key; None: none is needed here.
    """

    name: str | None
    may: str
    studies: tuple[str, ...]
    key: str | None = None

    def allows(self, right: str) -> bool:
        """Whether they may do that.

        >>> Principal("ann", "play", ()).allows("read"), Principal("ann", "play", ()).allows("amend")
        (True, False)
        """
        return RIGHTS.index(right) <= RIGHTS.index(self.may)


def visitor_of(request: Request) -> Principal:
    """Client of a request, with its permissions.

    Raises:
        Refusal: a key is needed, and there is none, or it opens nothing here.
    """
    pool: StudyPool = request.app.state.pool
    if not pool.keyed:
        if request.path_params.get("name") not in pool.studies:
            pool.look()
        return _anybody(pool)
    scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
    text = bearer.strip() if scheme.lower() == "bearer" else request.cookies.get(COOKIE, "")
    challenge = {"WWW-Authenticate": "Bearer"}
    if not text:
        raise Refusal(HTTPStatus.UNAUTHORIZED, "a key is needed", challenge)
    address = request.client.host if request.client else ""
    visitor = visitor_by(pool, text)
    if visitor is None:
        if not request.app.state.misses.take(address):
            raise Refusal(HTTPStatus.TOO_MANY_REQUESTS, "too many wrong keys", {"Retry-After": "5"})
        pool.look()  # the key may be a new study's
        if (visitor := visitor_by(pool, text)) is None:
            raise Refusal(HTTPStatus.UNAUTHORIZED, "this key opens nothing here", challenge)
    return visitor


def _anybody(pool: StudyPool) -> Principal:
    return Principal(None, "amend", tuple(pool.studies))


def visitor_by(pool: StudyPool, text: str) -> Principal | None:
    """Find the principal of a key; None for an unknown one. Without keys every principal may do everything."""
    if not pool.keyed:
        return _anybody(pool)
    found = pool.key(text)
    if not found:
        return None
    key, studies = found
    return Principal(key.name, key.may, studies, key.id)


def studies_of(pool: StudyPool, visitor: Principal) -> dict[str, Any]:
    """The studies that the client may see, its rights, and why further studies could not be opened, if any."""
    left_out = {"left_out": pool.left_out} if pool.left_out else {}
    return {"studies": list(visitor.studies), "may": visitor.may, **left_out}


def study_of(request: Request, visitor: Principal, name: str, right: str) -> OpenStudy:
    """The study that is asked for; see `opened`."""
    return opened(request.app.state.pool, visitor, name, right)


def opened(pool: StudyPool, visitor: Principal, name: str, right: str) -> OpenStudy:
    """The study that is asked for, where the visitor may do that with it.

    Raises:
        Refusal: there is none for them, it could not be opened, or they may not. It does not tell
            of studies of others.
    """
    if name in pool.left_out and name not in visitor.studies:
        why = f"{name} could not be opened: {pool.left_out[name]}"
        raise Refusal(
            HTTPStatus.SERVICE_UNAVAILABLE,
            f"{why.rstrip('.')}. Correct this, then try again",
        )
    if name not in visitor.studies:
        raise Refusal(HTTPStatus.NOT_FOUND, "there is no such study")
    if not visitor.allows(right):
        raise Refusal(HTTPStatus.FORBIDDEN, f"this key may only {visitor.may}")
    return pool.studies[name]


# -- forms -----------------------------------------------------------------------------------------


def form_secret(request: Request) -> tuple[str, str | None]:
    """Secret that binds forms to this browser, and the cookie to set where it has none yet.

    It depends on cookies alone, so that a form that was open when the server was restarted is still
    taken.
    """
    text = request.cookies.get(FORM, "")
    fresh = None if len(text) >= 32 else secrets.token_urlsafe(32)
    return _bound(fresh or text), fresh


def check_form(request: Request, token: str) -> None:
    """Refuse a form that is not one of ours.

    Raises:
        Refusal: another site's page made this request, or cookies are switched off.
    """
    text = request.cookies.get(FORM, "")
    if len(text) < 32 or not hmac.compare_digest(
        _bound(text).encode(), token.encode(errors="replace")
    ):
        raise Refusal(
            HTTPStatus.FORBIDDEN,
            "this form is not one of this page's; allow its cookies, and load it again",
        )


def _bound(text: str) -> str:
    return hashlib.sha256(f"steerbo form {text}".encode(errors="replace")).hexdigest()


def set_cookie(response: Response, name: str, value: str, secure: bool) -> None:
    """A cookie that only this server gets back, and no script sees."""
    response.set_cookie(
        name, value, max_age=365 * 86400, httponly=True, samesite="strict", secure=secure, path="/"
    )
