"""CoCa-BO: a bandit over possibly-optimal scopes, contextual Bayesian optimisation in each arm (Algorithm 2)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from jaxtyping import Int

from ..bandit import hoeffding_margins, shrinking_margins, split_initial_plays
from ..core import Choice, Explanation, History, Problem, Scope, context_of
from ..errors import InvalidOption
from ..optim import kronecker
from ..records import record
from ..wording import counted
from .arm_model import ModelOptions
from .enumeration import Mode, policy_scopes
from .method import ScopeBandit
from .problem import Causal
from .several import united
from .step_limit import PATIENCE

_INDEX_BETA = 1.0  # β of the paired rule's index
_GRID = 16  # actions at which a context's largest bound is sought


@record
class CoCaOptions(ModelOptions):
    """Options of CoCa-BO; see `ModelOptions` for the others.

    Args:
        arm_rule: ``"ucb-mean"``: the paper's mean of upper bounds at the points evaluated, plus ρ/√n.
            ``"reward-mean"``: the authors' program's mean outcome plus sqrt(2 ln(t+1)/n), in the outcome's own units.
            ``"paired"``: ours, what each arm's *present* policy gives on average over the same contexts for all arms,
            and one standard deviation of that average; and no arm is neglected for long.
        rho: ρ in standard deviations of the outcomes (``"ucb-mean"`` and ``"paired"``); None: 1 and 0.
        confidence: ``"fixed"``: β and ρ as given; ``"theory"``: those of Theorem 1, which are far too wide in practice.
        delta: probability of a miss that the theory allows.
        mode: which scopes are arms; see `policy_scopes`.
        limit: steps after which the search for scopes is given up; see `policy_scopes`.
        first_plays: of all arms together, for a start. Where arms are many, each has its share of these, and is judged
            by its outcomes alone until its model has as many as it wants.
    """

    arm_rule: Literal["paired", "ucb-mean", "reward-mean"] = "paired"
    rho: float | None = None
    confidence: Literal["fixed", "theory"] = "fixed"
    delta: float = 0.1
    mode: Mode = "pruned"
    limit: int = PATIENCE
    first_plays: int = 50

    def __post_init__(self) -> None:
        """Check the numbers."""
        super().__post_init__()
        if self.rho is not None and not 0 <= self.rho < math.inf:
            raise InvalidOption("rho", self.rho, "a finite number not below 0, or none")
        if not 0 < self.delta < 1:
            raise InvalidOption("delta", self.delta, "a probability above 0 and below 1")
        if self.first_plays < 1:
            raise InvalidOption("first_plays", self.first_plays, "a whole number from 1")


class CoCaBO(ScopeBandit[CoCaOptions]):
    """Choose the scope by a bandit's index, look, set what maximises the upper bound (Arsenyan et al. 2025)."""

    name: ClassVar[str] = "coca-bo"
    Options = CoCaOptions

    @classmethod
    def is_default_for(cls, problem: Problem) -> bool:
        """Where nothing has a price: it chooses as if all scopes cost the same."""
        return isinstance(problem, Causal) and problem.prices is None

    def scopes(self) -> tuple[Scope, ...]:
        """The possibly-optimal scopes."""
        how, graphs = self.options, self.problem.every_graph
        return united(policy_scopes(graph, how.mode, limit=how.limit) for graph in graphs)

    def describe(self) -> tuple[tuple[str, str], ...]:
        """How many scopes there are, and how many plays that forces."""
        (heading, scopes), *rest = super().describe()
        return (heading, f"{scopes}; {self.start()}"), *rest

    def explain(self, history: History) -> Explanation:
        """See `ScopeBandit.explain`; and how many plays are for a start."""
        found = super().explain(history)
        return replace(found, summary=f"{found.summary} {self.start().capitalize()}.")

    def start(self) -> str:
        """How many plays are made before models choose."""
        forced, wanted = int(self._first.sum()), int(self._wanted.sum())
        few = f", where {wanted} would be wanted (first_plays = {self.options.first_plays})" if wanted > forced else ""
        return f"for a start {counted(forced, 'play')}{few}"

    @cached_property
    def _wanted(self) -> Int[np.ndarray, " m"]:
        """Plays of each arm before its model tells what it is worth."""
        return np.array([super(CoCaBO, self).needed(i) for i in range(len(self.arms))])

    @cached_property
    def _first(self) -> Int[np.ndarray, " m"]:
        return split_initial_plays(self._wanted, self.options.first_plays)

    def needed(self, i: int) -> int:
        """Plays of arm `i` for a start."""
        return int(self._first[i])

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """Every arm a few times, then the one with the largest index."""
        some, first = self.within_reach(history), self.unready(history)
        if first is None and self.options.arm_rule == "paired":
            first = self.neglected(history, many=bool((self._first < self._wanted).any()))
        if first is not None:
            return self.play(history, first, request, {"phase": "first plays"})
        if len(some) == 1:
            return self.play(history, int(some[0]), request, {"phase": "only scope"})
        some = self.likeliest(history, some, context_of(request))
        values, margins = self.index_parts(history, context_of(request))
        index = self.weighed(values + margins)
        i = int(some[np.argmax(index[some])])
        parts = {"phase": self.options.arm_rule, "index": index.tolist(), "margin": margins.tolist()}
        note = {name: part for name, part in parts.items() if name == "phase" or np.isfinite(part).all()}
        return self.play(history, i, request, note)

    # -- the index of an arm -------------------------------------------------------------------------------------------

    def index_parts(self, history: History, seen: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
        """What every arm seems worth, and the margin for what is not known, in units of `sign · value`, (m,) each.

        Only the paired rule asks what an arm is worth where this is `seen`; the others' means are over all rounds.
        """
        value = {"ucb-mean": self.mean_bound, "reward-mean": self.mean_outcome, "paired": self.paired_bound}[
            self.options.arm_rule
        ]
        values = [
            self.young_bound(i) if n < self._wanted[i] and self._first[i] < self._wanted[i]
            else value(i, history, seen) if n else np.inf
            for i in range(len(self.arms))
            for n in [len(self.model(i))]
        ]  # fmt: skip
        return np.array(values), self.margins()

    def young_bound(self, i: int) -> float:
        """What an arm may be worth whose model has too few outcomes n: their mean, and that of all arms as one more.

        Plus s/√(n + 1), where s is the standard deviation of all outcomes.
        """
        own = self.model(i).outcomes
        every, n = self.told, len(own) + 1
        mean = (float((own / n).sum()) + float((every / len(every)).sum()) / n) if len(every) else 0.0
        return mean + self.spread() / math.sqrt(n)

    def margins(self) -> np.ndarray:
        """What is added to every arm's index for being played seldom, (m,); pending rounds count as plays."""
        if self.options.arm_rule == "reward-mean":
            return hoeffding_margins(self.plays)
        if self.options.confidence == "theory":
            betas = np.array([self.theory(i) for i in range(len(self.arms))])
            return shrinking_margins(self.plays, betas * self.spread())
        rho = float(self.options.arm_rule == "ucb-mean") if self.options.rho is None else self.options.rho
        return shrinking_margins(self.plays, rho * self.spread())

    def spread(self) -> float:
        """Standard deviation of all outcomes told, in the user's units."""
        largest = max((float(np.abs(m.outcomes).max()) for m in self.models.each if len(m)), default=0.0)
        return largest * float(np.std(self.told / largest)) if largest > 0 else 0.0

    def beta(self, i: int) -> float:
        """β of arm `i` now."""
        return self.theory(i) if self.options.confidence == "theory" else self.options.beta

    def theory(self, i: int, n: int | None = None) -> float:
        """β_i(n) = ρ_i(n) of Theorem 1 by equation (163), with φ = ψ = 1 and unit boxes."""
        arm = self.arms[i]
        d = max(len(arm.actions), len(arm.contexts), 1)
        plays = max(int(self.plays[i]) if n is None else n, 1)
        return 8.0 * d * math.log(5.14 * len(self.arms) * plays * d / self.options.delta)

    def mean_bound(self, i: int, history: History, seen: Mapping[str, Any]) -> float:
        """Ū_i(n): the mean upper bound at the points evaluated, each before its outcome was known (Algorithm 2).

        All of them under the present hyperparameters: with `K + λ1 = L Lᵀ` and `v = L⁻¹ (z − m)`, the mean at point l
        given the points before it is `z_l − L_ll v_l` and its variance `L_ll² − λ`.
        """
        k = self.models.of[i]
        model = self.models.each[k]
        mine = np.array([a == i for a in self.models.arm_of_row[k]])
        if not mine.any():
            return math.inf
        z = model.output.forward(model.outcomes)
        diagonal = model.factor.pivots
        v = model.factor.half_solve(z - model.mean)
        sd = np.sqrt(np.maximum(diagonal**2 - model.noise, 0.0))
        plays = np.arange(1, mine.sum() + 1)
        theory = self.options.confidence == "theory"
        betas = np.array([self.theory(i, n) for n in plays]) if theory else self.options.beta
        bounds = (z - diagonal * v)[mine] + np.sqrt(betas) * sd[mine]
        return float(model.unstandardise(bounds).mean())

    def mean_outcome(self, i: int, history: History, seen: Mapping[str, Any]) -> float:
        """The mean outcome of arm `i`."""
        k = self.models.of[i]
        mine = np.array([a == i for a in self.models.arm_of_row[k]])
        return float(self.models.each[k].outcomes[mine].mean()) if mine.any() else math.inf

    def paired_bound(self, i: int, history: History, seen: Mapping[str, Any]) -> float:
        """What arm `i`'s present policy gives on average over the pooled contexts, and one standard deviation more.

        The deviation is that of the average, which is known far better than any single point: an arm whose model is
        flat and noisy does not look good for having one point that might be high. Unlike the paper's mean the index
        forgets what the arm seemed worth when it was young, and a lucky draw of contexts favours no arm, because all
        see the same ones.
        """
        model, k = self.model(i), len(self.arms[i].actions)
        tried = self.keeping(i).tried(kronecker(_GRID * k, k) if k else np.zeros((1, 0)), self.pool(history, i, seen))
        means = model.means(tried.flat).reshape(tried.rows.shape[:2])
        each, best = np.arange(len(means)), tried.best(means)
        _, variance = model.average(tried.rows[each, best])
        return float(model.unstandardise(means[each, best] + np.sqrt(_INDEX_BETA * variance)).mean())

    def indices(self, history: History) -> dict[str, list[Any]]:
        """The parts of every arm's index."""
        values, margins = self.index_parts(history, self.present(history))
        label = {"ucb-mean": "mean upper bound", "reward-mean": "mean outcome", "paired": "policy's bound"}
        sign = self.problem.sign
        return {
            label[self.options.arm_rule]: [sign * float(v) if np.isfinite(v) else None for v in values],
            "margin": [float(m) if np.isfinite(m) else None for m in margins],
        }


class CoCaBOWithoutContext(CoCaBO):
    """The ablation: the same arms, played blindly."""

    name: ClassVar[str] = "coca-bo-no-context"

    def scopes(self) -> tuple[Scope, ...]:
        """The actions of the possibly-optimal scopes, without their contexts."""
        return tuple(dict.fromkeys(Scope(scope.set) for scope in super().scopes()))
