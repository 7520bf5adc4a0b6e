"""Measured tables as columns, and the rows of one that are nearest to a setting: no model is between."""

from __future__ import annotations

import csv
import functools
import io

import numpy as np
from jaxtyping import Float, Int

from .. import data

_SAME = 1e-4
"""Added to squared distances over the range, so that a row at the setting itself counts finitely."""


@functools.cache
def columns(name: str) -> dict[str, tuple[str, ...]]:
    """The words of a table, by column.

    Raises:
        DataMissing: it is not at hand.
    """
    text = data.required(data.measured(name)).read_text(encoding="utf-8")
    names, *rows = csv.reader(io.StringIO(text))
    return dict(zip(names, zip(*rows, strict=True), strict=True))


def numbers(name: str, *which: str) -> Float[np.ndarray, "n c"]:
    """These columns of a table as numbers."""
    found = columns(name)
    return np.array([[float(word) for word in found[each]] for each in which]).T


class Nearest:
    """The `count` rows nearest to a setting, by distances over each column's range."""

    def __init__(
        self, rows: Float[np.ndarray, "n c"], values: Float[np.ndarray, " n"], count: int
    ) -> None:
        self.low, width = rows.min(axis=0), np.ptp(rows, axis=0)
        self.width = np.where(width > 0, width, 1.0)
        self.rows, self.values, self.count = (rows - self.low) / self.width, values, count

    def places(
        self, at: Float[np.ndarray, "q c"]
    ) -> tuple[Int[np.ndarray, "q k"], Float[np.ndarray, "q k"]]:
        """Numbers of the rows and their squared distances, nearest first."""
        apart = ((at - self.low) / self.width)[:, None] - self.rows
        squared = (apart**2).sum(axis=2)
        order = np.argsort(squared, axis=1, kind="stable")[:, : self.count]
        return order, np.take_along_axis(squared, order, axis=1)

    def mean(self, at: Float[np.ndarray, "q c"]) -> Float[np.ndarray, " q"]:
        """Means of their values, weighted by one over the squared distance."""
        order, squared = self.places(at)
        weights = 1.0 / (squared + _SAME)
        return np.asarray((weights * self.values[order]).sum(axis=1) / weights.sum(axis=1))

    def drawn(
        self, at: Float[np.ndarray, "q c"], uniform: Float[np.ndarray, " q"]
    ) -> Float[np.ndarray, " q"]:
        """The value of one of them, each as likely."""
        order, _ = self.places(at)
        picked = (uniform * self.count).astype(int)
        return np.asarray(self.values[order[np.arange(len(at)), picked]])
