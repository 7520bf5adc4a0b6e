"""GP-UCB (Srinivas et al. 2010); with a prior that drifts, TV-GP-UCB (Bogunovic et al. 2016): one prior is believed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from pydantic import Field

from ..core import Explanation, History, OptionsT, Streams
from ..errors import InvalidOption, InvalidProblem, one_of
from ..records import record
from .confidence import Width
from .method import TimeVaryingMethod
from .problem import TimeVarying


@record
class GaussianProcessUCBOptions:
    """Options of `gp-ucb`.

    Args:
        prior: the name of the prior to believe, or its number from 0; None where there is only one.
        confidence: a number for β, or the word "theory" (Theorem 4.1).
        delta: δ, the probability with which the theory may fail.
    """

    prior: str | int | None = None
    confidence: Width = "theory"
    delta: float = Field(0.1, gt=0, lt=1)


class OnePrior(TimeVaryingMethod[OptionsT]):
    """A method that believes one prior: the problem's others are left out."""

    def __init__(self, problem: TimeVarying, options: OptionsT, streams: Streams) -> None:
        number = find_prior(problem, options.prior)  # type: ignore[attr-defined]
        believed = problem.given[number]
        super().__init__(replace(problem, priors=(believed,)), options, streams)

    def explain(self, history: History) -> Explanation:
        """The prior, and what it expected."""
        return Explanation(f"{self.names[0]} is taken as true", (self.table_of_present_choice(history),))


class GaussianProcessUCB(OnePrior[GaussianProcessUCBOptions]):
    """Believe one given prior, and maximise its upper confidence bound (GP-UCB; TV-GP-UCB where the prior drifts)."""

    name: ClassVar[str] = "gp-ucb"
    Options: ClassVar[type[Any]] = GaussianProcessUCBOptions

    def explain(self, history: History) -> Explanation:
        """The same, and on how many outcomes that rests, where it is not all of them."""
        told, kept = super().explain(history), self.surrogate.kept
        if kept is None:
            return told
        rests = f"; it rests on {kept[0]} outcomes, the others being merged or forgotten"
        return Explanation(told.summary + rests, told.tables)


def find_prior(problem: TimeVarying, wanted: str | int | None) -> int:
    """The number of a prior.

    Raises:
        InvalidOption: there is none of this name or number, or none was named and there are several.
        InvalidProblem: the problem has no priors.
    """
    if problem.automatic:
        raise InvalidProblem("priors", problem.priors, "a list of priors: this method believes one of them")
    names = [prior.name for prior in problem.given]
    if wanted is None and len(names) == 1:
        return 0
    if isinstance(wanted, int) and not isinstance(wanted, bool) and 0 <= wanted < len(names):
        return wanted
    if isinstance(wanted, str) and wanted in names:
        return names.index(wanted)
    allowed = one_of([name or str(i) for i, name in enumerate(names)], wanted)
    raise InvalidOption("prior", wanted, allowed, "This method believes one prior: name it, or give its number.")
