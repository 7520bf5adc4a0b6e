"""External data: trials with known actions, and observations without intervention, adjusted for confounders.

A trial teaches an arm if it set the arm's actions. An observation teaches it if the graph
identifies the effect of the actions from observations, perhaps after adjustment (`adjustment_set`,
`AdjustedData`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._arrays import Bool, Float
from .._wording import MISSING, counted, first_of
from ..core import TIME, DataAdded, Fit, Outcome, Result, Scope
from ..errors import InvalidOutcome, InvalidProblem, one_of
from ..gp import GPRegression, Hyperparameters, Kernel, refit_due
from ..records import from_dict
from ..space import Space
from ..surrogate import Data, doubts_by_name, doubts_by_number, errors_of
from ._arms import Arm
from ._conditional_mean import Regression
from .graphs.dag import BitmaskDag, bits, mask_of
from .graphs.graph import CausalGraph
from .identification.scopes import ScopedGraph

_ALLOWED = "variables that were set, such as ['dose'], or ['dose (age)'] after looking at age"
_NEIGHBOURS = 64  # observations that an outcome is averaged over
_WITH_ANOTHER = 2  # an observation averaged over itself alone would not be adjusted

# -- trials ----------------------------------------------------------------------------------------


def read_trial(scope: Any, graph: CausalGraph, space: Space) -> Scope | None:
    """Parse the scope of external data; None if nothing was set: it is an observation.

    Args:
        scope: a `Scope`, its plain form, or the names of the actions; contexts of an action stand
            in parentheses behind its name.
        graph: says which variables can be set.
        space: the variables.

    Raises:
        InvalidOutcome: naming a variable that cannot be set or looked at.

    >>> graph = CausalGraph.from_text("age -> dose -> y; age -> y", target="y", intervenable=["dose"])
    >>> from steerbo import Float
    >>> print(read_trial(["dose (age)"], graph, Space([Float("dose", 0, 1), Float("age", 20, 90)])))
    dose after looking at age
    """
    if scope is None:
        return None
    read = _scope(scope, space)
    if read.keep:
        raise InvalidOutcome("scope.keep", list(read.keep), "nothing: what was kept was set, too")
    for name in read.set:
        if name not in graph.intervenable:
            settable = one_of(graph.intervenable, name)
            hint = "Where nothing was set there is no scope."
            raise InvalidOutcome("scope", name, f"a variable that can be set, {settable}", hint)
    allowed = [name for name in space.names if name not in read.set]
    for name in read.contexts:
        if name not in allowed:
            raise InvalidOutcome(
                "scope", name, f"a variable that can be looked at before, {one_of(allowed, name)}"
            )
    return Scope(read.set, read.look) if read.set else None


def _scope(scope: Any, space: Space) -> Scope:
    if isinstance(scope, Scope):
        return scope
    try:
        if isinstance(scope, Mapping):
            read: Scope = from_dict(Scope, scope, "scope", InvalidOutcome)
            return read
        if (
            isinstance(scope, Sequence)
            and not isinstance(scope, str)
            and all(isinstance(name, str) for name in scope)
        ):
            return Scope.of(_pairs([_with_contexts(name, space) for name in scope]))
    except InvalidProblem as error:
        raise InvalidOutcome("scope", error.value, error.allowed) from None
    raise InvalidOutcome("scope", scope, _ALLOWED)


def _pairs(parts: Sequence[tuple[str, list[str]]]) -> dict[str, list[str]]:
    if len(pairs := dict(parts)) < len(parts):
        raise InvalidOutcome("scope", [name for name, _ in parts], "every variable once")
    return pairs


def _with_contexts(part: str, space: Space) -> tuple[str, list[str]]:
    """Split a name from the contexts in parentheses behind it; names of variables may hold parentheses themselves."""
    name, there, seen = part.removesuffix(")").partition(" (")
    if part in space or not (there and part.endswith(")")):
        return part, []
    return name, [each.strip() for each in seen.split(",")]


def check_trial(scope: Scope, outcome: Outcome, *, timed: bool) -> None:
    """Refuse a trial with missing values.

    Raises:
        InvalidOutcome: an action or a context has no value, or the time is missing where effects
            change.
    """
    for name in (*scope.set, *scope.contexts):
        if name not in outcome.realised:
            how = "set" if name in scope.set else "looked at"
            raise InvalidOutcome(
                f"realised.{name}", MISSING, f"its value: the scope says that it was {how}"
            )
    if timed and TIME.name not in outcome.realised:
        hint = "Effects change with time: say when the trial was made."
        raise InvalidOutcome(f"realised.{TIME.name}", MISSING, "when it was, a number", hint)


def informs(scope: Scope, arm: Arm) -> bool:
    """Whether a trial identifies the effect of an arm's actions in its contexts.

    It does if exactly these actions were set, and only contexts of the arm were looked at before:
    given these, the settings depend on nothing that affects the target. (Trials with further
    contexts would need adjustment.)
    """
    return set(scope.set) == set(arm.actions) and set(scope.contexts) <= set(arm.measured)


def teaches(trial: DataAdded | Result, arm: Arm) -> bool:
    """Whether a trial is data of an arm's model: it informs the arm, and has a value for each column."""
    if trial.scope is None or trial.outcome is None:
        return False
    return informs(trial.scope, arm) and trial.outcome.realised.keys() >= set(arm.names)


