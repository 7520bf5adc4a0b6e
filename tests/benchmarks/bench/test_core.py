"""The core draws its seeds by a registration, plays a stranger's file, and shows no table that was not registered."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from partial_control_bench import core, core_page, core_table
from partial_control_bench.errors import BenchError
from partial_control_bench.fresh.registration import refuse_unregistered, seeds_among
from partial_control_bench.kept import there
from partial_control_bench.record import Result, parse, read
from partial_control_bench.registry import contender, problem
from tests.benchmarks.bench.calls import pcb

COMMIT = "7a" * 20
RUNS = Path(__file__).parents[3] / "evidence" / core_page.RUNS
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


def kept(problem: str, entrant: str, seed: int, play: float) -> Result:
    line: dict[str, Any] = {
        "schema_version": 1, "problem": problem, "version": 1, "entrant": entrant, "seed": seed, "rounds": 9,
        "budget": {"rounds": 9, "money": 9.0}, "money": 9.0,
        "curve": {"unit": "money", "at": [9], "cumulative": [play]},
        "cpu_seconds": 2.0, "kept": {"registration": COMMIT, "number": seed, "play": play, "answer": play},
    }  # fmt: skip
    return parse(Result.model_validate(line).line(), "here")


def crowd(peers: int) -> list[Result]:
    """Ours loses 1 of the 4 that chance loses; peer k has two seeds, and loses k more; the first has one problem."""
    found = []
    for name in ("drawn-plain", "drawn-sets"):
        found += [kept(name, core.OURS, seed, 1.0 + 0.01 * seed) for seed in range(4)]
        found += [kept(name, "random", seed, 4.0) for seed in range(4)]
        some = range(1 if name == "drawn-plain" else 0, peers)
        found += [kept(name, f"peer-{k}", seed, 1.0 + k + 0.02 * seed) for k in some for seed in range(2)]
    return found


def test_any_number_of_peers_stand_in_one_table() -> None:
    rows = {each.who: each for each in core_table.standings(crowd(12), COMMIT)}
    assert len(rows) == 14
    assert next(iter(rows)) in (core.OURS, "peer-0")
    assert rows["peer-0"].seeds == (2, 2)
    assert len(rows["peer-0"].shares) == 1, "of the one problem that it played"
    assert rows["peer-3"].mean == pytest.approx(4.01 / 4)
    assert rows["peer-3"].ours == pytest.approx([1.005 / 4] * 2), "ours on the same seeds"
    assert (rows["peer-3"].ahead, rows["peer-3"].behind) == (0, 2)
    table = core_table.standing_table(crowd(12), COMMIT)
    assert len({line.count("|") for line in table.splitlines()}) == 1


def test_problems_are_shown_in_percent_of_chance() -> None:
    told = core_table.table(crowd(3), COMMIT, ["peer-0", "peer-2"])
    head, _, *rows = told.splitlines()
    assert head == "| problem | random's loss | steerbo, % | peer-0 | peer-2 |"
    plain, sets = (row.split(" | ") for row in rows)
    assert plain[1:4:2] == ["4", "–"], "not played"
    assert plain[4].startswith("+50 ± ")
    assert sets[3].startswith("+0.1 ± ")


def test_the_page_shows_many_peers(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    lines = "".join(each.line() + "\n" for each in crowd(15))
    (tmp_path / core_page.RUNS).write_text(lines, encoding="utf-8")
    page = core_page.write(tmp_path)
    assert page is not None
    told = page.read_text(encoding="utf-8")
    assert told.count("| peer-14 |") == 3, "a row of its own, and a column in two tables"
    assert "peer-14 3.75" in told, "in the words of the picture"
    assert (tmp_path / "core.png").stat().st_size > 0


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
