"""What characters may do: names are refused, reasons escaped, and what an older log has is shown all the same."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steerbo as sb
from steerbo._text import LONGEST_REASON, escape_unprintable, escaped_json, from_cell, plain, to_cell, unsafe
from steerbo.study import MemoryLog, Study
from tests.hostile import HIDDEN, KINDS, SEEN, problem, study

TEXTS = st.text(st.characters() | st.sampled_from("'=+-@\t\r\n\x1b[]\x9b\udce9\u202e"))


@given(TEXTS)
def test_what_is_visible_is_safe_everywhere(text: str) -> None:
    shown = escape_unprintable(text)
    assert unsafe(shown.replace("\n", "").replace("\t", "")) == ""
    shown.encode()
    assert escape_unprintable(shown) == shown
    assert plain(plain(text)) == plain(text)
    assert shown == text or unsafe(text)


@given(TEXTS)
def test_cells_are_no_formulas_and_come_back(text: str) -> None:
    cell = to_cell(text)
    assert from_cell(cell) == text
    assert not re.match("[=+\\-@\t\r]", cell)


@given(st.dictionaries(TEXTS, TEXTS))
def test_json_says_the_same(texts: dict[str, str]) -> None:
    document = escaped_json(json.dumps(texts, ensure_ascii=False, indent=2))
    assert json.loads(document) == texts
    assert unsafe(document.replace("\n", "")) == ""


def test_colours_go_and_everything_else_stays() -> None:
    said = "\x1b[1;31mValueError\x1b[0m: \x1b]8;;http://x\x07too\x1b]8;;\x1b\\ hot\x1b(B"
    assert plain(said) == "ValueError: too hot"
    assert plain("\x1b]0;never ended: too hot") == "0;never ended: too hot"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", HIDDEN)
def test_names_that_cannot_be_seen_are_refused(kind: str, name: str) -> None:
    for place in range(3 if kind != "time-varying" else 2):
        names = ["a", "b", "c"]
        names[place] = name
        with pytest.raises(sb.SteerboError, match=r"^problem\..*characters that can be seen.*U\+|whole characters"):
            sb.Optimizer(problem(kind, names), "random")


@pytest.mark.parametrize("kind", KINDS)
def test_all_other_names_go(kind: str) -> None:
    assert study(kind, SEEN).status.told == 4


@pytest.mark.parametrize("name", HIDDEN)
def test_new_studies_are_not_called_so(name: str, tmp_path: object) -> None:
    with pytest.raises(sb.SteerboError, match=r"name: .*U\+|surrogates"):
        Study.create(f"{tmp_path}/study.db", problem("causal", "abc"), name=name, rounds=3)


def test_reasons_are_kept_and_can_be_shown() -> None:
    begun = Study.create(MemoryLog(), problem("causal", "abc"), "random", rounds=9)
    for word in (begun.fail, begun.abandon):
        word(begun.ask(), "\x1b[31mcaf\udce9\x00\u202e\nbroke")
    begun.fail(begun.ask(), "x" * 10**7)
    failed, abandoned, long = begun.events[2], begun.events[4], begun.events[6]
    assert failed.reason == abandoned.reason == "\\x1b[31mcaf\\xe9\\x00\\u202e\nbroke"  # type: ignore[union-attr]
    assert len(long.reason) < LONGEST_REASON + 50  # type: ignore[union-attr]
    assert "10000000 characters" in long.reason  # type: ignore[union-attr]
    told = begun.ask()
    while told.observe:
        told = begun.decide(told, dict.fromkeys(told.observe, 0.5))
    begun.tell(told, 1.0)
    begun.amend(told, 2.0, reason="a\x1bb")
    begun.amend(told, void=True, reason="c\x9b")
    assert [event.reason for event in begun.events[-2:]] == ["a\\x1bb", "c\\x9b"]  # type: ignore[union-attr]
