"""Study: an optimizer whose every event is in a log, where any number of workers ask and tell at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

from .._files import open_file
from ..core import (
    BaseStudy,
    Finding,
    KeptFile,
    Method,
    Optimizer,
    Problem,
    Recommendation,
    Stop,
    Suggestion,
    Warnings,
    one_or_more,
)
from ..core.answers import MaybeNone
from ..core.determinism import one_at_a_time
from ..core.request import Circumstances, Request
from ..errors import InvalidOption, InvalidOutcome, one_of
from ..storage.database import DatabaseLog
from ..storage.kept_files import FilesFolder, IncomingFile
from ..storage.log import LOGGER, WAIT, EventLog
from ..storage.opening import found_log, new_log, replay
from ._session import StudySession
from .workers import check_options

if TYPE_CHECKING:
    from ._run import RunOptions


class Study(BaseStudy):
    """One worker's hold on a study. `create` and `open` make one; use it as a context, or `close` it.

    The words are the optimizer's. Each call that logs something, and `refresh`, first takes in
    events that other workers have logged; `history`, `status`, `recommend` and the like show what
    was taken in so far. A call's own events are durable before it returns. `ask` offers unfinished
    rounds again whose worker is gone, then new ones; no round is out twice while its lease lasts.
    Threads may share it: their calls take turns. A forked child is another worker.

    Where the log is away, calls wait for it. Outcomes are in a file meanwhile, and written to the
    log when the study is opened the next time, if not before; see `steerbo.storage.outbox_files`.

    Args:
        log: where the events are.
        optimizer: the optimizer that they lead to.
        holder: this worker's name in leases.
        lease: seconds until a round that was asked here and has no outcome is offered to others;
            None: as long as this process has the study, which a thread of its own says every 20 s,
            and for 60 s after it was last heard of.
        clock: seconds since 1970; None: the log's, which is a server's own, so that clocks of
            machines need not agree.
        wait: seconds that a call waits for a log that is away, before it raises `LogUnavailable`.
        say: is given every message to the user; None: Python's logging, as a warning; see
            `steerbo.storage.log`.
    """

    def __init__(
        self,
        log: EventLog,
        optimizer: Optimizer,
        *,
        holder: str = "",
        lease: float | None = None,
        clock: Callable[[], float] | None = None,
        wait: float = WAIT,
        say: Callable[[str], None] | None = None,
    ) -> None:
        check_options({"holder": holder, "lease": lease, "clock": clock, "wait": wait, "say": say})
        lease = None if lease is None else float(lease)
        say = say or LOGGER.warning
        self.log = log
        self.optimizer = optimizer
        self._state = optimizer._state
        self._lock = optimizer._lock
        # codes for missing values in tables of outcomes, by column: the study file says them
        self.missing: Mapping[str, Sequence[float | str]] = {}
        self.session = StudySession(
            log, optimizer, float(wait), say, holder=holder, lease=lease, clock=clock
        )

    @classmethod
    def create(
        cls,
        log: EventLog | Path | str,
        problem: Problem,
        method: str | type[Method[Any, Any]] | None = None,
        *,
        name: str = "study",
        budget: float | None = None,
        rounds: int | None = None,
        stop: Stop | None = None,
        seed: int = 0,
        options: Mapping[str, Any] | None = None,
        **worker: Any,
    ) -> Study:
        """A new study.

        Args:
            log: an SQLite file, a database URL, or a log.
            problem: the problem to optimise.
            method: its name, its class, or the place of that, as for `Optimizer`; None: the
                default.
            name: of the study in the database.
            budget: money that may be spent.
            rounds: suggestions that may be made.
            stop: when enough is known, as for `Optimizer`.
            seed: a whole number not below 0.
            options: the method's options.
            worker: holder, lease, clock, wait and say.

        Raises:
            InvalidStudy: there is a study of this name already, or the log cannot be written.
            LogUnavailable: the log cannot be reached.

        >>> from steerbo import CostVarying, Float, Uniform
        >>> problem = CostVarying([Float("ph", 4, 8, law=Uniform())], [["ph"]])
        >>> from steerbo.study import MemoryLog
        >>> with Study.create(MemoryLog(), problem, "random", rounds=3) as study:
        ...     study.tell(study.ask(), 1.5)
        ...     print(study.status)
        1 of 3 rounds
        """
        check_options(worker)
        limits: dict[str, Any] = {"budget": budget, "rounds": rounds, "stop": stop, "seed": seed}
        optimizer = Optimizer(problem, method, **limits, **_method_options(options))
        return cls(new_log(log, name, optimizer.events[0]), optimizer, **worker)

    @classmethod
    def open(
        cls,
        log: EventLog | Path | str,
        problem: Problem | None = None,
        *,
        name: str | None = None,
        limits: Mapping[str, Any] | None = None,
        **worker: Any,
    ) -> Study:
        """The study in a log, as its events left it.

        Args:
            log: an SQLite file, a database URL, or a log.
            problem: needed where the log, in memory, does not say.
            name: of the study in the database; None: the only one there, or "study".
            limits: another `budget`, `rounds` or `stop` from here on, for all workers; see
                `Optimizer.revise`.
            worker: holder, lease, clock, wait and say.

        Raises:
            InvalidStudy: there is none, or the log is damaged.
            LogUnavailable: the log cannot be reached.
        """
        check_options(worker)
        log, ours, events = found_log(log, name)
        try:
            opened = cls(log, replay(log.place, events, problem), **worker)
            opened.session.settle()
            if changes := _by_name("limits", limits):
                opened.revise(**changes)
            return opened
        except BaseException:
            if ours:
                log.close()
            raise

    def __repr__(self) -> str:
        return f"<Study in {self.log.place}: {self.status}>"

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the log, and the rounds that are out here: they are offered again. People keep theirs."""
        self.session.log.closing = True  # another thread may be waiting for a log that is away
        with self._lock:
            self.session.close()

    @one_at_a_time
    def refresh(self) -> int:
        """Apply the events that other workers have logged; returns their number."""
        return self.session.refresh()

    @contextmanager
    def said_by(self, name: str | None) -> Iterator[None]:
        """Context in which events are logged with this name as `by`, such as that of a key. None: no name."""
        record = self.optimizer.recorder
        with self._lock:
            before, record.by = record.by, name
            try:
                yield
            finally:
                record.by = before

    @overload
    def ask(self, /, batch: None = None, **request: Unpack[Request]) -> Suggestion | MaybeNone: ...
    @overload
    def ask(self, /, batch: int, **request: Unpack[Request]) -> list[Suggestion]: ...
    @one_at_a_time
    def ask(
        self, /, batch: int | None = None, **request: Unpack[Request]
    ) -> Suggestion | list[Suggestion] | MaybeNone:
        """Suggest an unfinished round without a lease, else a new one; None where the study is finished.

        Args:
            batch: that many at once, as a list (shorter where there are no more).
            request: the fields that the problem `takes`; see `Optimizer.ask`.

        Raises:
            InvalidRequest: an argument is not allowed.
        """
        return one_or_more(batch, lambda place: self.session.ask(request, place))

    @one_at_a_time
    def attach(
        self,
        values: Mapping[str, Any],
        /,
        context: Mapping[str, Any] | None = None,
        **request: Unpack[Circumstances],
    ) -> Suggestion:
        """Begin a round at settings of your own, which is out here as one that was asked; see `Optimizer.attach`."""
        return self.session.attach(values, context, request)

    @one_at_a_time
    def prepare(self, /, k: int = 1, **request: Unpack[Request]) -> None:
        """Begin to choose the next `k` suggestions, in a process beside this one that gives way to all else.

        `ask` with the same `request` returns them, bit for bit its own choices, unless an event is
        logged in between.

        Raises:
            InvalidRequest: `k` is no whole number from 1 to 10 000.
        """
        self.session.prepared.begin(k, request)

    @property
    @one_at_a_time
    def prepared(self) -> int:
        """Number of prepared suggestions."""
        return len(self.session.prepared)

    def run(
        self, /, objective: Callable[[Suggestion], Any], **options: Unpack[RunOptions]
    ) -> Recommendation:
        """Ask, evaluate and tell until the study is finished; see `run_study` for objective and options.

        Raises:
            InvalidOption: an argument by another name, or one that is not allowed.
        """
        from ._run import RunOptions, run_study  # start-up time

        for name, value in options.items():
            if name not in RunOptions.__annotations__:
                raise InvalidOption(name, value, one_of(RunOptions.__annotations__, name))
        run_study(self, self.session, objective, **options)
        return self.recommend()

    @one_at_a_time
    def to_optuna(self, storage: Any = None, name: str = "study") -> Any:
        """The rounds as an Optuna study, for its dashboard; see `steerbo.interop.optuna.to_optuna`."""
        from ..interop.optuna import to_optuna  # which needs Optuna

        self.refresh()
        return to_optuna(self, storage, name)

    @one_at_a_time
    def to_frame(self, library: str | None = None) -> Any:
        """The rounds as a DataFrame of pandas or polars; see `steerbo.study.files.export`."""
        self.refresh()
        from .files.export import to_frame  # start-up time

        return to_frame(self, library)

    def backup(self, file: Path | str) -> None:
        """Write this study, as it is now, into a new file: an SQLite log that only its owner may read.

        Args:
            file: a name that is free. `Study.open` opens it; `steerbo.study.restore` puts it back
                into a database.

        Raises:
            InvalidStudy: the file cannot be made, or the problem is a Python function.

        >>> import tempfile; from steerbo.study import MemoryLog
        >>> from steerbo import CostVarying, Float, Uniform
        >>> study = Study.create(MemoryLog(), CostVarying([Float("ph", 4, 8, law=Uniform())], [["ph"]]), rounds=3)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     study.backup(folder + "/backup.db")
        ...     with Study.open(folder + "/backup.db") as again: print(again.status)
        0 of 3 rounds
        """
        self.refresh()
        from ..storage.backup import copy_of, save  # start-up time

        save((copy_of(self.log, self.events),), file, self.files)

    def decide(
        self, suggestion: Suggestion | str, context: Mapping[str, Any], *, again: bool = False
    ) -> Suggestion:
        """Report observed values; see `Optimizer.decide`."""
        if not self._lock.free:
            given = {"context": context, **({"again": True} if again else {})}
            self.session.store_while_locked("decide", suggestion, given)
        return self.session.decide(suggestion, context, again)

    @one_at_a_time
    def implausible_values(
        self, call: str, suggestion: Suggestion | str | None = None, /, **given: Any
    ) -> tuple[Finding, ...]:
        """List the values of a call that are hard to believe, before it is made; see `Optimizer.implausible_values`."""
        self.refresh()
        return self.optimizer.implausible_values(call, suggestion, **given)

    def _report(self, call: str, suggestion: Suggestion | str | None, /, **given: Any) -> Warnings:
        """Report an outcome, also of a round asked by another worker."""
        # another thread may wait long for the log: the measurement is in a file meanwhile
        if not self._lock.free:
            self.session.store_while_locked(call, suggestion, given)
        if call == "remark" and isinstance(given["file"], Path | str | IncomingFile):
            return self._keep(suggestion, given["text"], given["file"])
        if call in ("abandon", "remark"):
            return self.session.logged(lambda: self.optimizer._report(call, suggestion, **given))
        return self.session.report(call, suggestion, given)

    def _keep(self, about: Any, text: str, file: Path | str | IncomingFile) -> Warnings:
        """Log a remark with a file, whose content is on the disk before."""
        self.refresh()
        token = self._state.reports.remarked(about)  # before anything is written
        if isinstance(file, IncomingFile):
            return self._remark(token, text, file)
        with (
            open_file(file, "file", InvalidOutcome) as opened,
            self.files.incoming(Path(file).name) as incoming,
        ):
            incoming.fill(opened)
            return self._remark(token, text, incoming)

    def _remark(self, token: str, text: str, incoming: IncomingFile) -> Warnings:
        given = {"text": text, "file": incoming.keep()}
        said = self.session.logged(lambda: self.optimizer._report("remark", token, **given))
        incoming.keep()  # another study that had the same file may have been deleted in between
        return said

    @property
    def files(self) -> FilesFolder:
        """Folder in which files beside remarks are kept."""
        kept = isinstance(self.log, DatabaseLog)
        return FilesFolder.of(self.log.place) if kept else FilesFolder()

    def read_file(self, kept: KeptFile) -> bytes:
        """Read the content of a file that was kept by `remark`, after a check that it is unchanged.

        Args:
            kept: one of `history.files`, which has the files of rounds and data by their tokens.

        Raises:
            MissingFile: it is not there, or was changed.

        >>> import steerbo as sb, tempfile; from pathlib import Path
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     photo = Path(folder) / "a7.txt"; _ = photo.write_text("a crack")
        ...     with sb.Study.create(f"{folder}/s.db", sb.CostVarying([sb.Float("ph", 4, 8)], [["ph"]])) as study:
        ...         token = study.ask().token
        ...         study.remark(token, "lot 7", file=photo)
        ...         study.read_file(study.history.files[token][0])
        b'a crack'
        """
        return self.files.sound(kept).read_bytes()

    @one_at_a_time
    def extend(self, bounds: Mapping[str, tuple[float, float]]) -> None:
        """Let variables be set within wider bounds from here on; see `Optimizer.extend`."""
        self.session.logged(lambda: self.optimizer.extend(bounds))

    @one_at_a_time
    def revise(self, /, **changes: Any) -> None:
        """Change a limit (`budget`, `rounds`, `stop`) from here on, or headers of tables; see `Optimizer.revise`."""
        self.session.logged(lambda: self.optimizer.revise(**changes))


def _by_name(field: str, given: Any) -> Mapping[str, Any]:
    """Values by name, or none of them."""
    if given is not None and not (
        isinstance(given, Mapping) and all(isinstance(name, str) for name in given)
    ):
        raise InvalidOption(field, given, "values by name")
    return given or {}


def _method_options(given: Any) -> Mapping[str, Any]:
    """Options of a method by name, none of which is anything else that `Optimizer` takes."""
    options = _by_name("options", given)
    for name in sorted(
        (signature(Optimizer.__init__).parameters.keys() - {"options"}) & options.keys()
    ):
        hint = "Limits and seed of a study stand beside the options, not among them."
        raise InvalidOption(f"options.{name}", options[name], "an option of the method", hint)
    return options
