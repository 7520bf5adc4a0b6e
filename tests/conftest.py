"""What every test may count on: signals as in a terminal, one BLAS thread, and no test left out without a word."""

from __future__ import annotations

import gc
import inspect
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import nullcontext
from functools import partialmethod
from pathlib import Path

import hypothesis
import pytest
import scipy.linalg  # noqa: F401  its own BLAS must be loaded before threads are limited
from threadpoolctl import threadpool_limits
from typer.testing import CliRunner, Result

from tests.sizes import FULL, examples, few_draws
from tests.torture.server import Server, server

pytest.register_assert_rewrite("steerbo.testing")
hypothesis.settings.register_profile(
    "sized",
    max_examples=examples(100),
    derandomize=not FULL,  # a change fails by what it changes; every night looks at other examples
    deadline=None,  # on a machine that is busy any example takes long, and so does drawing one
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("sized")

if "mix_stderr" in inspect.signature(CliRunner).parameters:  # click before 8.2 would put standard error among the rest
    CliRunner.__init__ = partialmethod(CliRunner.__init__, mix_stderr=False)  # type: ignore[assignment]
    Result.output = property(lambda result: result.stdout + result.stderr)  # type: ignore[assignment]

EVERYTHING = "STEERBO_TEST_EVERYTHING"
"""Environment variable: where it is set, a test that is skipped fails the run."""
IGNORED_IN_THE_BACKGROUND = ("SIGINT", "SIGHUP")
"""Shells start what runs in the background, or under nohup, with these ignored, and commands rightly keep to that."""
ANY_DRAWS = ("causal", "cli", "core", "docs", "interop", "page", "plots", "serve", "study")
"""Folders of tests of what is kept, said, served and shown, whatever a method has learned."""
MEMORY, ROOM = Path("/dev/shm"), 2**31
"""Temporary files lie in memory where so many bytes are left: tests sync tens of thousands of times, and a disk takes
milliseconds each time. That they do is tested by itself; what a killed process leaves is the same."""
BLAS_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@pytest.fixture(autouse=True, scope="session")
def _one_blas_thread() -> Iterator[None]:
    """As decisions run, also in processes that tests start: on small matrices further threads only wait and spin."""
    with pytest.MonkeyPatch.context() as patch, threadpool_limits(limits=1, user_api="blas"):
        for name in BLAS_THREADS:
            patch.setenv(name, "1")
        yield


@pytest.fixture(autouse=True)
def _few_draws(request: pytest.FixtureRequest) -> Iterator[None]:
    """Few hyperparameters are drawn and few starts climbed from in contracts, where things are said or shown, and where
    a mark says so.

    Tests of how good choices are have a mark against it.
    """
    from steerbo.testing.contract import Contract  # after its assertions are registered to be rewritten

    contract = request.cls is not None and issubclass(request.cls, Contract)
    shown = request.path.parent.name in ANY_DRAWS
    few, every = (request.node.get_closest_marker(name) is not None for name in ("few_draws", "all_draws"))
    with few_draws() if (contract or shown or few) and not every else nullcontext():
        yield


@pytest.fixture(autouse=True, scope="session")
def _signals_as_in_a_terminal() -> Iterator[None]:
    before = {}
    for name in IGNORED_IN_THE_BACKGROUND:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            usual = signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL
            before[number] = signal.signal(number, usual)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(scope="session")
def running() -> Iterator[Server]:
    """The one PostgreSQL server of all tests, which take databases of their own: to make a server takes seconds."""
    with server(durable=False) as started:
        yield started


if "TMPDIR" not in os.environ and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= ROOM:
    os.environ["TMPDIR"] = str(MEMORY)
    tempfile.tempdir = None  # it may have been asked for already

gc.disable()  # while nearly all of the library is imported, until tests begin


def pytest_collection_finish() -> None:
    """Leave modules and tests out of every later search for garbage: they stay to the end, and are many."""
    gc.freeze()
    gc.enable()


def _left_out(config: pytest.Config) -> int:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    return len(reporter.stats.get("skipped", ())) if reporter is not None else 0


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where everything is to be tested, skipping is failing."""
    if os.environ.get(EVERYTHING) and session.exitstatus == 0 and _left_out(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was skipped, beside the list that pytest prints."""
    if count := _left_out(terminalreporter.config):
        verdict = f"and {EVERYTHING} is set: the run has failed" if os.environ.get(EVERYTHING) else "for these reasons"
        terminalreporter.write_line(f"{count} skipped, {verdict} (CONTRIBUTING says how to get what they need)")
