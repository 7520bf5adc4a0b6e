"""The wheel: it builds, installs into a clean environment, and the demo runs from there."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

import steerbo

ROOT = Path(__file__).parents[2]


def out_of(*command: object, folder: Path) -> str:
    done = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_source_distribution_has_tests_and_benchmarks(tmp_path: Path) -> None:
    out_of(sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", tmp_path, ROOT, folder=tmp_path)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        inside = {name.partition("/")[2] for name in packed.getnames()}
    for needed in (
        "src/steerbo/__init__.py",
        "tests/outsiders.py",
        "benchmarks/src/partial_control_bench/cli.py",
        "evidence/causal.md",
    ):
        assert needed in inside


@pytest.mark.slow
def test_the_wheel_installs_and_runs_the_demo(tmp_path: Path) -> None:
    out_of(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, ROOT, folder=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name == f"steerbo-{steerbo.__version__}-py3-none-any.whl"
    inside = zipfile.ZipFile(wheel).namelist()
    assert "steerbo/py.typed" in inside
    assert any(name.endswith("licenses/LICENSE") for name in inside)
    assert not [name for name in inside if not name.startswith(("steerbo/", "steerbo-"))]
    assert not [name for name in inside if "bench" in name]

    out_of(sys.executable, "-m", "venv", "--without-pip", "clean", folder=tmp_path)
    clean = tmp_path / "clean" / ("Scripts" if sys.platform == "win32" else "bin")
    install = ("-m", "pip", "--python", clean / "python", "install", "--no-deps", "--no-index", "--quiet", wheel)
    out_of(sys.executable, *install, folder=tmp_path)
    # its dependencies are those of the test environment; a path that a .pth file adds brings no editable install along
    where = "import steerbo, sysconfig; print(sysconfig.get_path('purelib')); print(steerbo.__file__)"
    library, module = map(Path, out_of(clean / "python", "-c", where, folder=tmp_path).split())
    (library / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    assert module.is_relative_to(tmp_path)

    assert out_of(clean / "steerbo", "--version", folder=tmp_path) == f"steerbo {steerbo.__version__}\n"
    answer = json.loads(out_of(clean / "steerbo", "demo", "--json", folder=tmp_path))
    assert answer["recommendation"]["scope"]["set"] == ["rw", "L"]
    assert (tmp_path / "demo" / "borehole.png").is_file()
