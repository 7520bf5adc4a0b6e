"""Redaction of secrets: passwords in URLs, and in messages of database drivers."""

from __future__ import annotations

import re
import shlex

HIDDEN = "***"
_HARMLESS = re.compile(
    "application_name|channel_binding|client_encoding|connect_timeout|dbname|gssencmode|host|hostaddr|options|port|"
    "require_auth|service|sslcert|sslmode|sslrootcert|target_session_attrs|user"
)
"""Parameters of a URL that are shown. Any other may be a secret, or a secret's misspelt name."""
_END = r"""(?:[\s'"),;…]|$)"""
_HOST = rf"[\w.,:%\[\]-]*(?:/[^@?#\s]*?)?(?:\?\w+=|#[^@\s]*{_END}|{_END})"
# A password ends at the first @ that something like a host follows, else at the last: people leave
# / # @ as they are.
_USER = re.compile(rf"(?P<before>:/{{1,3}}[^:/@\s]*):(?:\S*?@(?={_HOST})|.*@)")
_QUERY = re.compile(r"""(?P<before>[?&](?P<name>[\w.%-]+)=)[^&\s#]*[^&\s#'"),;…]""")
_WORD = re.compile(  # as libpq writes it, and Python
    r"""(?P<before>\b\w*(?:password|passwd|passphrase)\w*['"]?\s?[=:]\s?)(?!\*{3})(?:'(?:[^'\\]|\\.)*'|"[^"]*"|[^\s,;&)]+)""",
    re.IGNORECASE,
)


def redact(text: str) -> str:
    """Replace passwords and secret parameters of URLs in a text, and libpq's ``password=…``, by ``***``.

    >>> redact("cannot reach postgresql://ann:sesame@db.example/lab?sslmode=require&sslpassword=x#field")
    'cannot reach postgresql://ann:***@db.example/lab?sslmode=require&sslpassword=***#field'
    >>> redact("host=db.example user=ann password='open sesame'")
    'host=db.example user=ann password=***'
    """
    if ":/" in text:
        text = _USER.sub(rf"\g<before>:{HIDDEN}@", text)
    if "=" in text:
        text = _QUERY.sub(_parameter, text)
    return _WORD.sub(rf"\g<before>{HIDDEN}", text)


def redact_url(url: str) -> str:
    """Redact a text that is one URL, in which a blank does not end it."""
    return redact(url.replace(" ", "%20"))


def to_type(place: str) -> str:
    """Quote a study's place for the shell, without secrets.

    >>> to_type("postgresql://ann:sesame@db.example/lab?sslmode=require&password=x#field")
    "'postgresql://ann@db.example/lab?sslmode=require#field'"
    >>> to_type("my study.toml")
    "'my study.toml'"
    """
    if "://" in place:
        place = redact_url(place).replace(f":{HIDDEN}@", "@")
        place = re.sub(rf"(?<=[?&])[\w.%-]+={re.escape(HIDDEN)}&?", "", place)
        place = re.sub(r"[?&](?=#|$)", "", place)
    return shlex.quote(place)


def split_name(place: str) -> tuple[str, str]:
    """Split a place from the study's name after ``#`` (empty where there is none). One in a password does not count.

    >>> split_name("postgresql://ann:a#b@db.example/lab#field")
    ('postgresql://ann:a#b@db.example/lab', 'field')
    >>> split_name("plots#3.db")
    ('plots#3.db', '')
    """
    if "://" not in place:
        return place, ""
    user = _USER.search(place)
    start = user.end() if user else 0
    url, _, name = place[start:].partition("#")
    return place[:start] + url, name


def has_secrets(place: str) -> bool:
    """Whether `to_type` leaves out a secret, which the reader then has to give in another way."""
    return "://" in place and HIDDEN in redact_url(place)


CREDENTIALS = (
    "The password is left out of these commands: keep it in the variable PGPASSWORD or in the file ~/.pgpass, and the "
    "URL needs none."
)


def _parameter(found: re.Match[str]) -> str:
    return found[0] if _HARMLESS.fullmatch(found["name"]) else found["before"] + HIDDEN