def trials_explained(trials: Sequence[DataAdded], arms: Collection[Arm]) -> str:
    """Describe the scopes that trials are used for."""
    said = ""
    for scope in dict.fromkeys(trial.scope for trial in trials if trial.scope is not None):
        alike = [trial for trial in trials if trial.scope == scope]
        fed = [_used_for(arm, alike) for arm in arms if informs(scope, arm)]
        verb = "is" if len(alike) == 1 else "are"
        said += f" {counted(len(alike), 'trial')} from elsewhere that set {scope} {verb} used for: "
        said += f"{first_of(fed) or 'no scope'}."
    return said


def _used_for(arm: Arm, trials: Sequence[DataAdded]) -> str:
    number = sum(teaches(trial, arm) for trial in trials)
    fewer = f" ({number} of them, the others lack values)" if number < len(trials) else ""
    return f"set {arm.scope}{fewer}"


# -- observations ----------------------------------------------------------------------------------


def adjustment_set(arm: Arm) -> tuple[str, ...] | None:
    """Adjustment set that identifies an arm's effect from observations; None if no variables of the problem suffice.

    With actions x, contexts c and adjusting variables z the scope's effect is

        E[Y | do(x), c] = Σ_z P(z | c) E[Y | x, c, z],

    if the target is d-separated from the actions given c and z once the edges out of the actions
    are cut, and no action affects z or, unless z is empty, c (Pearl 2009, Theorem 3.4.1, rules 2
    and 3; without c the back-door criterion). Without z it is `E[Y | x, c]`. If any set does, then
    the causes of actions, contexts and target among the allowed variables do (van der Zander et al.
    2014); variables that are not needed are dropped, the last first.

    Of alternative graphs, all must allow the same z.
    """
    licences = [_Licence.of(arm, graph) for graph in arm.graphs]
    found = [licence.adjustment() for licence in licences]
    if len(found) == 1:
        return found[0]
    if None in found or not all(
        ScopedGraph.of(graph, arm.scope.actions).acyclic for graph in arm.graphs
    ):
        return None
    wanted = {name for names in found for name in names or ()}
    found.append(tuple(name for name in arm.problem_space.names if name in wanted))
    return next(
        (names for names in found if all(licence.suffices(names or ()) for licence in licences)),
        None,
    )


