"""Programs: what they are given, how long they may take, what they leave behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from steerbo.core import Scope, Suggestion
from steerbo.errors import ObjectiveFailure
from steerbo.study.objective import LONGEST_COMPLAINT, run_program
from tests.study.programs import SUGGESTION, gone, python


@pytest.mark.skipif(os.name != "posix", reason="process groups")
def test_time_out_kills_what_the_command_started(tmp_path: Path) -> None:
    code = ORPHANS.format(alone="") + "time.sleep(60)"
    with pytest.raises(ObjectiveFailure, match=r"did not answer within 2 s and was killed"):
        python(tmp_path, code, timeout=2)(SUGGESTION)
    for process in map(int, (tmp_path / "child").read_text().split()):
        assert gone(process)


ORPHANS = """
child = os.fork()
if not child:
    {alone}
    time.sleep(60)
    os._exit(0)
open("child.new", "w").write(f"{{child}} {{os.getpid()}}")
os.rename("child.new", "child")
"""
"""A command that starts another process, and says their numbers; it has only so long, so that it starts no program."""


@pytest.mark.skipif(os.name != "posix", reason="process groups")
def test_a_command_dies_with_who_called_it(tmp_path: Path) -> None:
    """Even by SIGKILL, which nobody can handle; and so does what it started."""
    (tmp_path / "plant.py").write_text("import os, time\n" + ORPHANS.format(alone="") + "time.sleep(60)")
    code = """
import sys
from pathlib import Path
from steerbo.core import Scope, Suggestion
from steerbo.study import Command
Command([sys.executable, "plant.py"], Path(), 60.0)(Suggestion("3-ab", 3, Scope(["ph"]), {"ph": 6.5}))
"""
    caller = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path)
    for _ in range(2400):
        if (tmp_path / "child").exists():
            break
        time.sleep(0.05)
    caller.kill()
    caller.wait()
    for process in map(int, (tmp_path / "child").read_text().split()):
        assert gone(process)


@pytest.mark.skipif(os.name != "posix", reason="process groups")
@pytest.mark.parametrize("leaves", [False, True])
def test_what_a_command_leaves_behind(tmp_path: Path, leaves: bool) -> None:
    """It has ended, and what it started holds its output: killed in time, or where it has left the group, let be."""
    code = ORPHANS.format(alone="os.setsid()" if leaves else "") + "print(1.5)"
    with pytest.raises(ObjectiveFailure, match=r"ended, but what it started held its standard output for 2 s"):
        python(tmp_path, code, timeout=2)(SUGGESTION)
    child, _ = map(int, (tmp_path / "child").read_text().split())
    if leaves:
        os.kill(child, 9)
    assert gone(child)


def test_what_is_said_after_the_deadline_is_not_heard(tmp_path: Path) -> None:
    with pytest.raises(ObjectiveFailure, match=r"did not answer within 0\.5 s and was killed"):
        python(tmp_path, "time.sleep(20); print(4)", timeout=0.5)(SUGGESTION)


def test_a_long_question_and_an_answer_with_a_mark(tmp_path: Path) -> None:
    """What many programs on Windows put first is no part of the answer."""
    long = Suggestion("3-ab", 3, Scope(["ph"]), {"ph": [6.5] * 10**6})
    code = "sys.stdout.buffer.write(b'\\xef\\xbb\\xbf' + str(len(json.load(sys.stdin)['values']['ph'])).encode())"
    assert python(tmp_path, code)(long) == 10**6
    assert python(tmp_path, "sys.stdin.close(); os.close(0); print(4, flush=True); time.sleep(0.2)")(long) == 4


def test_the_end_of_complaints_is_kept(tmp_path: Path) -> None:
    (tmp_path / "plant.py").write_text("import sys\nfor i in range(10**6): print(i, file=sys.stderr)")
    ended = run_program([sys.executable, "plant.py"], tmp_path, b"{}", 60.0)
    assert len(ended.complaints) == LONGEST_COMPLAINT
    assert ended.complaints.split()[-1] == b"999999"
    assert (ended.code, ended.killed) == (0, "")
