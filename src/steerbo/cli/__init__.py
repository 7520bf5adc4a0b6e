"""The command line: `steerbo run`, `check`, `methods`, `demo`."""

from .app import main

__all__ = ["main"]
