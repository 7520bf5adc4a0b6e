"""Airfoil self-noise (Brooks, Pope and Marcolini 1989): a Gaussian process of 1503 wind-tunnel runs.

Inputs as in the paper: log10 of frequency and of thickness, then all five scaled to [0, 1]; the
output standardised. The process's hyperparameters are those of Tay et al.'s published reference
(ARD Matérn-5/2).
"""

from __future__ import annotations

import functools
import io

import numpy as np
from jaxtyping import Float
from scipy.linalg import cho_factor, cho_solve

from .. import data

COLUMNS = (
    "frequency_hz",
    "angle_of_attack_deg",
    "chord_length_m",
    "free_stream_velocity_m_s",
    "suction_displacement_thickness_m",
)
_HEADER = ",".join((*COLUMNS, "sound_pressure_level_db"))
_HOME = "https://archive.ics.uci.edu/static/public/291/airfoil+self+noise.zip"
_DIGEST = "a61cf3c6c9e1d33fe76f835fc05837630cede13674b9b08fe49c20d33e3cd58d"
_LENGTHSCALES = np.array(
    [
        0.1764404817425009,
        0.3049778670000162,
        0.17758582099512163,
        0.8669498345595926,
        0.2675409612248587,
    ]
)
_OUTPUTSCALE, _MEAN, _NOISE = 0.9180261123887418, -0.5191142823163545, 0.6954410109527837


def table() -> str:
    """The 1503 runs as comma-separated text with a header: from `STEERBO_DATA`, else from the UCI repository."""
    return data.text("airfoil.csv") or data.download(
        _HOME, "airfoil_self_noise.dat", _DIGEST, _HEADER
    )


@functools.cache
def _process() -> tuple[Float[np.ndarray, "n d"], Float[np.ndarray, " n"]]:
    """Scaled inputs (n, 5) and (K + noise)⁻¹ (y − mean)."""
    runs = np.loadtxt(io.StringIO(table()), delimiter=",", skiprows=1)
    inputs, output = runs[:, :5].copy(), runs[:, 5]
    inputs[:, [0, 4]] = np.log10(inputs[:, [0, 4]])
    inputs = (inputs - inputs.min(0)) / (inputs.max(0) - inputs.min(0))
    target = (output - output.mean()) / output.std()
    factor = cho_factor(_kernel(inputs, inputs) + _NOISE * np.eye(len(inputs)), lower=True)
    return inputs, cho_solve(factor, target - _MEAN)


def _kernel(a: Float[np.ndarray, "p d"], b: Float[np.ndarray, "q d"]) -> Float[np.ndarray, "p q"]:
    a, b = a / _LENGTHSCALES, b / _LENGTHSCALES
    squared = np.maximum((a**2).sum(1)[:, None] + (b**2).sum(1) - 2 * a @ b.T, 0.0)
    r = np.sqrt(5 * squared)
    return _OUTPUTSCALE * (1 + r + r**2 / 3) * np.exp(-r)


def inputs() -> Float[np.ndarray, "n 5"]:
    """The scaled inputs of the 1503 runs."""
    return _process()[0]


def noise_level(x: Float[np.ndarray, "p 5"]) -> Float[np.ndarray, " p"]:
    """The standardised sound level at scaled inputs (p, 5)."""
    runs, weights = _process()
    return _MEAN + _kernel(x, runs) @ weights
