"""Studies that last: what to optimise, how to evaluate it, and a log that loses nothing and takes many workers."""

from .add_frame import add_frame
from .backup import backup, restore
from .database import DatabaseLog
from .leases import LEASE
from .log import BY_HAND, EventLog, Lease
from .memory import Memory, MemoryLog
from .objective import Command, Function, Objective
from .opening import read_events
from .progress import Display
from .ray_executor import RayExecutor
from .resume import resume
from .run import drive
from .specification import Settings, Specification, read_study
from .study import Study
from .to_frame import to_frame

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
    "Specification",
    "Study",
    "add_frame",
    "backup",
    "drive",
    "read_events",
    "read_study",
    "restore",
    "resume",
    "to_frame",
]
