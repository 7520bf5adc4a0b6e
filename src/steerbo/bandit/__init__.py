"""Arms of a bandit: running statistics, confidence radii and the theory's β."""

from .arms import Arms
from .radii import bernstein_radius, hoeffding_radius, information_gain, theory_beta

__all__ = ["Arms", "bernstein_radius", "hoeffding_radius", "information_gain", "theory_beta"]
