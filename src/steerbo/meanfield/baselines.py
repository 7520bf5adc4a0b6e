"""Baselines for mean-field problems: random distributions, and GP-UCB and TuRBO on every agent.

Every agent is a categorical variable of its own there. Further methods of that kind derive from
`PerAgentMethod` and may use `OverlapGP`.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import Field

from .._arrays import Float, Int
from ..core import Choice, History, OptionsT, Streams, Suggestion
from ..errors import InvalidProblem, InvalidStudy, ModelFailure
from ..gp import Level, Standardisation, inverted
from ..records import record
from .method import MeanFieldMethod
from .problem import MeanField

Vector = Int[np.ndarray, " M"]
"""Actions of all M agents; the first M_1 agents have the first context, and so on."""
_AGENTS_STORED = 10**6  # agents that can be stored one by one
_TRIES = 20  # random choices, to find one that is new
_LARGEST_GP = 1000  # agents that GP-UCB takes
_CANDIDATES, _STEPS = 100, 10  # of the local search of GP-UCB


class Random(MeanFieldMethod[Any]):
    """Random baseline: every agent picks one of its actions uniformly."""

    name: ClassVar[str] = "random"

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Draw every agent's action uniformly, if possible not as before."""
        region = self.region(request)
        draw = self.streams(self.history.next_round, "choose")
        even = region.project(region.allowed[None].astype(float))[0]
        taken = self.played(request)
        for _ in range(_TRIES):
            counts = region.sampled(even, draw)
            if self.key(counts) not in taken:
                break
        return self.choice(counts)


class PerAgentMethod(MeanFieldMethod[OptionsT]):
    """Method over M categorical variables, the actions of all agents.

    The state is computed from the rounds in their order; the vector behind a suggestion is in its
    note.

    Raises:
        InvalidProblem: constraints, moves or seen variables, which these methods ignore, or too
            many agents.
    """

    most_agents: ClassVar[int] = _AGENTS_STORED

    def __init__(
        self, problem: MeanField, options: OptionsT, streams: Streams, history: History
    ) -> None:
        super().__init__(problem, options, streams, history)
        if problem.agents > self.most_agents:
            allowed = f"at most {self.most_agents} agents for {self.name!r}, whose every agent is a variable"
            raise InvalidProblem(
                "agents",
                problem.agents,
                allowed,
                "Use 'mf-gp-ucb', whose cost does not depend on them.",
            )
        for field in ("capacity", "limits", "largest_move", "moving_cost", "variables"):
            if getattr(problem, field):
                hint = "Use 'mf-gp-ucb' or 'random'."
                said = {
                    "variables": problem.space.names,
                    "limits": [str(limit) for limit in problem.limits or ()],
                }
                given = said.get(field, getattr(problem, field))
                raise InvalidProblem(field, given, f"nothing of the kind for {self.name!r}", hint)
        self.context_of = np.repeat(np.arange(len(problem.contexts)), problem.agents_in)
        self.open = [np.flatnonzero(row) for row in problem.region.allowed]

    def vector(self, suggestion: Suggestion) -> Vector:
        """Return the vector behind a suggestion, by its note; of a play that a person attached, by its table."""
        if "agents" not in suggestion.note:
            return self._ordered(self.problem.table(suggestion.values["distribution"]))
        allowed = "the packed actions of all agents"
        try:
            packed = zlib.decompress(base64.b64decode(suggestion.note["agents"]))
            vector = np.frombuffer(packed, dtype="<u2").astype(np.intp)
        except (TypeError, ValueError, zlib.error):
            raise InvalidStudy("note.agents", suggestion.note["agents"], allowed) from None
        actions = self.problem.simplex.shape[1]
        if len(vector) != len(self.context_of) or not (vector < actions).all():
            raise InvalidStudy("note.agents", suggestion.note["agents"], allowed)
        return vector

    def read_logged(self, asked: Suggestion) -> None:
        """See `Method.read_logged`; with the actions of all agents."""
        super().read_logged(asked)
        self.vector(asked)

    def told(self) -> tuple[Int[np.ndarray, "n M"], Float[np.ndarray, " n"], list[int]]:
        """Return all vectors, their values (larger is better) and round numbers; external data have round 0."""
        vectors, values, numbers = [], [], []
        for _, outcome, played in self.history.outcomes():
            seen = outcome.realised["distribution"]
            vectors.append(
                self.vector(played.suggestion)
                if played
                else self._ordered(self.problem.table(seen))
            )
            values.append(self.problem.average(outcome))
            numbers.append(0 if played is None else played.number)
        known = self.problem.sign * np.array(values)
        return np.array(vectors).reshape(-1, self.problem.agents), known, numbers

    def _ordered(self, table: Float[np.ndarray, "C A"]) -> Vector:
        """Return one of the vectors that play this table: agents in the order of their actions."""
        counts = self.problem.region.whole(table)
        return np.concatenate([np.repeat(np.arange(len(row)), row) for row in counts])

    def any(
        self, random: np.random.Generator, agents: Int[np.ndarray, " k"] | None = None
    ) -> Vector:
        """Draw actions uniformly, of all agents or of `agents`."""
        contexts = self.context_of if agents is None else self.context_of[agents]
        drawn = np.empty(len(contexts), dtype=np.intp)
        for c, actions in enumerate(self.open):
            mine = contexts == c
            drawn[mine] = random.choice(actions, int(mine.sum()))
        return drawn

    def changed(self, vector: Vector, how_many: int, random: np.random.Generator) -> Vector:
        """Return the vector with the actions of `how_many` random agents drawn again."""
        agents = random.choice(len(vector), min(how_many, len(vector)), replace=False)
        changed = vector.copy()
        changed[agents] = self.any(random, agents)
        return changed

    def counts(self, vector: Vector) -> Int[np.ndarray, "C A"]:
        """Count the agents of each context in each action."""
        C, A = self.problem.simplex.shape
        return np.bincount(self.context_of * A + vector, minlength=C * A).reshape(C, A)

    def play(self, vector: Vector, random: np.random.Generator, **note: Any) -> Choice:
        """Suggest a vector; while its table was suggested before, two agents are changed."""
        taken = self.played({})
        for _ in range(_TRIES):
            if self.key(self.counts(vector)) not in taken:
                break
            vector = self.changed(vector, 2, random)
        packed = base64.b64encode(zlib.compress(vector.astype("<u2").tobytes())).decode()
        return self.choice(self.counts(vector), agents=packed, **note)


