"""What people and drivers write with a password in it, and what may be shown of it."""

from __future__ import annotations

import pytest

from steerbo._redaction import has_secrets, redact, redact_url, to_type
from steerbo.errors import InvalidStudy

HIDDEN = {
    "postgresql://u:geheim@h/db": "postgresql://u:***@h/db",
    "postgresql://:geheim@h/db": "postgresql://:***@h/db",
    "postgresql://u:geheim@[::1]:99/db#name": "postgresql://u:***@[::1]:99/db#name",
    "postgresql://u:geheim@/db?host=/tmp&user=a@b": "postgresql://u:***@/db?host=/tmp&user=a@b",
    "postgresql://u:ge@heim@h/db": "postgresql://u:***@h/db",
    "postgresql://u:geheim/s#s?t@h:5432/db": "postgresql://u:***@h:5432/db",
    "postgresql://u:ge?a@heim@h/db": "postgresql://u:***@h/db",
    "postgresql://u:ge'heim@h/db": "postgresql://u:***@h/db",
    "postgresql://u:my geheim@h/db": "postgresql://u:***@h/db",
    "postgresql://u:ge%40heim@one:1,two:2/db?sslmode=x": "postgresql://u:***@one:1,two:2/db?sslmode=x",
    "postgresql://h/db?pasword=geheim#name": "postgresql://h/db?pasword=***#name",
    "postgresql://h/db?sslpassword=ge'heim&token=geheim&key=geheim&user=u": (
        "postgresql://h/db?sslpassword=***&token=***&key=***&user=u"
    ),
    "postgresql://h/db?password=my geheim": "postgresql://h/db?password=***",
}


@pytest.mark.parametrize(("url", "shown"), HIDDEN.items())
def test_passwords_in_urls(url: str, shown: str) -> None:
    assert redact_url(url) == shown
    assert redact_url(shown) == shown
    assert has_secrets(url)
    assert "geheim" not in to_type(url)
    assert "***" not in to_type(url)
    error = str(InvalidStudy("log", url.replace(" ", "%20"), f"no {redact_url(url)}", f"(driver: {redact_url(url)})"))
    assert "heim" not in error
    assert "(driver:" in error


@pytest.mark.parametrize("text", ["postgresql://u@h/db#a@b", "http://127.0.0.1:8000/  (Ctrl-C)", "study.db", "a?b=c"])
def test_what_has_no_password_stays(text: str) -> None:
    assert redact(text.replace("?b=c", "")) == text.replace("?b=c", "")
    assert not has_secrets(text)


@pytest.mark.parametrize(
    "said",
    [
        "host=h user=u password=geheim dbname=x",
        "password='my geheim' host=h",
        r"password='it\'s geheim' host=h",
        "{'host': 'h', 'password': 'my geheim'}",
        "cannot read 'postgresql:/u:geheim@h/db'",
        "PGPASSWORD=geheim",
    ],
)
def test_what_drivers_and_shells_say(said: str) -> None:
    assert "geheim" not in redact(said)
    assert "***" in redact(said)


def test_a_message_that_is_cut_is_masked_first() -> None:
    url = f"postgresql://u:{'geheim' * 100}@h/db"
    assert "geheim" not in str(InvalidStudy("log", url, "another"))
