"""A link for a colleague: made on the page, with a role and an end, and followed in a browser."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from steerbo.storage import keys
from tests.serve.browser import CHROMIUM, Browser
from tests.serve.players import bearer, key_for, oven, served
from tests.serve.processes import serving_here


def made(client: TestClient, key: str, **form: str) -> Any:
    shown = client.get("/page/oven/settings", headers=bearer(key)).text
    secret = re.search(r'name="form" value="([0-9a-f]+)"', shown)
    assert secret is not None
    return client.post("/page/oven/share", data={"form": secret[1], **form}, headers=bearer(key))


def key_in(text: str) -> str:
    found = re.search(r'value="http://localhost[^/]*/join#(steerbo_[^"]+)"', unescape(text))
    assert found is not None, text
    return found[1]


def test_a_link_has_a_role_and_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = oven(tmp_path)
    with served(place, keyed=True) as client:
        ann = key_for(place, "amend")
        shown = made(client, ann, colleague="bob", may="read", days="7").text
        bob = key_in(shown)
        assert "bob: look, until " in shown
        assert "It opens on this machine only" in shown
        assert client.get("/page/oven", headers=bearer(bob)).status_code == 200
        assert client.post("/v1/studies/oven/ask", headers=bearer(bob)).status_code == 403, "he may only look"
        assert client.post("/page/oven/share", headers=bearer(bob)).status_code == 403
        assert bob not in client.get("/page/oven/settings", headers=bearer(ann)).text, "it is shown only once"
        now = keys._now
        monkeypatch.setattr(keys, "_now", lambda: now(timedelta(days=8)))
        assert client.get("/page/oven", headers=bearer(bob)).status_code == 401, "it has ended"
        client.app.state.pool.reached_at = "192.0.2.7"  # type: ignore[attr-defined]
        monkeypatch.undo()
        elsewhere = made(client, ann, colleague="eve", may="read", days="7").text
        assert 'value="http://192.0.2.7/join#steerbo_' in unescape(elsewhere)
        assert "this machine only" not in elsewhere


def test_a_link_is_revoked_and_what_is_missing_is_said(tmp_path: Path) -> None:
    place = oven(tmp_path)
    with served(place, keyed=True) as client:
        ann = key_for(place, "amend")
        bob = key_in(made(client, ann, colleague="bob", may="play", days="").text)
        (id,) = [key.id for key in keys.keys_of(place) if key.name == "bob"]
        assert made(client, ann, revoke=id).status_code == 200
        assert client.get("/page/oven", headers=bearer(bob)).status_code == 401
        for wrong in ({"colleague": " "}, {"colleague": "eve", "may": "all"}, {"revoke": "no key"}):
            assert made(client, ann, **wrong).status_code == 422
        (own,) = [key.id for key in keys.keys_of(place) if key.name == "ann"]
        asked = made(client, ann, revoke=own)
        assert asked.status_code == 409
        assert "This is your own key" in asked.text
        assert asked.text.count("Revoke it anyway") == 1
        assert client.get("/page/oven", headers=bearer(ann)).status_code == 200
        made(client, ann, revoke=own, sure=own)
        assert client.get("/page/oven", headers=bearer(ann)).status_code == 401
    with served(place) as client:
        text = client.get("/page/oven/settings").text
        assert "--host 0.0.0.0" in text, "where no key is needed none is made"
        assert "Make a link" not in text


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian: apt-get install chromium)")
def test_a_colleague_follows_the_link(tmp_path: Path, chromium: Browser) -> None:
    place = oven(tmp_path)
    ann = key_for(place, "amend")
    with serving_here(place, keyed=True) as server:
        tab = chromium.tab()
        tab.open(f"{server.url}join#{ann}")
        tab.wait("location.pathname === '/page/oven' && document.readyState === 'complete'")
        tab.run("document.querySelector('.menu').open = true")
        tab.click("header a[href$='#share']")
        tab.fill("#share [name=colleague]", "bob")
        tab.click("#share form:not(.row) button")
        link = tab.text("#share input[readonly]")
        assert tab.text("#share [name=colleague]") == "", "it is done, and no draft"
        tab.send("Network.clearBrowserCookies")
        bob = chromium.tab()
        bob.open(link)
        bob.wait("location.pathname === '/page/oven' && document.readyState === 'complete'")
        assert bob.run("location.hash") == "", "the key stands in no address"
        assert not bob.has("#ask"), "he may look only"
