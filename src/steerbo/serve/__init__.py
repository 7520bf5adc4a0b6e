"""The page at the bench, and an interface for everything that is not Python; needs `pip install 'steerbo[serve]'`."""

from __future__ import annotations

from ..errors import MissingExtra

try:
    from .application import application
    from .pool import StudyPool
    from .server import listen
except ImportError as error:
    missing = str(error.name).partition(".")[0]
    raise (MissingExtra(missing, "serve") if missing != "steerbo" else error) from None

__all__ = ["StudyPool", "application", "listen"]
