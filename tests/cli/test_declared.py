"""Options that kinds of problem declare."""

from __future__ import annotations

from pathlib import Path

from steerbo.core import kinds, problem_class
from tests.cli.calls import LINE, ask, begin, call


def test_options_are_those_that_kinds_declare(tmp_path: Path) -> None:
    study = begin(tmp_path, LINE)
    for command in ("ask", "policy"):
        shown = " ".join(call(command, "--help").stdout.split())
        assert "--given" not in shown
        for field in (field for kind in kinds() for field in problem_class(kind).takes):
            assert f"--{field.name} TEXT {field.help.split()[0]}" in shown
    assert ask(study, "--time=-2.5")["request"] == {"time": -2.5}
    for command, typed, says in (
        ("ask", ["--time"], "--time: missing; expected a value after it"),
        ("ask", ["--tiem", "3"], "option: '--tiem' is not allowed"),
        ("show", ["--time", "3"], "option: '--time' is not allowed"),
    ):
        result = call(command, study, *typed)
        assert result.exit_code == 2
        assert says in " ".join(result.stderr.split())
