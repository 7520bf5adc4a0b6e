"""Numbers at module level have words, and those that steer a choice stand on `evidence/constants.md` with a source."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "steerbo"
PAGE = (ROOT / "evidence" / "constants.md").read_text(encoding="utf-8")
CHOOSING = [
    "_evidence",
    "bandit",
    "core",
    "gp",
    "optim",
    "space",
    "surrogate",
    "costvarying",
    "timevarying",
    "causal",
    "meanfield",
]


class Constant(NamedTuple):
    """An assignment at module level of a value that holds a number; several names may share it."""

    file: str
    names: tuple[str, ...]
    value: str
    words: str


def constants_of(file: str, source: str) -> Iterator[Constant]:
    """Constants of a file, with what is said beside, above or below each."""
    lines, body = source.splitlines(), ast.parse(source).body
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            target, value = node.target, node.value
        else:
            continue
        parts = target.elts if isinstance(target, ast.Tuple) else [target]
        names = tuple(part.id for part in parts if isinstance(part, ast.Name))
        if names and all(re.fullmatch(r"_?[A-Z][A-Z0-9_]*", name) for name in names) and _has_a_number(value):
            yield Constant(file, names, ast.unparse(value), _words(lines, node, after))


def _has_a_number(value: ast.expr) -> bool:
    inner = (part.value for part in ast.walk(value) if isinstance(part, ast.Constant))
    return any(isinstance(each, int | float) and not isinstance(each, bool) for each in inner)


def _words(lines: list[str], node: ast.stmt, after: ast.stmt | None) -> str:
    if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str):
        return after.value.value
    first, last = node.lineno - 1, node.end_lineno or node.lineno
    beside = [line.partition("#")[2] for line in lines[first:last]]
    above = lines[first - 1] if first and lines[first - 1].startswith("#") else ""
    return " ".join([above.lstrip("# "), *beside]).strip()


@cache
def found() -> list[Constant]:
    """Constants of all files, read once, when a test asks: every worker imports this module."""
    return [
        constant
        for path in sorted(SRC.rglob("*.py"))
        for constant in constants_of(path.relative_to(SRC).as_posix(), path.read_text(encoding="utf-8"))
    ]


def ours() -> list[Constant]:
    """Those of packages that choose."""
    return [constant for constant in found() if re.split(r"[/.]", constant.file)[0] in CHOOSING]


def rows(heading: str) -> list[tuple[str, tuple[str, ...], str, str, str]]:
    """Rows under a heading: file, names, value, what it steers, source."""
    part = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    cells = [re.split(r"\s*\|\s*", line.strip("| ")) for line in part.splitlines() if line.startswith("| `")]
    return [(file.strip("`"), tuple(names.strip("`").split(", ")), *rest) for file, names, *rest in cells]  # type: ignore[misc]


STEERING = [*rows("Without a source"), *rows("With a source")]
OTHER = [
    (file, name)
    for file, names in re.findall(r"^- `([\w/.]+)`: (.+)$", PAGE.partition("\n## Of another kind\n")[2], re.MULTILINE)
    for name in re.findall(r"`(\w+)`", names)
]


def test_every_constant_has_a_word() -> None:
    assert len(found()) > 500
    assert [(constant.file, constant.names) for constant in found() if not re.search(r"\w", constant.words)] == []


def test_every_constant_stands_once_on_the_page() -> None:
    there = Counter((constant.file, name) for constant in ours() for name in constant.names)
    listed = Counter([*((file, name) for file, names, *_ in STEERING for name in names), *OTHER])
    assert listed - there == Counter(), "these are on evidence/constants.md, and no constants (any more)"
    assert there - listed == Counter(), "say on evidence/constants.md what these steer, or of which other kind they are"


def test_values_that_steer_are_those_of_the_page() -> None:
    values = {(constant.file, constant.names): constant.value for constant in ours()}
    for file, names, value, steers, _ in STEERING:
        assert values.get((file, names)) == value.strip("`"), f"{file}: {names}: was it measured anew?"
        assert steers


def test_sources_are_pages_papers_or_figures() -> None:
    """A source is a page with what was measured, a paper with its year, a convention, or figures beside it."""
    words = {(constant.file, constant.names): constant.words for constant in ours()}
    for file, names, _, _, source in rows("With a source"):
        for page in re.findall(r"\]\(([\w.-]+)", source):
            assert (ROOT / "evidence" / page).is_file()
        assert re.search(r"\]\(|\b(19|20)\d\d\b|^convention: \S|^measured beside it: ", source), (file, names)
        if source.startswith("measured beside it"):
            assert re.search(r"\d", words[file, names]), f"{file}: {names}: no figure stands there"
    for _, names, _, _, chosen in rows("Without a source"):
        assert chosen, names


def test_the_page_counts_what_it_lists() -> None:
    without, all_of_them = len(rows("Without a source")), len(STEERING)
    assert f"{all_of_them} steer a choice, an answer or a warning; {without} of these have no source" in PAGE