@dataclass(frozen=True)
class _Licence:
    """Conditions of one graph for the use of observations by an arm, sets of variables as masks.

    `cut` is the graph without the edges out of actions, `below` are the descendants of the actions.
    """

    graph: CausalGraph
    cut: BitmaskDag
    actions: int
    seen: int
    below: int
    known: int

    @classmethod
    def of(cls, arm: Arm, graph: CausalGraph) -> _Licence:
        """Derive the conditions for an arm in a graph."""
        actions = graph.mask(arm.actions)
        cut = BitmaskDag.by_parents([above & ~actions for above in graph.masks.parents])
        below, known = graph.masks.descendants(actions), graph.mask(arm.problem_space.names)
        return cls(graph, cut, actions, graph.mask(arm.measured), below, known)

    def closed(self, others: int) -> bool:
        """Whether every back door is closed given the contexts and `others`."""
        return (
            not self.cut.reached(1 << self.graph.index(self.graph.target), self.seen | others)
            & self.actions
        )

    def suffices(self, names: tuple[str, ...]) -> bool:
        """Whether variables are a valid adjustment set."""
        others = self.graph.mask(names)
        return self.closed(others) and not (others and (others | self.seen) & self.below)

    def adjustment(self) -> tuple[str, ...] | None:
        """Find an adjustment set; None if there is none."""
        if self.closed(0):
            return ()
        target = 1 << self.graph.index(self.graph.target)
        others = (
            self.known
            & ~self.below
            & ~self.seen
            & self.cut.ancestors(self.actions | self.seen | target)
        )
        if self.seen & self.below or not self.closed(others):
            return None
        for node in sorted(bits(others), reverse=True):
            if self.closed(others & ~(1 << node)):
                others &= ~(1 << node)
        return self.graph.named(mask_of(bits(others)))


