"""Sampler for Optuna that chooses which parameters to control, and their values, by a cost-varying study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import isclose
from threading import RLock
from typing import Any

import optuna
from optuna.trial import FrozenTrial, Trial, TrialState

from ...core import Suggestion
from ...costvarying import CostVarying
from ...errors import InvalidOption, InvalidOutcome, InvalidRequest, one_of
from ...space import Categorical, Integer, Variable
from .export import distribution

_UNSAYABLE = {
    "time-varying": "A trial of Optuna says neither what time it is nor what is available.",
    "causal": "Between two parameters of a trial nothing can be looked at.",
    "mean-field": "Parameters of a trial are chosen one by one, and shares of agents must sum to one.",
}


class SteerboSampler(optuna.samplers.BaseSampler):
    """Optuna sampler whose trials a cost-varying study chooses: the control set, and the values of its variables.

    The study, or optimizer, holds budget, prices, laws and the log; Optuna runs the trials, prunes
    them and shows them. In the objective, call `suggest` for the controlled values of a trial, as
    parameters of Optuna, and `report` with its cost and the realised values. A pruned trial counts
    as failed. If trials were enqueued by hand, or their parameters changed, the parameters really
    played are added as external data.

    Other kinds of problem, variables that are `seen` before choosing, and several objectives are
    refused, because Optuna's trials cannot express them. The sampler is thread-safe; of several
    processes each opens the study itself.

    Args:
        study: an `Optimizer`, or a `Study`, of a `CostVarying` problem.
        control_set: name of the parameter that holds the control set.

    Raises:
        InvalidOption: another kind of problem, or the name of a variable as `control_set`.

    >>> import optuna
    >>> import steerbo as sb
    >>> problem = sb.CostVarying([sb.Float("ph", 4, 8)], [["ph"]])
    >>> sampler = SteerboSampler(sb.Optimizer(problem, rounds=3))
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> theirs = optuna.create_study(direction="maximize", sampler=sampler)
    >>> theirs.optimize(lambda trial: -(sampler.suggest(trial)["ph"] - 6) ** 2)
    >>> len(theirs.trials)  # the limit is the study's
    3
    """

    def __init__(self, study: Any, control_set: str = "control set") -> None:
        problem = study.problem
        if not isinstance(problem, CostVarying):
            hint = f"{_UNSAYABLE.get(problem.kind, '')} Use ‹ask› and ‹tell›.".lstrip()
            raise InvalidOption("study", problem.kind, "one of a cost-varying problem", hint)
        if problem.space.seen:
            hint = (
                "Optuna begins a trial without being told anything: use ‹ask› with its ‹context›."
            )
            raise InvalidOption(
                "study",
                list(problem.space.seen),
                "no variable that is ‹seen› before choosing",
                hint,
            )
        if control_set in problem.space:
            raise InvalidOption("control_set", control_set, "a name that no variable has")
        self.study, self._problem, self._control_set = study, problem, control_set
        said = [str(scope) for scope in problem.scopes]
        unique = len(set(said)) == len(said)  # names may contain the separator between names
        self._labels = said if unique else [f"{i}: {words}" for i, words in enumerate(said, 1)]
        self._lock = RLock()
        self._asked: dict[int, Suggestion] = {}  # by trial number

    # -- in the objective --------------------------------------------------------------------------

    def suggest(self, trial: Trial) -> dict[str, Any]:
        """Return the controlled values of a trial, by variable; missing variables are uncontrolled."""
        held = trial.suggest_categorical(self._control_set, self._labels)
        names = self._problem.control_sets[self._labels.index(held)]
        return {name: _suggest(trial, self._problem.space[name]) for name in names}

    def report(
        self, trial: Trial, *, cost: float | None = None, realised: Mapping[str, Any] | None = None
    ) -> None:
        """Report the cost of a trial and realised values by variable, before the objective returns or raises."""
        if cost is not None:
            trial.set_user_attr("cost", cost)
        if realised is not None:
            trial.set_user_attr("realised", dict(realised))

    # -- called by Optuna --------------------------------------------------------------------------

    def before_trial(self, study: optuna.Study, trial: FrozenTrial) -> None:
        """Refuse an Optuna study with several objectives, or another direction than the problem's.

        Raises:
            InvalidOption: naming the directions.
        """
        wanted = "minimize" if self._problem.minimize else "maximize"
        given = [direction.name.lower() for direction in study.directions]
        if given != [wanted]:
            hint = "The problem says by ‹minimize› which way is better: make the Optuna study with that direction."
            raise InvalidOption(
                "direction", given if len(given) > 1 else given[0], repr(wanted), hint
            )

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, Any]:
        """Return the distributions of the control set and of all variables; a trial has some of them."""
        sets = optuna.distributions.CategoricalDistribution(self._labels)
        return {self._control_set: sets, **{v.name: distribution(v) for v in self._problem.space}}

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Ask the study for a round and return its parameters.

        Raises:
            InvalidRequest: the study is finished.
        """
        with self._lock:
            suggestion = self.study.ask()
            if suggestion is None:
                hint = "Give the study more ‹budget› or ‹rounds› by ‹revise›."
                raise InvalidRequest(
                    "trial", trial.number, f"none: {self.study.status.finished}", hint
                )
            self._asked[trial.number] = suggestion
        return {self._control_set: self._played(suggestion), **suggestion.values}

    def sample_independent(
        self, study: optuna.Study, trial: FrozenTrial, param_name: str, param_distribution: Any
    ) -> Any:
        """Refuse a parameter that the study did not choose.

        Raises:
            InvalidRequest: the parameter is uncontrolled in the trial's control set, has other
                bounds than the variable, or is no variable.
        """
        suggestion = self._asked.get(trial.number)
        names = (
            self._control_set,
            *(suggestion.values if suggestion else self._problem.space.names),
        )
        if param_name not in names:
            hint = "Variables left to nature are measured, and given to ‹report›. ‹suggest› asks for the others."
            raise InvalidRequest("parameter", param_name, one_of(names, param_name), hint)
        expected = self.infer_relative_search_space(study, trial)[param_name]
        raise InvalidRequest(
            f"parameter.{param_name}",
            str(param_distribution),
            str(expected),
            "Use ‹suggest›, which asks for every parameter with the right bounds.",
        )

    def after_trial(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
        """Tell the study the outcome, and stop Optuna if the study is finished.

        Raises:
            InvalidOutcome: a required cost or realised value was not reported.
        """
        with self._lock:
            suggestion = self._asked.get(trial.number)
            said = {
                "cost": trial.user_attrs.get("cost"),
                "realised": trial.user_attrs.get("realised"),
            }
            complete = state == TrialState.COMPLETE
            if suggestion is not None and (not complete or self._as_suggested(trial, suggestion)):
                self._tell(suggestion, state, values, said)
            else:
                self._add(trial, suggestion, values, said)
            self._asked.pop(trial.number, None)
            if self.study.status.finished:
                with suppress(RuntimeError):  # outside `optimize` there is nothing to stop
                    study.stop()

    def _played(self, suggestion: Suggestion) -> str:
        return self._labels[self._problem.number(suggestion.scope)]

    def _as_suggested(self, trial: FrozenTrial, suggestion: Suggestion) -> bool:
        played = {self._control_set: self._played(suggestion), **suggestion.values}
        return trial.params.keys() == played.keys() and all(
            isclose(trial.params[name], value, rel_tol=1e-12)
            if isinstance(value, float)
            else trial.params[name] == value
            for name, value in played.items()
        )

    def _tell(
        self, suggestion: Suggestion, state: TrialState, values: Sequence[float] | None, said: Any
    ) -> None:
        if state == TrialState.COMPLETE and values is not None:
            self.study.tell(suggestion, values[0], **said)
        else:
            self._fail(suggestion, f"Optuna: {state.name.lower()}", said)

    def _fail(self, suggestion: Suggestion, reason: str, said: Mapping[str, Any]) -> None:
        """Record a failure with the valid part of the report, so the objective's own error is the one raised."""
        for known in (said, {"cost": said["cost"]}, {}):
            priced = known.get("cost") is not None or self._problem.price(suggestion) is not None
            charge = None if priced else self.study.history.estimate(suggestion.token)
            with suppress(InvalidOutcome):
                self.study.fail(suggestion, reason, charge=charge, **known)
                return

    def _add(
        self,
        trial: FrozenTrial,
        suggestion: Suggestion | None,
        values: Sequence[float] | None,
        said: Any,
    ) -> None:
        """Add a trial with other parameters than suggested as external data."""
        if suggestion is not None:
            self.study.abandon(suggestion, "Optuna: other parameters were tried")
        if values is not None:
            held = {
                name: value for name, value in trial.params.items() if name != self._control_set
            }
            realised = {**held, **(said["realised"] or {})}
            self.study.add(
                values[0],
                realised,
                cost=said["cost"],
                scope=list(held),
                charge=said["cost"] is not None,
            )


def _suggest(trial: Trial, variable: Variable) -> Any:
    """Suggest a variable as a parameter of a trial."""
    if isinstance(variable, Categorical):
        return trial.suggest_categorical(variable.name, variable.choices)
    log = variable.scale == "log"
    if isinstance(variable, Integer):
        return trial.suggest_int(variable.name, variable.low, variable.high, log=log)
    return trial.suggest_float(variable.name, variable.low, variable.high, log=log)
