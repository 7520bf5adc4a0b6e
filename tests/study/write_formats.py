"""Writes a log of every kind in the present format: ``python -m tests.study.write_formats tests/study/formats/1``.

Once a format is released its files stay as they are, and every later version must read them; see `test_formats.py`.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import tempfile
import warnings
from contextlib import closing
from pathlib import Path
from typing import Any

from steerbo.records import to_dict
from steerbo.study import Study
from steerbo.testing import Case
from tests.causal import worlds as causal
from tests.costvarying import worlds as costvarying
from tests.meanfield import worlds as meanfield
from tests.timevarying import cases as timevarying

CASES: dict[str, Case] = {
    "cost-varying-cheap-first": costvarying.case("cheap-first"),
    "cost-varying-explore-then-commit": costvarying.case("explore-then-commit"),
    "time-varying-sites": timevarying.case("prior-elimination", timevarying.sites()),
    "time-varying-box": timevarying.case("tempered-elimination", timevarying.box()),
    "causal-staged": causal.staged("coca-bo", initial=2),
    "causal-figure": causal.figure("coca-bo", initial=2),
    "mean-field": meanfield.case("mf-gp-ucb"),
    "mean-field-representative": meanfield.case("mf-gp-ucb", meanfield.crowd(feedback="representative")),
}


def lived(case: Case, study: Study) -> dict[str, Any]:
    """Everything that can happen to a study, and what it came to."""
    case.play(study.optimizer, 3)
    if case.added is not None:
        value = case.outcome(study.history.last(1)[0].suggestion)["value"]
        study.add(value, dict(case.added), cost=2.0, charge=True)
        study.add(value, dict(case.added), cost=7.0)
    study.fail(case.ask(study.optimizer), "the pump broke", cost=0.5)
    study.fail(case.ask(study.optimizer), "its cost is unknown", charge=1.0)
    study.abandon(case.ask(study.optimizer), "gone home")
    case.play(study.optimizer, 3)
    study.amend(study.history.last(1)[0].suggestion, cost=1.5)
    study.amend(next(iter(study.history)).suggestion, void=True, reason="typo")
    case.play(study.optimizer, 2)
    pending = study.ask(**case.request(len(study.history) + 1))
    assert pending is not None
    advice = study.recommend()
    return {
        "events": len(study.events),
        "spent": study.status.spent,
        "pending": {"token": pending.token, "values": to_dict(pending.values), "observe": list(pending.observe)},
        "recommend": {"set": list(advice.scope.set), "mean": advice.mean},
    }


def main(folder: Path) -> None:
    """Write the files and what is expected of them."""
    folder.mkdir(parents=True, exist_ok=True)
    expected = {}
    with tempfile.TemporaryDirectory() as scratch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, case in CASES.items():
            place = Path(scratch) / f"{name}.db"
            with Study.create(place, case.problem, case.method, seed=5, budget=60.0, options=case.options) as study:
                expected[name] = lived(case, study)
            with closing(sqlite3.connect(place)) as connection:
                (folder / f"{name}.sql").write_text("\n".join(connection.iterdump()) + "\n")
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
