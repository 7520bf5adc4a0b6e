"""The rounds as a DataFrame. Needs pandas (`pip install 'steerbo[pandas]'`)."""

from __future__ import annotations

from typing import Any

from ..errors import MissingExtra
from ..rounds import Reading
from .columns import columns_of
from .export import rows_of


def to_frame(study: Reading) -> Any:
    """A pandas DataFrame with one line a round, then one for each outcome that was added.

    Its columns are those of `steerbo export`: token, round, state, value, cost, charged, the variables by name (what
    was set, and what was measured), and the reason of a failure. What is not known is missing.

    Args:
        study: a study, or an optimizer; it stays as it is.

    Raises:
        MissingExtra: pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise MissingExtra("pandas", "pandas") from None
    rows = list(rows_of(study.history))
    return pandas.DataFrame({name: [row.get(name) for row in rows] for name in columns_of(study.problem)})
