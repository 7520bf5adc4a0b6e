"""Export of a study to Optuna, for its dashboard and plots."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

import optuna

from ..._redaction import redact, redact_url
from ...core import BaseStudy, Outcome, Round
from ...errors import InvalidOption
from ...records import to_dict
from ...space import Categorical, Integer, Variable
from ...space.fields import as_number


def to_optuna(study: BaseStudy, storage: Any = None, name: str = "study") -> Any:
    """Create an Optuna study with one trial for each round, in order, then one for each external outcome.

    Parameters are the controlled variables; shares of agents are called ``context/action``. Told
    rounds become complete trials, open ones running, and failed, voided and abandoned ones failed.
    User attributes hold everything else: token, state, scope, context, realised, cost, request,
    reason; those of the study its problem, method, seed and recommendation.

    Args:
        study: study to export; it is not changed.
        storage: an Optuna storage or the URL of one, such as ``sqlite:///optuna.db``; None: in
            memory.
        name: name of the new Optuna study.

    Raises:
        InvalidOption: the storage cannot be opened, or has a study of this name.

    >>> import steerbo as sb
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> len(to_optuna(sb.Optimizer(sb.MeanField(["north", "south"], agents=10))).trials)
    0
    """
    problem = study.problem
    try:
        opened = optuna.storages.RDBStorage(storage) if isinstance(storage, str) else None
        with ExitStack() as cleanup:
            if opened is not None:
                cleanup.callback(_let_go, opened)
            made = optuna.create_study(
                storage=opened or storage,
                study_name=name,
                direction="minimize" if problem.minimize else "maximize",
            )
            cleanup.pop_all()
    except optuna.exceptions.DuplicatedStudyError:
        raise InvalidOption(
            "name",
            name,
            f"a name that is new to {redact(str(storage))}",
            "Export to another place.",
        ) from None
    except Exception as error:  # whatever the database's driver raises
        shown = redact_url(storage) if isinstance(storage, str) else storage
        raise InvalidOption(
            "storage", shown, "an Optuna storage or its URL", f"({error})"
        ) from None
    if opened is not None:
        weakref.finalize(made, _let_go, opened)
    created = study.history.created
    about = {
        "problem": created.problem,
        "method": created.method,
        "options": created.options,
        "seed": created.seed,
    }
    for field, said in {**about, "recommendation": to_dict(study.recommend())}.items():
        made.set_user_attr(field, said)

    def put(
        state: str,
        values: Mapping[str, Any],
        outcome: Outcome | None,
        attributes: Mapping[str, Any],
    ) -> None:
        placed = list(problem.parameters(values))
        made.add_trial(
            optuna.trial.create_trial(
                state=optuna.trial.TrialState[state],
                value=None if outcome is None else problem.scalar(outcome),
                params={field: value for field, _, value in placed},
                distributions={field: distribution(variable) for field, variable, _ in placed},
                user_attrs={
                    field: said for field, said in attributes.items() if said not in (None, "", {})
                },
            )
        )

    for played in study.history:
        told = played.outcome if played.state == "told" else None
        put(_STATES.get(played.state, "FAIL"), played.suggestion.values, told, _attributes(played))
    for outcome in study.history.added:
        put("COMPLETE", outcome.realised, outcome, {"state": "added", **to_dict(outcome)})
    return made


def _let_go(storage: Any) -> None:
    """Close the connections of a storage that this module opened; Optuna leaves that to garbage collection."""
    storage.remove_session()
    storage.engine.dispose()


_STATES = {"told": "COMPLETE", "open": "RUNNING"}


def _attributes(played: Round) -> dict[str, Any]:
    """Return the user attributes of a round; the outcome only if it is not a single number."""
    asked, outcome = played.suggestion, played.outcome
    return {
        "token": asked.token,
        "state": played.state,
        "scope": str(asked.scope),
        "context": asked.context,
        "realised": {} if played.waiting else played.realised,
        "cost": played.paid,
        "request": played.request,
        "reason": played.failure.reason if played.failure else None,
        "outcome": outcome.value if outcome and as_number(outcome.value) is None else None,
    }


def distribution(variable: Variable | None) -> Any:
    """Return the Optuna distribution of a variable; None: of a share, from 0 to 1.

    Steps are left out, because rounding errors may move a value off the grid.

    >>> from steerbo import Float
    >>> distribution(Float("ph", 4, 8))
    FloatDistribution(high=8.0, log=False, low=4.0, step=None)
    """
    if variable is None:
        return optuna.distributions.FloatDistribution(0.0, 1.0)
    if isinstance(variable, Categorical):
        return optuna.distributions.CategoricalDistribution(variable.choices)
    log = variable.scale == "log"
    if isinstance(variable, Integer):
        return optuna.distributions.IntDistribution(variable.low, variable.high, log=log)
    return optuna.distributions.FloatDistribution(variable.low, variable.high, log=log)
