"""The naive view that the baselines share: every agent is a categorical variable of its own."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from ..errors import InvalidProblem
from ..rounds import Asked, Choice, Event, History, OptionsT, Streams
from .method import Population
from .problem import MeanField

Vector = Int[np.ndarray, " M"]
_LARGEST = 10**6  # agents that are still held one by one
_TRIES = 20


class Individuals(Population[OptionsT]):
    """A method over M categorical variables, the agents' actions: agents 1 … M_1 have the first context, and so on.

    Everything is computed from the rounds told, in their order; the vector behind a suggestion is in its note.

    Raises:
        InvalidProblem: limits on where agents may be or on moves, which single agents know nothing of, or more agents
            than can be held.
    """

    most_agents = _LARGEST

    def __init__(self, problem: MeanField, options: OptionsT, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        if problem.agents > self.most_agents:
            allowed = f"at most {self.most_agents} agents for {self.name!r}, whose every agent is a variable"
            raise InvalidProblem(
                "agents", problem.agents, allowed, "Use 'mf-gp-ucb', whose cost does not depend on them."
            )
        for field in ("capacity", "limits", "largest_move", "moving_cost", "variables"):
            if getattr(problem, field):
                hint = "Use 'mf-gp-ucb' or 'random'."
                said = {"variables": problem.space.names, "limits": [str(limit) for limit in problem.limits or ()]}
                given = said.get(field, getattr(problem, field))
                raise InvalidProblem(field, given, f"nothing of the kind for {self.name!r}", hint)
        self.context_of = np.repeat(np.arange(len(problem.contexts)), problem.agents_in)
        self.open = [np.flatnonzero(row) for row in problem.region.allowed]
        self.vectors: dict[str, Vector] = {}  # by token

    def learn(self, event: Event, history: History) -> None:
        """Vectors are read back from the log."""
        super().learn(event, history)
        if isinstance(event, Asked):
            packed = zlib.decompress(base64.b64decode(event.note["agents"]))
            self.vectors[event.token] = np.frombuffer(packed, dtype="<u2").astype(np.intp)

    def told(self, history: History) -> tuple[Int[np.ndarray, "n M"], Float[np.ndarray, " n"], list[int]]:
        """The vectors told, their values (larger is better) and the rounds' numbers; added data count as round 0."""
        vectors, values, numbers = [], [], []
        for name, outcome, played in history.outcomes():
            seen = outcome.realised["distribution"]
            vectors.append(self.vectors[name] if played else self._ordered(self.problem.table(seen)))
            values.append(self.problem.average(outcome))
            numbers.append(0 if played is None else played.number)
        known = self.problem.sign * np.array(values)
        return np.array(vectors).reshape(-1, self.problem.agents), known, numbers

    def _ordered(self, table: Float[np.ndarray, "C A"]) -> Vector:
        """Agents in the order of their actions: one vector of the many that play this table."""
        counts = self.problem.region.whole(table)
        return np.concatenate([np.repeat(np.arange(len(row)), row) for row in counts])

    def any(self, random: np.random.Generator, agents: Int[np.ndarray, " k"] | None = None) -> Vector:
        """Uniform actions of all agents, or of these."""
        contexts = self.context_of if agents is None else self.context_of[agents]
        drawn = np.empty(len(contexts), dtype=np.intp)
        for c, actions in enumerate(self.open):
            mine = contexts == c
            drawn[mine] = random.choice(actions, int(mine.sum()))
        return drawn

    def changed(self, vector: Vector, how_many: int, random: np.random.Generator) -> Vector:
        """The vector with the actions of that many agents drawn anew."""
        agents = random.choice(len(vector), min(how_many, len(vector)), replace=False)
        changed = vector.copy()
        changed[agents] = self.any(random, agents)
        return changed

    def counts(self, vector: Vector) -> Int[np.ndarray, "C A"]:
        """How many agents of each context take each action."""
        C, A = self.problem.simplex.shape
        return np.bincount(self.context_of * A + vector, minlength=C * A).reshape(C, A)

    def play(self, history: History, vector: Vector, random: np.random.Generator, **note: Any) -> Choice:
        """Suggest a vector; a table that was suggested before is changed by an agent or two first."""
        taken = self.played(history, {})
        for _ in range(_TRIES):
            if self.key(self.counts(vector)) not in taken:
                break
            vector = self.changed(vector, 2, random)
        packed = base64.b64encode(zlib.compress(vector.astype("<u2").tobytes())).decode()
        return self.choice(self.counts(vector), agents=packed, **note)
