"""Modules of objectives: imported when they are called, taken from the study's folder, and in nobody's way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from steerbo.core import Scope, Suggestion
from steerbo.errors import InvalidStudy
from steerbo.study import Function
from steerbo.study.objective import find_module
from tests.cli.calls import call
from tests.study.files import MEASURE, write_function

SUGGESTION = Suggestion("3-ab", 3, Scope(["ph"]), {"ph": 6.5})
LOUD = "from pathlib import Path\nPath(__file__).with_suffix('.ran').touch()\n"


def objective(folder: Path, name: str, body: str) -> Function:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(body)
    return Function(f"{name}:f", folder)


def steerbo(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, in the study's folder."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-m", "steerbo", *words]
    options = {"cwd": folder, "env": environment, "capture_output": True, "text": True, "timeout": 120}
    return subprocess.run(command, check=False, **options)  # type: ignore[call-overload]


def test_only_run_imports_it(tmp_path: Path) -> None:
    """Reading a study runs nothing of it, and a module beside it that is called like Python's own is never taken.

    Commands that import the most are run in processes of their own, which find such a module before Python's.
    """
    path = write_function(tmp_path, MEASURE)
    (module,) = tmp_path.glob("plant*.py")
    module.write_text(LOUD + module.read_text())
    for name in ("random", "json", "csv", "numpy", "statistics"):
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('{name} is not mine')\n")
    ran = module.with_suffix(".ran")
    checked = steerbo(tmp_path, "check", path.name)
    assert checked.returncode == 0, checked.stderr
    assert call("new", path).exit_code == 0
    (asked,) = json.loads(call("ask", path, "--json").stdout)
    assert call("tell", path, asked["token"], "1", "--cost", "1", "--realised", "ph=6").exit_code == 0
    for word in ("show", "export"):
        assert call(word, path).exit_code == 0
    for word, options, runs in (("report", (), False), ("run", ("--quiet", "--rounds", "1"), True)):
        done = steerbo(tmp_path, word, path.name, *options)
        assert done.returncode == 0, done.stderr
        assert ran.exists() == runs


def test_a_module_called_like_a_known_one(tmp_path: Path) -> None:
    import random

    mine = objective(tmp_path / "a", "random", "import random\ndef f(s):\n    return random.Random(0).random()\n")
    assert mine(SUGGESTION) == random.Random(0).random(), "its own `random` is Python's"
    assert sys.modules["random"] is random
    assert sys.path[-1] == str(tmp_path / "a")


def test_two_studies_in_one_process(tmp_path: Path) -> None:
    """Both call it plant.py: each is given its own."""
    one, two = (objective(tmp_path / x, "myplant", f"def f(s):\n    return '{x}'\n") for x in "ab")
    assert [one(SUGGESTION), two(SUGGESTION), one(SUGGESTION)] == ["a", "b", "a"]
    again = Function("myplant:f", tmp_path / "b")
    assert again(SUGGESTION) == "b"


def test_packages_and_helpers_beside(tmp_path: Path) -> None:
    inner = tmp_path / "lab_package"
    inner.mkdir()
    (inner / "__init__.py").write_text("1 / 0\n")
    (inner / "plant.py").write_text("from . import helper\nimport beside_it\ndef f(s):\n    return beside_it.x\n")
    (inner / "helper.py").touch()
    (tmp_path / "beside_it.py").write_text("x = 3\n")
    found = Function("lab_package.plant:f", tmp_path)
    assert found.find() == str(inner / "plant.py"), "the package was not run to find it"
    with pytest.raises(InvalidStudy, match="ZeroDivisionError: division by zero"):
        found.prepare()
    (inner / "__init__.py").write_text("")
    assert Function("lab_package.plant:f", tmp_path)(SUGGESTION) == 3


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("1 / 0", r"ZeroDivisionError: division by zero"),
        ("raise SystemExit('no licence')", r"SystemExit: no licence"),
        ("def g(s): ...", r"a function of broken_plant_\d, one of g"),
        ("f = 3", "a function of"),
    ],
)
def test_modules_that_cannot_be_used(tmp_path: Path, body: str, message: str) -> None:
    name = f"broken_plant_{len(message) % 10}"
    with pytest.raises(InvalidStudy, match=rf"objective\.function: .*{message}"):
        objective(tmp_path, name, body).prepare()


def test_where_modules_are(tmp_path: Path) -> None:
    (tmp_path / "spaces").mkdir()
    (tmp_path / "spaces" / "plant.py").touch()
    assert find_module("spaces.plant", tmp_path) == str(tmp_path / "spaces" / "plant.py")
    assert find_module("json.decoder", tmp_path) == json.decoder.__file__
    assert find_module("json.decoder.nothing", tmp_path) is None
    assert find_module("__main__", tmp_path) is not None
