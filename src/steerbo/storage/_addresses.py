"""Addresses of logs: an SQLite file by its name or URL, or a server's URL as libpq reads it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

from .._redaction import redact, redact_url
from ..errors import InvalidStudy, MissingExtra

SERVERS = "postgresql", "postgres", "postgresql+psycopg"
"""Schemes of URLs that libpq reads."""
_KEYWORDS = re.compile(r"\s*(host|hostaddr|port|dbname|user|password|service|ssl\w+)\s*=\s*\S")
"""The other form in which libpq takes an address, ``host=… dbname=…``, and which could be a file's name."""


@dataclass(frozen=True)
class Address:
    """A database's URL in parts: a file, or the options of a server as libpq reads them. No password is shown."""

    scheme: str
    file: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, url: str) -> Address:
        """The parts of a URL.

        Raises:
            ValueError: it is none.
            MissingExtra: it is a server's, and its driver is not installed.
        """
        scheme, separator, rest = url.partition("://")
        if not separator or not scheme.replace("+", "").isalnum():
            raise ValueError("no URL")
        if scheme not in SERVERS:
            place, _, query = rest.partition("?")
            _, slash, file = place.partition("/")
            return cls(scheme, unquote(file) if slash else None, dict(parse_qsl(query)))
        try:
            from psycopg import ProgrammingError  # it is an extra
            from psycopg.conninfo import conninfo_to_dict  # it is an extra
        except ModuleNotFoundError as error:
            raise MissingExtra(str(error.name), "postgres") from None
        try:
            options = conninfo_to_dict(f"postgresql://{rest}")
        except ProgrammingError as error:
            raise ValueError(str(error)) from None
        for port in str(options.get("port", "")).split(","):
            # libpq reads it when it connects, and reports a wrong one like a server that is away
            int(port or 0)
        return cls(scheme, None, options)

    @property
    def secrets(self) -> tuple[str, ...]:
        """Values of options that are not to be shown."""
        return tuple(
            str(value)
            for key, value in self.options.items()
            if redact(f"?{key}={value}") != f"?{key}={value}"
        )


def address_of(place: str) -> Address:
    """The address of a log.

    Raises:
        InvalidStudy: neither a file's name nor the URL of a database that keeps logs.
        MissingExtra: the database's driver is not installed.
    """
    allowed = "a file's name, or a URL such as postgresql://user@host/database"
    if "://" not in place:
        if not place.strip():
            raise InvalidStudy("log", place, allowed)
        if _KEYWORDS.match(place) and not Path(place).exists():
            hint = "Write these keywords as postgresql://USER@HOST:PORT/DBNAME; before a file's name of this form, ./"
            raise InvalidStudy("log", redact(place), allowed, hint)
        if redact(place) != place and not Path(place).exists():
            raise InvalidStudy(
                "log", redact(place), allowed, "(This has a password, and is no URL.)"
            )
        return Address("sqlite", place)
    shown = redact_url(place)
    try:
        address = Address.of(place)
    except ValueError:
        raise InvalidStudy("log", shown, allowed) from None
    if address.scheme == "sqlite" and not address.options and shown == place.replace(" ", "%20"):
        return address
    if address.scheme not in SERVERS:
        raise InvalidStudy(
            "log", shown, allowed, "(SQLite and PostgreSQL keep logs, and only with these options.)"
        )
    if "@" in address.options.get("host", ""):
        raise InvalidStudy(
            "log",
            shown,
            allowed,
            "In a user's name and password write @ as %40, / as %2F, # as %23.",
        )
    return address
