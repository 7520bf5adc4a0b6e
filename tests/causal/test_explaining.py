"""What the methods have to say of their arms and of observations."""

from __future__ import annotations

from tests.causal.test_observations import observed


def test_explain_says_where_observations_and_plays_disagree() -> None:
    wrong, right = observed(0.5, 80, 25).explain(), observed(0.0, 80, 25).explain()
    assert "They do not agree with plays of x after looking at c: near x = " in wrong.summary
    assert "draw `<->`" in wrong.summary
    assert "do not agree" not in right.summary
    table = right.tables[-1]
    assert table.rows[0][:3] == ("x after looking at c", 80, 25)
    assert wrong.tables[-1].rows[0][3] > 3 * table.rows[0][3], "they differ by more"
    trusted = observed(0.5, 80, 5, observations="trusted").explain()
    assert all(table.title != "Observations beside plays" for table in trusted.tables)