class AdjustedData:
    """Observations of an arm as data of its model, adjusted for confounders.

    With adjusting variables z each outcome loses the effect of its own z and gains the average
    effect of z: with a regression m of the outcomes on x, c and z the i-th becomes

        y_i − m(x_i, c_i, z_i) + mean over j of m(x_i, c_i, z_j),

    where j are the observations nearest to the i-th in c, the arm's contexts and covariates (all,
    if there are none; at most 64), moved to c_i along the regression of z on c. Its mean given x
    and c is the effect of setting x. The uncertainty of m, and of that regression, is not
    propagated: bounds are wider instead, see `method.ADJUSTED`.

    Args:
        arm: the scope.
        others: the adjusting variables z.
        empty_model: makes the regression m without data, over a space.
        sign: −1 if smaller values are better.

    Attributes:
        needs: variables that an observation must have values of.
    """

    def __init__(
        self,
        arm: Arm,
        others: tuple[str, ...],
        empty_model: Callable[[Space | None], GPRegression[Kernel]],
        sign: float = 1.0,
    ) -> None:
        self.others = others
        self._arm, self._empty_model, self._sign = arm, empty_model, sign
        names = (*arm.names, *others)
        self.needs = frozenset(names)
        self._space: Space | None = arm.problem_space.subset(names) if names else None
        self._categorical = (
            np.zeros(0, dtype=bool) if self._space is None else self._space.categorical
        )
        self._known: tuple[Fit | None, Sequence[Result], dict[str, Result]] = None, (), {}

    def observes(self, result: Result) -> bool:
        """Whether a result is an observation with a value of each variable."""
        if result.played is not None or result.scope is not None or result.outcome is None:
            return False
        return self.needs <= result.outcome.realised.keys()

    def observed(self, results: Sequence[Result]) -> list[Result]:
        """Observations among results."""
        return list(filter(self.observes, results))

    def fit(self, results: Sequence[Result], before: Fit | None) -> dict[str, Any]:
        """Fit the hyperparameters of the regression m to all observations; from those of a fit before, if any."""
        observations, model = self.observed(results), self._empty_model(self._space)
        if before is not None:
            model.set(Hyperparameters.from_dict({**before.hyperparameters, "doubted": {}}))
        model.replace(*self._rows(observations))
        return doubts_by_name(model.fit().to_dict(), observations)

    def due(self, results: Sequence[Result], learned: Fit | None) -> bool:
        """Whether the regression m is to be fitted anew: there are more observations, or others."""
        if not self.others or not (now := self.observed(results)):
            return False
        then = () if learned is None else self.observed(learned.results)
        return refit_due(len(then), len(now)) or len(self._same(then, now)) < len(then)

    @staticmethod
    def _same(then: Sequence[Result], now: Sequence[Result]) -> list[Result]:
        """Observations that are as they were."""
        before = {each.name: each.outcome for each in then}
        return [each for each in now if before.get(each.name) == each.outcome]

    def of(self, results: tuple[Result, ...], learned: Fit | None) -> tuple[Result, ...]:
        """Results with adjusted observations; those that came after the fit of m wait for the next one."""
        if not self.others:
            return results
        then = () if learned is None else self.observed(learned.results)
        names = {each.name for each in then}
        used = [each for each in self.observed(results) if each.name in names]
        if self._known[:2] != (learned, used):
            adjusted = {} if learned is None else self._adjusted(used, then, learned)
            self._known = learned, used, adjusted
        found = self._known[2]
        return tuple(
            found.get(each.name, each)
            for each in results
            if each.name in found or not self.observes(each)
        )

    def _rows(self, observations: Sequence[Result]) -> Data:
        outcomes = [each.outcome for each in observations if each.outcome is not None]
        rows = [
            np.zeros(0) if self._space is None else self._space.encode([one.realised])[0]
            for one in outcomes
        ]
        points = np.array(rows).reshape(len(rows), len(self._categorical))
        return (
            points,
            self._sign * np.array([one.value for one in outcomes]),
            errors_of(observations),
        )

    def _adjusted(
        self, used: Sequence[Result], then: Sequence[Result], learned: Fit
    ) -> dict[str, Result]:
        """Outcomes less the effect of their own z, plus the average effect of z."""
        same = {each.name for each in self._same(then, used)}
        doubted = learned.hyperparameters.get("doubted", {})
        kept = {name: variance for name, variance in doubted.items() if name in same}
        plain = doubts_by_number({**learned.hyperparameters, "doubted": kept}, used)
        model, (points, outcomes, errors) = self._empty_model(self._space), self._rows(used)
        model.replace(points, outcomes, errors)
        model.set(Hyperparameters.from_dict(plain))
        usual = [model.predict(rows)[0].mean() for rows in self._usual(points)]
        values = self._sign * (outcomes - model.predict(points)[0] + np.array(usual))
        return {
            each.name: replace(each, outcome=replace(each.outcome, value=float(value)))
            for each, value in zip(used, values, strict=True)
            if each.outcome is not None
        }

    def _usual(self, points: Float[np.ndarray, "n d"]) -> Iterator[Float[np.ndarray, "j d"]]:
        """By observation, the rows that its average is over.

        Numbers among z are moved along their regression on c: neighbours give their residuals.
        """
        d = len(self._arm.names)
        columns = self._arm.columns(frozenset(self._arm.measured))
        seen, kinds = points[:, columns], self._categorical[columns]
        moved = np.zeros(0, dtype=int) if kinds.all() else np.flatnonzero(~self._categorical[d:])
        lines = [Regression.of_some(seen, kinds, points[:, d + j]) for j in moved]
        for i, near in enumerate(self._neighbours(points)):
            rows = np.repeat(points[i : i + 1], len(near), axis=0)
            rows[:, d:] = points[near, d:]
            for j, (means, residuals) in zip(moved, lines, strict=True):
                rows[:, d + j] = means[i] + residuals[near] - residuals[near].mean()
            yield rows

    def _neighbours(self, points: Float[np.ndarray, "n d"]) -> list[np.ndarray]:
        """Indices of the observations nearest to each in the arm's contexts and covariates, see `nearest`."""
        columns = self._arm.columns(frozenset(self._arm.measured))
        seen, unordered = points[:, columns], self._categorical[columns]
        return [nearest(seen - at, unordered) for at in seen]


def nearest(gaps: Float[np.ndarray, "n k"], unordered: Bool[np.ndarray, " k"]) -> np.ndarray:
    """Indices of the rows nearest to one, given their gaps to it; `unordered` columns hold categories.

    All rows of the same categories if these are the only columns, else the √n nearest of them. Rows
    as near as the farthest count, too, up to 64 in all, spread evenly. A row alone in its
    categories takes those that differ in the fewest.
    """
    unlike = (gaps[:, unordered] != 0).sum(axis=1)
    alike = np.flatnonzero(unlike <= np.sort(unlike)[:_WITH_ANOTHER][-1])
    away = (gaps[alike][:, ~unordered] ** 2).sum(axis=1)
    order = np.argsort(away, kind="stable")
    ranked, last = away[order], min(math.ceil(math.sqrt(len(gaps))), _NEIGHBOURS, len(alike)) - 1
    nearer = np.searchsorted(ranked, ranked[last], "left")
    within = np.searchsorted(ranked, ranked[last], "right")
    ties = order[nearer:within]
    spread = np.linspace(0, len(ties) - 1, min(len(ties), _NEIGHBOURS - nearer)).round().astype(int)
    return np.asarray(alike[np.concatenate([order[:nearer], ties[spread]])])
