"""Studies on a log: any number of workers ask and tell at once, and no outcome is lost."""

from ..storage.backup import backup, restore
from ..storage.database import DatabaseLog
from ..storage.log import BY_HAND, EventLog, Lease
from ..storage.memory import Memory, MemoryLog
from ..storage.opening import read_events
from ._run import run_study
from ._study import Study
from .files.export import to_frame
from .files.import_csv import add_frame
from .files.study_file import Settings, StudyFile, read_study
from .leases import LEASE
from .objective import Command, Function, Objective
from .progress import Display
from .ray_executor import RayExecutor
from .resume import resume

__all__ = [
    "BY_HAND",
    "LEASE",
    "Command",
    "DatabaseLog",
    "Display",
    "EventLog",
    "Function",
    "Lease",
    "Memory",
    "MemoryLog",
    "Objective",
    "RayExecutor",
    "Settings",
    "Study",
    "StudyFile",
    "add_frame",
    "backup",
    "read_events",
    "read_study",
    "restore",
    "resume",
    "run_study",
    "to_frame",
]
