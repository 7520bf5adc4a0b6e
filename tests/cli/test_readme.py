"""What the README shows runs."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import steerbo as sb
from steerbo.cli import main

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(python|toml)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
FILES = {text.split("\n")[0].removeprefix("# "): text for _, text in BLOCKS if text.startswith("# ")}


def test_the_example_in_python(capsys: pytest.CaptureFixture[str]) -> None:
    example, others = [text for kind, text in BLOCKS if kind == "python" and text not in FILES.values()]
    names: dict[str, Any] = {}
    exec(example, names)
    optimizer = names["optimizer"]
    assert isinstance(optimizer, sb.Optimizer)
    assert optimizer.status.finished
    assert optimizer.status.told > 5
    assert str(optimizer.recommend()) in capsys.readouterr().out
    exec(others, names)
    assert all(names[wing].status.told == 1 for wing in ("drifting", "causal", "fleet"))


def test_the_study_file(tmp_path: Path) -> None:
    assert set(FILES) == {"study.toml", "plant.py"}
    for name, text in FILES.items():
        (tmp_path / name).write_text(text.replace('["python"', f"[{json.dumps(sys.executable)}"), encoding="utf-8")
    study = str(tmp_path / "study.toml")
    assert "is a valid study" in CliRunner().invoke(main, ["check", study]).stdout
    result = CliRunner().invoke(main, ["run", study, "--json"])
    assert result.exit_code == 0, result.output
    status = json.loads(result.stdout)["status"]
    assert status["failed"] == 0
    assert 25 < status["spent"] < 32


def test_the_options_and_files_it_names_exist() -> None:
    names = ("run", "check", "methods", "demo", "ask", "decide", "tell", "fail", "amend", "export", "doctor", "policy")
    helps = "".join(CliRunner().invoke(main, [name, "--help"]).stdout for name in names)
    for option in re.findall(r"`(--\w+)|(?<= )(--\w+)", README):
        assert any(name and name in helps for name in option)
    root = Path(__file__).parents[2]
    for link in re.findall(r"\]\(([\w/]+(?:\.md)?)\)", README):
        assert (root / link).is_file()
