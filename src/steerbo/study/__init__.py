"""Studies that live in a file: what to optimise, how to evaluate it, and a journal that loses nothing."""

from .journal import Journal
from .objective import Command, Function, Objective
from .progress import Display
from .run import drive, resume
from .specification import Settings, Specification, read_study

__all__ = [
    "Command",
    "Display",
    "Function",
    "Journal",
    "Objective",
    "Settings",
    "Specification",
    "drive",
    "read_study",
    "resume",
]