@dataclass(frozen=True, eq=False)
class OverlapGP:
    """Gaussian process over vectors of categories with `k(x, x') = exp(−h/ℓ)`, h the share of agents that differ.

    Args:
        vectors: (n, M) vectors played.
        length: ℓ.
        mean, scale, weights, inverse: in standardised units, see `PayoffPosterior`.
    """

    vectors: Int[np.ndarray, "n M"]
    length: float
    mean: float
    scale: float
    weights: Float[np.ndarray, " n"]
    inverse: Float[np.ndarray, "n n"]
    lengths: ClassVar[tuple[float, ...]] = tuple(np.geomspace(0.05, 5.0, 10))
    noises: ClassVar[tuple[float, ...]] = (1e-6, 1e-3, 1e-1)

    @staticmethod
    def kernel(apart: Float[np.ndarray, "r n"], length: float) -> Float[np.ndarray, "r n"]:
        """Return covariances from the shares of agents that differ."""
        return np.asarray(np.exp(-apart / length))

    @classmethod
    def fitted(cls, vectors: Int[np.ndarray, "n M"], values: Float[np.ndarray, " n"]) -> Self:
        """Fit by maximum likelihood on a grid of lengthscales and noise variances.

        Raises:
            ModelFailure: no covariance matrix of the grid can be factorised.
        """
        y = Standardisation.fitted(values).forward(values)
        apart = differing(vectors, vectors)
        best, found = -np.inf, None
        for length in cls.lengths:
            for noise in cls.noises:
                gram = cls.kernel(apart, length) + noise * np.eye(len(y))
                try:
                    inverse, half_log_determinant, _ = inverted(gram)
                except ModelFailure:
                    continue
                level = Level.profiled(inverse, y)
                density = -0.5 * len(y) * np.log(level.scale) - half_log_determinant
                if density > best:
                    fields = level.mean, level.scale, level.alpha, inverse
                    best, found = density, cls(vectors, float(length), *fields)
        if found is None:
            raise ModelFailure("no Gaussian process could be fitted to the agents' actions")
        return found

    def bound(self, trials: Int[np.ndarray, "r M"], beta: float) -> Float[np.ndarray, " r"]:
        """Return `μ + βσ` of trials (r, M)."""
        k = self.kernel(differing(trials, self.vectors), self.length)
        variance = np.maximum(1 - np.einsum("rn,rn->r", k @ self.inverse, k), 1e-12)
        return np.asarray(self.mean + k @ self.weights + beta * np.sqrt(self.scale * variance))


def differing(a: Int[np.ndarray, "r M"], b: Int[np.ndarray, "n M"]) -> Float[np.ndarray, "r n"]:
    """Return the share of agents whose actions differ, for all pairs of rows.

    >>> differing(np.array([[0, 1]]), np.array([[0, 1], [0, 0]]))
    array([[0. , 0.5]])
    """
    return np.array([(b != row).mean(axis=1) for row in a])


