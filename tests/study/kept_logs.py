"""Logs that were kept, of every format."""

from __future__ import annotations

from pathlib import Path

import pytest

FORMATS = Path(__file__).parent / "formats"
FILES = sorted(FORMATS.glob("*/*.sql"))
each = pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
