"""One Chromium for many tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.serve.browser import Browser, browser


@pytest.fixture(autouse=True, scope="session")
def _changes_are_seen_soon() -> Iterator[None]:
    """Servers in this process look for changes ten times a second: tests wait for the next look, and for the last."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("steerbo.serve.api.EVERY", 0.1)
        yield


@pytest.fixture(scope="session")
def _chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("chromium")) as made:
        yield made


@pytest.fixture
def chromium(_chromium: Browser) -> Iterator[Browser]:
    """Chromium, with nothing in it that another test has left."""
    with _chromium.anew() as fresh:
        yield fresh
