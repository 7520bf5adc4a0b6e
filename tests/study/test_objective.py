"""Functions and commands: what is given, what may be answered, and every way to fail."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from steerbo.errors import ObjectiveFailure
from steerbo.study import Command, Function
from tests.study.programs import SUGGESTION, python


def function(folder: Path, body: str) -> Function:
    name = "plant_" + re.sub(r"\W", "_", folder.name)
    (folder / f"{name}.py").write_text(f"import sys\ndef f(s):\n    {body}\n")
    return Function(f"{name}:f", folder)


def test_a_command_gets_the_suggestion_and_runs_in_its_folder(tmp_path: Path) -> None:
    asked = python(tmp_path, "json.dump({'asked': json.load(sys.stdin), 'folder': os.getcwd()}, sys.stdout)")(
        SUGGESTION
    )
    assert Path(asked["folder"]).samefile(tmp_path)
    assert asked["asked"] == {
        "token": "3-ab",
        "round": 3,
        "scope": {"set": ["ph"], "look": {}, "keep": []},
        "values": {"ph": 6.5},
        "observe": ["age"],
        "context": {"weight": 70.0},
        "warnings": [],
        "limits": {},
        "shown": {},
    }


def test_a_program_beside_the_study_file(tmp_path: Path) -> None:
    script = tmp_path / "plant.sh"
    script.write_text("#!/bin/sh\necho 4.5\n")
    script.chmod(0o755)
    assert Command(["plant.sh"], tmp_path)(SUGGESTION) == 4.5


def test_a_command_need_not_read_and_may_complain(tmp_path: Path) -> None:
    assert python(tmp_path, "print('warming up', file=sys.stderr)\nprint(' 4 ')")(SUGGESTION) == 4


FAILURES = {
    "exit code": ("print('pump\\n\\nbroke', file=sys.stderr); sys.exit(3)", r"failed with exit code 3: pump / broke$"),
    "exception": ("raise ValueError('too hot')", r"failed with exit code 1: .*ValueError: too hot$"),
    "answer and exit code": ("print(1.0, flush=True); sys.exit(1)", "failed with exit code 1$"),
    "killed": ("os.kill(os.getpid(), 9)", "was killed by signal 9$"),
    "rubbish": ("print('flow: 3.2')", "answered 'flow: 3.2', which is not JSON"),
    "two answers": ("print(1)\nprint(2)", "which is not JSON"),
    "nothing": ("print('no sensor', file=sys.stderr)", r"answered '', which is not JSON \(no sensor\)"),
    "bytes": ("sys.stdout.buffer.write(bytes(range(128, 256)))", "which is not JSON"),
    "a deep answer": ("print('[' * 100000)", "which is not JSON"),
    "a long answer": ("print('x' * 10**6)", "…, which is not JSON"),
    "too long an answer": ("print('1' + ' ' * 2**20)", "answered more than 1048576 bytes and was killed$"),
    "an answer without end": ("while True: print('x' * 10**5)", "answered more than 1048576 bytes and was killed$"),
    "an answer in Latin 1": ('sys.stdout.buffer.write(b\'{"line": "caf\\xe9"}\')', "byte 14 is not UTF-8$"),
    "long complaints": ("print('x' * 10**7, 'end', file=sys.stderr); sys.exit(3)", r"code 3: x+… \(\d+ characters\)"),
    "colours": ("print('\\x1b[31mtoo hot\\x1b[0m\\x07', file=sys.stderr); sys.exit(3)", r"code 3: too hot\\x07$"),
    "its own end of input": ("sys.stdin.close(); sys.exit(3)", "failed with exit code 3$"),
}


@pytest.mark.parametrize(("code", "message"), FAILURES.values(), ids=FAILURES)
def test_commands_that_fail(tmp_path: Path, code: str, message: str) -> None:
    with pytest.raises(ObjectiveFailure, match=message) as failure:
        python(tmp_path, code)(SUGGESTION)
    assert "\n" not in str(failure.value)
    assert len(str(failure.value)) < 600


def test_a_program_that_cannot_start(tmp_path: Path) -> None:
    script = tmp_path / "plant"
    script.write_text("no first line says who reads this")
    script.chmod(0o755)
    with pytest.raises(ObjectiveFailure, match="could not be started"):
        Command(["plant"], tmp_path)(SUGGESTION)


def test_functions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    measure = function(tmp_path, "print('measuring'); return s.values['ph'] + s.round")
    assert measure(SUGGESTION) == 9.5
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "measuring\n")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("raise ValueError('too\\nhot')", r"raised ValueError \(plant_.*\.py, line 3\): too / hot"),
        ("sys.exit('enough')", r"raised SystemExit .*: enough"),
        ("return s.values['acid']", r"raised KeyError .*: 'acid'"),
    ],
)
def test_functions_that_fail(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(ObjectiveFailure, match=message):
        function(tmp_path, body)(SUGGESTION)
