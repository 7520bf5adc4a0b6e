"""A sampler for Optuna that chooses which parameters are worth holding, and where: a study of ours driven by theirs."""

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
from .distributions import distribution

_UNSAYABLE = {
    "time-varying": "A trial of Optuna says neither what time it is nor what is available.",
    "causal": "Between two parameters of a trial nothing can be looked at.",
    "mean-field": "Parameters of a trial are chosen one by one, and shares of agents must sum to one.",
}


class SteerboSampler(optuna.samplers.BaseSampler):
    """Let a cost-varying study choose Optuna's trials: which control set is held, and at what values.

    The study, or optimizer, is where budget, prices, laws and the log are; Optuna runs the trials, prunes them and
    shows them. In the objective, `suggest` gives what is held in a trial, as parameters of Optuna; `report` says what
    it cost and what nature did. A trial that was pruned counts as failed. Where trials were enqueued by hand, or their
    parameters changed, what was really played is added as data.

    What Optuna cannot say is refused by name: other kinds of problem, variables that are `seen` before choosing,
    several objectives. Threads take turns in it; for several processes each opens the study for itself.

    Args:
        study: an `Optimizer`, or a `Study`, of a `CostVarying` problem.
        control_set: name of the parameter that says which set is held.

    Raises:
        InvalidOption: a problem that trials cannot say, or a name that is a variable's.

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
            hint = "Optuna begins a trial without being told anything: use ‹ask› with its ‹context›."
            raise InvalidOption("study", list(problem.space.seen), "no variable that is ‹seen› before choosing", hint)
        if control_set in problem.space:
            raise InvalidOption("control_set", control_set, "a name that no variable has")
        self.study, self._problem, self._control_set = study, problem, control_set
        said = [str(scope) for scope in problem.scopes]
        unique = len(set(said)) == len(said)  # names may hold what stands between names
        self._labels = said if unique else [f"{i}: {words}" for i, words in enumerate(said, 1)]
        self._lock = RLock()
        self._asked: dict[int, Suggestion] = {}  # by number of the trial

    # -- in the objective ----------------------------------------------------------------------------------------------

    def suggest(self, trial: Trial) -> dict[str, Any]:
        """The values to hold in a trial, by variable; what is missing is left to nature."""
        held = trial.suggest_categorical(self._control_set, self._labels)
        names = self._problem.control_sets[self._labels.index(held)]
        return {name: _suggest(trial, self._problem.space[name]) for name in names}

    def report(self, trial: Trial, *, cost: float | None = None, realised: Mapping[str, Any] | None = None) -> None:
        """What a trial cost, and what really happened, by variable; before the objective returns or raises."""
        if cost is not None:
            trial.set_user_attr("cost", cost)
        if realised is not None:
            trial.set_user_attr("realised", dict(realised))

    # -- what Optuna calls ---------------------------------------------------------------------------------------------

    def before_trial(self, study: optuna.Study, trial: FrozenTrial) -> None:
        """Refuse a study of Optuna's that has another aim.

        Raises:
            InvalidOption: several objectives, or another direction than the problem's.
        """
        wanted = "minimize" if self._problem.minimize else "maximize"
        given = [direction.name.lower() for direction in study.directions]
        if given != [wanted]:
            hint = "It is the problem's ‹minimize› that says which."
            raise InvalidOption("direction", given if len(given) > 1 else given[0], repr(wanted), hint)

    def infer_relative_search_space(self, study: optuna.Study, trial: FrozenTrial) -> dict[str, Any]:
        """The control set, and all variables; a trial has some of these."""
        sets = optuna.distributions.CategoricalDistribution(self._labels)
        return {self._control_set: sets, **{v.name: distribution(v) for v in self._problem.space}}

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: Mapping[str, Any]
    ) -> dict[str, Any]:
        """A round of the study.

        Raises:
            InvalidRequest: the study is finished.
        """
        with self._lock:
            suggestion = self.study.ask()
            if suggestion is None:
                hint = "Give the study more ‹budget› or ‹rounds› by ‹revise›."
                raise InvalidRequest("trial", trial.number, f"none: {self.study.status.finished}", hint)
            self._asked[trial.number] = suggestion
        return {self._control_set: self._played(suggestion), **suggestion.values}

    def sample_independent(
        self, study: optuna.Study, trial: FrozenTrial, param_name: str, param_distribution: Any
    ) -> Any:
        """Nothing: what a trial asks for and the study did not choose is refused.

        Raises:
            InvalidRequest: a parameter that the trial's control set leaves to nature, with other bounds than the
                variable's, or that is no variable.
        """
        suggestion = self._asked.get(trial.number)
        names = (self._control_set, *(suggestion.values if suggestion else self._problem.space.names))
        if param_name not in names:
            hint = (
                "What a control set leaves to nature is measured, and given to ‹report›. ‹suggest› asks for the rest."
            )
            raise InvalidRequest("parameter", param_name, one_of(names, param_name), hint)
        expected = self.infer_relative_search_space(study, trial)[param_name]
        raise InvalidRequest(
            f"parameter.{param_name}", str(param_distribution), str(expected), "‹suggest› asks for it so."
        )

    def after_trial(
        self, study: optuna.Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        """Tell the study, and stop where it is finished.

        Raises:
            InvalidOutcome: what it cost, or what nature did, was not reported, and is needed.
        """
        with self._lock:
            suggestion = self._asked.get(trial.number)
            said = {"cost": trial.user_attrs.get("cost"), "realised": trial.user_attrs.get("realised")}
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

    def _tell(self, suggestion: Suggestion, state: TrialState, values: Sequence[float] | None, said: Any) -> None:
        if state == TrialState.COMPLETE and values is not None:
            self.study.tell(suggestion, values[0], **said)
        else:
            self._fail(suggestion, f"Optuna: {state.name.lower()}", said)

    def _fail(self, suggestion: Suggestion, reason: str, said: Mapping[str, Any]) -> None:
        """With what of the report can be used: it is the objective's own error that is to be seen."""
        for known in (said, {"cost": said["cost"]}, {}):
            priced = known.get("cost") is not None or self._problem.price(suggestion) is not None
            charge = None if priced else self.study.history.estimate(suggestion.token)
            with suppress(InvalidOutcome):
                self.study.fail(suggestion, reason, charge=charge, **known)
                return

    def _add(
        self, trial: FrozenTrial, suggestion: Suggestion | None, values: Sequence[float] | None, said: Any
    ) -> None:
        """What somebody else chose, as data."""
        if suggestion is not None:
            self.study.abandon(suggestion, "Optuna: other parameters were played")
        if values is not None:
            held = {name: value for name, value in trial.params.items() if name != self._control_set}
            realised = {**held, **(said["realised"] or {})}
            self.study.add(values[0], realised, cost=said["cost"], scope=list(held), charge=said["cost"] is not None)


def _suggest(trial: Trial, variable: Variable) -> Any:
    """A variable as a parameter of a trial."""
    if isinstance(variable, Categorical):
        return trial.suggest_categorical(variable.name, variable.choices)
    log = variable.scale == "log"
    if isinstance(variable, Integer):
        return trial.suggest_int(variable.name, variable.low, variable.high, log=log)
    return trial.suggest_float(variable.name, variable.low, variable.high, log=log)
