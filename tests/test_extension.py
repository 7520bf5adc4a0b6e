"""The package in `examples/extension`, installed into a fresh environment: what it brings is found, and missed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from steerbo.core import load
from steerbo.errors import InvalidStudy
from tests.cli.calls import call, refused

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
FROM_PYTHON = """
import steerbo as sb
from steerbo.extending import Table
from steerbo_furnace import Climb, Furnace

problem = Furnace(sb.Float("temperature", 600, 1000), largest_step=60, start=620)
for method in (None, "climb", Climb, "steerbo_furnace:Climb"):
    optimizer = sb.Optimizer(problem, method, rounds=3, seed=1)
    assert optimizer.history.created.method == "steerbo_furnace.climb:Climb"
optimizer.tell(optimizer.ask(), 3.5)
again = sb.load(optimizer.to_json())
assert again.ask() == optimizer.ask()
with sb.Study.open("furnace.db") as study:
    assert isinstance(study.problem, Furnace)
    assert study.ask() is None
print(optimizer.to_json())
"""


ONE_BY_ONE = """
import json
import sys
from typer.testing import CliRunner
from steerbo.cli import main

for words in json.loads(sys.argv[1]):
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    print(json.dumps(done.stdout))
"""
"""Commands in one process, which takes seconds to begin: prints what each wrote, as JSON, a line each."""
COMMANDS = (
    "methods --json",
    "check furnace.toml",
    "run furnace.toml --quiet --json",
    "report furnace.toml",
    "export furnace.toml",
    "export furnace.db --format jsonl",
    "show furnace.db --json",
)


def out_of(*command: object, folder: Path) -> str:
    done = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A copy of the package, and the Python of an environment in which it is installed, offline."""
    folder = tmp_path_factory.mktemp("extension")
    copy = folder / "package"
    shutil.copytree(ROOT / "examples" / "extension", copy, ignore=shutil.ignore_patterns("__pycache__", "*.db*"))
    out_of(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, copy, folder=folder)
    (wheel,) = folder.glob("*.whl")
    out_of(sys.executable, "-m", "venv", "--without-pip", "clean", folder=folder)
    python = folder / "clean" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    install = ("-m", "pip", "--python", python, "install", "--no-deps", "--no-index", "--quiet", wheel)
    out_of(sys.executable, *install, folder=folder)
    library = Path(
        out_of(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", folder=folder).strip()
    )
    # steerbo and its dependencies are those of the test environment
    (library / "dependencies.pth").write_text(f"{SOURCE}\n{sysconfig.get_path('purelib')}\n")
    return copy, python


@pytest.mark.slow
def test_a_package_from_outside_is_found_used_and_missed(package: tuple[Path, Path]) -> None:
    folder, python = package
    commands = json.dumps([command.split() for command in COMMANDS])
    lines = out_of(python, "-c", ONE_BY_ONE, commands, folder=folder).splitlines()
    listing, checked, ran, _, table, log, shown = map(json.loads, lines)
    listed = {(row["kind"], row["method"]) for row in json.loads(listing)}
    assert {("furnace", "climb"), ("cost-varying", "sweep"), ("cost-varying", "cheap-first")} <= listed
    assert ("furnace", "sweep") not in listed
    assert "furnace, larger values are better" in checked
    assert "at most 60 from one round to the next, starting at 620" in checked
    assert "steerbo_furnace.climb:Climb" in checked
    answer = json.loads(ran)
    assert abs(answer["recommendation"]["values"]["temperature"] - 870) < 20
    page = (folder / "furnace.html").read_text(encoding="utf-8")
    assert "15 outcomes, the last" in page
    assert "he next setting is where mean and spread together are largest" in page
    rounds = table.splitlines()
    assert len(rounds) == 16
    assert "temperature" in rounds[0]
    events = [json.loads(line) for line in log.splitlines()]
    created = events[0]
    assert created["method"] == "steerbo_furnace.climb:Climb"
    assert created["problem_class"] == "steerbo_furnace.problem:Furnace"
    assert created["fingerprint"]["packages"] == "steerbo-furnace 0.1.0"
    assert json.loads(shown)["recommendation"] == answer["recommendation"]
    saved = out_of(python, "-c", FROM_PYTHON, folder=folder)

    missing = "It was made with steerbo-furnace 0.1.0. There is no module 'steerbo_furnace' here: install its package"
    assert missing in refused(call("show", folder / "furnace.db"), 2)
    assert "one of cost-varying" in refused(call("check", folder / "furnace.toml"), 2)
    with pytest.raises(InvalidStudy, match=r"steerbo-furnace 0\.1\.0"):
        load(saved)
    assert "every checksum is right" in call("doctor", folder / "furnace.db").stdout
    raw = call("export", folder / "furnace.db", "--format", "jsonl")
    assert [json.loads(line) for line in raw.stdout.splitlines()] == events


@pytest.mark.slow
def test_what_it_brings_keeps_the_contract(package: tuple[Path, Path]) -> None:
    folder, python = package
    said = out_of(python, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "tests", folder=folder)
    assert " passed" in said
    assert "failed" not in said


def test_no_file_of_ours_names_them() -> None:
    for file in SOURCE.rglob("*.py"):
        text = file.read_text(encoding="utf-8").casefold()
        assert "furnace" not in text, file
