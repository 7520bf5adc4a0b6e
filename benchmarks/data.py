"""Real data, as `partial_control_bench` finds and checks them."""

from __future__ import annotations

from partial_control_bench.data import VARIABLE, DataChanged, DataMissing, download, folder, text
from partial_control_bench.data import required_json as required

__all__ = ["VARIABLE", "DataChanged", "DataMissing", "download", "folder", "required", "text"]
