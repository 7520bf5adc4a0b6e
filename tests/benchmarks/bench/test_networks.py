"""Decisions in networks that people have drawn."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from partial_control_bench import networks
from partial_control_bench.errors import BenchError
from partial_control_bench.networks import WHO, Decision, main, page, played, read

TEXT = """
network made { }
variable u { type discrete [ 2 ] { no, yes }; }
variable s { type discrete [ 2 ] { no, yes }; }
variable a { type discrete [ 2 ] { no, yes }; }
variable b { type discrete [ 3 ] { low, middle, high }; }
variable y { type discrete [ 2 ] { bad, good }; }
probability ( y | a, b, s ) {
  (no, low, no) 0.9, 0.1;  (no, middle, no) 0.9, 0.1;  (no, high, no) 0.9, 0.1;
  (yes, low, no) 0.9, 0.1; (yes, middle, no) 0.9, 0.1; (yes, high, no) 0.1, 0.9;
  (no, low, yes) 0.1, 0.9; (no, middle, yes) 0.9, 0.1; (no, high, yes) 0.9, 0.1;
  (yes, low, yes) 0.9, 0.1; (yes, middle, yes) 0.9, 0.1; (yes, high, yes) 0.9, 0.1;
}
probability ( u ) { table 0.5, 0.5; }
probability ( s ) { table 0.4, 0.6; }
probability ( a | u ) { (no) 0.7, 0.3; (yes) 0.2, 0.8; }
probability ( b | u ) { (no) 0.2, 0.3, 0.5; (yes) 0.5, 0.3, 0.2; }
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "made.bif"
    found.write_text(TEXT)
    return found


def test_tables_are_those_of_the_file_packed_or_not(file: Path, tmp_path: Path) -> None:
    packed = tmp_path / "packed.bif.gz"
    packed.write_bytes(gzip.compress(TEXT.encode()))
    for each in (read(file), read(packed)):
        assert [*each.levels][-1] == "y", "causes come first"
        np.testing.assert_allclose(each.tables["b"][1], [0.5, 0.8, 1.0])
        np.testing.assert_allclose(each.tables["y"][1, 2, 0], [0.1, 1.0])
        assert each.ancestors("y") == {"a", "b", "s", "u"}


def test_what_is_no_network_is_refused(tmp_path: Path) -> None:
    others = (
        TEXT.replace("(yes) 0.2, 0.8", "(perhaps) 0.2, 0.8"),  # a level that nobody has
        TEXT.replace("(yes) 0.2, 0.8;", ""),  # a row is missing
        TEXT.replace("probability ( u ) { table 0.5, 0.5; }", ""),
    )
    for k, text in enumerate(("", *others)):
        wrong = tmp_path / f"{k}.bif"
        wrong.write_text(text)
        with pytest.raises(BenchError, match=r"\.bif"):
            read(wrong)


def test_expectations_are_those_of_the_tables(file: Path) -> None:
    """By hand: with a and b set and s seen, y hangs on nothing else; with nothing set, on u, too."""
    network = read(file)
    for seed in range(40):
        world = Decision(network, np.random.default_rng(seed))
        if {"a", "b", "u"} == {*world.actions}:
            break
    assert world.seen == ["s"]
    sign = 1 if world._worth[1] else -1
    for cell, do, good in ((0, {"a": 1, "b": 2}, 0.9), (1, {"a": 0, "b": 0}, 0.9), (1, {"a": 1, "b": 0}, 0.1)):
        expected = world.expected[world.choices.index(world.choice(do)), cell]
        assert expected == pytest.approx(good if sign > 0 else 1 - good, abs=0.02)
    nothing = 0.1 + 0.8 * (0.5 * 0.3 * 0.5 + 0.5 * 0.8 * 0.2)  # a is "yes" and b "high"
    expected = world.expected[world.choices.index(world.choice({})), 0]
    assert expected == pytest.approx(nothing if sign > 0 else 1 - nothing, abs=0.02)


@pytest.mark.parametrize("who", [who for who in WHO if who != "tpe"])
def test_a_study_is_played_again_to_the_same_losses(file: Path, who: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(networks, "ROUNDS", 10)
    network = read(file)
    row = played(network, "made", 1, who, None)
    assert row == played(network, "made", 1, who, None)
    assert row["plays"] >= 0
    assert row["answer"] >= 0


def test_what_was_played_is_not_played_again(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(networks, "ROUNDS", 9)
    out = tmp_path / "out.csv"
    who = ("default", "ridge", "nothing set")
    asked = ["networks", str(out), str(file), "--seeds", "0:2", "--noise", "0.1", "--who", *who]
    for _ in range(2):
        monkeypatch.setattr("sys.argv", asked)
        main()
    assert len(out.read_text().splitlines()) == 1 + 2 * 3
    assert page(out).count("| 0.1 |") == 3
    monkeypatch.setattr("sys.argv", ["networks", str(out)])
    with pytest.raises(SystemExit):
        main()
    assert "alarm.bif.gz" in capsys.readouterr().err
