"""`steerbo studies`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.calls import call, refused
from tests.study.folders import filled


def test_from_the_command_line(tmp_path: Path) -> None:
    place = tmp_path / "log.db"
    filled(place)
    assert "north" in call("studies", "list", place).stdout
    assert [s["name"] for s in json.loads(call("studies", "list", place, "--json").stdout)["studies"]] == [
        "north",
        "south",
    ]
    assert call("studies", "rename", place, "north", "west").stdout == "north is called west now\n"
    assert "NAME" in refused(call("studies", "rename", place), 2)
    assert "TO" in refused(call("studies", "rename", place, "west"), 2)
    assert "--yes" in refused(call("studies", "delete", place, "west"), 2)
    assert call("studies", "delete", place, "west", "--yes").exit_code == 0
    kept = call("studies", "archive", place, "south", tmp_path / "south.db")
    assert kept.exit_code == 0
    assert "steerbo restore" in kept.stderr
    assert call("restore", tmp_path / "south.db", place).exit_code == 0
    assert call("studies", "list", tmp_path / "no.db").exit_code == 2
