"""What the methods share: scopes as arms, one Gaussian process for each, staged decisions, the final policy."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from ..gp import Hyperparameters
from ..optimizer import (
    Added,
    Amended,
    Asked,
    Choice,
    Decision,
    Event,
    Explanation,
    History,
    Method,
    Outcome,
    Refitted,
    Round,
    Streams,
    Table,
    Told,
)
from .acquisition import Averaged, Score, upper_bound
from .arm import Arm
from .policy import Policy, PolicyOf, policy_table
from .problem import Causal
from .scopes import PolicyScope
from .surrogate import ModelOptions, Surrogate, surrogate

O = TypeVar("O", bound="ModelOptions")  # noqa: E741  the method's options
_IMAGINED = 16  # rows of contexts not yet seen that a decision is averaged over
_NUDGE = 0.02  # of the box's width
_POOLED = 16  # contexts that a policy's value is averaged over


class ScopeBandit(Method[Causal, O]):
    """A bandit whose arms are policy scopes, each with contextual Bayesian optimisation inside.

    Scopes with the same actions and the same contexts, differently assigned, share one model (Appendix B.1). Everything
    inside is in units of `sign · value`.
    """

    def __init__(self, problem: Causal, options: O, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self.arms = [Arm(scope, problem.graph, problem.space) for scope in self.scopes()]
        classes = list(dict.fromkeys(arm.names for arm in self.arms))
        self.model_of = [classes.index(arm.names) for arm in self.arms]
        self.models = [surrogate(next(arm for arm in self.arms if arm.names == names), options) for names in classes]
        self.fitted_at = [0] * len(self.models)
        self.told_to: list[list[int]] = [
            [] for _ in self.models
        ]  # by row of a model: the arm it was told to, −1 for added data
        self.plays = np.zeros(len(self.arms), dtype=int)
        self.identified = [identified(arm) for arm in self.arms]
        self._seen = [frozenset(arm.contexts) for arm in self.arms]

    @abstractmethod
    def scopes(self) -> tuple[PolicyScope, ...]:
        """The arms."""

    def model(self, i: int) -> Surrogate:
        """The model of arm `i`."""
        return self.models[self.model_of[i]]

    def needed(self, i: int) -> int:
        """Plays of arm `i` before its model counts."""
        return self.options.initial if self.options.initial is not None else 1 + len(self.arms[i].names)

    # -- learning ------------------------------------------------------------------------------------------------------

    def learn(self, event: Event, history: History) -> None:
        """Take one event in: data go to the models, choices are counted."""
        match event:
            case Refitted():
                for k, plain in event.hyperparameters["models"].items():
                    self.models[int(k)].set(Hyperparameters.from_plain(plain))
                    self.fitted_at[int(k)] = len(self.models[int(k)])
            case Asked():
                self.plays[event.note["arm"]] += 1
            case Told():
                self._take(history[event.token].suggestion.note["arm"], event.outcome)
            case Added():
                self._take_added(event.outcome)
            case Amended():
                self._rebuild(history)
            case _:
                pass

    def _take(self, i: int, outcome: Outcome) -> None:
        self.model(i).add(self.arms[i].encode(outcome.realised)[0], self.problem.sign * outcome.value)
        self.told_to[self.model_of[i]].append(i)

    def _take_added(self, outcome: Outcome) -> None:
        """Observations without any intervention: data for every model whose effect they identify."""
        for k in {self.model_of[i] for i in range(len(self.arms)) if self.identified[i]}:
            i = self.model_of.index(k)
            self.models[k].add(self.arms[i].encode(outcome.realised)[0], self.problem.sign * outcome.value)
            self.told_to[k].append(-1)

    def _rebuild(self, history: History) -> None:
        before = [model.hyperparameters for model in self.models]
        names = [
            next(arm for arm, m in zip(self.arms, self.model_of, strict=True) if m == k)
            for k in range(len(self.models))
        ]
        self.models = [surrogate(arm, self.options) for arm in names]
        self.told_to = [[] for _ in self.models]
        for k, hyperparameters in enumerate(before):
            if self.fitted_at[k]:
                self.models[k].set(hyperparameters)
        for outcome in history.added:
            self._take_added(outcome)
        for played in history:
            if played.state == "told" and played.outcome is not None:
                self._take(played.suggestion.note["arm"], played.outcome)
        for model in self.models:
            model.replace(model.inputs, model.outcomes)

    def refit(self, history: History) -> Mapping[str, Any] | None:
        """Learn hyperparameters anew, of the models whose schedule says so."""
        due = {
            str(k): model.fit().to_plain()
            for k, model in enumerate(self.models)
            if len(model) and model.refit_due(self.fitted_at[k])
        }
        return {"models": due} if due else None

    def unready(self) -> int | None:
        """An arm that is still to be played for a start: the one played least; None where there is none."""
        waiting = [
            i
            for i in range(len(self.arms))
            if not self.plays[i] or (len(self.model(i)) < self.needed(i) and self.plays[i] < self.needed(i))
        ]
        return min(waiting, key=lambda i: self.plays[i], default=None)

    # -- choosing and deciding -----------------------------------------------------------------------------------------

    def play(self, history: History, i: int, note: Mapping[str, Any]) -> Choice:
        """Begin a round with arm `i`: what can be set without looking is set."""
        number = len(history) + 1
        values, observe = self._advance(history, number, i, {}, {})
        return Choice(self.arms[i].scope.to_dict(), values, observe, note={"arm": i, **note})

    def decide(self, history: History, pending: Round, context: Mapping[str, Any]) -> Decision:
        """Set the actions whose contexts are complete."""
        suggestion = pending.suggestion
        values, observe = self._advance(
            history, pending.number, suggestion.note["arm"], context, suggestion.values, token=suggestion.token
        )
        return Decision(values, observe)

    def _advance(
        self,
        history: History,
        number: int,
        i: int,
        context: Mapping[str, Any],
        given: Mapping[str, Any],
        *,
        token: str | None = None,
    ) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Values of all actions that can be set now, and what is to be looked at next."""
        arm, values = self.arms[i], dict(given)
        for look, ready in arm.stages:
            if waiting := tuple(name for name in look if name not in context):
                return {name: v for name, v in values.items() if name not in given}, waiting
            for group in arm.groups(tuple(x for x in ready if x not in values)):
                values.update(self.act(history, number, i, group, {**context, **values}, token=token))
        return {name: v for name, v in values.items() if name not in given}, ()

    def act(
        self,
        history: History,
        number: int,
        i: int,
        group: tuple[str, ...],
        known: Mapping[str, Any],
        *,
        token: str | None = None,
    ) -> dict[str, Any]:
        """Values for a group of actions, from what they may be based on."""
        arm, model = self.arms[i], self.model(i)
        random = self.streams(number, f"act {'+'.join(group)}")
        if len(model) < self.needed(i):
            return arm.decode(group, arm.box(group).place(random.random((1, len(group))))[0])
        points = self._unknown(history, self.model_of[i], token)
        with model.hallucinated(points):
            return self.best(i, group, known, self.score(i), random, tried=points)

    def score(self, i: int) -> Score:
        """What an action maximises."""
        return upper_bound(self.beta(i))

    def beta(self, i: int) -> float:
        """β of arm `i` now."""
        return self.options.beta

    def best(
        self,
        i: int,
        group: tuple[str, ...],
        known: Mapping[str, Any],
        score: Score,
        random: np.random.Generator,
        *,
        tried: np.ndarray | None = None,
    ) -> dict[str, Any]:
        """The best values of a group of actions, by `score`.

        An action may use its own contexts only, and actions that use no more. All other contexts are averaged over the
        arm's past, all other actions are chosen along with it and then forgotten. Actions in `tried`, which have no
        outcome yet, are not chosen again to the last digit: a hair beside them tells as much, and a failure there need
        not repeat.
        """
        arm = self.arms[i]
        allowed = arm.known_to(group)
        held = {name: known[name] for name in arm.names if name in allowed and name in known}
        free = tuple(name for name in arm.actions if name in group or name not in held)
        rows = self._rows(i, held, random)
        search = Averaged(self.model(i), score, rows, arm.columns(frozenset(free)))
        box = arm.box(free)
        points, _ = search.maximise(box, int(random.integers(2**32)))
        point = points[0]
        columns = arm.columns(frozenset(free))
        if tried is not None and (tried[:, columns] == point).all(axis=1).any():
            near = box.snap(point + _NUDGE * random.standard_normal((32, len(free))))
            near = np.concatenate([near, box.place(random.random((8, len(free))))])
            fresh = near[~(tried[:, None, columns] == near).all(axis=2).any(axis=0)]
            point = fresh[int(np.argmax(search.value(fresh)))] if len(fresh) else point
        values = arm.decode(free, point)
        return {name: values[name] for name in group}

    def _rows(self, i: int, held: Mapping[str, Any], random: np.random.Generator) -> np.ndarray:
        """Full rows with the known columns held and contexts not known drawn from the arm's past, (k, d)."""
        arm = self.arms[i]
        unseen = arm.columns(frozenset(arm.contexts) - frozenset(held))
        rows = np.zeros((_IMAGINED if unseen else 1, len(arm.names)))
        if unseen:
            past = self.model(i).inputs
            rows = past[random.integers(len(past), size=_IMAGINED)].copy() if len(past) else random.random(rows.shape)
        for name, value in held.items():
            column = arm.names.index(name)
            rows[:, column] = self.problem.space[name].encode([value])[0]
        return rows

    def _unknown(self, history: History, k: int, but: str | None) -> np.ndarray:
        """Points of rounds of model `k` that are decided and have no outcome, (p, d)."""
        rows = [
            arm.encode(known)
            for played in history.unknown
            if played.suggestion.token != but
            and self.model_of[played.suggestion.note["arm"]] == k
            and set((arm := self.arms[played.suggestion.note["arm"]]).names)
            <= (known := {**played.suggestion.context, **played.realised}).keys()
        ]
        return np.concatenate(rows) if rows else np.zeros((0, self.models[k].inputs.shape[1]))

    # -- the answer ----------------------------------------------------------------------------------------------------

    def pool(self, history: History, i: int) -> list[dict[str, Any]]:
        """The latest contexts of arm `i` as nature makes them: of its own rounds and others that leave them alone."""
        arm = self.arms[i]
        wanted, free = frozenset(arm.contexts), not arm.affected
        found: list[dict[str, Any]] = []
        for played in reversed(list(history)) if wanted else ():
            j = played.suggestion.note["arm"]
            if j != i and not (free and wanted <= self._seen[j] and not wanted & self.arms[j].affected):
                continue
            known = {**played.suggestion.context, **played.realised}
            if wanted <= known.keys():
                found.append({name: known[name] for name in arm.contexts})
            if len(found) == _POOLED:
                break
        return found or [{name: self.problem.space[name].decode([0.5])[0] for name in arm.contexts}]

    def policy(self, i: int) -> PolicyOf:
        """The policy that maximises the posterior mean of arm `i`: full contexts to values."""
        arm = self.arms[i]

        def act(context: Mapping[str, Any]) -> dict[str, Any]:
            values: dict[str, Any] = {}
            for _, ready in arm.stages:
                for group in arm.groups(ready):
                    random = self.streams(0, f"policy {i} {'+'.join(group)}")
                    values.update(self.best(i, group, {**context, **values}, upper_bound(0.0), random))
            return values

        return act

    def value_of(self, history: History, i: int) -> tuple[float, float]:
        """The expected outcome under the policy of arm `i`, and its standard deviation, in units of `sign · value`.

        Averaged over the pooled contexts; the deviation is the model's own at these points, as if fully correlated.
        """
        act = self.policy(i)
        rows = [self.arms[i].encode({**seen, **act(seen)}) for seen in self.pool(history, i)]
        mean, sd = self.model(i).predict(np.concatenate(rows))
        return float(mean.mean()), float(sd.mean())

    def recommend(self, history: History) -> Policy:
        """The scope with the best expected outcome under its own best policy, that policy, and what the others give."""
        sign = self.problem.sign
        answers = []
        for i, arm in enumerate(self.arms):
            if not len(self.model(i)):
                answers.append(Policy.unknown(arm.scope.to_dict()))
                continue
            mean, sd = self.value_of(history, i)
            act = self.policy(i)
            table = policy_table(arm, act, self.pool(history, i))
            values = {} if arm.contexts else act({})
            answers.append(
                Policy(
                    arm.scope.to_dict(),
                    values,
                    sign * mean,
                    sign * mean - 2 * sd,
                    sign * mean + 2 * sd,
                    table=table,
                    act=act,
                )
            )
        answers.sort(key=lambda answer: -np.inf if answer.mean is None else sign * answer.mean, reverse=True)
        best, *others = answers
        return best.among(tuple(others))

    def table_of_arms(self, extra: Mapping[str, list[Any]]) -> Table:
        """Plays of every arm and what else is known about it."""
        rows = tuple(
            (str(arm.scope), int(self.plays[i]), *(column[i] for column in extra.values()))
            for i, arm in enumerate(self.arms)
        )
        return Table("Scopes", ("scope", "plays", *extra), rows)

    def explain(self, history: History) -> Explanation:
        """Plays per arm, the parts of its index, and the best arm's policy."""
        known = ", ".join(str(arm.scope) for arm, yes in zip(self.arms, self.identified, strict=True) if yes)
        added = (
            f" {len(history.added)} observations without intervention feed: {known or 'no scope'}."
            if history.added
            else ""
        )
        tables = [self.table_of_arms(self.indices(history))]
        if any(len(model) for model in self.models):
            best = self.recommend(history)
            tables += [best.table] if best.table else []
        return Explanation(
            f"{self.name}: {len(self.arms)} scopes, {int(self.plays.sum())} rounds.{added}", tuple(tables)
        )

    def indices(self, history: History) -> dict[str, list[Any]]:
        """More columns for `table_of_arms`: the parts of every arm's index."""
        return {}


def identified(arm: Arm) -> bool:
    """Whether watching, without intervening, tells what the scope's actions do.

    So it is if `E[Y | do(x), c] = E[Y | x, c]`: the target is d-separated from the actions given the contexts once the
    edges out of the actions are cut (Pearl 2009, Theorem 3.4.1, rule 2).
    """
    from .separation import Masks

    graph = arm.graph
    actions = graph.mask(arm.actions)
    cut = Masks.by_parents([above & ~actions for above in graph.masks.parents])
    return not cut.reached(1 << graph.index(graph.target), graph.mask(arm.contexts)) & actions
