"""Output of the command line: text without control characters, and JSON. It imports no numerics: `--help` is fast."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

import typer

from .._text import escape_unprintable, escaped_json


def echo(message: str, err: bool = False, nl: bool = True) -> None:
    """Print a message, on standard error if so wished, with a new line unless told otherwise."""
    typer.echo(escape_unprintable(message), err=err, nl=nl)


def print_json(document: Any) -> None:
    """One JSON document on standard output."""
    sys.stdout.write(escaped_json(json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False)) + "\n")


def answer(as_json: bool, document: Mapping[str, Any], text: str) -> None:
    """A command's answer: one JSON document, or words."""
    if as_json:
        print_json(document)
    else:
        echo(text)
