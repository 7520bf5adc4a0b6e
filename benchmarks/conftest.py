"""Where a peer is not installed, its adapter cannot be imported, and there is nothing of it to try."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

_ADAPTERS = Path(__file__).parent / "src" / "partial_control_bench" / "entrants"
_NEEDS = {"ax": "ax", "baybe": "baybe", "smac": "smac", "wdbo": "wdbo_algo", "xopt": "xopt"}

collect_ignore = [
    str(_ADAPTERS / f"{name}.py") for name, package in _NEEDS.items() if find_spec(package) is None
]
