"""Sentences about data of elsewhere."""

from __future__ import annotations

from tests.causal.test_observations import observed


def test_explain_says_which_scopes_observations_feed() -> None:
    said = observed(0.0, 80, 3).explain()
    assert "80 observations without intervention feed: set x after looking at c." in said.summary
    assert said.tables[0].title == "Scopes"
