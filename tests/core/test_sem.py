"""Standard errors of values (`sem`): told, added, corrected and replayed in every kind, and refused where unused."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from tests.core.kinds import PROBLEMS

POINTS = (0.1, 0.3, 0.5, 0.7, 0.9)


def settings_of(kind: str) -> Iterator[dict[str, Any]]:
    """Realised values of a few plays."""
    _, usual = PROBLEMS[kind]
    for x in POINTS:
        match kind:
            case "cost-varying":
                yield {"t": 9 * x, "ph": 4 + 4 * x}
            case "mean-field":
                yield {"distribution": {when: {"south": x, "north": 1 - x} for when in ("night", "day")}}
            case _:
                yield {**usual, "x" if kind == "time-varying" else "z": x}


def study_with(kind: str, sems: list[float | None]) -> sb.Optimizer:
    """A study with data, of which the third is far from the line of the others."""
    study = sb.Optimizer(PROBLEMS[kind][0], seed=0)
    for k, (realised, sem) in enumerate(zip(settings_of(kind), sems, strict=True)):
        study.add(POINTS[k] + (2.0 if k == 2 else 0.0), realised, sem=sem)
    return study


def expected(study: sb.Optimizer, kind: str) -> float:
    """Mean at the settings of the third."""
    (_, _, realised, *_) = settings_of(kind)
    known = {name: x for name, x in realised.items() if name in study.problem.settable or name == "distribution"}
    found = study.predict(known).mean
    assert found is not None
    return found


@pytest.mark.filterwarnings("ignore::steerbo.errors.OutOfRangeWarning")
@pytest.mark.parametrize("kind", PROBLEMS)
def test_what_is_accurate_weighs_more_and_a_correction_is_as_if_told_so(kind: str) -> None:
    vague, sure = study_with(kind, [0.05, 0.05, 3.0, 0.05, 0.05]), study_with(kind, [3.0, 3.0, 0.05, 3.0, 3.0])
    assert expected(vague, kind) < expected(sure, kind)
    corrected = study_with(kind, [0.05] * 5)
    corrected.amend("added-3", sem=3.0)
    assert math.isclose(expected(corrected, kind), expected(vague, kind), rel_tol=1e-9)
    assert expected(sb.load(vague.to_json()), kind) == expected(vague, kind)
    corrected.amend("added-3", sem=False)
    assert corrected.history.data["added-3"].outcome.sem is None


def test_a_round_keeps_its_error_and_another_one_is_a_conflict() -> None:
    study = sb.Optimizer(sb.TimeVarying([sb.Float("x", 0, 1)]), seed=0)
    suggestion = study.ask()
    study.tell(suggestion, 1.0, sem=0.2)
    study.tell(suggestion, 1.0, sem=0.2)
    with pytest.raises(sb.errors.OutcomeConflict, match=r"1\.0, with sem = 0\.2"):
        study.tell(suggestion, 1.0, sem=0.3)
    study.amend(suggestion, 1.5)
    outcome = study.history[suggestion.token].outcome
    assert outcome is not None
    assert (outcome.value, outcome.sem) == (1.5, 0.2), "what is not given stays"


def test_an_outcome_told_to_be_inaccurate_is_less_of_a_surprise() -> None:
    study = sb.Optimizer(sb.CostVarying([sb.Float("ph", 4, 8)], [["ph"]]), seed=0)
    for ph in np.linspace(4, 8, 20).tolist():
        study.add(10 - (ph - 6) ** 2 + 0.05 * math.sin(40 * ph), {"ph": ph})
    assert study.implausible_values("add", value=20.0, realised={"ph": 6.0})
    assert not study.implausible_values("add", value=20.0, realised={"ph": 6.0}, sem=10.0)


@pytest.mark.parametrize("sem", [-1.0, math.nan, math.inf, "little", True])
def test_an_error_that_cannot_be_is_refused_by_name(sem: Any) -> None:
    study = sb.Optimizer(sb.TimeVarying([sb.Float("x", 0, 1)]), seed=0)
    with pytest.raises(sb.errors.InvalidOutcome, match=r"sem: .*a finite number not below 0"):
        study.add(1.0, {"x": 0.5}, sem=sem)


@pytest.mark.parametrize(
    ("problem", "method", "why"),
    [
        (PROBLEMS["mean-field"][0], "gp-ucb", "takes all outcomes as equally accurate"),
        (sb.MeanField(("a", "b"), agents=4, feedback="representative"), None, "whose own spread is learned"),
    ],
)
def test_where_it_would_not_be_used_it_is_refused(problem: Any, method: str | None, why: str) -> None:
    study = sb.Optimizer(problem, method, seed=0)
    with pytest.raises(sb.errors.InvalidOutcome, match=f"sem: .*nothing: .*{why}"):
        study.tell(
            study.ask(), 1.0, sem=0.5, realised={"context": "everyone", "action": "a"} if method is None else None
        )


def test_a_standard_error_beyond_the_range_of_all_values_is_asked_about() -> None:
    """As of one that is typed in percent; it is kept. Nine outcomes of noise alone lie within one of its deviations in
    a study of eight hundred, five in one of twenty-two."""
    optimizer = sb.Optimizer(sb.CostVarying([sb.Float("x", 0, 1)], [["x"]]), seed=0)
    for k in range(8):
        assert optimizer.add(0.5 * k / 7, {"x": 0.1 * k}, sem=0.05) is None
    (said,) = optimizer.add(0.3, {"x": 0.95}, sem=5) or ()
    assert "sem = 5 is larger than the range of all values, 0 to 0.5" in said
    assert said.endswith("it is kept. If it is wrong, amend added-9.")
    assert not optimizer.amend("added-9", 0.3, sem=0.05)
