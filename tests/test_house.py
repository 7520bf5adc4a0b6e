"""The house is as CONTRIBUTING draws it, and as the newcomer's tour tells it."""

from __future__ import annotations

import ast
import builtins
import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from functools import cache
from graphlib import TopologicalSorter
from importlib.util import find_spec
from pathlib import Path

import pytest

import steerbo
import steerbo.study

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "steerbo"
TOUR = ROOT / "src" / "README.md"
WINGS = {"costvarying", "timevarying", "causal", "meanfield"}


def module_of(path: Path) -> str:
    """A file's module, without the package's name: "core.state"; a package is called as its folder."""
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_of(path): path for path in sorted(SRC.rglob("*.py"))}


@cache
def imported(path: Path) -> Sequence[tuple[str, ast.ImportFrom, bool]]:
    """Own modules that a file imports as it runs, where, and whether inside a function."""
    found = []
    for node, inside in _imports(ast.parse(path.read_text(encoding="utf-8")), False):
        folder = path.parents[node.level - 1].relative_to(SRC)
        base = ".".join([*folder.parts, *((node.module or "").split(".") if node.module else [])])
        for name in node.names:
            inner = f"{base}.{name.name}".strip(".")
            found.append((inner if inner in FILES else base, node, inside))
    return found


def _imports(tree: ast.AST, inside: bool) -> Iterator[tuple[ast.ImportFrom, bool]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            yield node, inside
        elif not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)):
            yield from _imports(node, inside or isinstance(node, ast.FunctionDef | ast.Lambda))


def floors() -> list[list[str]]:
    """The rows of the picture, from the top: names of packages and modules."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    picture = text.partition("<!-- floors -->")[2].partition("<!-- /floors -->")[0]
    rows = [re.split(r"\s{3,}", line.strip())[0].split() for line in picture.splitlines() if line.startswith("    ")]
    return [row for row in rows if row]


def test_every_package_and_module_has_a_floor() -> None:
    drawn = [name for row in floors() for name in row]
    assert len(drawn) == len(set(drawn))
    assert set(drawn) == {module.partition(".")[0] for module in FILES} - {"", "__main__"}


def test_imports_run_downwards() -> None:
    floor = {name: level for level, row in enumerate(floors()) for name in row}
    seen = 0
    for module, path in FILES.items():
        top = module.partition(".")[0]
        if top not in floor:  # the package itself, and its entry
            continue
        for target, node, _ in imported(path):
            below = target.partition(".")[0]
            if below not in (top, ""):
                seen += 1
                assert floor[top] < floor[below], f"{path}:{node.lineno}: {top} stands on {below}"
    assert seen > 300


def test_wings_stand_on_one_floor() -> None:
    assert WINGS in [set(row) for row in floors()]


def test_private_modules_serve_their_own_package() -> None:
    """A newcomer sees by its name which module others may count on."""
    for module, path in FILES.items():
        for target, node, _ in imported(path):
            owner = target.partition("._")[0]
            assert "._" not in target or f"{module}.".startswith(f"{owner}."), f"{path}:{node.lineno}: {target}"


def test_there_are_no_circles() -> None:
    plain = {module: path for module, path in FILES.items() if path.name != "__init__.py"}
    order = TopologicalSorter({m: {t for t, _, _ in imported(path) if t in plain} for m, path in plain.items()})
    assert len(list(order.static_order())) == len(plain)  # raises CycleError, which names a circle


def test_names_that_are_imported_late_are_no_modules() -> None:
    """Importing a module of that name would put it in the name's place."""
    late = [steerbo, steerbo.study]
    assert all(package._MODULE_OF for package in late)
    for package in late:
        for name in package._MODULE_OF:
            assert find_spec(f"{package.__name__}.{name}") is None, f"{package.__name__} has a module {name}, too"


def test_imports_in_functions_say_why() -> None:
    for path in FILES.values():
        lines = path.read_text(encoding="utf-8").splitlines()
        for _, node, inside in imported(path):
            assert not inside or "#" in lines[node.lineno - 1], f"{path}:{node.lineno}: say why it is not at the top"


NAMED = sorted(set(re.findall(r"`((?:[\w-]+/)+[\w-]+(?:\.\w+)?|[\w-]+\.py)`", TOUR.read_text(encoding="utf-8"))))


@pytest.mark.parametrize("name", NAMED)
def test_what_the_tour_names_is_there(name: str) -> None:
    assert (SRC / name).exists() or (ROOT / name).exists()


def test_files_that_contributing_names_are_there() -> None:
    named = re.findall(r"`((?:\w+/)+\w+\.py)`", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert len(named) > 5
    for name in named:
        assert (SRC / name).exists() or (ROOT / name).exists(), name


def test_the_tour_names_files() -> None:
    assert len([name for name in NAMED if name.endswith(".py")]) > 25


OF_OTHERS = {
    "AppendFeatures", "Axes", "ETSO_experiments", "ExpectationPosteriorTransform", "Host", "X_pending", "max_retries",
    "num_cpus", "num_gpus",
}  # fmt: skip
FILES_OF_OTHERS = {"ETSO_experiments.py", "random.py"}


def spoken(path: Path) -> tuple[set[str], list[str]]:
    """Names and words of a file's code, and its texts for readers: docstrings and comments."""
    source = path.read_text(encoding="utf-8")
    words, texts = {path.stem, *path.parts}, []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME:
            words.add(token.string)
        elif token.type == tokenize.COMMENT:
            texts.append(token.string)
    tree = ast.parse(source)
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) in alone:
                texts.append(node.value)
            else:
                words.update(re.findall(r"\w+", node.value))
    return words, texts


def test_names_in_docstrings_and_comments_exist() -> None:
    """A name between backticks that no code has any more sends its reader nowhere."""
    known, said = set(dir(builtins)) | OF_OTHERS, []
    for path in FILES.values():
        words, texts = spoken(path)
        known |= words
        said += [(path, text) for text in texts]
    for path, text in said:
        for name in re.findall(r"(?<!`)`([A-Za-z_][\w.]*)`", text):
            parts = [part for part in name.split(".") if not re.fullmatch(r"\w|[a-zA-Z]_\w|py|", part)]
            assert known.issuperset(parts), f"{path}: `{name}` is no name of the code"
        for name in re.findall(r"(?<!`)`((?:\w+/)*\w+\.py)`", text):
            there = [SRC / name, path.parent / name]
            assert name in FILES_OF_OTHERS or any(each.exists() for each in there), f"{path}: there is no {name}"
