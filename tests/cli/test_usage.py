"""What is typed wrongly: one line in our style, or JSON, with what to type instead; never a word of the parser's."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from steerbo.cli import main
from tests.cli.calls import COMMANDS, begin, call, refused
from tests.study.files import PROBLEM, STUDY

LAB = PROBLEM + STUDY

WRONG = [
    (["frobnicate"], "command: 'frobnicate' is not allowed; expected one of run, check,"),
    (["tel"], "(did you mean 'tell'?)"),
    (["--frob"], "option: '--frob' is not allowed; expected one of --version, --help"),
    (["run"], "STUDY.TOML: missing; expected the study file. Usage: steerbo run STUDY.TOML"),
    (["tell", "a.toml"], "TOKEN: missing; expected the suggestion's token. Usage: steerbo tell STUDY TOKEN VALUE"),
    (["tell", "a.toml", "1-a", "7", "8"], "command: '8' is not allowed; expected no more words"),
    (["tell", "a.toml", "1-a", "7", "--realized", "ph=6"], "option: '--realized' is not allowed; expected one of"),
    (["tell", "a.toml", "1-a", "7", "--realized", "ph=6"], "(did you mean '--realised'?)"),
    (["tell", "a.toml", "1-a", "7", "--cost"], "--cost: missing; expected a value after it"),
    (["ask", "a.toml", "--tiem", "3"], "(did you mean '--time'?)"),
    (["ask", "a.toml", "--batch", "0"], "--batch: '0' is not allowed; expected a whole number, 1 or more"),
    (["ask", "a.toml", "--batch", "1" * 5000], "--batch: '1"),
    (["ask", "a.toml", "--batch=-1"], "--batch: '-1' is not allowed"),
    (["run", "a.toml", "--rounds", "ten"], "--rounds: 'ten' is not allowed"),
    (["abandon", "a.toml", "1-a", "--charge", "1,5"], "--charge: '1,5' is not allowed; expected a number. Write 1.5,"),
    (["scopes", "a.txt", "--base", "dear"], "--base: 'dear' is not allowed; expected a number."),
    (["serve", "a.toml", "--port", "99999"], "--port: '99999' is not allowed; expected a whole number from 0 to 65535"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "says"), WRONG)
def test_one_line_says_what_to_type(words: list[str], says: str) -> None:
    line = refused(call(*words), 2)
    assert says in line
    assert "Error:" not in line
    (error,) = json.loads(call(*words, "--json").stdout)["errors"]
    assert error["kind"] == "InvalidCommand"
    assert error["field"], error["allowed"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_refuses_in_our_style(command: str) -> None:
    assert refused(call(command, "--nonsense"), 2).startswith("steerbo: option: '--nonsense'")
    needed = [p for p in COMMANDS[command].params if p.param_type_name == "argument" and p.required]
    if needed:
        assert "missing; expected" in refused(call(command), 2)


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("tell", "fail", "amend")])
def test_no_word_of_the_parsers_about_numbers(command: str) -> None:
    """Those three open the study first: see below."""
    needed = ["x"] * sum(p.param_type_name == "argument" and p.required for p in COMMANDS[command].params)
    for option in COMMANDS[command].params:
        if option.metavar == "NUMBER":
            line = refused(call(command, *needed, option.opts[0], "lots"), 2)
            assert f"{option.opts[0]}: 'lots' is not allowed; expected a" in line


def test_numbers_with_commas(tmp_path: Path) -> None:
    study = begin(tmp_path, LAB)
    (suggestion,) = json.loads(call("ask", study, "--json").stdout)
    nature = [f"--realised={name}=5" for name in ("temperature", "ph") if name not in suggestion["values"]]
    for words, says in (
        (
            ["7", "--cost", "1,5", *nature],
            "cost: '1,5' is not allowed; expected a finite number not below 0. Write 1.5,",
        ),
        (["7,5", "--cost", "1", *nature], "Write 7.5, with a decimal point."),
        (["-7,5", "--cost", "1", *nature], "Write -7.5, with a decimal point."),
        (["1,234", "--cost", "1", *nature], "Is it 1234? Then write 1234. Is it 1.234? Then write 1.234."),
        (["7", "--cost", "1", *(option.replace("5", "5,5") for option in nature)], "Write 5.5, with a decimal point."),
    ):
        assert says in refused(call("tell", study, suggestion["token"], *words), 2)
    assert "Write 2.5," in refused(call("fail", study, suggestion["token"], "--charge", "2,5"), 2)


def test_names_that_nobody_measures(tmp_path: Path) -> None:
    study = begin(tmp_path, LAB)
    (suggestion,) = json.loads(call("ask", study, "--json").stdout)
    told = ["tell", study, suggestion["token"], "7", "--cost", "1"]
    said = refused(call(*told, "--realised", "pH=6"), 2)
    assert "realised.pH: 6.0 is not allowed; expected values for one of temperature, ph (did you mean 'ph'?)" in said
    said = refused(call("decide", study, suggestion["token"], "--context", "age=3"), 2)
    assert "nothing to look at" in said
    assert "`steerbo tell STUDY TOKEN VALUE`" in said


def test_hints_are_about_what_was_named(tmp_path: Path) -> None:
    study = begin(tmp_path, LAB)
    said = refused(call("new", study), 2)
    assert "go on with it by `steerbo run STUDY.TOML` or `steerbo ask STUDY`, or name another log" in said
    log = study.with_suffix(".db")
    assert f"write sqlite:///{log}#green." in refused(call("show", f"{log}#green"), 2)
    assert call("show", f"sqlite:///{log}#study").exit_code == 0, "as it says"
    part = tmp_path / "x.db.part"
    for content in (b"", b"SQLite format 3\0", b"rubbish" * 99):
        part.write_bytes(content)
        done = call("backup", part, tmp_path / "y.db")
        assert done.exit_code in (1, 2)
        assert "make the backup again" in done.stderr
    for host in ("nowhere.invalid", "192.0.2.1", "ä" * 80):
        assert refused(call("serve", study, "--host", host), 2).startswith(f"steerbo: host: '{host}' is not allowed")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize("words", [["methods"], ["methods", "--json"], ["show", "none.toml", "--json"], ["--version"]])
def test_a_full_disk_is_no_traceback(words: list[str]) -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "steerbo", *words]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert done.stderr.splitlines()[0].startswith("steerbo: the answer could not be printed (No space left on device)")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("out", ["x" * 5000, "no/folder.csv"])
def test_files_that_cannot_be_written(tmp_path: Path, out: str) -> None:
    study = begin(tmp_path, LAB)
    for command in ("export", "report"):
        assert "out: " in refused(call(command, study, "--out", tmp_path / out), 2)


@pytest.mark.parametrize("words", [["methods"], ["methods", "--json"], ["--help"], ["--version"], ["key", "--help"]])
def test_a_reader_who_has_read_enough_is_no_failure(words: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as broken:
        command = [sys.executable, "-m", "steerbo", *words]
        done = subprocess.run(command, stdout=broken, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_study_is_shown_to_a_reader_of_one_line(tmp_path: Path) -> None:
    study = begin(tmp_path, LAB)
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as broken:
        for words in (["show", study], ["show", study, "--json"], ["export", study], ["check", study]):
            command = [sys.executable, "-m", "steerbo", *map(str, words)]
            done = subprocess.run(command, stdout=broken, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
            assert (done.returncode, done.stderr) == (0, ""), words


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_installed_for_shells(shell: str, tmp_path: Path) -> None:
    environment = os.environ | {"HOME": str(tmp_path), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    command = [sys.executable, "-m", "steerbo", "--install-completion", shell]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    written = "".join(file.read_text("utf-8") for file in tmp_path.rglob("*") if file.is_file())
    assert "_STEERBO_COMPLETE" in written


def completed(shell: str, line: str, alone: bool = False) -> list[str]:
    """The words that a shell is offered at the end of this line, by this process or by one of its own."""
    asked = {"_STEERBO_COMPLETE": f"complete_{shell}"}
    if shell == "bash":
        asked |= {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
    else:
        asked |= {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    if alone:
        program = "import sys; sys.argv[0] = 'steerbo'; from steerbo.cli import main; main()"
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, env=os.environ | asked, capture_output=True, text=True, check=False, timeout=60)
        said, wrong = done.stdout, done.stderr
    else:
        result = CliRunner().invoke(main, [], env=asked, prog_name="steerbo")
        said, wrong = result.stdout, result.stderr
    assert wrong == ""
    return re.findall(r"--[\w-]+|\b[a-z]+\b", said)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands_and_options(shell: str) -> None:
    assert {"show", "serve", "scopes"} <= set(completed(shell, "steerbo s", alone=True))
    assert "--rounds" in completed(shell, "steerbo run study.toml --r")
    completed(shell, "steerbo run study.toml --rounds ")  # a value is yet to come
    completed(shell, "steerbo nothing ")


@pytest.mark.parametrize("place", ["", " ", "sqlite://", "sqlite:///:memory:"])
def test_no_place_is_no_damaged_log(place: str, tmp_path: Path) -> None:
    for words in (
        ["doctor", place],
        ["backup", place, tmp_path / "x.db"],
        ["show", place],
        ["export", place],
        ["report", place],
    ):
        assert "log: '" in refused(call(*words), 2)
