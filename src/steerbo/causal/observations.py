"""What watching, without intervening, tells about a scope: by itself, or after adjusting for other variables."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from ..core import Outcome
from ..gp import Hyperparameters
from ..space import Space
from .arm import Arm
from .arm_model import ArmModel, ModelOptions, arm_model
from .graph import CausalGraph
from .scope_graph import Scoped
from .separation import Masks, bits, mask_of

_MOST = 64  # neighbours that an outcome is averaged over


def adjustment(arm: Arm) -> tuple[str, ...] | None:
    """Variables beside the scope's own that have to be watched too; None where no variables of the problem suffice.

    With actions x, contexts c and adjusting variables z the scope's effect is

        E[Y | do(x), c] = Σ_z P(z | c) E[Y | x, c, z],

    if the target is d-separated from the actions given c and z once the edges out of the actions are cut, and no action
    affects z or, where z is needed, c (Pearl 2009, Theorem 3.4.1, rules 2 and 3; without c the back-door criterion).
    Without z it is `E[Y | x, c]`. If any variables will do, then the causes of actions, contexts and target among those
    allowed (van der Zander et al. 2014); those that are not needed are left out, the last first.

    Where several graphs may be right, that must be so in all of them, with the same z.
    """
    licences = [_Licence.of(arm, graph) for graph in arm.graphs]
    found = [licence.adjustment() for licence in licences]
    if len(found) == 1:
        return found[0]
    if None in found or not all(Scoped.of(graph, arm.scope.actions).acyclic for graph in arm.graphs):
        return None
    wanted = {name for names in found for name in names or ()}
    found.append(tuple(name for name in arm.problem_space.names if name in wanted))
    return next((names for names in found if all(licence.given(names or ()) for licence in licences)), None)


@dataclass(frozen=True)
class _Licence:
    """What one graph says of observations of a scope.

    Attributes:
        graph: the graph.
        cut: it without the edges out of actions, as masks.
        actions, seen, below: what is set, looked at, and affected by what is set.
        known: the variables of the problem.
    """

    graph: CausalGraph
    cut: Masks
    actions: int
    seen: int
    below: int
    known: int

    @classmethod
    def of(cls, arm: Arm, graph: CausalGraph) -> _Licence:
        actions = graph.mask(arm.actions)
        cut = Masks.by_parents([above & ~actions for above in graph.masks.parents])
        below, known = graph.masks.descendants(actions), graph.mask(arm.problem_space.names)
        return cls(graph, cut, actions, graph.mask(arm.measured), below, known)

    def closed(self, others: int) -> bool:
        """Whether no back door is open given the contexts and these."""
        return not self.cut.reached(1 << self.graph.index(self.graph.target), self.seen | others) & self.actions

    def given(self, names: tuple[str, ...]) -> bool:
        """Whether these variables suffice."""
        others = self.graph.mask(names)
        return self.closed(others) and not (others and (others | self.seen) & self.below)

    def adjustment(self) -> tuple[str, ...] | None:
        """The variables that suffice, if any do."""
        if self.closed(0):
            return ()
        target = 1 << self.graph.index(self.graph.target)
        others = self.known & ~self.below & ~self.seen & self.cut.ancestors(self.actions | self.seen | target)
        if self.seen & self.below or not self.closed(others):
            return None
        for node in sorted(bits(others), reverse=True):
            if self.closed(others & ~(1 << node)):
                others &= ~(1 << node)
        return self.graph.named(mask_of(bits(others)))


class Observations:
    """What was observed of a scope, as data of its model.

    Where other variables z have to be watched beside the scope's own, each outcome becomes what it was, less what its
    own z did, plus what z does on average: with a regression m of the outcomes on x, c and z the i-th becomes

        y_i − m(x_i, c_i, z_i) + mean over j of m(x_i, c_i, z_j),

    where j are the observations whose contexts are nearest to c_i (all, if there are no contexts; at most 64). Its mean
    given x and c is the effect of setting x. That m is itself uncertain is not reckoned with.

    Args:
        arm: the scope.
        others: the adjusting variables z.

    Attributes:
        needs: the variables that an observation must have values of.
        used: how many observations the model has; later ones wait for the next fit.
        hyperparameters: of the regression m; None: there is none yet.
    """

    def __init__(self, arm: Arm, others: tuple[str, ...]) -> None:
        self.others = others
        self._arm = arm
        names = (*arm.names, *others)
        self.needs = frozenset(names)
        self._space: Space | None = arm.problem_space.subset(names) if names else None
        self._categorical = np.zeros(0, dtype=bool) if self._space is None else self._space.categorical
        self._rows: list[np.ndarray] = []
        self._outcomes: list[float] = []
        self.hyperparameters: Hyperparameters | None = None
        self.used = 0

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, outcome: Outcome, sign: float) -> Float[np.ndarray, " q"]:
        """One more; it is used from the next fit on. Returns it as a row of the scope's model."""
        encoded = np.zeros(0) if self._space is None else self._space.encode([outcome.realised])[0]
        self._rows.append(encoded)
        self._outcomes.append(sign * outcome.value)
        return encoded[: len(self._arm.names)]

    def fit(self) -> Hyperparameters:
        """Hyperparameters of the regression m, learned from all observations."""
        model = self._regression(self.hyperparameters)
        model.replace(*self._first(len(self)))
        return model.fit()

    def rows(
        self, n: int, regression: Hyperparameters | None = None
    ) -> tuple[Float[np.ndarray, "n q"], Float[np.ndarray, " n"]]:
        """The first n as rows of the scope's model; outcomes are adjusted by this regression, else by its own."""
        points, outcomes = self._first(n)
        learned = self.hyperparameters if regression is None else regression
        if learned is not None:
            outcomes = self._adjusted(points, outcomes, learned)
        return points[:, : len(self._arm.names)], outcomes

    def _first(self, n: int) -> tuple[Float[np.ndarray, "n d"], Float[np.ndarray, " n"]]:
        return np.array(self._rows[:n]).reshape(n, len(self._categorical)), np.array(self._outcomes[:n])

    # -- adjusting -----------------------------------------------------------------------------------------------------

    def _regression(self, hyperparameters: Hyperparameters | None) -> ArmModel:
        model = arm_model(self._space, ModelOptions())
        if hyperparameters is not None:
            model.set(replace(hyperparameters, doubted=()))
        return model

    def _adjusted(
        self, points: Float[np.ndarray, "n d"], outcomes: Float[np.ndarray, " n"], hyperparameters: Hyperparameters
    ) -> Float[np.ndarray, " n"]:
        """Outcomes as they would be with the usual z, by a regression on these observations."""
        model = arm_model(self._space, ModelOptions())
        model.replace(points, outcomes)
        kept = tuple((i, variance) for i, variance in hyperparameters.doubted if i < len(outcomes))
        model.set(replace(hyperparameters, doubted=kept))
        d = len(self._arm.names)
        near = self._neighbours(points)
        rows = np.repeat(points[:, None], near.shape[1], axis=1)
        rows[:, :, d:] = points[near, d:]
        level = np.concatenate([model.predict(block.reshape(-1, block.shape[-1]))[0] for block in rows])
        usual = level.reshape(near.shape).mean(axis=1)
        return outcomes - model.predict(points)[0] + usual

    def _neighbours(self, points: Float[np.ndarray, "n d"]) -> np.ndarray:
        """The observations whose contexts are nearest to each one's, (n, j)."""
        n = len(points)
        columns = self._arm.columns(frozenset(self._arm.contexts))
        if not columns:
            spread = np.unique(np.linspace(0, n - 1, min(n, _MOST)).round().astype(int))
            return np.tile(spread, (n, 1))
        seen, unordered = points[:, columns], self._categorical[columns]
        gaps = np.abs(seen[:, None] - seen)
        gaps = np.where(unordered, gaps > 0, gaps)
        return np.argsort((gaps**2).sum(axis=2), axis=1, kind="stable")[:, : min(math.ceil(math.sqrt(n)), _MOST)]
