"""What is not allowed, in words: one fault or many, in one line each, without secrets."""

from __future__ import annotations

import json

from steerbo._wording import MISSING, SHELL
from steerbo.errors import InvalidInput, InvalidOption, InvalidProblem, combine
from tests.hostile import MANY


def test_many_faults_are_counted_and_all_there() -> None:
    assert str(MANY).endswith("and 30 more")
    assert len(str(MANY).splitlines()) == 21
    assert len(json.loads(MANY.to_json())) == 50


def test_a_place_goes_before_every_field() -> None:
    inner = combine([InvalidProblem("low", 3, "less than high"), InvalidProblem("name", "", "a text")])
    assert [e.field for e in inner.within("variables.ph").errors] == ["variables.ph.low", "variables.ph.name"]


def test_a_message_is_one_line_however_long_what_it_repeats() -> None:
    text = str(InvalidInput("law", "x" * 10**6, "a law", "It said:\n" + "a\nb\n" * 5000))
    assert "\n" not in text
    assert len(text) < 2500


def test_what_is_missing_is_said_so() -> None:
    assert str(InvalidOption("seed", MISSING, "a number")) == "seed: missing; expected a number."
    assert InvalidOption("seed", None, "a number").worded(SHELL).startswith("seed: nothing is given; expected")


def test_passwords_are_in_no_message() -> None:
    url = "postgresql://ada:s3cret@host/db"
    error = InvalidOption("log", url, f"another than {url}", f"({url})")
    assert "s3cret" not in str(error) + error.worded(SHELL) + error.to_json() + str(error.parts(SHELL))
