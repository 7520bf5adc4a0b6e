"""A generator of the gest-api standard, as Xopt, libEnsemble and others run it; needs `pip install 'steerbo[gest]'`.

The standard's points have a value for every variable. Where a control set leaves a variable to nature its value is
NaN, and the result that is ingested says what it really was. A contextual variable is one that is seen before choosing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..core import Optimizer
from ..costvarying import CostVarying
from ..errors import InvalidOutcome, InvalidProblem, MissingExtra
from ..space import Categorical, Float

try:
    from gest_api import vocs as standard
    from gest_api.generator import Generator
except ImportError:
    raise MissingExtra("gest_api", "gest") from None

_ID = "_id"


class SteerboGenerator(Generator):  # type: ignore[misc]
    """Suggests points by a method for cost-varying problems; by default everything is set.

    Args:
        vocs: variables (continuous, discrete, contextual with bounds) and one objective.
        control_sets: the sets of variables that can be set together; None: one, of all that are not contextual.
        laws: how nature draws what a set leaves to it, by variable.
        costs: what a play of each set costs.
        cost: the name of an observable that says what a play cost.
        tolerance: what is good enough; see `CostVarying`.
        method: its name; None: the default.
        budget: money that may be spent.
        seed: a whole number from 0 to 2**128 - 1; all that is drawn follows from it.
        options: the method's.

    Attributes:
        optimizer: what suggests; its `recommend`, `explain` and `to_json` say what was learned.
        context: the present values of contextual variables; those of the latest result, where nobody says.

    Raises:
        InvalidProblem: (a ValueError) something in `vocs` that this cannot express.

    >>> from gest_api.vocs import VOCS
    >>> generator = SteerboGenerator(VOCS(variables={"x": [0, 1]}, objectives={"f": "MAXIMIZE"}))
    >>> generator.ingest([{**point, "f": 1.0} for point in generator.suggest(2)])
    """

    returns_id = True

    def __init__(
        self,
        vocs: Any,
        *,
        control_sets: Sequence[Sequence[str]] | None = None,
        laws: Mapping[str, Any] | None = None,
        costs: Sequence[float] | None = None,
        cost: str | None = None,
        tolerance: Any = None,
        method: str | None = None,
        budget: float | None = None,
        seed: int = 0,
        **options: Any,
    ) -> None:
        super().__init__(vocs)
        self.vocs, self.cost = vocs, cost
        if cost is not None and cost not in vocs.observables:
            raise InvalidProblem("cost", cost, f"the name of an observable, of {list(vocs.observables)}")
        (self.objective,) = vocs.objectives
        minimize = isinstance(vocs.objectives[self.objective], standard.MinimizeObjective)
        variables = [_variable(name, field, (laws or {}).get(name)) for name, field in vocs.variables.items()]
        everything = [v.name for v in variables if not v.seen]
        sets = [everything] if control_sets is None else control_sets
        problem = CostVarying(variables, sets, costs=costs, tolerance=tolerance, minimize=minimize)
        self.optimizer = Optimizer(problem, method, budget=budget, seed=seed, **options)
        self.context: dict[str, Any] = {}

    def _validate_vocs(self, vocs: Any) -> None:
        """Refuse what cannot be expressed."""
        if not vocs.variables:
            raise InvalidProblem("variables", dict(vocs.variables), "at least one variable")
        kinds = [type(field).__name__ for field in vocs.objectives.values()]
        if len(kinds) != 1 or kinds[0] not in ("MinimizeObjective", "MaximizeObjective"):
            raise InvalidProblem("objectives", kinds, "one objective, to minimize or to maximize")
        if vocs.constraints:
            raise InvalidProblem("constraints", list(vocs.constraints), "none: outcomes cannot be limited here")

    def suggest(self, num_points: int | None = None) -> list[dict[str, Any]]:
        """Points to evaluate, each with its `_id`; one where nobody says how many. NaN is left to nature.

        Raises:
            InvalidContext: (a ValueError) `context` lacks a contextual variable.
            ValueError: there are no more.
        """
        seen = self.optimizer.problem.space.seen
        request = {"context": {name: self.context[name] for name in seen if name in self.context}} if seen else {}
        wanted = 1 if num_points is None else num_points
        found = self.optimizer.ask(wanted, **request)
        if len(found) < wanted and num_points is not None:
            for suggestion in found:
                self.optimizer.abandon(suggestion, "fewer points than were asked for")
            raise ValueError(f"no {wanted} points are left: {self.optimizer.status.finished}")
        blank = dict.fromkeys(self.vocs.variables, math.nan)
        constants = {name: field.value for name, field in self.vocs.constants.items()}
        return [{**blank, **constants, **s.context, **s.values, _ID: s.round} for s in found]

    def ingest(self, results: list[dict[str, Any]]) -> None:
        """What came of points; an objective that is NaN or missing is a failed evaluation. Others' have no `_id`.

        Raises:
            InvalidOutcome: (a ValueError) an unknown `_id`, or a value that is none; points before it are taken.
        """
        for result in results:
            measured = {name: result[name] for name in self.vocs.variables if _known(result.get(name))}
            value, cost = result.get(self.objective), result.get(self.cost) if self.cost else None
            token = self._token(result.get(_ID))
            self.context |= {name: measured[name] for name in self.optimizer.problem.space.seen if name in measured}
            if token is None and _known(value):
                self.optimizer.add(value, measured, cost=cost)
            elif token is not None and _known(value):
                self.optimizer.tell(token, value, cost=cost, realised=measured)
            elif token is not None:
                charge = self.optimizer.history.estimate(token) if cost is None else None
                self.optimizer.fail(token, f"no {self.objective}", cost=cost, charge=charge, realised=measured)

    def _token(self, number: Any) -> str | None:
        """The suggestion of an id, which is the number of its round: libEnsemble keeps whole numbers only."""
        if not _known(number):
            return None
        for played in self.optimizer.history:
            if played.number == number:
                return played.suggestion.token
        raise InvalidOutcome(_ID, number, "an id that came from this generator, or none")


def _known(value: Any) -> bool:
    return value is not None and not (isinstance(value, float) and math.isnan(value))


def _variable(name: str, field: Any, law: Any) -> Float | Categorical:
    seen = isinstance(field, standard.ContextualVariable)
    if isinstance(field, standard.DiscreteVariable):
        return Categorical(name, sorted(field.values, key=lambda x: (str(type(x)), x)), law=law)
    if isinstance(field, standard.ContinuousVariable) and all(map(math.isfinite, field.domain)):
        low, high = field.domain
        return Float(name, low, high, law=law, seen=seen)
    allowed = "a variable with finite bounds, such as ContextualVariable(domain=[0, 30])"
    raise InvalidProblem(f"variables.{name}", getattr(field, "domain", field), allowed)
