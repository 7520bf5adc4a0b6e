"""Management forms of a running study: limits, bounds, and external data."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..core import TIME, BaseStudy
from ..space import Categorical
from .edit import Field, fields_of, number_text
from .wording import Words


@dataclass(frozen=True)
class Bounds:
    """Variable whose bounds can be widened, with two fields."""

    name: str
    unit: str
    low: Field
    high: Field


@dataclass(frozen=True)
class Management:
    """Forms that change a study.

    Args:
        limits: fields for budget, rounds and the stopping rule.
        bounds: of the variables that are numbers.
        data: fields of an outcome that nobody suggested.
        rounds: how many there are.
        finished: why no more are suggested; "" while they are.
        scoped: whether the variables held then matter to such an outcome.
    """

    limits: tuple[Field, ...]
    bounds: tuple[Bounds, ...]
    data: tuple[Field, ...]
    rounds: int
    finished: str
    scoped: bool


def management(study: BaseStudy) -> Management:
    """Forms of a study, with the present values."""
    history, words, problem = study.history, Words.of(study), study.problem
    stop = history.stop if isinstance(history.stop, float) else None
    limits = (
        Field(
            "budget", "Budget", words.money, "empty: no limit", False, value=number_text(history.budget), decimal=True
        ),
        Field("rounds", "Rounds", "", "empty: no limit", False, value=number_text(history.limit), decimal=True),
        Field(
            "stop",
            "Stop when no more can be gained than",
            words.unit,
            "empty: go on to the end",
            False,
            value=number_text(stop),
            decimal=True,
        ),
    )
    numbers = [variable for variable in problem.space if not isinstance(variable, Categorical)]
    bounds = tuple(
        Bounds(
            v.name,
            getattr(v, "unit", ""),
            Field(f"low:{v.name}", f"{v.name} from", needed=False, value=number_text(float(v.low)), decimal=True),
            Field(f"high:{v.name}", f"{v.name} to", needed=False, value=number_text(float(v.high)), decimal=True),
        )
        for v in numbers
    )
    further = getattr(problem, "further", ())
    names = [*(n for n in problem.columns if n != TIME.name), *further]
    data = (
        Field("value", words.value_label, decimal=True),
        Field("cost", words.cost_label, needed=False, hint="may be left out", decimal=True),
        *(replace(field, needed=False) for field in fields_of(problem, names, "realised")),
    )
    scoped = problem.priced or problem.scoped
    return Management(limits, bounds, data, len(history), study.status.finished, scoped)
