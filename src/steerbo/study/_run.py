"""Run loop: ask, evaluate here or in an executor, tell, until the study is finished.

Ctrl-C stops an evaluation at once, and waits while events are written. A failed evaluation is told
with the usable part of its answer. Observers watch a run; without one it writes to Python's
logging.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol, TypedDict

from rich.console import Console

from .._wording import SHELL
from ..core import BaseStudy, Stop, Suggestion
from ..errors import (
    InvalidInput,
    InvalidOption,
    InvalidOutcome,
    LogUnavailable,
    ObjectiveFailure,
    OutcomeConflict,
    one_of,
    short_repr,
)
from ..space.fields import whole
from ..storage.log import LOGGER, RetryingLog
from ._session import StudySession
from .objective import Command, Function
from .progress import Display
from .workers import LAPSES, Worker


def read_outcome(answer: Any) -> dict[str, Any]:
    """Convert an objective's answer to arguments of `tell`.

    Raises:
        ObjectiveFailure: it is neither a number nor a table with a value.

    >>> read_outcome(1.5)
    {'value': 1.5}
    """
    if not isinstance(answer, Mapping):
        return {"value": answer}
    _check_keys(answer, ("value", "cost", "realised", "sem"), "value")
    return dict(answer)


def read_observation(answer: Any, observe: tuple[str, ...]) -> Mapping[str, Any]:
    """Convert an objective's answer to the context for `decide`.

    Raises:
        ObjectiveFailure: it is not a table with a context.
    """
    if not isinstance(answer, Mapping):
        wanted = ", ".join(observe)
        raise ObjectiveFailure(
            f'the objective answered {short_repr(answer)}; expected {{"context": {{…}}}} with {wanted}'
        )
    _check_keys(answer, ("context",), "context")
    if not isinstance(answer["context"], Mapping):
        raise ObjectiveFailure(
            f"the objective's context is {short_repr(answer['context'])}; expected values by name"
        )
    context: Mapping[str, Any] = answer["context"]
    return context


def _check_keys(answer: Mapping[str, Any], names: tuple[str, ...], needed: str) -> None:
    for name in answer:
        if name not in names:
            raise ObjectiveFailure(
                f"the objective answered an unknown {name!r}; expected {one_of(names, name)}"
            )
    if needed not in answer:
        raise ObjectiveFailure(
            f"the objective answered {short_repr(dict(answer))}; {needed!r} is missing"
        )


def raised(error: BaseException) -> ObjectiveFailure:
    """Failure from an exception of the objective."""
    return ObjectiveFailure(
        f"the objective raised {type(error).__name__}: {' '.join(str(error).split())}"
    )


def unusable(error: InvalidInput) -> ObjectiveFailure:
    """An answer that was refused, as a failure."""
    # answers are JSON, or like it
    told = type(error)(error.field, error.value, error.allowed).worded(SHELL)
    return ObjectiveFailure(f"the objective's answer cannot be used: {told}")


def tell_failure(study: BaseStudy, suggestion: Suggestion, reason: str, answer: Any) -> None:
    """Report a failure with the usable part of the answer: its cost counts as spent.

    Where there is a budget and no cost in the answer, `History.estimate` is charged: a run neither
    stops for want of a number, nor goes on for nothing.
    """
    known = answer if isinstance(answer, Mapping) else {}
    full = reason if answer is None else f"{reason}; it answered {json.dumps(answer, default=repr)}"
    for given in (
        {"cost": known.get("cost"), "realised": known.get("realised")},
        {"cost": known.get("cost")},
        {},
    ):
        priced = given.get("cost") is not None or study.problem.price(suggestion) is not None
        charge = None if priced else study.history.estimate(suggestion.token)
        try:
            study.fail(suggestion, full, charge=charge, **given)
        except InvalidOutcome:
            continue
        return


def short(failure: Exception) -> str:
    """Shorten a failure to one line."""
    text = str(failure)
    return text if len(text) <= 300 else text[:300] + "…"


class Interruptible:
    """Ctrl-C stops an evaluation at once; while events are computed and written it waits until they are.

    So do the signals that end a session or a batch job, since an external command would outlive
    them. Use it as a context around the loop, and `evaluation()` around the part that may be
    stopped. A second Ctrl-C does not wait.
    """

    def __init__(self) -> None:
        self._stoppable = self._wanted = False
        self._before: dict[int, Any] = {}
        self._process = os.getpid()

    def __enter__(self) -> Interruptible:
        if threading.current_thread() is threading.main_thread():
            known = [
                getattr(signal, name)
                for name in ("SIGINT", "SIGTERM", "SIGHUP")
                if hasattr(signal, name)
            ]
            # nohup
            heard = [number for number in known if signal.getsignal(number) is not signal.SIG_IGN]
            self._before = {number: signal.signal(number, self._handle) for number in heard}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _handle(self, number: int, _: object) -> None:
        if os.getpid() != self._process:  # a worker that was forked: a signal ends it as any other
            signal.signal(number, self._before[number])
            os.kill(os.getpid(), number)
            return
        if self._stoppable or self._wanted:
            raise KeyboardInterrupt
        self._wanted = True

    def check(self) -> None:
        """Stop here if that was wanted."""
        if self._wanted:
            raise KeyboardInterrupt

    @contextmanager
    def evaluation(self) -> Iterator[None]:
        """Context in which Ctrl-C stops the evaluation."""
        self.check()
        self._stoppable = True
        try:
            yield
        finally:
            self._stoppable = False


class Observer(Protocol):
    """Observer of a run."""

    def began(self, suggestion: Suggestion) -> None:
        """Report that a suggestion goes out to be evaluated."""

    def ended(self, study: BaseStudy) -> None:
        """Report that a round's outcome, or its failure, is in the log."""

    def say(self, message: str) -> None:
        """Report a message to the user."""


