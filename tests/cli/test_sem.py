"""`--sem` of `tell` and `amend`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.calls import DRUG, begin, call, refused, said


def test_how_accurate_a_value_is(tmp_path: Path) -> None:
    study = begin(tmp_path, DRUG)
    (suggestion,) = json.loads(said("ask", study, "--json"))
    token = suggestion["token"]
    if suggestion["observe"]:
        said("decide", study, token, *(f"--context={name}=50" for name in suggestion["observe"]))
    assert "sem" in refused(call("tell", study, token, "0.5", "--sem", "-1"), 2)
    said("tell", study, token, "0.5", "--sem", "0.125")
    assert "0.125" in said("show", study)
    assert ",sem" in said("export", study).splitlines()[0]
    said("amend", study, token, "--sem", "0.25")
    assert "0.25" in said("show", study)
    said("amend", study, token, "--sem", "none")
    assert "sem" not in said("export", study).splitlines()[0]
