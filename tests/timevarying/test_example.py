"""The command-line example: a live drifting stream, killed and gone on with."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.study.files import bodies

EXAMPLE = Path(__file__).parents[2] / "examples" / "drifting-stream"


def start(path: Path, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "steerbo", "run", str(path), *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def study(folder: Path) -> Path:
    shutil.copytree(EXAMPLE, folder)
    path = folder / "study.toml"
    path.write_text(
        path.read_text().replace('"python3"', json.dumps(sys.executable)).replace("rounds = 100", "rounds = 30")
    )
    return path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The example, played to its end: its study file, and what is said of it."""
    path = study(tmp_path_factory.mktemp("stream") / "whole")
    process = start(path, "--json")
    out, err = process.communicate()
    assert process.returncode == 0, err
    return path, json.dumps(json.loads(out), ensure_ascii=False)


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_killed_stream_goes_on_as_if_nothing_had_happened(tmp_path: Path, whole: tuple[Path, str]) -> None:
    cut = study(tmp_path / "cut")
    process = start(cut)
    for _ in range(2400):
        if cut.with_suffix(".db").exists() and len(bodies(cut)) > 12:
            break
        time.sleep(0.025)
    process.kill()
    process.communicate()
    assert 1 < len(bodies(cut)) < 61
    process = start(cut, "--json")
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert bodies(cut) == bodies(whole[0])
    assert "position" in json.dumps(json.loads(out))


def test_the_expert_who_is_right_is_kept(whole: tuple[Path, str]) -> None:
    assert "clear at the weir" in whole[1]
