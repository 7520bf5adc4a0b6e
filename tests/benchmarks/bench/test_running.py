"""Runs are kept one by one, taken up again, and played in whichever process."""

from __future__ import annotations

from pathlib import Path

import pytest

from partial_control_bench import kept
from partial_control_bench.checking import again
from partial_control_bench.errors import BenchError
from partial_control_bench.record import read
from partial_control_bench.registry import contender
from partial_control_bench.running import Job, play_missing

RANDOM = contender("random")
JOBS = [Job(RANDOM, "daily", seed) for seed in (1000, 1001, 1002)]


def test_what_is_there_is_not_played_again(tmp_path: Path) -> None:
    file = tmp_path / "new" / "runs.jsonl"
    assert [left for _, left in play_missing(JOBS[:2], file)] == [1, 0]
    assert [result.seed for result, _ in play_missing(JOBS, file)] == [1002]
    assert [result.seed for result in read(file)] == [1000, 1001, 1002]


def test_a_line_that_was_cut_off_is_played_anew(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    list(play_missing(JOBS, file))
    whole = file.read_text()
    curves = [result.curve for result in read(file)]
    file.write_text(whole[:-100])
    assert [result.seed for result, _ in play_missing(JOBS, file)] == [1002]
    assert [result.curve for result in read(file)] == curves


def test_options_make_another_run(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    for width in (1.0, 2.0):
        (found,) = play_missing([Job(contender("mle", {"confidence": width}), "daily", 1000)], file)
        assert found[1] == 0
    assert [result.options for result in read(file)] == [{"confidence": 1.0}, {"confidence": 2.0}]


def test_a_smaller_budget_is_another_run(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    jobs = [Job(RANDOM, "daily", 1000, until) for until in (None, 10.0)]
    whole, short = (result for result, _ in play_missing(jobs, file))
    assert (whole.rounds, short.rounds, short.budget.rounds) == (72, 10, 10)
    assert short.curve.at == [7.0, 10.0]
    assert short.at("cumulative", 7.0) == whole.at("cumulative", 7.0)
    assert [*again(file, 2)] == [(f"daily, random {{}}, seed {seed}", True) for seed in (1000, 1000)]
    (money,) = (result for result, _ in play_missing([Job(RANDOM, "levy-cheap-0.02", 10, 7.0)], file))
    assert (money.budget.money, money.curve.at) == (7.0, [5.0, 7.0])
    for problem, until in (("daily", 73), ("daily", 2.5), ("levy-cheap-0.02", 101), ("daily", 0)):
        with pytest.raises(BenchError, match=f"until {until:g}: must be .*at most the budget"):
            list(play_missing([Job(RANDOM, problem, 1000, until)], file))


def test_several_processes_give_the_same(tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    list(play_missing(JOBS, one))
    list(play_missing(JOBS, two, processes=2))
    assert {r.seed: r.curve for r in read(one)} == {r.seed: r.curve for r in read(two)}


def test_executors_are_named_rightly(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="dask://host:port"):
        list(play_missing(JOBS, tmp_path / "runs.jsonl", "ray://somewhere"))


def test_on_dask(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster:
        address = "dask://" + cluster.scheduler_address
        assert len(list(play_missing(JOBS, tmp_path / "runs.jsonl", address))) == 3


def test_a_table_goes_on_after_the_rows_that_are_there(tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    assert kept.rows_in(file, "who", "seed") == set()
    for seed in (3, 4):
        kept.append_row(file, {"who": "random", "seed": seed, "play": 0.5})
    assert kept.rows_in(file, "who", "seed") == {("random", "3"), ("random", "4")}
    assert file.read_text().splitlines()[0] == "who,seed,play"
