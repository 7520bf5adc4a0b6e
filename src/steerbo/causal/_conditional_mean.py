"""Conditional mean of a variable given others, learned from rows: a line, and a smooth deviation from it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._arrays import Bool, Float

_LENGTHSCALES = 0.5, 1.0, 2.0, 4.0  # of a regression, in standard deviations of its columns
_SHARES = 1e-3, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 1.0  # of the variance that it leaves as residuals
_FLAT = 1e-9  # a deviation, of standardised rows, that is rounding
_REGRESSION_ROWS = 300  # rows of a regression whose number costs its cube


class Moments(NamedTuple):
    """Mean, and the standard deviation of that mean."""

    mean: float
    sd: float


class Regression:
    """Regression of a number on others by a Gaussian process: a line, and a smooth deviation from it.

    Its lengthscale, and the share of variance that it leaves as residuals, are those of a small
    grid with the largest likelihood. Residuals are those of the regression without the row itself.

    Args:
        rows: (n, k) values of its columns.
        kinds: (k,) which columns hold categories.
        values: (n,) of the number.
    """

    def __init__(
        self,
        rows: Float[np.ndarray, "n k"],
        kinds: Bool[np.ndarray, " k"],
        values: Float[np.ndarray, " n"],
    ) -> None:
        spread = rows.std(axis=0)
        self._unit = np.where(kinds | (spread < _FLAT), 1.0, spread)
        self._centre = rows.mean(axis=0)
        self._rows, self._kinds, self._level = rows, kinds, float(values.mean())
        n, away, best = len(values), values - values.mean(), -np.inf
        self._scale, self._inverse, self._lengthscale, self._share = 0.0, np.eye(n), 1.0, 1.0
        for lengthscale in _LENGTHSCALES if rows.shape[1] and n > 2 and away.std() > _FLAT else ():
            found, vectors = np.linalg.eigh(self._kernel(rows, lengthscale))
            turned = (vectors.T @ away) ** 2
            for share in _SHARES:
                spectrum = (1.0 - share) * np.maximum(found, 0.0) + share
                scale = float((turned / spectrum).mean())
                fit = -0.5 * (n * np.log(scale) + np.log(spectrum).sum())
                if fit > best + 1e-9:
                    best = fit
                    self._lengthscale = lengthscale
                    self._share = share
                    self._scale = scale
                    self._inverse = (vectors / spectrum) @ vectors.T
        self._weights = self._inverse @ away
        self._sampled = float(away.var()) / n
        self.residuals = self._weights / np.diagonal(self._inverse)

    @classmethod
    def of_some(
        cls,
        rows: Float[np.ndarray, "n k"],
        kinds: Bool[np.ndarray, " k"],
        values: Float[np.ndarray, " n"],
    ) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
        """Means at all rows, and residuals of all values, by a regression of at most 300 of them, spread evenly."""
        some = np.unique(
            np.linspace(0, len(rows) - 1, min(len(rows), _REGRESSION_ROWS)).round().astype(int)
        )
        found = cls(rows[some], kinds, values[some])
        means = found.means(rows)
        residuals = values - means
        residuals[some] = found.residuals
        return means, residuals

    def _kernel(
        self, points: Float[np.ndarray, "m k"], lengthscale: float
    ) -> Float[np.ndarray, "m n"]:
        ours = (points - self._centre) / self._unit
        theirs = (self._rows - self._centre) / self._unit
        numbers = ~self._kinds
        gaps = (ours[:, None] - theirs) ** 2
        gaps = np.where(self._kinds, gaps > 0.0, gaps).sum(axis=2)
        return np.asarray(
            ours[:, numbers] @ theirs[:, numbers].T + np.exp(-0.5 * gaps / lengthscale**2)
        )

    def means(self, points: Float[np.ndarray, "m k"]) -> Float[np.ndarray, " m"]:
        """Means at points."""
        if not self._scale:
            return np.full(len(points), self._level)
        return np.asarray(
            self._level
            + (1.0 - self._share) * (self._kernel(points, self._lengthscale) @ self._weights)
        )

    def at(self, point: Float[np.ndarray, " k"]) -> Moments:
        """Mean at a point, and the standard deviation of that mean."""
        if not self._scale:
            return Moments(self._level, self._sampled**0.5)
        cross = (1.0 - self._share) * self._kernel(point[None], self._lengthscale)[0]
        numbers = ~self._kinds
        ours = ((point - self._centre) / self._unit)[numbers]
        prior = (1.0 - self._share) * (1.0 + float(ours @ ours))
        variance = self._scale * max(prior - float(cross @ self._inverse @ cross), 0.0)
        return Moments(
            self._level + float(cross @ self._weights),
            (variance + self._sampled * self._share) ** 0.5,
        )
