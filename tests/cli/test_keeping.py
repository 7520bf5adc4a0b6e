"""`doctor`, from the command line."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.cli.calls import asked, call, refused


def test_the_doctor_repairs_on_request(study: Path) -> None:
    for _ in range(3):
        asked(study)
    with closing(sqlite3.connect(study.with_suffix(".db"))) as connection, connection:
        connection.execute("UPDATE steerbo_event SET body = replace(body, '2-', '7-') WHERE position = 3")
    for command in (("show", study), ("backup", study, study.with_name("copy.db"))):
        assert "event 3" in refused(call(*command), 1)
    found = call("doctor", study)
    assert found.exit_code == 1
    assert "study: 2 events; event 3 " in found.stdout
    assert "--repair" in found.stderr
    mended = call("doctor", study, "--repair")
    assert mended.exit_code == 0
    assert "now holds 2 events of study" in mended.stdout
    assert asked(study)["round"] == 2, "people keep the rounds that they hold"


def test_what_the_doctor_found_is_a_document_without_the_events_themselves(study: Path) -> None:
    found = json.loads(call("doctor", study, "--json").stdout)
    (about,) = found.pop("studies")
    assert found == {
        "place": str(study.with_suffix(".db")),
        "complaint": "",
        "repaired": "",
        "files": [],
        "unnamed": [],
    }
    assert about == {"name": "study", "events": about["events"], "complaint": "", "note": ""}
    assert about["events"] > 0
