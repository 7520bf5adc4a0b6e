"""Numbers in the prose of README, site and paper are those of the runs, and every table's program is named."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from partial_control_bench import core
from partial_control_bench.fresh import coverage, simple
from partial_control_bench.kept import kept_in, text_of
from partial_control_bench.papers.causal import PAIRED
from partial_control_bench.papers.claim import HOLDS, NOT, Claim
from partial_control_bench.papers.front import PAPERS
from partial_control_bench.record import read
from partial_control_bench.statistics import by_entrant
from steerbo.gp._posterior import MOST_COUNTED

HERE = Path(__file__).parents[2]
RESULTS = HERE / "evidence"
WORDS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def said(page: str) -> str:
    """A page in one line."""
    return " ".join((HERE / page).read_text(encoding="utf-8").split())


@pytest.fixture(scope="module")
def claims() -> dict[str, list[Claim]]:
    """The papers' claims, by the file of their page."""
    results = [result for file in kept_in(RESULTS / "runs", "papers-") for result in read(file)]
    return {paper.file: [c for c in paper.claims(results) if not c.words.startswith("ours")] for paper in PAPERS}


def test_the_paper_counts_claims_as_the_runs_do(claims: dict[str, list[Claim]]) -> None:
    every = [claim for of in claims.values() for claim in of if PAIRED not in claim.words]
    beside = [claim for of in claims.values() for claim in of if claim not in every and not claim.words.startswith("…")]
    failed = sum(claim.verdict == NOT for claim in (*every, *beside))
    told = said("paper/paper.md")
    assert f"{WORDS[failed].capitalize()} claims do not hold as we read them" in told
    assert "all that are made of mean-field optimisation" in told
    assert {claim.verdict for claim in claims["mean-field"]} == {HOLDS}
    assert "most of contextual causal optimisation" in told
    assert np.mean([claim.verdict == HOLDS for claim in claims["contextual-causal"]]) > 0.5


def test_the_paired_rule_halves_the_loss_of_the_published_one() -> None:
    assert "by ours the loss there is half of the paper's" in said("paper/paper.md")
    runs = by_entrant(read(RESULTS / "runs" / "papers-causal.jsonl"), "figure-1")
    ours, theirs = (
        np.mean([value for r in runs[who] if (value := r.at("cumulative", 700.0)) is not None])
        for who in ("coca-bo", "coca-bo-ucb-mean")
    )
    assert 0.45 < ours / theirs < 0.55


def test_the_paper_says_what_coverage_was_measured_on() -> None:
    lines = coverage.read(RESULTS / "runs" / "coverage.jsonl")
    assert len({line["index"] for line in lines}) == 20
    assert "We drew twenty functions" in said("paper/paper.md")
    assert f"{WORDS[len({line['noise'] for line in lines})]} kinds of noise" in said("paper/paper.md")


@pytest.mark.parametrize("page", ["paper/paper.md", "docs/how-to/interop.md", "evidence/index.md"])
def test_the_core_has_as_many_problems_as_pages_say(page: str) -> None:
    assert len(core.PUBLISHED) + len(core.FAMILIES) == 15
    assert re.search("fifteen frozen problems", said(page), re.IGNORECASE)


def test_simple_rules_are_ahead_as_often_as_is_said() -> None:
    lines = [json.loads(line) for line in text_of(RESULTS / "runs" / "simple.jsonl").splitlines()]
    rows = [re.findall(r"(\d+) / (\d+) of (\d+)", part) for part in simple.table(lines).split("answer: shortfall", 1)]
    play, answer = ([sum(int(each) for each in column) for column in zip(*row, strict=True)] for row in rows)
    told = said("evidence/simple.md")
    assert f"by two standard errors in {play[0]} of {play[2]} cells, and behind in {play[1]}." in told
    assert f"In the answer a rule is ahead in {answer[0]} of {answer[2]}, and behind in {answer[1]}**" in told
    parts = simple.table(lines).split("answer: shortfall", 1)
    ahead = [re.findall(r"^\| (\d+) .*\d\*", part, re.MULTILINE) for part in parts]
    assert ahead == [["0", "3", "6", "8", "10"], []], "the page says where, and why"


def test_the_expectation_is_as_fast_as_the_site_says() -> None:
    rows = json.loads((RESULTS / "bench-costvarying.json").read_text(encoding="utf-8"))["rows"]
    ratios = [row["ratio"] for row in rows if row["name"].startswith("acquisition over 7 sets")]
    least, most = (
        int(each) for each in re.findall(r"it is (\d+) to (\d+) times as fast", said("docs/how-it-works/kinds.md"))[0]
    )
    assert min(ratios) == pytest.approx(least, rel=0.05)
    assert max(ratios) == pytest.approx(most, rel=0.05)


def test_as_many_outcomes_count_as_pages_say() -> None:
    for page in ("docs/how-to/interop.md", "docs/results.md"):
        assert f"{MOST_COUNTED}" in said(page)


def test_versions_of_peers_are_the_same_on_both_pages() -> None:
    told = said("docs/how-to/interop.md")
    texts = re.findall(r"\* \*\*([^*]+?) ([0-9.]+[0-9])", said("benchmarks/README.md"))
    assert len(texts) >= 7
    for name, version in texts:
        if name.split()[0] in ("Optuna", "Ax", "BoTorch", "Xopt", "BayBE"):
            assert f"{name} {version}" in told


@pytest.mark.parametrize("page", sorted(RESULTS.rglob("*.md")), ids=lambda page: page.stem)
def test_every_page_of_results_names_a_command(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    known = r"(`|^ {4})(make|pcb|python -m) |`benchmarks\.|benchmarks\.…`"
    assert re.search(known, text, re.MULTILINE), "which program made these figures?"
