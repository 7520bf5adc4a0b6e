"""Value of scopes: Gaussian processes over all columns, expectations over uncontrolled variables, feasibility."""

from ._acquisition import Acquisition, ExpectedAcquisition, Moments, expected_improvement, ucb
from ._conditional import (
    DirichletProcessLaw,
    Regressed,
    conditional_rows,
    kernel_herding,
    learned_law,
    similarity_weights,
)
from ._constraints import (
    MIN_TO_PREDICT,
    NO_FEASIBLE_NOTE,
    ConstraintModel,
    ConstraintModels,
    ProbabilisticConstraint,
    chances_over,
    kept_of,
    margin_over,
    required_now,
    rows_at,
)
from ._expectation import Expectation
from ._export import Columns, Posterior, inverse_root
from ._failures import FailureModel, Lasting, feasibility_margin
from ._feasibility import Feasibility, feasible
from ._integrals import RESOLVED, ProductKernelPosterior
from ._model import (
    FLEETING,
    STARTING_POINTS,
    SURE,
    DriftTracker,
    EncodingCache,
    build_model,
    drift_correlations,
    outlier_names,
    uneven_noise_said,
)
from ._optimise import (
    ROUGH,
    BatchedBounds,
    Domain,
    Mixture,
    climb_from,
    highest_of,
    maximise_bounds,
    polished,
    warm_started,
)
from ._parts import Controlled, Law, LawOf, Observed, Part, Rows, Uncontrolled, drawn, parts_of, set_columns
from ._thompson import PosteriorSample

__all__ = [
    "FLEETING", "MIN_TO_PREDICT", "NO_FEASIBLE_NOTE", "RESOLVED", "ROUGH", "STARTING_POINTS", "SURE",
    "Acquisition", "BatchedBounds", "Columns",
    "ConstraintModel", "ConstraintModels", "Controlled", "DirichletProcessLaw", "Domain", "DriftTracker",
    "EncodingCache", "Expectation", "ExpectedAcquisition", "FailureModel", "Feasibility", "Lasting", "Law", "LawOf",
    "Mixture", "Moments", "Observed", "Part", "Posterior", "PosteriorSample", "ProbabilisticConstraint",
    "ProductKernelPosterior", "Regressed", "Rows", "Uncontrolled", "build_model", "chances_over", "climb_from",
    "conditional_rows", "drawn", "drift_correlations", "expected_improvement", "feasibility_margin", "feasible",
    "highest_of", "inverse_root", "kept_of", "kernel_herding", "learned_law", "margin_over", "maximise_bounds",
    "outlier_names",
    "parts_of", "polished", "required_now", "rows_at", "set_columns", "similarity_weights", "ucb",
    "uneven_noise_said", "warm_started",
]  # fmt: skip
