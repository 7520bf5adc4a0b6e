"""Recommended policies: settings as a function of contexts, with the outcome to expect of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Annotated, Any

import numpy as np
from jaxtyping import Float
from pydantic import Field

from ..bandit import BOUND
from ..core import Recommendation, Scope, Table, as_text
from ..errors import InvalidContext, one_of
from ..gp import Averaged
from ..records import record
from .arms import Arm
from .models import Posterior

PolicyOf = Callable[[Mapping[str, Any]], dict[str, Any]]
_SHOWN = 9  # rows of a policy's table


@record
class Policy(Recommendation):
    """A recommendation whose settings depend on contexts: call it with these, or read its table.

    Args:
        table: settings for some of the latest contexts.
        act: function from contexts to settings; not part of the plain form.
    """

    table: Table | None = None
    act: Annotated[Any, Field(exclude=True, repr=False)] = field(default=None, compare=False)

    @classmethod
    def unknown(cls, scope: Scope) -> Policy:
        """Make the policy of a scope without outcomes."""
        return cls(scope, {}, cost=scope.price, note="nothing is known yet: play a round first")

    def __call__(self, context: Mapping[str, Any]) -> dict[str, Any]:
        """Settings in these contexts.

        Raises:
            InvalidContext: a context is missing, or there is no outcome yet.
        """
        wanted = self.scope.contexts
        for name in wanted:
            if name not in context:
                raise InvalidContext("context", dict(context), f"a value for {name!r}")
        for name in context:
            if name not in wanted:
                raise InvalidContext(f"context.{name}", context[name], f"values for {one_of(wanted, name)}")
        if self.act is None:
            raise InvalidContext(
                "context", dict(context), "a policy that is known", "Play a round of this scope first."
            )
        return dict(self.act(context))

    def __str__(self) -> str:
        if self.mean is None:
            return f"set {self.scope}: {self.note}"
        seen = f"having seen {as_text(self.context)}: " if self.context else ""
        line = f"{seen}set {self.scope}; {self.expected}"
        parts = [line, *([f"set {as_text(self.values)}"] if self.values else [])]
        parts += [self.note] if self.note else []
        parts += [str(self.table)] if self.table else []
        others = (f"  {'' if o.context else 'or '}{str(o).splitlines()[0]}" for o in self.alternatives)
        return "\n".join([*parts, *others])

    def among(self, others: tuple[Recommendation, ...]) -> Policy:
        """Add alternatives."""
        return replace(self, alternatives=others)


def policy_table(arm: Arm, act: Callable[[int], dict[str, Any]], contexts: list[dict[str, Any]]) -> Table | None:
    """Tabulate the settings of a policy in some contexts, sorted by the first one; None for an arm without contexts.

    Args:
        arm: the scope.
        act: function from the index of a context to settings.
        contexts: the contexts.
    """
    if not arm.contexts:
        return None
    ordered = sorted(range(len(contexts)), key=lambda k: contexts[k][arm.contexts[0]])
    rows = []
    for place in np.unique(np.linspace(0, len(ordered) - 1, _SHOWN).round().astype(int)):
        seen, values = contexts[ordered[place]], act(ordered[place])
        rows.append((*(seen[name] for name in arm.contexts), *(values[name] for name in arm.actions)))
    return Table(f"Policy: set {arm.scope}", (*arm.contexts, *arm.actions), tuple(rows))


def recommended(
    arm: Arm,
    model: Posterior,
    act: PolicyOf,
    contexts: list[dict[str, Any]],
    sign: float,
    *,
    known: Mapping[str, Any],
) -> Policy:
    """Make a recommendation of a policy, with its expected outcome on average over contexts; see `value_of`.

    Args:
        arm: the scope.
        model: of its outcomes, in units of `sign · value`.
        act: the policy.
        contexts: to average over.
        sign: −1 if smaller values are better.
        known: values known before choosing, the same in all contexts. An arm without further contexts has a single
            setting and no table.
    """
    settings = [act(seen) for seen in contexts]
    rows = [arm.encode({**seen, **values}) for seen, values in zip(contexts, settings, strict=True)]
    found, sd = value_of(model, np.concatenate(rows))
    mean = sign * found
    simple = not set(arm.contexts) - set(known)
    values = act(known) if simple else {}
    table = None if simple else policy_table(arm, settings.__getitem__, contexts)
    return Policy(arm.scope, values, mean, mean - BOUND * sd, mean + BOUND * sd, arm.scope.price, table=table, act=act)


def value_of(model: Posterior, rows: Float[np.ndarray, "m d"]) -> tuple[float, float]:
    """Mean and standard deviation of the average of f over rows (m, d) of contexts and settings, in the user's units.

    The draws of the hyperparameters count as one mixture. Deviations at the rows count as fully correlated: a policy
    is optimised by the model, which errs alike in all contexts (with the model's covariances 50 of 56 bounds held on a
    tuning problem). The sampling error of the contexts is added.
    """
    members = model.members if isinstance(model, Averaged) else (model,)
    each = [member.predict(rows) for member in members]
    means = np.array([found.mean() for found, _ in each])
    spreads = np.array([spread.mean() for _, spread in each])
    sampled = np.array([found.std(ddof=1) / math.sqrt(len(rows)) if len(rows) > 1 else 0.0 for found, _ in each])
    return float(means.mean()), math.sqrt(float((spreads**2).mean() + means.var()) + float(sampled.mean()) ** 2)
