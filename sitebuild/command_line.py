"""The page on the command line: what every command says of itself."""

from __future__ import annotations

import typer

from steerbo.cli import main

_HEAD = """# Command line

`STUDY` is a study file, or the log of a study: a file such as `study.db`, or the URL of a database.
Every command takes `--json`, and then prints one document.

```console
$ steerbo --help
```
"""


def page() -> str:
    """The page as Markdown; its blocks are run when the site is built."""
    group = typer.main.get_command(main)
    names = group.list_commands(None)  # type: ignore[attr-defined]
    return _HEAD + "".join(f"\n## {name}\n\n```console\n$ steerbo {name} --help\n```\n" for name in names)
