"""What studies and runs leave to Python's logging, under the name ``steerbo.study``.

WARNING: what the user ought to know, such as a round that failed, or a log that is away. INFO: how it goes, a line a
round. DEBUG: every step. Python shows warnings on standard error where a program says nothing else about logging.
Whoever gives an observer, or `say`, is told what the user ought to know by these instead. No line has a secret in it.
"""

from __future__ import annotations

import logging

LOGGER = logging.getLogger("steerbo.study")
