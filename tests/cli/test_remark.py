"""`steerbo remark` and `files`, and finding them again."""

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
    again = call("remark", study, token, "lot 7")
    assert (again.exit_code, again.stdout.strip()) == (0, "lot 7\nphoto a7.jpg")
    assert "is there already" in again.stderr
    assert "lot 7; photo a7.jpg" in said("export", study)
    assert token in said("show", study, "--find", "LOT 7")
    assert token not in said("show", study, "--find", "lot 8").partition("Rounds")[2]
    assert "no-such" in refused(call("remark", study, "no-such", "lot 7"), 2)
    assert "text" in refused(call("remark", study, token, " "), 2)


def test_a_file_is_kept_listed_and_given_back(tmp_path: Path) -> None:
    study, photo = begin(tmp_path, DRUG), tmp_path / "a7.png"
    photo.write_bytes(b"\x89PNG\r\n\x1a\n")
    (suggestion,) = json.loads(said("ask", study, "--json"))
    token = suggestion["token"]
    assert said("remark", study, token, "lot 7", "--file", photo).split("\n")[:2] == ["lot 7", "a7.png"]
    assert token in said("show", study, "--find", "A7.PNG")
    (listed,) = json.loads(said("files", study, "--json"))["files"]
    assert (listed["token"], listed["name"], listed["size"]) == (token, "a7.png", 8)
    assert listed["sha256"][:12] in said("files", study)
    out = tmp_path / "out"
    out.mkdir()
    for which in ("a7.png", token, listed["sha256"][:5]):
        assert said("files", study, which, "--out", out).strip() == str(out / "a7.png")
    assert (out / "a7.png").read_bytes() == photo.read_bytes()
    (out / "a7.png").write_text("something else")
    assert said("files", study, "--out", out).strip() == str(out / f"{token}-a7.png"), "nothing is replaced"
    assert "a7.png" in refused(call("files", study, "a8.png"), 2)
    assert said("files", study, "--out", tmp_path / "no" / "such").strip() == str(tmp_path / "no" / "such" / "a7.png")
    assert "folder that can be written" in refused(call("files", study, "--out", photo), 2)
    assert "file" in refused(call("remark", study, token, "--file", tmp_path), 2)
    assert "text" in refused(call("remark", study, token), 2)


def test_the_doctor_names_a_changed_file_and_the_study_goes_on(tmp_path: Path) -> None:
    study, note = begin(tmp_path, DRUG), tmp_path / "n.txt"
    note.write_text("a crack")
    said("remark", study, "study", "--file", note)
    assert "1 file in" in said("doctor", study)
    (kept,) = (tmp_path / "study.db.files").glob("*/*")
    kept.write_text("no crack")
    found = call("doctor", study, "--json")
    assert found.exit_code == 1
    assert [each["fault"] for each in json.loads(found.stdout)["files"]] == ["changed"]
    assert "n.txt is changed" in refused(call("files", study, "--out", tmp_path), 1)
    assert said("ask", study)
