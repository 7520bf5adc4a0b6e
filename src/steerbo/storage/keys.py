"""Access keys to studies on a server, kept in the log's database as digests.

A key is a random text of 256 bits, so that a plain SHA-256 protects it: it cannot be guessed.
Access to the database itself needs no key.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from .._redaction import split_name
from ..errors import InvalidOption, one_of
from ..records import record
from .connections import Database, has
from .database import METADATA
from .log import checked_name

RIGHTS = ("read", "play", "amend")
"""Each includes those before it: look; ask and answer; correct what was told."""
KEYS = sa.Table(
    "steerbo_key",
    METADATA,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("study", sa.String(200), nullable=False),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("may", sa.String(8), nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("created", sa.String(32), nullable=False),
    sa.Column("revoked", sa.String(32)),
)
"""It is made only where there is a key."""
_PREFIX, _LONGEST = "steerbo", 200


@record
class Key:
    """Record of a key, without its text.

    Args:
        id: its beginning, by which it is revoked.
        study: which study it is for.
        name: its owner; it stands in the log beside the changes made with it.
        may: one of `RIGHTS`.
        created, revoked: when; empty where it is not revoked.
    """

    id: str
    study: str
    name: str
    may: str
    created: str = ""
    revoked: str = ""


class KeyRing:
    """The keys of the studies in one database.

    Args:
        place: an SQLite file, or a database URL.

    Raises:
        InvalidStudy: it cannot be opened.
    """

    def __init__(self, place: Path | str) -> None:
        self._database = Database(split_name(str(place))[0], "write")

    def close(self) -> None:
        """Close the connections."""
        self._database.close()

    def create(self, study: str, name: str, may: str) -> tuple[Key, str]:
        """Create a key; returns it with its text, which is shown only once.

        Raises:
            InvalidOption: a name or a right that is none.
        """
        if may not in RIGHTS:
            raise InvalidOption("may", may, one_of(RIGHTS, may))
        key = Key(secrets.token_hex(4), checked_name(study), checked_name(name), may, _now())
        secret = secrets.token_urlsafe(32)
        self._database.make(KEYS)
        with self._database.transaction() as connection:
            row = {"id": key.id, "study": study, "name": name, "may": may, "created": key.created}
            connection.execute(KEYS.insert(), {**row, "digest": _digest(secret)})
        return key, f"{_PREFIX}_{key.id}_{secret}"

    def revoke(self, id: str) -> Key:
        """A key that opens nothing any more.

        Raises:
            InvalidOption: there is none.
        """
        with self._database.transaction() as connection:
            if not has(connection, KEYS):
                raise InvalidOption("key", id, "a key; there is none")
            stands = (KEYS.c.id == id) & KEYS.c.revoked.is_(None)
            done = connection.execute(KEYS.update().where(stands).values(revoked=_now())).rowcount
        found = {key.id: key for key in self.list()}
        if not done and id not in found:
            raise InvalidOption("key", id, one_of(found, id))
        return found[id]

    def list(self) -> list[Key]:
        """All of them, oldest first."""
        with self._database.transaction() as connection:
            if not has(connection, KEYS):
                return []
            rows = connection.execute(sa.select(KEYS).order_by(KEYS.c.created, KEYS.c.id)).all()
        return [_key(row) for row in rows]

    def check(self, text: Any) -> Key | None:
        """Find the key of a text; None for an unknown or revoked one, in equal time."""
        if not isinstance(text, str) or not text.isascii() or len(text) > _LONGEST:
            return None
        prefix, _, rest = text.partition("_")
        id, _, secret = rest.partition("_")
        with self._database.transaction() as connection:
            known = prefix == _PREFIX and has(connection, KEYS)
            row = (
                connection.execute(sa.select(KEYS).where(KEYS.c.id == id)).first()
                if known
                else None
            )
        stands = row.digest if row is not None else _digest("")
        if (
            not hmac.compare_digest(stands, _digest(secret))
            or row is None
            or row.revoked is not None
        ):
            return None
        return _key(row)


def keys_of(place: Path | str) -> list[Key]:
    """The keys in a database."""
    with closing(KeyRing(place)) as ring:
        return ring.list()


def _key(row: Any) -> Key:
    return Key(row.id, row.study, row.name, row.may, row.created, row.revoked or "")


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