class Together:
    """Several observers, each of which is told of everything."""

    def __init__(self, *observers: Observer) -> None:
        self.observers = observers

    def began(self, suggestion: Suggestion) -> None:
        """See `Observer.began`."""
        for each in self.observers:
            each.began(suggestion)

    def ended(self, study: BaseStudy) -> None:
        """See `Observer.ended`."""
        for each in self.observers:
            each.ended(study)

    def say(self, message: str) -> None:
        """See `Observer.say`."""
        for each in self.observers:
            each.say(message)


class Logged:
    """Observer that writes to Python's logging; rounds are logged for any observer."""

    def began(self, suggestion: Suggestion) -> None:
        """Ignore it: the run logs rounds itself."""

    def ended(self, study: BaseStudy) -> None:
        """Ignore it: the run logs rounds itself."""

    def say(self, message: str) -> None:
        """Log a message as a warning."""
        LOGGER.warning("%s", message)


class ExecutorAdapter:
    """The executor, made anew where that is possible."""

    def __init__(self, executor: Executor | Callable[[], Executor] | None) -> None:
        self._make = None if executor is None or isinstance(executor, Executor) else executor
        self._executor = executor if isinstance(executor, Executor) else None

    def __enter__(self) -> ExecutorAdapter:
        if self._make is not None:
            self._executor = self._made(self._make)
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        if self._make is not None and self._executor is not None:
            self._executor.shutdown(wait=kind is None, cancel_futures=True)

    @property
    def elsewhere(self) -> bool:
        """Whether evaluations end while this thread does other work."""
        return self._executor is not None

    def submit(self, objective: Callable[[Suggestion], Any], suggestion: Suggestion) -> Future[Any]:
        """Evaluate; here it is done when this returns."""
        if self._executor is not None:
            return self._executor.submit(objective, suggestion)
        future: Future[Any] = Future()
        try:
            future.set_result(objective(suggestion))
        except (Exception, SystemExit) as error:
            future.set_exception(error)
        return future

    def mend(self, error: BaseException) -> None:
        """A new executor in the place of a broken one."""
        if self._make is None:
            raise ObjectiveFailure(
                f"the executor broke ({error}); what was out is evaluated again by the next run. Give a function that "
                "makes executors, and it goes on by itself"
            ) from None
        self._executor = self._made(self._make)

    @staticmethod
    def _made(make: Callable[[], Executor]) -> Executor:
        """Call a factory of the user; its faults are reported as the user's."""
        try:
            made = make()
        except Exception as error:
            raise InvalidOption(
                "executor", make, "a function that makes an executor", f"It failed ({error})."
            ) from None
        if not hasattr(made, "submit") or not hasattr(made, "shutdown"):
            raise InvalidOption("executor", made, "an executor of concurrent.futures")
        return made


