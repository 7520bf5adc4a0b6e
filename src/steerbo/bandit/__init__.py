"""Choice among arms by bounds, widths, prices and counts alone; confidence radii and calibration.

Arms are numbered. A price is the cost of a play, or a lower bound on it; an arm of unknown price (NaN) counts as free.
"""

from ._confidence import (
    BOUND,
    MISFIT,
    RECENT,
    Calibration,
    all_equal,
    bernstein_radius,
    hoeffding_radius,
    scale_inflation,
    theory_beta,
)
from ._elimination import (
    ActiveArms,
    BudgetUse,
    Intersected,
    WhenExhausted,
    cost_bounds,
    explores,
    summed_error_excess,
    tempered_excess,
)
from ._selection import (
    ArmStatistics,
    Selection,
    cheapest,
    cheapest_near,
    cheapest_sufficient,
    cost_tiers,
    expected_with_failure,
    needs_initial_plays,
    split_initial_plays,
    underexplored,
)

__all__ = [
    "BOUND", "MISFIT", "RECENT", "ActiveArms", "ArmStatistics", "BudgetUse", "Calibration", "Intersected", "Selection",
    "WhenExhausted", "all_equal", "bernstein_radius", "cheapest", "cheapest_near", "cheapest_sufficient", "cost_bounds",
    "cost_tiers", "expected_with_failure", "explores", "hoeffding_radius", "needs_initial_plays", "scale_inflation",
    "split_initial_plays", "summed_error_excess", "tempered_excess", "theory_beta", "underexplored",
]  # fmt: skip
