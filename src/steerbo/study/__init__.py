"""Studies on a log: any number of workers ask and tell at once, and no outcome is lost."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..storage.database import DatabaseLog
from ..storage.log import BY_HAND, EventLog, Lease
from ..storage.memory import Memory, MemoryLog
from ..storage.opening import read_events
from ._study import Study
from .workers import LEASE

if TYPE_CHECKING:
    from ..storage.backup import backup, restore
    from ._resume import compare, resume
    from ._run import run_study
    from .files.export import to_frame
    from .files.import_csv import add_frame
    from .files.study_file import Settings, StudyFile, read_study
    from .objective import Command, Function, Objective
    from .progress import Display
    from .ray_executor import RayExecutor

_MODULE_OF = {
    "Command": ".objective",
    "Display": ".progress",
    "Function": ".objective",
    "Objective": ".objective",
    "RayExecutor": ".ray_executor",
    "Settings": ".files.study_file",
    "StudyFile": ".files.study_file",
    "add_frame": ".files.import_csv",
    "backup": "..storage.backup",
    "compare": "._resume",
    "read_study": ".files.study_file",
    "restore": "..storage.backup",
    "resume": "._resume",
    "run_study": "._run",
    "to_frame": ".files.export",
}

__all__ = [
    "BY_HAND", "LEASE", "Command", "DatabaseLog", "Display", "EventLog", "Function", "Lease", "Memory", "MemoryLog",
    "Objective", "RayExecutor", "Settings", "Study", "StudyFile", "add_frame", "backup", "compare", "read_events",
    "read_study", "restore", "resume", "run_study", "to_frame",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import files, the run loop and pictures when they are first used: a worker that asks needs none of them."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_MODULE_OF[name], __name__), name)
    return found
