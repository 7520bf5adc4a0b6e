"""Claims with verdicts, and pictures of spots."""

from __future__ import annotations

from pathlib import Path

from benchmarks.front import DEPENDS, HOLDS, NOT, Claim, Panel, claims, judged, mean, spots, told


def test_a_claim_depends_where_some_of_it_came() -> None:
    assert [judged(True, True), judged(False, True), judged(False, False)] == [HOLDS, DEPENDS, NOT]


def test_a_command_is_named_once() -> None:
    rows = [Claim(words, HOLDS, "1", "2", command) for words, command in (("a", "x"), ("… b", "x"), ("c", "y"))]
    assert [line.split(" | ")[-1].strip(" |") for line in claims(rows).splitlines()[2:]] == ["`x`", "as above", "`y`"]


def test_errors_are_those_of_means() -> None:
    assert mean([1.0, 3.0]) == (2.0, 1.0)
    assert told([1.0, 3.0], 2, "+") == "+2.00 ± 1.00"
    assert told([1.0]) == "1.000"


def test_spots_are_drawn(tmp_path: Path) -> None:
    spots([Panel("regret", {"a": {"x": (1.0, 0.1), "y": (2.0, 0.0)}, "b": {"y": (1.5, 0.2)}})], tmp_path / "spots.png")
    assert (tmp_path / "spots.png").stat().st_size > 1000
    assert Panel("", {"a": {"x": (0, 0)}, "b": {"y": (0, 0), "x": (1, 0)}}).cases == ["x", "y"]
