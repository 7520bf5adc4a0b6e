"""Value of scopes: Gaussian processes over all columns, expectations over uncontrolled variables, feasibility."""

from ._acquisition import Acquisition, ExpectedAcquisition, expected_improvement, ucb
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
from ._expectation import Axis, Expectation, ProductKernelPosterior
from ._export import Columns, Posterior, inverse_root
from ._feasibility import FailureModel, Feasibility, Lasting, feasible
from ._model import (
    FLEETING,
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
    ROUGH,
    Domain,
    Except,
    Expansion,
    Mixture,
    climb_from,
    highest_of,
    maximise_bounds,
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
from ._reach import FIRST_STEP, FURTHER, gains, reach
from ._rows import Data, RowsModel, doubts_by_name, doubts_by_number, errors_of
from ._thompson import PosteriorSample

__all__ = [
    "FIRST_STEP", "FLEETING", "FURTHER", "ROUGH", "STARTING_POINTS", "SURE", "Acquisition", "Axis", "Columns",
    "ConstraintModels", "Controlled", "Data", "DirichletProcessLaw", "Domain", "DriftTracker", "EncodingCache",
    "Except", "Expansion", "Expectation", "ExpectedAcquisition", "FailureModel", "Feasibility", "Lasting",
    "LawOf", "Mixture", "Observed", "Part", "Posterior", "PosteriorSample", "ProductKernelPosterior",
    "Regressed", "Rows", "RowsModel", "Uncontrolled", "build_model", "climb_from", "conditional_rows",
    "doubts_by_name", "doubts_by_number", "drawn", "drift_correlations", "errors_of", "expected_improvement",
    "feasible", "gains", "highest_of", "inverse_root", "kernel_herding", "learned_law", "margin_over",
    "maximise_bounds", "parts_of", "polished", "reach", "read_likely", "rows_at", "set_columns",
    "similarity_shares", "similarity_weights", "sources_said", "subset_used", "ucb", "uneven_noise_said",
    "warm_started", "with_sources",
]  # fmt: skip
