"""`steerbo remark`, and finding it again."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.calls import DRUG, begin, call, refused, said


def test_a_remark_is_kept_and_found(tmp_path: Path) -> None:
    study = begin(tmp_path, DRUG)
    (suggestion,) = json.loads(said("ask", study, "--json"))
    token = suggestion["token"]
    assert said("remark", study, token, "lot 7").strip() == "lot 7"
    assert json.loads(said("remark", study, token, "photo a7.jpg", "--json"))["remarks"] == ["lot 7", "photo a7.jpg"]
    assert "lot 7; photo a7.jpg" in said("export", study)
    assert token in said("show", study, "--find", "LOT 7")
    assert token not in said("show", study, "--find", "lot 8")
    assert "no-such" in refused(call("remark", study, "no-such", "lot 7"), 2)
    assert "text" in refused(call("remark", study, token, " "), 2)
