"""Choosing among arms by bounds, widths, prices and counts alone; confidence radii, and what widens bounds.

Arms are numbered. A price is what a play costs, or a lower bound on it; an arm whose price nobody knows (NaN) counts as
free.
"""

from .arms import Arms
from .cheapest import Enough, cheap_first, cheapest, cheapest_near, rungs
from .doubt import BOUND, RECENT, Calibration, alike, doubt_of_scale
from .elimination import Survivors, WhenExhausted, lagging, summed_error_excess, tempered_excess
from .explore_then_commit import Intersected, Limits, cost_bounds, explores
from .margins import hoeffding_margins, neglected, shared_out, shrinking_margins, unready
from .radii import bernstein_radius, hoeffding_radius, information_gain, theory_beta

__all__ = [
    "BOUND",
    "RECENT",
    "Arms",
    "Calibration",
    "Enough",
    "Intersected",
    "Limits",
    "Survivors",
    "WhenExhausted",
    "alike",
    "bernstein_radius",
    "cheap_first",
    "cheapest",
    "cheapest_near",
    "cost_bounds",
    "doubt_of_scale",
    "explores",
    "hoeffding_margins",
    "hoeffding_radius",
    "information_gain",
    "lagging",
    "neglected",
    "rungs",
    "shared_out",
    "shrinking_margins",
    "summed_error_excess",
    "tempered_excess",
    "theory_beta",
    "unready",
]