@record
class GPUCBOptions:
    """Options of `gp-ucb`.

    Args:
        beta: width of the bound `μ + βσ`.
        starting_points: random vectors at first.
    """

    beta: float = Field(1.0, ge=0, allow_inf_nan=False)
    starting_points: int = Field(5, ge=2)


class GPUCB(PerAgentMethod[GPUCBOptions]):
    """Optimism over the actions of all agents together (GP-UCB, Srinivas et al. 2010)."""

    name: ClassVar[str] = "gp-ucb"
    Options: ClassVar[type[Any]] = GPUCBOptions
    most_agents = _LARGEST_GP

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Choose the vector with the largest bound found by local search from the best one played."""
        random = self.streams(self.history.next_round, "choose")
        vectors, values, _ = self.told()
        if len(values) < self.options.starting_points:
            return self.play(self.any(random), random, phase="start")
        return self.play(self.best(vectors, values, random), random, phase="model")

    def best(
        self,
        vectors: Int[np.ndarray, "n M"],
        values: Float[np.ndarray, " n"],
        random: np.random.Generator,
    ) -> Vector:
        """Maximise the bound by local search from the best vector played and from random ones."""
        process = OverlapGP.fitted(vectors, values)
        trials = np.array(
            [vectors[int(values.argmax())], *(self.any(random) for _ in range(_CANDIDATES))]
        )
        for step in range(_STEPS):
            best = trials[int(process.bound(trials, self.options.beta).argmax())]
            several = max(len(best) // 2 ** (step + 2), 1)
            trials = np.array(
                [best, *(self.changed(best, several, random) for _ in range(_CANDIDATES))]
            )
        found: Vector = trials[int(process.bound(trials, self.options.beta).argmax())]
        return found


@record
class TurboOptions:
    """Options of `turbo`; lengths are shares of the agents that may differ from the best vector.

    Args:
        starting_points: random vectors at the beginning of every trust region.
        length: initial length of a trust region.
        successes: improvements in a row that double it.
        failures: rounds in a row without an improvement that halve it.
        beta: width of the bound that the local search maximises.
        candidates: vectors compared in a step of the local search.
    """

    starting_points: int = Field(10, ge=2)
    length: float = Field(0.4, gt=0, le=1)
    successes: int = Field(3, ge=1)
    failures: int = Field(10, ge=1)
    beta: float = Field(1.0, ge=0, allow_inf_nan=False)
    candidates: int = Field(50, ge=1)


class Turbo(PerAgentMethod[TurboOptions]):
    """A trust region in Hamming distance over all agents' actions (TuRBO, Eriksson et al. 2019; Wan et al. 2021)."""

    name: ClassVar[str] = "turbo"
    Options: ClassVar[type[Any]] = TurboOptions

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Choose the vector with the largest bound that local search finds in the trust region."""
        random = self.streams(self.history.next_round, "choose")
        vectors, values, _ = self.told()
        start, length = self._region(values)
        mine, seen = vectors[start:], values[start:]
        if len(seen) < self.options.starting_points:
            return self.play(self.any(random), random, phase="start")
        process = OverlapGP.fitted(mine, seen)
        found = self._local(process, mine[int(seen.argmax())], length, random)
        return self.play(found, random, phase="trust region", length=length)

    def _region(self, values: np.ndarray) -> tuple[int, float]:
        """Return the first round of the present trust region and its length, from the values in order."""
        options, smallest = self.options, 1.0 / self.problem.agents
        start, length, good, bad, best = 0, options.length, 0, 0, -np.inf
        for i, value in enumerate(values):
            if i - start < options.starting_points:
                best = max(best, value)
                continue
            better = value > best + 1e-3 * abs(best)
            good, bad, best = (good + 1, 0, value) if better else (0, bad + 1, max(best, value))
            if good == options.successes:
                length, good = min(2 * length, 1.0), 0
            elif bad == options.failures:
                length, bad = length / 2, 0
            if length < smallest:
                start, length, good, bad, best = i + 1, options.length, 0, 0, -np.inf
        return start, length

    def _local(
        self, process: OverlapGP, centre: Vector, length: float, random: np.random.Generator
    ) -> Vector:
        """Maximise the bound from random points of the region by changing some agents at a time."""
        M = len(centre)
        reach = max(int(length * M), 1)
        trials = np.array(
            [
                self.changed(centre, int(random.integers(1, reach + 1)), random)
                for _ in range(self.options.candidates)
            ]
        )
        for _ in range(3):
            values = process.bound(trials, self.options.beta)
            best = trials[int(values.argmax())]
            trials = np.array(
                [
                    best,
                    *(
                        self.changed(best, max(M // 50, 1), random)
                        for _ in range(self.options.candidates)
                    ),
                ]
            )
            trials = trials[(trials != centre).sum(axis=1) <= reach]
        found: Vector = trials[int(process.bound(trials, self.options.beta).argmax())]
        return found