@contextmanager
def heard_of(worker: Worker, log: RetryingLog, interrupt: Interruptible) -> Iterator[None]:
    """While a run lasts the worker's leases are renewed, and Ctrl-C stops it from waiting for a log that is away.

    Threads may run one study at once: the last of them ends that.
    """

    def pause(seconds: float) -> None:
        with interrupt.evaluation():
            time.sleep(seconds)

    log.pause, runs = pause, worker.runs
    runs.append(interrupt)
    worker.heartbeat.start()
    try:
        yield
    finally:
        runs.remove(interrupt)
        if not runs:
            log.pause = time.sleep
            if not worker.lives:
                worker.heartbeat.stop()


Request = Mapping[str, Any] | Callable[[], Mapping[str, Any]]
MOST_PARALLEL = 10_000
"""Evaluations at once."""


@dataclass
class _Evaluation:
    """A round that is being evaluated here."""

    suggestion: Suggestion
    attempts: list[str] = field(default_factory=list)
    losses: int = 0


class RunOptions(TypedDict, total=False):
    """Options of `run_study`, for type checkers."""

    observer: Observer | None
    executor: Executor | Callable[[], Executor] | None
    parallel: int
    failures: int
    retries: int
    rounds: int | None
    stop: Stop | None
    request: Request | None
    progress: bool


def run_study(
    study: BaseStudy,
    session: StudySession,
    objective: Callable[[Suggestion], Any],
    observer: Observer | None = None,
    *,
    executor: Executor | Callable[[], Executor] | None = None,
    parallel: int = 1,
    failures: int = 3,
    retries: int = 0,
    rounds: int | None = None,
    stop: Stop | None = None,
    request: Request | None = None,
    progress: bool = False,
) -> None:
    """Play rounds until the study is finished, unfinished ones first.

    An evaluation that fails, or whose answer cannot be used, is told to the study by `fail`, with
    the raw answer in its reason; the study goes on. An evaluation may run twice, after its worker
    was lost: `suggestion.token` tells.

    Args:
        study: gets every event.
        session: of this worker on the study's log.
        objective: evaluates a suggestion: a number, or value, cost and realised by name, as
            `steerbo.study.objective` says. An executor of processes has to be able to pickle it.
        observer: is told of everything; None: its messages are logged (see
            `steerbo.storage.log`).
        executor: where evaluations run; None: here, one after the other. A function that makes one
            (`lambda: ProcessPoolExecutor(4)`) is called again where the first broke, and lost
            evaluations are made again.
        parallel: so many evaluations at once.
        failures: so many failed evaluations in a row end the run; so do so many answers that cannot
            be used, unless a play of the same scope shows that the program gives them right now:
            one that leaves less to nature does not.
        retries: a failed evaluation is tried so often again before it counts as failed.
        rounds: at most so many rounds in this run; None: no limit beside the study's own.
        stop: end when enough is known, as for `Optimizer`, from here on and for all workers; None:
            as the study says.
        request: the arguments of `ask`, by name, such as `{"context": {"weather": 12}}`; or a
            function that gives them before each new round.
        progress: show a bar on standard error, beside an observer's reports; lines where that is no
            terminal.

    Raises:
        InvalidStudy: the objective is a function or program that is nowhere.
        ObjectiveFailure: too many evaluations in a row have failed, or the executor broke.
        LogUnavailable: the log was away for too long; measurements are kept in files.
        KeyboardInterrupt: Ctrl-C was pressed; everything observed is in the log.
    """
    parallel = whole("parallel", parallel, 1, InvalidOption, most=MOST_PARALLEL)
    failures = whole("failures", failures, 1, InvalidOption)
    retries = whole("retries", retries, 0, InvalidOption, most=100)
    rounds = None if rounds is None else whole("rounds", rounds, 1, InvalidOption)
    if not callable(objective):
        raise InvalidOption("objective", objective, "a function of a suggestion")
    if executor is not None and not callable(executor) and not hasattr(executor, "submit"):
        raise InvalidOption(
            "executor", executor, "an executor of concurrent.futures, or a function that makes one"
        )
    if executor is None and parallel > 1:
        raise InvalidOption(
            "parallel",
            parallel,
            "1 without an executor",
            "Give one, such as ThreadPoolExecutor(4).",
        )
    if isinstance(objective, Function | Command):
        objective.prepare()
    if not isinstance(progress, bool):
        raise InvalidOption(
            "progress", progress, "true or false: whether a bar shows how far the run has come"
        )
    if stop is not None:
        study.revise(stop=stop)
    bar = Display(Console(stderr=True)) if progress else None
    watching = [each for each in (observer, bar) if each is not None]
    watcher = Together(*watching) if watching else Logged()
    with (
        bar or nullcontext(),
        Interruptible() as interrupt,
        heard_of(session.worker, session.log, interrupt),
        ExecutorAdapter(executor) as runner,
    ):
        LOGGER.info("a run begins in %s: %s", session.log.place, study.status)
        loop = _Loop(
            study, session, objective, watcher, runner, interrupt, failures, retries, request or {}
        )
        loop.play(parallel, rounds)
        LOGGER.info("the run is over: %s", study.status)


