"""Messages in the words of a program and of a shell."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steerbo as sb
from steerbo._wording import MISSING, PAGE, PYTHON, SHELL, Wording, short_repr, show_plain


class Broken:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class Pretender(list[Any]):
    def __len__(self) -> int:
        raise RuntimeError("no")

    def __repr__(self) -> str:
        raise RuntimeError("no")


def test_both_know_the_same_actions() -> None:
    assert set(PYTHON.actions) == set(SHELL.actions)


@pytest.mark.parametrize("action", sorted(PYTHON.actions))
def test_every_action_is_put_in_words(action: str) -> None:
    for wording in (PYTHON, SHELL):
        said = wording.text(f"use ‹{action}›.")
        assert not re.search("[‹›]", said)
        assert said != f"use {action}."


def test_a_kind_is_named_as_study_files_write_it() -> None:
    source = Path(sb.__file__).parent.rglob("*.py")
    marked = {name for file in source for name in re.findall("‹([A-Z][A-Za-z]+)›", file.read_text(encoding="utf-8"))}
    assert "LinearConstraint" in marked
    for name in marked:
        cls = next(found for place in (sb, sb.space, sb.gp, sb.meanfield) if (found := getattr(place, name, None)))
        assert SHELL.text(f"‹{name}›") == f'"{cls.kind}"'


@pytest.mark.parametrize("wording", [PYTHON, SHELL, PAGE])
@pytest.mark.parametrize("name", ["drift", "graphs_of", "at_least", "<->", "a if b else c", "steerbo methods"])
def test_what_has_one_name_for_everybody_is_called_so(wording: Wording, name: str) -> None:
    assert wording.text(f"See ‹{name}›, ‹{name}›.") == f"See `{name}`, `{name}`."


def test_kinds_are_called_as_in_a_file_or_in_python() -> None:
    assert PYTHON.text("a ‹TruncatedNormal›") == "a TruncatedNormal"
    assert SHELL.text("a ‹TruncatedNormal›") == 'a "truncated-normal"'


@pytest.mark.parametrize(
    "value", [Broken(), Pretender(), [Broken()], {"a": Pretender()}, [10**5000], [[[[]]]] * 1000], ids=type
)
def test_what_cannot_be_shown_is_named(value: object) -> None:
    assert 0 < len(short_repr(value)) < 130
    assert 0 < len(show_plain(value)) < 130


def test_a_list_that_contains_itself_is_shown() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert "…" in short_repr(loop) or "..." in short_repr(loop)


@given(st.text(max_size=50_000))
def test_texts_are_cut(text: str) -> None:
    assert len(short_repr(text)) <= 121


def test_passwords_are_not_shown_wherever_they_stand() -> None:
    url = "postgresql://ada:s3cret@host/db"
    for value in (url, [url], {"a": {"b": url}}, " " * 5000 + url):
        assert "s3cret" not in short_repr(value)
        assert "s3cret" not in show_plain(value)


def test_values_as_they_stand_in_a_file() -> None:
    assert show_plain(True) == "true"
    assert show_plain([None, False]) == "[null, false]"
    assert show_plain(float("inf")) == "inf"
    assert show_plain(MISSING) == "nothing"
    assert show_plain("x") == "'x'"
