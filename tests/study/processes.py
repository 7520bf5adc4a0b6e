"""Processes that a study starts, and whether they have ended."""

from __future__ import annotations

import multiprocessing
import os
from typing import Any

import pytest

from steerbo.core import Suggestion

posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
threads = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")


def ended_well(child: int) -> bool:
    return os.waitpid(child, 0)[1] == 0


SPAWN = multiprocessing.get_context("spawn")


def measure(suggestion: Suggestion) -> Any:
    """The same for the same round, wherever it is evaluated."""
    if suggestion.observe:
        return {"context": dict.fromkeys(suggestion.observe, 0.1 + suggestion.round * 0.37 % 0.8)}
    return 1.0 / suggestion.round
