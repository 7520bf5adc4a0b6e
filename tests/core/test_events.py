"""What stands by name comes in the problem's order: fresh, reopened in another process, and at a follower."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import steerbo as sb
from steerbo.records import to_dict
from tests.core.kinds import PROBLEMS


@pytest.mark.parametrize("kind", PROBLEMS)
def test_another_process_reads_what_this_one_said(tmp_path: Path, kind: str) -> None:
    problem, measured = PROBLEMS[kind]
    log = tmp_path / "study.db"
    with sb.Study.create(log, problem, "random", rounds=9) as study, sb.Study.open(log) as follower:
        study.add(1.0, dict(reversed(measured.items())))
        suggestion = study.ask()
        while suggestion.observe:
            suggestion = study.decide(suggestion, dict.fromkeys(reversed(suggestion.observe), 0.5))
        follower.refresh()
        assert json.dumps(to_dict(follower.pending)) == json.dumps([to_dict(suggestion)])
        assert json.dumps(to_dict(follower.history.added)) == json.dumps(to_dict(study.history.added))
        assert json.dumps(study.history.added[0].realised) == json.dumps(measured)
        study.tell(suggestion, 1.0, realised=measured)
        contexts = {name: 0.5 for name in ("b",) if kind == "causal"}
        policy = study.optimizer.policy(contexts)
        assert list(policy.values) == [name for name in problem.columns if name in policy.values]
        suggestion = study.ask()
        while suggestion.observe:
            suggestion = study.decide(suggestion, dict.fromkeys(suggestion.observe, 0.5))
        card = study.card(suggestion)
    command = [sys.executable, "-m", "steerbo", "ask", str(log), "--json"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    (again,) = json.loads(answer)
    assert json.dumps(again) == json.dumps(to_dict(card))
    assert list(again["values"]) == [name for name in problem.columns if name in again["values"]]
    if kind == "mean-field":
        assert list(again["values"]["counts"]) == ["night", "day"]
        assert [*again["values"]["counts"]["day"]] in (["south", "north"], ["south"], ["north"])
