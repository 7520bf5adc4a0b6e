"""What a release is made of says the same everywhere: version, floors, addresses, workflows."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import steerbo

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
METADATA = PROJECT["project"]
HOME = METADATA.get("urls", {}).get("Source", "")
"""Address of the project; empty as long as it has none."""
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "CHANGELOG.md"]


def parsed(path: str) -> dict[str, Any]:
    content = yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))
    assert isinstance(content, dict)
    return content


def floors(requirements: list[str]) -> dict[str, str]:
    """The lowest version of each package, by its name."""
    pattern = re.compile(r"([\w-]+)(?:\[\w+\])?>=([\d.]+)")
    found = [pattern.fullmatch(line) for line in requirements]
    assert all(found), requirements
    return {match[1].lower(): match[2] for match in found if match}


def same_version(one: str, other: str) -> bool:
    numbers = [[int(part) for part in text.split(".")] for text in (one, other)]
    for parts in numbers:
        parts += [0] * (4 - len(parts))
    return numbers[0] == numbers[1]


def test_one_version() -> None:
    assert METADATA["version"] == steerbo.__version__
    assert parsed("CITATION.cff")["version"] == steerbo.__version__
    assert parsed("recipe/recipe.yaml")["context"]["version"] == steerbo.__version__


def test_the_citation_has_what_its_format_needs() -> None:
    citation = parsed("CITATION.cff")
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["license"] == METADATA["license"]
    assert citation.get("repository-code", "") == HOME
    for paper in citation["references"]:
        assert {"type", "title", "authors", "year"} <= set(paper)


def test_the_recipe_asks_for_what_the_wheel_asks_for() -> None:
    recipe = parsed("recipe/recipe.yaml")
    needed = dict(line.split(" >=") for line in recipe["requirements"]["run"])
    assert needed.pop("python") == "${{ python_min }}"
    assert needed == floors(METADATA["dependencies"])
    assert recipe["about"]["license"] == METADATA["license"]
    assert recipe["context"]["address"] == HOME
    assert {recipe["about"]["homepage"], recipe["about"]["repository"]} == {"${{ address }}"}
    hosts = dict(line.split(" >=") for line in recipe["requirements"]["host"] if ">=" in line)
    assert hosts == floors(PROJECT["build-system"]["requires"])


def test_the_lowest_versions_that_are_tested_are_those_that_are_allowed() -> None:
    lines = (ROOT / "requirements" / "lowest.txt").read_text(encoding="utf-8").splitlines()
    tested = dict(line.split("==") for line in lines if "==" in line)
    heavy = {"aim", "botorch", "dask", "mlflow", "ray", "mcp", "wandb"}  # or, as mcp, need a newer pydantic than we do
    extras = [line for name, extra in METADATA["optional-dependencies"].items() if name not in heavy for line in extra]
    allowed = floors(METADATA["dependencies"] + extras + PROJECT["dependency-groups"]["test"])
    assert {name: tested[name] for name in allowed if not same_version(tested[name], allowed[name])} == {}


def test_the_site_says_the_floors() -> None:
    page = " ".join((ROOT / "docs" / "install.md").read_text(encoding="utf-8").split())
    for name, version in floors(METADATA["dependencies"]).items():
        assert f"{name.lower()} {version}" in page.lower(), name


def test_the_site_says_the_extras() -> None:
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    listed = {name for row in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    assert listed == set(METADATA["optional-dependencies"])


def test_what_benchmarks_need_is_no_extra_of_the_wheel() -> None:
    bench = tomllib.loads((ROOT / "benchmarks" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {"peers", "data"} <= set(bench["optional-dependencies"])
    assert not {"peers", "data"} & set(METADATA["optional-dependencies"])
    ours = floors(METADATA["dependencies"] + PROJECT["dependency-groups"]["test"])
    theirs = floors(bench["dependencies"])
    assert {name: version for name, version in theirs.items() if ours.get(name) != version} == {}


def test_the_address_is_set_in_one_place() -> None:
    cited = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    assert HOME in cited
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        assert not re.search(r"https?://[\w./-]*steerbo", text), f"{page}: link relatively"


def test_every_python_is_named_where_it_is_tested() -> None:
    named = [line.rpartition(" ")[2] for line in METADATA["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert named[0] == METADATA["requires-python"].removeprefix(">=")
    assert parsed(".github/workflows/tests.yml")["jobs"]["pythons"]["strategy"]["matrix"]["python"] == named
    assert f"PYTHONS := {' '.join(named)}\n" in (ROOT / "Makefile").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_relative_links_lead_to_files(page: str) -> None:
    for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", (ROOT / page).read_text(encoding="utf-8")):
        assert (ROOT / link).is_file(), link


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_call_what_there_is(path: Path) -> None:
    workflow = parsed(str(path.relative_to(ROOT)))
    assert workflow["permissions"] == {"contents": "read"}, "more is given to the jobs that need it"
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    jobs = workflow["jobs"]
    steps = [step for job in jobs.values() for step in job.get("steps", [])]
    assert steps
    for needed in (name for job in jobs.values() for name in ([job["needs"]] if "needs" in job else [])):
        assert set([needed] if isinstance(needed, str) else needed) <= set(jobs)
    for step in steps:
        assert ("run" in step) != ("uses" in step)
        for target in re.findall(r"\bmake ([\w-]+)", step.get("run", "")):
            assert target in targets
        assert not re.search(r"\$\{\{\s*github\.", step.get("run", "")), "text of others is no part of a program"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_of_others_stay_what_they_are(path: Path) -> None:
    """A tag can be moved to other code, a commit cannot."""
    used = re.findall(r"uses: (\S+)@(\S+)(?:  # (v[\d.]+))?$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert used
    for action, commit, version in used:
        if action != "pypa/gh-action-pypi-publish":  # its authors ask for the branch
            assert re.fullmatch(r"[0-9a-f]{40}", commit), action
            assert version, action


def test_the_paper_has_its_figures_and_references() -> None:
    paper = ROOT / "paper" / "paper.md"
    _, head, text = paper.read_text(encoding="utf-8").split("---\n", 2)
    said = yaml.safe_load(head)
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= set(said)
    listed = re.findall(
        r"^@\w+\{(\w+),", (paper.parent / said["bibliography"]).read_text(encoding="utf-8"), re.MULTILINE
    )
    assert sorted(set(re.findall(r"@(\w+)", text))) == sorted(listed)
    entries = (paper.parent / said["bibliography"]).read_text(encoding="utf-8").split("\n@")
    for entry in entries:
        assert {"title", "author", "year"} <= set(re.findall(r"^  (\w+) = ", entry, re.MULTILINE)), entry
        assert "and others" not in entry, "every author is named"
    for part in ("# Which claims hold", "# Limits of what is shown"):
        assert part in text
    for figure in re.findall(r"!\[[^!]*\]\(([^)]+)\)", text):
        assert (paper.parent / figure).is_file(), figure


def test_nothing_is_published_with_a_password() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    publish = parsed(".github/workflows/release.yml")["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    assert set(publish["needs"]) == {"tests", "build"}
    assert "secrets." not in text
    assert "password:" not in text
