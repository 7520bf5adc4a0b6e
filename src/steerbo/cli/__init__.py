"""The command line: `steerbo run`, `check`, `methods`, `demo`; and by hand `new`, `ask`, `tell` and others."""

from .app import main

__all__ = ["main"]
