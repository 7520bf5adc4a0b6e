"""What watching, without intervening, tells about a scope: by itself, or after adjusting for other variables."""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float

from ..gp import Hyperparameters
from ..rounds import Outcome
from ..space import Space
from .arm import Arm
from .arm_model import ModelOptions, arm_model
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
    """
    graph = arm.graph
    actions, seen, target = graph.mask(arm.actions), graph.mask(arm.contexts), 1 << graph.index(graph.target)
    cut = Masks.by_parents([above & ~actions for above in graph.masks.parents])

    def closed(others: int) -> bool:
        return not cut.reached(target, seen | others) & actions

    if closed(0):
        return ()
    below = graph.masks.descendants(actions)
    known = graph.mask(arm.problem_space.names)
    others = known & ~below & ~seen & cut.ancestors(actions | seen | target)
    if seen & below or not closed(others):
        return None
    for node in sorted(bits(others), reverse=True):
        if closed(others & ~(1 << node)):
            others &= ~(1 << node)
    return graph.named(mask_of(bits(others)))


class Adjuster:
    """Observations as data of a scope: each outcome less what its other variables did, plus what they do on average.

    With a regression m of the outcomes on x, c and z the i-th outcome becomes

        y_i − m(x_i, c_i, z_i) + mean over j of m(x_i, c_i, z_j),

    where j are the observations whose contexts are nearest to c_i (all, if there are no contexts; at most 64). Its mean
    given x and c is the effect of setting x. That m is itself uncertain is not reckoned with.

    Args:
        arm: the scope.
        others: the adjusting variables z.
    """

    def __init__(self, arm: Arm, others: tuple[str, ...]) -> None:
        self._arm, self._others = arm, others
        self._space: Space = arm.problem_space.subset((*arm.names, *others))
        self.points = np.zeros((0, len(arm.names) + len(others)))
        self.outcomes = np.zeros(0)
        self.hyperparameters: Hyperparameters | None = None
        self.used = 0  # observations that are data of the scope's model

    def add(self, outcome: Outcome, sign: float) -> None:
        """One more observation; it is used from the next fit on."""
        self.points = np.vstack([self.points, self._space.encode([outcome.realised])])
        self.outcomes = np.append(self.outcomes, sign * outcome.value)

    def fit(self) -> Hyperparameters:
        """Hyperparameters of the regression, learned from all observations."""
        model = arm_model(self._space, ModelOptions())
        if self.hyperparameters is not None:
            model.set(self.hyperparameters)
        model.replace(self.points, self.outcomes)
        return model.fit()

    def data(self, hyperparameters: Hyperparameters) -> tuple[Float[np.ndarray, "n d"], Float[np.ndarray, " n"]]:
        """Points of the scope (n, d) and adjusted outcomes (n,)."""
        model = arm_model(self._space, ModelOptions())
        model.set(hyperparameters)
        model.replace(self.points, self.outcomes)
        d = len(self._arm.names)
        near = self._neighbours()
        rows = np.repeat(self.points[:, None], near.shape[1], axis=1)
        rows[:, :, d:] = self.points[near, d:]
        level = np.concatenate([model.predict(block.reshape(-1, block.shape[-1]))[0] for block in rows])
        usual = level.reshape(near.shape).mean(axis=1)
        return self.points[:, :d], self.outcomes - model.predict(self.points)[0] + usual

    def _neighbours(self) -> np.ndarray:
        """The observations with the nearest contexts, itself included, (n, k)."""
        n = len(self.points)
        columns = self._arm.columns(frozenset(self._arm.contexts))
        if not columns:
            spread = np.unique(np.linspace(0, n - 1, min(n, _MOST)).round().astype(int))
            return np.tile(spread, (n, 1))
        seen, unordered = self.points[:, columns], self._space.categorical[columns]
        gaps = np.abs(seen[:, None] - seen)
        gaps = np.where(unordered, gaps > 0, gaps)
        return np.argsort((gaps**2).sum(axis=2), axis=1, kind="stable")[:, : min(math.ceil(math.sqrt(n)), _MOST)]
