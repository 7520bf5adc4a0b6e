"""`make mutants`: seed faults into the source, one at a time, and list those that no test notices.

A mutant is one changed node of the syntax tree: a comparison turned round, a constant or a sign changed, a branch
negated, the value of a `return` dropped. Each is written into a copy of the source, and pytest runs with that copy up
to the first failure: doctests of the module, tests of its package (files named like the module first, then those that
speak of it, then others), and tests of packages that stand on it. A mutant that lets all pass survives, and its line is
printed: a test is missing, or it changes nothing that a user can see. Without a mutant all tests have to pass, so
`make test` comes first.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "steerbo"
FOLDERS = {
    "core": (("core",), ("costvarying", "study", "timevarying", "causal", "meanfield", "page", "cli")),
    "costvarying": (("costvarying",), ("benchmarks/costvarying", "study", "plots", "page", "interop")),
    "study": (("study",), ("cli", "serve", "interop", "page")),
}
"""Packages that are mutated: the folders of tests that run first, and those that run for a mutant these let live."""
OPPOSITES: tuple[tuple[type[ast.cmpop], type[ast.cmpop]], ...] = (
    (ast.Lt, ast.GtE), (ast.Gt, ast.LtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn)
)  # fmt: skip
TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {one: other for pair in OPPOSITES for one, other in (pair, pair[::-1])}
SIGNS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult
}  # fmt: skip


WORD = re.compile(r"[\w-]+")
LONG = "not decided in time"


@dataclass(frozen=True)
class Mutant:
    """One fault: bytes `start` to `end` of a file become `text`."""

    module: str
    line: int
    kind: str
    start: int
    end: int
    before: str
    text: str

    def __str__(self) -> str:
        """Name the file and the line, and show both texts."""
        one, two = (" ".join(text.split())[:70] for text in (self.before, self.text))
        return f"{self.module}:{self.line}: {self.kind}: {one} -> {two}"

    def applied(self) -> bytes:
        """Return the file's bytes with the fault."""
        source = (SRC / self.module).read_bytes()
        return source[: self.start] + self.text.encode() + source[self.end :]


