"""One application: pages, JSON, figures, and nothing beside them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from steerbo import __version__
from steerbo.serve import operations
from tests.serve.players import oven, served


def test_there_is_nothing_but_what_is_meant(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        spec = client.get("/openapi.json").json()
        assert spec["info"]["version"] == __version__
        assert all(path.startswith(("/v1/studies", "/metrics")) for path in spec["paths"])
        for path in ("/redoc", "/static/../application.py", "/static/%2e%2e/api.py", "/../etc/passwd"):
            assert client.get(path).status_code == 404, path
        for method in ("PUT", "DELETE", "PATCH"):
            assert client.request(method, "/v1/studies/oven").status_code == 405


def test_what_pages_need_is_here(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        assert client.get("/static/steerbo.css").headers["content-type"].startswith("text/css")
        assert "javascript" in client.get("/static/steerbo.js").headers["content-type"]
        text = client.get("/page/oven").text
        assert "http://" not in text
        assert "https://" not in text


def test_what_only_assistants_need_is_imported_when_one_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = "import sys, steerbo.serve; print({'mcp', 'steerbo.serve.tools'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
    monkeypatch.delitem(sys.modules, "steerbo.serve.tools", raising=False)
    monkeypatch.setitem(sys.modules, "mcp", None)
    with served(oven(tmp_path)) as client:
        answer = client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
        assert (answer.status_code, "pip install 'steerbo[mcp]'" in answer.text) == (501, True)
        assert client.get("/v1/studies").status_code == 200


def test_the_interface_is_a_page_with_an_example_of_each_body(tmp_path: Path) -> None:
    for keyed in (False, True):
        (folder := tmp_path / str(keyed)).mkdir()
        with served(oven(folder), keyed=keyed) as client:
            text, spec = client.get("/docs").text, client.get("/openapi.json").json()
            assert spec["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
            assert ({} in spec["security"]) is not keyed
            assert all(path in text for path in spec["paths"])
            bodies = {name: each for name, each in spec["components"]["schemas"].items() if "examples" in each}
            assert {"Ask", "Decide", "Tell", "Fail", "Amend", "Add", "Predict"} <= bodies.keys()
            for name, schema in bodies.items():
                (example,) = schema["examples"]
                assert example.keys() <= schema["properties"].keys(), name
                getattr(operations, name).model_validate(example)
