"""The README fits on a screen or two, and its code says what the README says that it does."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import steerbo as sb
from steerbo.cli import main
from tests.sizes import size

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs" / "how-to").glob("*.md"))]
ANSWER = re.findall(r"^```text\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)[0]
FIRST, OTHERS = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
SEEDS = range(size(12, 4))


def played(seed: int) -> tuple[sb.Optimizer, str]:
    """The first study with another seed of the method, and of nature."""
    random.seed(seed)
    names: dict[str, Any] = {"print": lambda *_: None}
    exec(FIRST.replace("seed=0", f"seed={seed}"), names)
    optimizer = names["optimizer"]
    assert isinstance(optimizer, sb.Optimizer)
    return optimizer, str(optimizer.recommend())


def without_numbers(text: str) -> list[str]:
    return [re.sub(r"[\d.]+", "…", line).strip() for line in text.strip().splitlines()]


def test_it_is_short() -> None:
    assert len(README.split()) <= 900


@pytest.mark.all_draws
def test_the_answer_looks_as_it_is_printed_and_is_near_the_truth() -> None:
    optimizer, said = played(0)
    assert optimizer.status.finished
    assert without_numbers(said) == without_numbers(ANSWER)
    shown = [float(number) for number in re.findall(r"\d+\.\d+", ANSWER.splitlines()[0])]
    assert abs(shown[0] - 6.5) < 0.4
    assert shown[2] < 9.5 < shown[3]


@pytest.mark.all_draws
@pytest.mark.parametrize("seed", SEEDS)
def test_the_first_study_finds_its_truth_with_room_to_spare(seed: int) -> None:
    advice = played(seed)[0].recommend()
    assert advice.scope.set == ("ph",)
    assert abs(advice.values["ph"] - 6.5) < 0.7
    assert advice.mean is not None
    assert abs(advice.mean - 9.5) < 0.3


def test_the_other_kinds(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {"sb": sb}
    exec(OTHERS, names)
    assert all(names[kind].status.told == 1 for kind in ("moving", "clinic", "fleet"))
    assert "age = 61" in capsys.readouterr().out


def test_the_commands_that_set_everything_up_are_there() -> None:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert {"demo", "test"} <= set(re.findall(r"\bmake ([\w-]+)", README)) <= set(targets)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_and_options_it_names_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    blocks = "".join(re.findall(r"^```(?:sh|console)[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    typed = re.findall(r"^(?:\$ )?(steerbo [a-z]+\b[^#\n]*)", blocks, re.MULTILINE)
    for line in typed + re.findall(r"`(steerbo [a-z]+\b[^`]*)`", text):
        said = CliRunner().invoke(main, [line.split()[1], "--help"])
        assert said.exit_code == 0, line
        for option in re.findall(r"(?<= )--[\w-]+", line):
            assert option in said.stdout, line
