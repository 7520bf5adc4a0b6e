"""Requests that no client would send."""

from __future__ import annotations

import random
from typing import Any

PIECES = [
    "..",
    "%2e%2e",
    "etc",
    "passwd",
    "studies",
    "oven",
    "page",
    "rounds",
    "tell",
    "ask",
    "%00",
    "é",
    "' OR 1=1 --",
]
BODIES: list[Any] = [b"", b"{", b"\xff\xfe", b"[" * 5000, b'{"value": 1e999}', b"a=1&form=x", b'{"batch": 1000000000}']
HEADERS = ["Authorization", "Cookie", "Origin", "Host", "Content-Type", "X-Forwarded-Host", "X-Forwarded-For", "Range"]
VALUES = [
    "",
    "x",
    "Bearer x",
    "steerbo_key=x; steerbo_form=y",
    "http://evil.example",
    "a" * 5000,
    "de",
    "bytes=0-",
    "0",
]


def request(draw: random.Random) -> dict[str, Any]:
    path = "/" + "/".join(draw.choice(PIECES) for _ in range(draw.randint(0, 6)))
    query = {draw.choice(PIECES): draw.choice(PIECES) for _ in range(draw.randint(0, 2))}
    headers = {draw.choice(HEADERS): draw.choice(VALUES) for _ in range(draw.randint(0, 3))}
    method = draw.choice(["GET", "GET", "POST", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE"])
    return {"method": method, "url": path, "params": query, "headers": headers, "content": draw.choice(BODIES)}
