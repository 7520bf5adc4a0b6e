"""The core draws its seeds by a registration, plays a stranger's file, and shows no table that was not registered."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from partial_control_bench import core, core_page
from partial_control_bench.errors import BenchError
from partial_control_bench.fresh.registration import refuse_unregistered, seeds_among
from partial_control_bench.kept import there
from partial_control_bench.record import parse, read
from partial_control_bench.registry import contender, problem
from tests.benchmarks.bench.calls import pcb

COMMIT = "7a" * 20
RUNS = Path(__file__).parents[3] / "docs" / "results" / core_page.RUNS
MINE = """
class Mine:
    def __init__(self, known, seed):
        self.names = known["control_sets"][0]
        self.told = 0

    def ask(self, now):
        return dict.fromkeys(self.names, 0.5)

    def tell(self, values, outcome):
        self.told += 1
"""


def test_fifteen_problems_of_every_kind() -> None:
    names = [*core.PUBLISHED, *(core.PREFIX + name for name in core.FAMILIES)]
    assert len(names) == 15
    assert len({core.wing_of(name) for name in names}) == 4


def test_a_registration_draws_the_seeds() -> None:
    reported = problem("arena").seeds.reported
    first, other = (seeds_among(each, "arena", reported, 8) for each in (COMMIT, "8b" * 20))
    assert first != other
    assert len(set(first)) == 8
    assert set(first) <= set(reported)
    job = core.CoreJob("tuning", "arena", 0, contender("random"), 5.0)
    assert job.seed in problem("arena").seeds.tuning, "a word draws nothing that is reported"


def test_a_run_comes_out_again_and_says_its_registration() -> None:
    job = core.CoreJob("tuning", "drawn-plain", 1, contender("random"))
    kept = parse(job.play(), "here")
    assert kept.key == job.key
    assert kept.kept["registration"] == "tuning"
    assert [alike for _, alike in core.again([kept], 1)] == [True]
    changed = kept.model_copy(update={"kept": {**kept.kept, "play": 0.0}})
    assert [alike for _, alike in core.again([changed], 1)] == [False]


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_an_unregistered_table_is_refused(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "what will be run")
    before = git(tmp_path, "rev-parse", "HEAD")
    refuse_unregistered(before, tmp_path)
    git(tmp_path, "checkout", "-q", "--orphan", "elsewhere")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "another history")
    with pytest.raises(BenchError, match="must be an ancestor of HEAD"):
        refuse_unregistered(before, tmp_path)
    refuse_unregistered("tuning", tmp_path)


def test_a_stranger_enters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("entrant_of_mine.py").write_text(MINE)
    monkeypatch.setattr(core, "SMALL_FAMILIES", ("plain",))
    assert pcb(monkeypatch, "enter", "entrant_of_mine.py", "--wings", "cost-varying", "--seeds", "2") == 0
    said = capsys.readouterr().out
    assert "| Mine |" in said
    assert "drawn-plain" in said


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("x = 1", "has no class; needed: one with __init__"),
        (MINE.replace("tell", "say"), "has no method tell; needed"),
        (MINE.replace("def ask(self, now)", "def ask(self)"), r"Mine.ask: must take \(self, now\)"),
        (MINE.replace("self, known, seed", "self"), r"Mine: must take \(known, seed\)"),
        (MINE + MINE.replace("Mine", "Other"), "several classes, Mine, Other"),
    ],
)
def test_what_is_missing_is_said(content: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = f"wrong_{abs(hash(content))}.py"
    Path(name).write_text(content)
    with pytest.raises(BenchError, match=said):
        core.entrant_of(name)


@pytest.mark.skipif(not there(RUNS), reason="the core has not been played")
def test_committed_runs_are_of_one_registration_and_no_seed_is_missing_in_between() -> None:
    results = list(read(RUNS))
    registration = core_page.registration_of(results)
    assert registration is not None
    assert {each.kept["registration"] for each in results} == {registration}
    numbers: dict[tuple[str, str], list[int]] = {}
    for each in results:
        numbers.setdefault((each.problem, each.entrant), []).append(each.kept["number"])
    for found in numbers.values():
        assert sorted(found) == list(range(len(found)))
    assert len({each.key for each in results}) == len(results)
