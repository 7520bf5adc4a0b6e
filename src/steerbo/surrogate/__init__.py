"""Value of scopes: Gaussian processes over all columns, expectations over uncontrolled variables, feasibility."""

from ._acquisition import LEAST_SD, Acquisition, ExpectedAcquisition, expected_improvement, ucb
from ._batched_expectation import ROUGH, Expansion, Mixture
from ._conditional import (
    DirichletProcessLaw,
    Regressed,
    conditional_rows,
    kernel_herding,
    learned_law,
    similarity_shares,
    similarity_weights,
)
from ._constraints import ConstraintModels, margin_over, read_likely, rows_at
from ._expectation import HELD, Axis, Expectation, ProductKernelPosterior
from ._export import Columns, Posterior, inverse_root
from ._feasibility import FEWEST, FailureModel, Feasibility, Lasting, feasible
from ._model import (
    FLEETING,
    MUCH_NOISE,
    STARTING_POINTS,
    SURE,
    DriftTracker,
    EncodingCache,
    build_model,
    drift_correlations,
    sources_said,
    subset_used,
    uneven_noise_said,
    with_sources,
)
from ._optimise import (
    ARRIVED,
    Domain,
    Except,
    Search,
    climb_from,
    highest_of,
    highest_of_each,
    maximise_bounds,
    most_within,
    polished,
    warm_started,
)
from ._parts import (
    Controlled,
    LawOf,
    Observed,
    Part,
    Rows,
    Uncontrolled,
    drawn,
    parts_of,
    set_columns,
)
from ._reach import (
    FIRST_STEP,
    FURTHER,
    Margins,
    average_gain,
    better,
    first_steps,
    gain_between,
    likelier,
    reach,
    undecided,
)
from ._rows import (
    Data,
    RowsModel,
    doubts_by_name,
    doubts_by_number,
    errors_of,
    is_told,
    rows_told,
)
from ._thompson import PosteriorSample
from ._trade_off import (
    BEYOND,
    OUTCOMES_FIT,
    OutcomeModels,
    Rising,
    Scalarised,
    Units,
    VolumeGained,
    expected_at_data,
    on_sphere,
    posteriors_of,
    undominated,
)
from ._traded import (
    VALUE,
    Gain,
    Trades,
    answer_weights,
    expected_outcome,
    scales_of,
)

__all__ = [
    "ARRIVED", "BEYOND", "FEWEST", "FIRST_STEP", "FLEETING", "FURTHER", "HELD", "LEAST_SD", "MUCH_NOISE",
    "OUTCOMES_FIT", "ROUGH", "STARTING_POINTS", "SURE", "VALUE", "Acquisition", "Axis", "Columns", "ConstraintModels",
    "Controlled", "Data", "DirichletProcessLaw", "Domain", "DriftTracker", "EncodingCache", "Except",
    "Expansion", "Expectation", "ExpectedAcquisition", "FailureModel", "Feasibility", "Gain", "Lasting", "LawOf",
    "Margins", "Mixture", "Observed", "OutcomeModels", "Part", "Posterior", "PosteriorSample",
    "ProductKernelPosterior", "Regressed", "Rising", "Rows", "RowsModel", "Scalarised", "Search", "Trades",
    "Uncontrolled", "Units", "VolumeGained", "answer_weights", "average_gain", "better", "build_model",
    "climb_from", "conditional_rows", "doubts_by_name", "doubts_by_number", "drawn", "drift_correlations",
    "errors_of", "expected_at_data", "expected_improvement", "expected_outcome", "feasible", "first_steps",
    "gain_between", "highest_of", "highest_of_each", "inverse_root", "is_told", "kernel_herding", "learned_law",
    "likelier", "margin_over", "maximise_bounds", "most_within", "on_sphere", "parts_of", "polished",
    "posteriors_of", "reach", "read_likely", "rows_at", "rows_told", "scales_of", "set_columns",
    "similarity_shares", "similarity_weights", "sources_said", "subset_used", "ucb", "undecided", "undominated",
    "uneven_noise_said", "warm_started", "with_sources",
]  # fmt: skip
