"""Runs a page as a reader would, from top to bottom in an empty folder, and writes what came of it beneath each block.

```` ```python ```` is run, all blocks of a page in one namespace; a last line that is an expression is shown, as in a
notebook. Blocks with `title="name"` are written to that file. ```` ```console ```` are commands behind `$`: those of
`steerbo` and `python` are run; `TOKEN` stands for the newest token that was printed. A block with the word `fails` must
fail; one with `needs=package` is shown unrun where that is not installed. All else is shown as it is.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from steerbo.cli import main
from steerbo.errors import SteerboError, UnusualOutcomeWarning

from .blocks import Block, split
from .pictures import shown

_TOKEN = re.compile(r"token (\S+?):")
_LONGEST = 60  # lines of output


class PageError(Exception):
    """A block of a page does not do what the page says."""


@contextlib.contextmanager
def empty_folder() -> Iterator[Path]:
    """An empty folder to be in, as a stranger would begin; the process is afterwards as it was before."""
    here, path, modules, environment = (
        Path.cwd(),
        list(sys.path),
        set(sys.modules),
        dict(os.environ),
    )
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        os.environ.update(COLUMNS="100", XDG_STATE_HOME=f"{name}/.state")
        os.chdir(name)
        sys.path.insert(0, name)
        try:
            yield Path(name)
        finally:
            os.chdir(here)
            sys.path[:] = path
            os.environ.clear()
            os.environ.update(environment)
            for module in set(sys.modules) - modules:
                if str(getattr(sys.modules[module], "__file__", None) or "").startswith(name):
                    del sys.modules[module]


def run_page(page: str, name: str = "page") -> str:
    """The page with the output of its blocks.

    Args:
        page: Markdown.
        name: what messages call it.

    Raises:
        PageError: a block fails, or does not fail where it should.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    token = ""
    written = []
    with empty_folder():
        for block in split(page):
            if block.title:
                _write(block)
            if block.runs and not block.missing:
                block.load()
                written.append(block.fenced() + "\n" + _python(block, names, name))
            elif block.language == "console":
                text, token = _console(block, token, name)
                written.append(Block(text, "console").fenced())
            else:
                written.append(block.fenced())
    return "".join(written)


def _write(block: Block) -> None:
    text = block.text.replace('["python"', f"[{_quoted(sys.executable)}")
    place = Path(block.title)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\") + '"'


def _python(block: Block, names: dict[str, Any], page: str) -> str:
    tree = ast.parse(block.text, f"<{page}>")
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    said = io.StringIO()
    value: Any = None
    failed = ""
    try:
        with contextlib.redirect_stdout(said), warnings.catch_warnings():
            # what others warn of is not ours
            warnings.simplefilter("ignore" if block.needs else "error")
            if "any-order" in block.words:  # workers answer as they like: one outcome may surprise
                warnings.simplefilter("default", UnusualOutcomeWarning)
            exec(compile(tree, f"<{page}>", "exec"), names)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), f"<{page}>", "eval"), names)
    except SteerboError as error:
        failed = f"{type(error).__name__}: {error}\n"
        if "fails" not in block.words:
            raise PageError(f"{page}: {failed}\nin\n{block.text}") from error
    except Exception as error:
        raise PageError(f"{page}: {error!r} in\n{block.text}") from error
    if "fails" in block.words and not failed:
        raise PageError(f"{page}: this should fail:\n{block.text}")
    picture = shown(value)
    text = said.getvalue() + failed + ("" if value is None or picture else f"{value!r}\n")
    return (f"\n```text\n{_short(text)}```\n" if text else "") + (
        f"\n{picture}\n" if picture else ""
    )


def _console(block: Block, token: str, page: str) -> tuple[str, str]:
    lines = []
    for line in block.text.splitlines():
        if not line.startswith("$ "):
            raise PageError(
                f"{page}: a line of a console block is a command behind '$ ', and not {line!r}"
            )
        command = line[2:].replace("TOKEN", token)
        code, said = _command(shlex.split(command, comments=True))
        if (code != 0) != ("fails" in block.words):
            raise PageError(f"{page}: {command!r} ended with {code}:\n{said}")
        token = (_TOKEN.findall(said) or [token])[-1]
        lines.append(f"$ {command}\n{_short(said)}")
    return "\n".join(lines), token


def _command(words: list[str]) -> tuple[int, str]:
    if words[0] == "steerbo":
        result = CliRunner().invoke(main, words[1:])
        return result.exit_code, result.output
    if words[0] == "python":
        ran = subprocess.run(
            [sys.executable, *words[1:]], capture_output=True, text=True, timeout=120, check=False
        )
        return ran.returncode, ran.stdout + ran.stderr
    raise PageError(
        f"console blocks run steerbo and python, and not {words[0]!r}: use ```sh for what is only shown"
    )


def _short(text: str) -> str:
    lines = [line.rstrip() for line in text.replace(str(Path.cwd()) + os.sep, "").splitlines()]
    if len(lines) > _LONGEST:
        lines = [*lines[: _LONGEST - 1], f"… {len(lines) - _LONGEST + 1} more lines"]
    return "".join(line + "\n" for line in lines)