def _set_by(suggestion: Suggestion) -> frozenset[str]:
    """All settings of a play, unchanged ones included."""
    return frozenset((*suggestion.scope.set, *suggestion.scope.keep))


@dataclass
class _Loop:
    """One run."""

    study: BaseStudy
    session: StudySession
    objective: Callable[[Suggestion], Any]
    observer: Observer
    runner: ExecutorAdapter
    interrupt: Interruptible
    failures: int
    retries: int
    request: Request
    running: dict[Future[Any], _Evaluation] = field(default_factory=dict)
    begun: list[str] = field(default_factory=list)  # tokens of the rounds of this run
    in_a_row: int = 0
    # unusable answers since the last usable one, by settings
    unusable: Counter[frozenset[str]] = field(default_factory=Counter)
    left: bool = False
    # threads store outcomes while `running` has them, and know whether they are left: no file is
    # replaced, or written again, after the loop took an outcome up or left it to the next run
    storing: threading.Lock = field(default_factory=threading.Lock)

    def play(self, parallel: int, rounds: int | None) -> None:
        """Keep `parallel` evaluations going."""
        try:
            while True:
                while len(self.running) < parallel and (rounds is None or len(self.begun) < rounds):
                    self.interrupt.check()
                    suggestion = self.study.ask(
                        **(self.request() if callable(self.request) else self.request)
                    )
                    if suggestion is None:
                        break
                    self.begun.append(suggestion.token)
                    self.observer.began(suggestion)
                    LOGGER.debug(
                        "round %d (%s) is evaluated: %s",
                        suggestion.round,
                        suggestion.token,
                        suggestion.scope,
                    )
                    self._submit(_Evaluation(suggestion))
                if self.running:
                    with self.interrupt.evaluation():
                        wait(self.running, return_when=FIRST_COMPLETED)
                    self._settle()
                elif (rounds is not None and len(self.begun) >= rounds) or (
                    seconds := self.session.next_lapse()
                ) is None:
                    return
                else:  # others evaluate the last rounds: theirs, unless they are lost
                    with self.interrupt.evaluation():
                        time.sleep(min(seconds, 1.0) + 0.01)
        except BaseException as error:
            LOGGER.info("the run stops (%s): %s", type(error).__name__, self.study.status)
            self._leave(isinstance(error, LogUnavailable))
            raise

    def _leave(self, patiently: bool) -> None:
        """Leave outcomes to files, which the next worker settles, and rounds to the next run."""
        with self.storing:
            self.left = True
        for future in list(self.running):
            if future.cancel():
                del self.running[future]
        if patiently:
            with self.interrupt.evaluation():
                wait(self.running)
        for future, evaluation in self.running.items():
            if future.done():
                self._keep(evaluation.suggestion, future)
        evaluated = {e.suggestion.token for f, e in self.running.items() if not f.done()}
        self.session.let_go({*self.begun} - evaluated)

    def _submit(self, evaluation: _Evaluation) -> None:
        with self.interrupt.evaluation():
            try:
                future = self.runner.submit(self.objective, evaluation.suggestion)
            except BrokenExecutor as error:
                self.runner.mend(error)
                future = self.runner.submit(self.objective, evaluation.suggestion)
        self.running[future] = evaluation
        if self.runner.elsewhere:
            future.add_done_callback(partial(self._keep, evaluation.suggestion))

    def _keep(self, suggestion: Suggestion, future: Future[Any]) -> None:
        """Store an outcome in a file at once: this loop may be computing, or waiting for the log."""
        if not future.cancelled() and future.exception() is None:
            with suppress(ObjectiveFailure):  # an answer that cannot be used
                self._store(suggestion, future)
        if self.left:
            self.session.worker.out.discard(suggestion.token)

    def _store(self, suggestion: Suggestion, future: Future[Any]) -> None:
        looked, answer = suggestion.observe, future.result()
        given = {"context": read_observation(answer, looked)} if looked else read_outcome(answer)
        call = "decide" if looked else "tell"
        with self.storing:
            if future in self.running:
                self.session.store(call, suggestion, given, left=self.left)

    def _settle(self) -> None:
        """Log finished evaluations in the order of their rounds."""
        done = sorted(
            (f for f in self.running if f.done()), key=lambda f: self.running[f].suggestion.round
        )
        for future in done:
            with self.storing:
                evaluation = self.running.pop(future)
            error = future.exception()
            if isinstance(error, BrokenExecutor):
                self._lost(evaluation, error)
            elif error is None:
                self._answered(evaluation, future.result())
            else:
                failure = error if isinstance(error, ObjectiveFailure) else raised(error)
                self._failed(evaluation, failure, None)

    def _answered(self, evaluation: _Evaluation, answer: Any) -> None:
        suggestion = evaluation.suggestion
        try:
            if suggestion.observe:
                evaluation.suggestion = self.study.decide(
                    suggestion, read_observation(answer, suggestion.observe)
                )
                self._submit(evaluation)
                return
            self.study.tell(suggestion, **read_outcome(answer))
        except OutcomeConflict as conflict:  # its lease ran out, and another worker was first
            self.observer.say(
                f"round {suggestion.round}: another worker's outcome was first ({conflict})"
            )
        except (ObjectiveFailure, InvalidInput) as error:
            if isinstance(error, InvalidInput) and len(evaluation.attempts) >= self.retries:
                self.unusable[_set_by(suggestion)] += 1
            self._failed(
                evaluation,
                error if isinstance(error, ObjectiveFailure) else unusable(error),
                answer,
            )
            return
        else:
            LOGGER.info(
                "round %d: %s", suggestion.round, self.study.history[suggestion.token].outcome
            )
        self.in_a_row = 0
        self.unusable.pop(_set_by(suggestion), None)
        self.observer.ended(self.study)

    def _failed(self, evaluation: _Evaluation, failure: ObjectiveFailure, answer: Any) -> None:
        """A failure is in the log before it ends the run."""
        suggestion = evaluation.suggestion
        evaluation.attempts.append(str(failure))
        if len(evaluation.attempts) <= self.retries:
            self.observer.say(f"round {suggestion.round} is tried again: {short(failure)}")
            self._submit(evaluation)
            return
        try:
            tell_failure(
                self.study, suggestion, "; tried again: ".join(evaluation.attempts), answer
            )
        except OutcomeConflict as conflict:
            self.observer.say(
                f"round {suggestion.round}: another worker's outcome was first ({conflict})"
            )
        self.in_a_row += 1
        self.observer.say(f"round {suggestion.round} failed: {short(failure)}")
        if (charge := self.study.history[suggestion.token].charge) is not None:
            self.observer.say(
                f"its cost is unknown: {charge:.6g}, as a round costs here, is charged to the budget"
            )
        self.observer.ended(self.study)
        if self.in_a_row >= self.failures:
            raise ObjectiveFailure(
                f"{self.in_a_row} evaluations failed in a row, the last: {short(failure)}"
            ) from None
        if (many := self.unusable.total()) >= self.failures:
            hint = "rounds of other scopes in between do not count here"
            raise ObjectiveFailure(
                f"{many} answers could not be used ({hint}), the last: {short(failure)}"
            ) from None

    def _lost(self, evaluation: _Evaluation, error: BaseException) -> None:
        """Repeat an evaluation whose worker died, under the same token, unless it seems to kill workers."""
        evaluation.losses += 1
        if evaluation.losses >= LAPSES:
            self._failed(
                evaluation,
                ObjectiveFailure(f"its worker died {evaluation.losses} times ({error})"),
                None,
            )
            return
        self.observer.say(
            f"round {evaluation.suggestion.round} is evaluated again: its worker was lost"
        )
        self._submit(evaluation)
