"""Names lead to what they name."""

from __future__ import annotations

from pathlib import Path

import pytest

from partial_control_bench import data
from partial_control_bench.entrants import BUILT_IN
from partial_control_bench.errors import BenchError
from partial_control_bench.problem import MEASURES, WINGS
from partial_control_bench.registry import contender, problem, problems
from steerbo.core import keyed as keyed_of_steerbo
from steerbo.optim import sobol_points


def test_problems_are_whole() -> None:
    for name, each in problems().items():
        assert name == each.name
        assert each.wing in WINGS
        assert each.wing in MEASURES
        assert list(each.budget.marks) == sorted(each.budget.marks)
        limit = each.budget.rounds if each.budget.money is None else each.budget.money
        assert each.budget.marks[-1] == limit, name
        assert not set(each.seeds.tuning) & set(each.seeds.reported)
        assert set(each.data) <= set(data.SUMS)


@pytest.mark.parametrize("name", problems())
def test_every_world_is_the_same_twice_and_random_can_play_it(name: str) -> None:
    about = problem(name)
    if not data.there(about.data):
        pytest.skip("STEERBO_DATA names no folder with the real data: see CONTRIBUTING")
    world, twin = (about.make(about.seeds.tuning[1]) for _ in range(2))
    entrant = contender("random").load()({**world.known, "budget": {}}, 0)
    assert [pair[1].value for pair in world.before()] == [pair[1].value for pair in twin.before()]
    for number in (1, 2):
        values = entrant.ask({"round": number, **world.now(number)})
        assert world.play(number, values, {}) == twin.play(number, values, {})
        assert world.regret(number, values, {}) == twin.regret(number, values, {}) >= 0


def test_strangers_are_found_by_file_and_module(tmp_path: Path) -> None:
    (tmp_path / "somebody_s_file.py").write_text("class Mine:\n    def __init__(self, known, seed): self.seed = seed\n")
    who = contender(f"{tmp_path}/somebody_s_file.py:Mine")
    assert (who.name, who.load()({}, 7).seed) == ("Mine", 7)
    with pytest.raises(BenchError, match="no such file"):
        contender("nobody.py:Mine")
    with pytest.raises(BenchError, match="has no 'Other'"):
        contender(f"{tmp_path}/somebody_s_file.py:Other").load()
    with pytest.raises(BenchError, match="no_such_module"):
        contender("no_such_module:Mine").load()
    with pytest.raises(BenchError, match="did you mean 'cabo'"):
        contender("caboo")


def test_every_name_is_in_a_wing() -> None:
    assert all(built.wings for built in BUILT_IN.values())


def test_randomness_is_that_of_the_runs_that_were_kept() -> None:
    """Runs were kept before these problems stood alone: both packages draw the same."""
    from partial_control_bench.randomness import even_points, keyed

    assert keyed(3, 4, "x").random() == keyed_of_steerbo(3, 4, "x").random()
    assert (even_points(50, 3, 1) == sobol_points(50, 3, 1)).all()


def test_another_file_than_the_one_that_was_frozen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ports.csv").write_text("port\n")
    monkeypatch.setenv(data.VARIABLE, str(tmp_path))
    with pytest.raises(data.DataChanged, match="SHA-256"):
        data.text("ports.csv")
