"""Generator of the gest-api standard, which Xopt, libEnsemble and others run; needs `pip install 'steerbo[gest]'`.

Points of the standard have a value for every variable. A variable that a control set leaves
uncontrolled has value NaN, and the ingested result holds its realised value. A contextual variable
is one that is seen before choosing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..core import Optimizer
from ..core.request import Request
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
    """Generator that suggests points by a method for cost-varying problems; by default all variables are controlled.

    Args:
        vocs: variables (continuous, discrete, contextual with bounds) and one objective.
        control_sets: sets of variables that can be set together; None: one set of all that are not
            contextual.
        laws: distributions of uncontrolled variables, by variable.
        costs: cost of a play of each control set.
        cost: name of the observable that holds the cost of a play.
        tolerance: tolerance of `CostVarying`.
        method: name of the method; None: the default.
        budget: money that may be spent.
        seed: whole number from 0 to 2**128 - 1, from which all random numbers follow.
        options: options of the method.

    Attributes:
        optimizer: the optimizer; call its `recommend`, `explain` and `to_json` for results.
        context: present values of the contextual variables; default: those of the latest result.

    Raises:
        InvalidProblem: (a ValueError) `vocs` has constraints, several objectives, or other things
            not supported.

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
            raise InvalidProblem(
                "cost", cost, f"the name of an observable, of {list(vocs.observables)}"
            )
        (self.objective,) = vocs.objectives
        minimize = isinstance(vocs.objectives[self.objective], standard.MinimizeObjective)
        variables = [
            _variable(name, field, (laws or {}).get(name)) for name, field in vocs.variables.items()
        ]
        everything = [v.name for v in variables if not v.seen]
        sets = [everything] if control_sets is None else control_sets
        problem = CostVarying(variables, sets, costs=costs, tolerance=tolerance, minimize=minimize)
        self.optimizer = Optimizer(problem, method, budget=budget, seed=seed, **options)
        self.context: dict[str, Any] = {}

    def _validate_vocs(self, vocs: Any) -> None:
        """Refuse constraints, several objectives, and spaces without variables."""
        if not vocs.variables:
            raise InvalidProblem("variables", dict(vocs.variables), "at least one variable")
        kinds = [type(field).__name__ for field in vocs.objectives.values()]
        if len(kinds) != 1 or kinds[0] not in ("MinimizeObjective", "MaximizeObjective"):
            raise InvalidProblem("objectives", kinds, "one objective, to minimize or to maximize")
        if vocs.constraints:
            raise InvalidProblem(
                "constraints", list(vocs.constraints), "none: outcomes cannot be limited here"
            )

    def suggest(self, num_points: int | None = None) -> list[dict[str, Any]]:
        """Return points to evaluate, each with its `_id`, by default one; uncontrolled variables are NaN.

        Raises:
            InvalidContext: (a ValueError) `context` lacks a contextual variable.
            ValueError: the study is finished before `num_points`.
        """
        seen = self.optimizer.problem.space.seen
        context = {name: self.context[name] for name in seen if name in self.context}
        request: Request = {"context": context} if seen else {}
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
        """Take in results; a missing or NaN objective is a failed evaluation, a result without `_id` external data.

        Raises:
            InvalidOutcome: (a ValueError) an unknown `_id`, or an invalid value; earlier results
                are kept.
        """
        for result in results:
            measured = {
                name: result[name] for name in self.vocs.variables if _known(result.get(name))
            }
            value, cost = result.get(self.objective), result.get(self.cost) if self.cost else None
            token = self._token(result.get(_ID))
            self.context |= {
                name: measured[name]
                for name in self.optimizer.problem.space.seen
                if name in measured
            }
            if token is None and _known(value):
                self.optimizer.add(value, measured, cost=cost)
            elif token is not None and _known(value):
                self.optimizer.tell(token, value, cost=cost, realised=measured)
            elif token is not None:
                charge = self.optimizer.history.estimate(token) if cost is None else None
                self.optimizer.fail(
                    token, f"no {self.objective}", cost=cost, charge=charge, realised=measured
                )

    def _token(self, number: Any) -> str | None:
        """Return the token of the round with this number, which is the id: libEnsemble keeps whole numbers only."""
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
