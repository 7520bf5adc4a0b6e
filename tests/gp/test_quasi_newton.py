"""Quasi-Newton steps up a density of which an evaluation is dear."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.errors import ModelFailure
from steerbo.gp import Parameter
from steerbo.gp._fit import Curvature, Weigh, quasi_newton
from steerbo.gp._process import Weighed

TWO = [Parameter(name, 0.0, 0.0, 100.0, -5.0, 5.0) for name in ("x", "y")]
H = np.array([[3.0, 1.0], [1.0, 2.0]])
SUMMIT = np.array([0.5, -0.2])


def hill(seen: list[str], bump: float = 0.0, times: float = 1.0) -> Weigh:
    """A quadratic, and `bump` more where x is nearly that of the summit; what is computed is written down."""

    def weigh(theta: np.ndarray) -> Weighed:
        seen.append("value")
        away = theta - SUMMIT
        value = -0.5 * times * float(away @ H @ away) + (bump if abs(away[0]) < 1e-3 else 0.0)

        def slope() -> np.ndarray:
            seen.append("slope")
            return -times * H @ away

        return Weighed(value, 0.0, slope)

    return weigh


def test_a_short_last_step_that_gains_what_it_should_needs_no_gradient() -> None:
    seen: list[str] = []
    found = quasi_newton(TWO, hill(seen), np.array([0.1, -0.2]), np.linalg.inv(H), evaluations=6, hasty=True)
    assert found.theta == pytest.approx(SUMMIT, abs=1e-3)
    assert found.fit.converged
    assert seen == ["value", "slope", "value"]
    assert found.evaluations == 2


@pytest.mark.parametrize("bump", [-0.5, 0.5])
def test_one_that_gains_something_else_is_looked_at_again(bump: float) -> None:
    seen: list[str] = []
    quasi_newton(TWO, hill(seen, bump), np.array([0.2, -0.2]), np.linalg.inv(H), evaluations=4, hasty=True)
    assert seen.count("value") > 2


def test_without_haste_there_is_a_gradient_wherever_it_leads_up() -> None:
    seen: list[str] = []
    found = quasi_newton(TWO, hill(seen), np.zeros(2), 0.8 * np.linalg.inv(H), evaluations=6)
    assert seen.count("slope") == seen.count("value") == found.evaluations
    assert found.left < 0.05


def test_where_it_leads_down_no_gradient_is_computed() -> None:
    seen: list[str] = []
    quasi_newton(TWO, hill(seen, times=4.0), np.array([0.7, -0.4]), np.linalg.inv(H), evaluations=5)
    assert seen.count("slope") < seen.count("value")


def test_it_says_when_it_stopped_before_its_time() -> None:
    found = quasi_newton(TWO, hill([], times=20.0), np.full(2, 4.0), 0.01 * np.eye(2), evaluations=2, hasty=True).fit
    assert not found.converged
    assert found.notes == ("the search for hyperparameters stopped before it converged",)
    assert found.evaluations <= 3


def test_where_there_is_no_density_the_beginning_is_kept() -> None:
    def nowhere(theta: np.ndarray) -> Weighed:
        raise ModelFailure("no covariances")

    found = quasi_newton(TWO, nowhere, np.full(2, 9.0), np.eye(2), evaluations=3, hasty=True)
    assert found.theta.tolist() == [5.0, 5.0], "within its bounds"
    assert not found.fit.converged


def test_curvature_that_steps_have_found_grows_as_before() -> None:
    def of(n: float) -> Weigh:
        return lambda theta: Weighed(0.0, 0.0, lambda: -np.array([n, 50.0]) * theta)

    curvature = Curvature.found(TWO, of(16.0), np.zeros(2), of(4.0))
    np.testing.assert_allclose(np.linalg.inv(curvature.inverse(0.1)), np.diag([160.0, 50.0]), rtol=1e-3, atol=1e-6)
    steeper = curvature.agreeing(np.diag([1 / 32.0, 1 / 60.0]))
    np.testing.assert_allclose(np.linalg.inv(steeper.inverse(0.5)), np.diag([64.0, 60.0]), rtol=1e-3, atol=1e-6)
