"""The list of commands says what the commands say of themselves, and costs nothing."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup
from typer.testing import CliRunner

from steerbo.cli import main
from steerbo.cli.app import COMMANDS
from tests.cli.test_examples import EXAMPLES


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_what_the_command_says(name: str) -> None:
    module, does = COMMANDS[name]
    made = typer.main.get_command(import_module(f"steerbo.cli.{module}").commands)
    command = made.commands[name] if isinstance(made, TyperGroup) else made
    assert command.help is not None
    assert " ".join(command.help.split()).startswith(does)


@pytest.mark.parametrize("module", sorted({module for module, _ in COMMANDS.values()}))
def test_the_list_has_every_command(module: str) -> None:
    made = typer.main.get_command(import_module(f"steerbo.cli.{module}").commands)
    names = made.commands if isinstance(made, TyperGroup) else {made.name}
    assert set(names) == {name for name, (where, _) in COMMANDS.items() if where == module}


def test_sentences_are_whole() -> None:
    shown = " ".join(CliRunner().invoke(main, ["--help"]).stdout.split())
    for name, (_, does) in COMMANDS.items():
        assert f" {name} {does}" in shown


def test_what_is_no_command_is_compared_with_those_that_are() -> None:
    result = CliRunner().invoke(main, ["shwo"])
    assert result.exit_code == 2
    assert "did you mean 'show'?" in result.stderr


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_import_no_numerics(option: str) -> None:
    code = (
        "import sys\n"
        "from steerbo.cli import main\n"
        "heavy = lambda: [m for m in ('numpy', 'scipy', 'pydantic', 'sqlalchemy', 'matplotlib') if m in sys.modules]\n"
        f"main([{option!r}], standalone_mode=False)\n"
        "sys.exit(' '.join(heavy()) or 0)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout


def test_a_command_imports_no_kind_of_problem_for_options_that_are_its_own() -> None:
    code = "import sys\nfrom steerbo.cli import main\nmain(['ask', 'no-such.db', '--json'], standalone_mode=False)\n"
    loaded = "import atexit, sys\n" + (
        "kinds = ('costvarying', 'timevarying', 'causal', 'meanfield')\n"
        "atexit.register(lambda: print('imported', [k for k in kinds if 'steerbo.' + k in sys.modules]))\n"
    )
    ended = subprocess.run([sys.executable, "-c", loaded + code], check=False, capture_output=True, text=True)
    assert ended.stdout.splitlines()[-1] == "imported []", ended.stderr


@pytest.mark.parametrize(
    ("example", "needed"), [("greenhouse-by-hand", "special"), ("aging-catalyst", ""), ("dose", ""), ("fleet", "")]
)
def test_a_first_choice_imports_no_part_of_scipy(example: str, needed: str, tmp_path: Path) -> None:
    """But for what a normal law needs."""
    copied = shutil.copytree(EXAMPLES / example, tmp_path / example)
    code = (
        "import sys\n"
        "from steerbo.cli import main\n"
        "for command in ('new', 'ask'):\n"
        "    main([command, 'study.toml'], standalone_mode=False)\n"
        "parts = {m.split('.')[1] for m in sys.modules if m.startswith('scipy.')}\n"
        "heavy = {'fft', 'linalg', 'optimize', 'sparse', 'spatial', 'special', 'stats'} - {sys.argv[1]}\n"
        "sys.exit(' '.join(parts & heavy) or 0)\n"
    )
    run = [sys.executable, "-c", code, needed]
    ended = subprocess.run(run, cwd=copied, check=False, capture_output=True, text=True)
    assert ended.stdout
    assert ended.returncode == 0, ended.stderr
