"""The benchmark's command, called in this process."""

from __future__ import annotations

import sys

import pytest

from partial_control_bench.cli import main


def pcb(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["pcb", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)
