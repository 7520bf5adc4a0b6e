"""Any table of numbers as a system whose rows nature draws."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from partial_control_bench import any_table
from partial_control_bench.any_table import PLAYERS, World, main, page, played, table
from partial_control_bench.errors import BenchError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A hundred rows of five columns; the outcome rises with the first alone."""
    random = np.random.default_rng(4)
    rows = random.random((100, 5))
    found = tmp_path / "rows.csv"
    head = "a,b,c,d,e,outcome"
    np.savetxt(found, np.column_stack([rows, 3 * rows[:, 0]]), delimiter=",", header=head, comments="")
    return found


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    for k, text in enumerate(
        (
            "a,b\n1,2\n",
            "a,b,c,d,e\n1,2,x,4,5\n",
            "a,b,c,d,e\n" + "1,2,nan,4,5\n" * 80,
            "a,b,c,d,e\n" + "1,2,3,4,5\n" * 80,
        )
    ):
        wrong = tmp_path / f"{k}.csv"
        wrong.write_text(text)
        with pytest.raises(BenchError, match=r"\.csv: must have"):
            table(wrong)


def test_a_row_of_the_table_is_worth_about_its_outcome_and_holding_costs(file: Path) -> None:
    found = table(file)
    world = World(found, 1)
    outcome = found[:, -1] / found[:, -1].std()
    assert np.corrcoef(world.worth(found[:, :-1]), outcome)[0, 1] > 0.95
    nothing = world.net({})
    assert world.net({4: 0.5}) == pytest.approx(nothing - any_table.PRICE, abs=0.1), "the outcome hangs on the first"


def test_the_best_is_found_where_the_outcome_rises(file: Path) -> None:
    found = table(file)
    world = next(w for w in (World(found, seed) for seed in range(20)) if (0,) in w.sets)
    top = world.net({0: float(world.high[0])})
    assert world.best() >= top - 0.02


@pytest.mark.parametrize("who", [who for who in PLAYERS if who != "tpe"])
def test_a_study_is_played_again_to_the_same_losses(file: Path, who: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(any_table, "ROUNDS", 8)
    row = played(file, 2, who, 0.3)
    assert row == played(file, 2, who, 0.3)
    assert row["plays"] > -0.1
    assert row["answer"] > -0.1


def test_what_was_played_is_not_played_again(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(any_table, "ROUNDS", 6)
    out = tmp_path / "out.csv"
    asked = ["any_table", str(out), str(file), "--seeds", "0:2", "--who", "default", "middle"]
    for _ in range(2):
        monkeypatch.setattr("sys.argv", asked)
        main()
    assert len(out.read_text().splitlines()) == 1 + 2 * 2
    assert page(out).count("| 0.3 |") == 2
    monkeypatch.setattr("sys.argv", ["any_table", str(out)])
    with pytest.raises(SystemExit):
        main()
    assert "outcome last" in capsys.readouterr().err
