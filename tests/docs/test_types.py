"""The code of README and site passes a strict type checker as it stands, and mistakes in it would be seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitebuild.blocks import split
from sitebuild.sources import pages

ROOT = Path(__file__).parents[2]
PAGES = dict(pages())
PAGES["README.md"] = (ROOT / "README.md").read_text(encoding="utf-8")
UNTYPED = "# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls, allow-untyped-decorators\n"


def checked(folder: Path) -> str:
    """The complaints of mypy, with the options and the cache of the project, about the modules in a folder."""
    api = pytest.importorskip("mypy.api")
    config, cache = str(ROOT / "pyproject.toml"), str(ROOT / ".mypy_cache")
    files = sorted(str(path) for path in folder.glob("*.py"))
    said, broke, _ = api.run(["--config-file", config, "--cache-dir", cache, *files])
    assert not broke, broke
    return "\n".join(line for line in said.splitlines() if ": error:" in line or ": note:" in line)


def test_the_code_of_pages_passes_a_strict_type_checker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("MYPYPATH", str(tmp_path))  # pages import the files that their readers write
    for page, text in PAGES.items():
        # what ends with an error, or needs a package of others, is left out
        blocks = [b for b in split(text) if b.language == "python" and "fails" not in b.words and not b.needs]
        name = page.rpartition(".")[0].replace("/", "_").replace("-", "_")
        code = "".join(block.text for block in blocks if block.runs)
        if code:
            (tmp_path / f"{name}.py").write_text(UNTYPED + code, encoding="utf-8")
        for block in blocks:
            if block.title.endswith(".py") and "/" not in block.title:
                (tmp_path / block.title).write_text(UNTYPED + block.text, encoding="utf-8")
    (tmp_path / "mistaken.py").write_text(
        UNTYPED
        + "import steerbo as sb\n"
        + "problem = sb.MeanField(['north', 'south'], agents=4)\n"
        + "sb.Optimizer(problem, budgt=3)\n"
        + "sb.CausalGraph.from_text('x -> y', tarjet='y')\n"
        + "sb.Optimizer(problem).ask(tyme=3)\n"
        + "def play(study: sb.Study) -> None:\n    study.run(lambda _: 1.0, paralel=2)\n"
        + "def first(study: sb.Study) -> int:\n    return study.ask().values\n"
    )
    found = checked(tmp_path)
    ours = [line for line in found.splitlines() if "mistaken.py" not in line]
    assert not ours, "\n".join(ours)
    for mistake in ("budgt", "tarjet", "tyme", "paralel", "dict[str, Any]"):
        assert mistake in found
