"""Access keys to studies on a server, kept in the log's database as digests.

A key is a random text of 256 bits, so that a plain SHA-256 protects it: it cannot be guessed.
Access to the database itself needs no key.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from contextlib import closing
from datetime import UTC, datetime, timedelta
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
"""Each includes those before it: look; ask and answer; correct outcomes."""
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
_PREFIX, _LONGEST = "steerbo", 200  # of a key, and the most characters that are read as one
_MOST_DAYS = 3650  # that a key lasts: ten years


@record
class Key:
    """Record of a key, without its text.

    Args:
        id: its beginning, by which it is revoked.
        study: which study it is for.
        name: its owner; it stands in the log beside the changes made with it.
        may: one of `RIGHTS`.
        created: when.
        revoked: from when on it opens nothing, which may be a day to come; empty: it has no end.
    """

    id: str
    study: str
    name: str
    may: str
    created: str = ""
    revoked: str = ""

    @property
    def ended(self) -> bool:
        """Whether the key opens nothing any more."""
        return bool(self.revoked) and self.revoked <= _now()


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

    def create(self, study: str, name: str, may: str, days: int | None = None) -> tuple[Key, str]:
        """Create a key; returns it with its text, which is shown only once.

        Args:
            study: which study it is for.
            name: its owner.
            may: one of `RIGHTS`.
            days: after so many it opens nothing; None: it has no end.

        Raises:
            InvalidOption: a name, a right or a number of days that is none.
        """
        if days is not None and not 1 <= days <= _MOST_DAYS:
            raise InvalidOption("days", days, f"a number of days from 1 to {_MOST_DAYS}")
        if may not in RIGHTS:
            raise InvalidOption("may", may, one_of(RIGHTS, may))
        end = _now(timedelta(days=days)) if days else ""
        key = Key(secrets.token_hex(4), checked_name(study), checked_name(name), may, _now(), end)
        secret = secrets.token_urlsafe(32)
        self._database.make(KEYS)
        with self._database.transaction() as connection:
            row: dict[str, str | None] = {"id": key.id, "study": study, "name": name, "may": may}
            row |= {"created": key.created, "revoked": end or None, "digest": _digest(secret)}
            connection.execute(KEYS.insert(), row)
        return key, f"{_PREFIX}_{key.id}_{secret}"

    def revoke(self, id: str) -> Key:
        """A key that opens nothing any more.

        Raises:
            InvalidOption: there is none.
        """
        with self._database.transaction() as connection:
            if not has(connection, KEYS):
                raise InvalidOption("key", id, "a key of this study, which has none yet")
            stands = (KEYS.c.id == id) & (KEYS.c.revoked.is_(None) | (KEYS.c.revoked > _now()))
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
        """Find the key of a text; None for an unknown, revoked or ended one, in equal time."""
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
        if not hmac.compare_digest(stands, _digest(secret)) or row is None:
            return None
        key = _key(row)
        return None if key.ended else key


def keys_of(place: Path | str) -> list[Key]:
    """The keys in a database."""
    with closing(KeyRing(place)) as ring:
        return ring.list()


def _key(row: Any) -> Key:
    return Key(row.id, row.study, row.name, row.may, row.created, row.revoked or "")


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()


def _now(later: timedelta = timedelta()) -> str:
    return (datetime.now(UTC) + later).isoformat(timespec="microseconds")