def faults(node: ast.AST) -> Iterator[tuple[str, ast.expr, ast.expr | None]]:
    """Faults that a node can have: the kind, the part that is replaced, and its replacement (None: nothing)."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in TURNED:
        other = copy.deepcopy(node)
        other.ops = [TURNED[type(node.ops[0])]()]
        yield "comparison", node, other
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        value = not node.value if isinstance(node.value, bool) else node.value * 2 or 1
        yield "constant", node, ast.Constant(value)
    elif isinstance(node, ast.BinOp) and type(node.op) in SIGNS and not _joins(node):
        yield "sign", node, ast.BinOp(node.left, SIGNS[type(node.op)](), node.right)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "sign", node, node.operand
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        yield "branch", node.test, ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.Return) and node.value is not None and ast.unparse(node.value) != "None":
        yield "return", node.value, None


def _joins(node: ast.BinOp) -> bool:
    """Whether texts are joined: there every other sign raises a TypeError."""
    return any(
        isinstance(part, ast.JoinedStr | ast.Constant) and not isinstance(getattr(part, "value", ""), int | float)
        for part in (node.left, node.right)
    )


def walked(node: ast.AST) -> Iterator[ast.AST]:
    """Nodes that run: no annotations, no texts, no messages of errors, nothing for the type checker."""
    if isinstance(node, ast.Raise | ast.JoinedStr) or (
        isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
    ):
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from walked(child)


def mutants_of(path: Path) -> Iterator[Mutant]:
    """All mutants of a file, in the order of its lines."""
    source = path.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in walked(ast.parse(source)):
        for kind, old, new in faults(node):
            assert old.end_lineno is not None
            assert old.end_col_offset is not None
            start, end = starts[old.lineno - 1] + old.col_offset, starts[old.end_lineno - 1] + old.end_col_offset
            text = "None" if new is None else f"({ast.unparse(new)})"
            yield Mutant(str(path.relative_to(SRC)), old.lineno, kind, start, end, source[start:end].decode(), text)


def chosen(count: int, seed: int, only: str = "") -> list[Mutant]:
    """Draw mutants of all packages, each as likely as another of its kind; kinds come equally often."""
    kinds: dict[str, list[Mutant]] = {}
    for package in FOLDERS:
        for path in sorted((SRC / package).rglob("*.py")):
            for mutant in mutants_of(path):
                if mutant.module.startswith(only):
                    kinds.setdefault(mutant.kind, []).append(mutant)
    generator = random.Random(seed)
    for each in kinds.values():
        generator.shuffle(each)
    rows: list[Mutant] = []
    while len(rows) < count and any(kinds.values()):
        rows += [each.pop() for each in kinds.values() if each]
    return rows[:count]


class Bench:
    """A copy of the source, where one mutant at a time is tried."""

    def __init__(self, folder: Path, tests: Path) -> None:
        self.source = folder / "src"
        self.tests = tests
        shutil.copytree(SRC, self.source / "steerbo", ignore=shutil.ignore_patterns("__pycache__"))

    def ordered(self, folders: tuple[str, ...], module: str) -> list[Path]:
        """Test files of folders: those named like the module, then those that speak of it; of these the shortest."""
        files = [path for folder in folders for path in (self.tests / "tests" / folder).rglob("test_*.py")]

        def rank(path: Path) -> tuple[bool, bool, int]:
            text = path.read_text(encoding="utf-8")
            said = {module, module.strip("_").replace("_", "-")} & set(WORD.findall(text))
            return module.strip("_") not in path.stem, not said, len(text)

        return sorted(files, key=rank)

    def run(self, paths: list[Path], limit: float) -> str | None:
        """Run tests until one fails: its name, `LONG` where they take too long, None where all pass."""
        python = [str(self.source), str(self.tests / "benchmarks" / "src")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(python), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "-p", "no:xdist", "--tb=no", *map(str, paths)]
        with subprocess.Popen(
            command, cwd=self.tests, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            start_new_session=True,
        ) as process:  # fmt: skip
            try:
                output, _ = process.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # what tests have started ends with them
                process.communicate()
                return LONG
        if process.returncode in (0, 5):  # 5: no tests
            return None
        failed = [line for line in output.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return failed[0].split(" - ")[0].split(" ", 1)[1] if failed else output.strip().splitlines()[-1]

    def killer(self, mutant: Mutant, limit: float) -> str | None:
        """Return the test that kills a mutant, `LONG` where tests do not end, None where it survives."""
        target = self.source / "steerbo" / mutant.module
        sound = target.read_bytes()
        target.write_bytes(mutant.applied())
        try:
            near, far = FOLDERS[mutant.module.partition("/")[0]]
            for folders, module in ((near, [target]), (far, [])):
                paths = [*module, *self.ordered(folders, target.stem)]
                if (test := self.run(paths, limit)) is not None:
                    return test
        finally:
            target.write_bytes(sound)
        return None


def main() -> None:
    """Draw mutants, try each, and print those that survive."""
    parser = argparse.ArgumentParser(prog="make mutants")
    parser.add_argument("--count", type=int, default=200, help="number of mutants")
    parser.add_argument("--seed", type=int, default=1, help="of the draw")
    parser.add_argument("--only", default="", help="files whose names begin so, such as core/state")
    parser.add_argument("--limit", type=float, default=1800.0, help="seconds for the tests of a mutant, twice")
    parser.add_argument("--tests", type=Path, default=ROOT, help="another checkout, whose tests are run")
    parser.add_argument("--numbers", type=int, nargs="*", help="of the draw, all by default")
    parser.add_argument("--draw", action="store_true", help="only print the mutants")
    asked = parser.parse_args()
    rows = list(enumerate(chosen(asked.count, asked.seed, asked.only)))
    rows = [(number, mutant) for number, mutant in rows if asked.numbers is None or number in asked.numbers]
    if asked.draw:
        print(*(f"{number:3d} {mutant}" for number, mutant in rows), sep="\n")
        return
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        bench = Bench(Path(folder), asked.tests.resolve())
        for number, mutant in rows:
            began = time.monotonic()
            test = bench.killer(mutant, asked.limit)
            verdict = "survived" if test is None else LONG if test == LONG else "killed"
            counts[verdict] += 1
            by = f" by {test}" if verdict == "killed" else ""
            print(f"{number:3d} {verdict} ({time.monotonic() - began:.0f} s) {mutant}{by}", flush=True)
    print(f"{dict(counts)} of {len(rows)} mutants (seed {asked.seed})")


if __name__ == "__main__":
    main()
