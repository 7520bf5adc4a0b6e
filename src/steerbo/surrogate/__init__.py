"""What a scope is worth: one Gaussian process over all columns, and expectations over what nature draws."""

from .allowance import kept_of, least_likely
from .averages import AveragedScore
from .batched_bounds import Stack
from .encoded import Encoded
from .expectation import Expectation
from .failing import Failing, kept_margin
from .feasibility import Feasibility, feasible
from .following import Following, build_model
from .given import alike, given
from .learned import LearnedLaw, Regressed, learned_law
from .mixture import Mixture
from .outcomes import ENOUGH, UNKEPT, Likely, Watched, chances_over, margin_over, rows_at
from .parts import Drawn, Known, Law, LawOf, Part, Rows, Set, drawn, parts_of, set_columns
from .posterior import Columns, Posterior, inverse_root
from .sample import Sample
from .scores import Moments, Score, expected_improvement, upper_bound
from .searches import Domain, again, highest, highest_of, polished, risen
from .standardised import RESOLVED, Standardised
from .thinning import thinned
from .watching import Watching

__all__ = [
    "ENOUGH",
    "RESOLVED",
    "UNKEPT",
    "AveragedScore",
    "Columns",
    "Domain",
    "Drawn",
    "Encoded",
    "Expectation",
    "Failing",
    "Feasibility",
    "Following",
    "Known",
    "Law",
    "LawOf",
    "LearnedLaw",
    "Likely",
    "Mixture",
    "Moments",
    "Part",
    "Posterior",
    "Regressed",
    "Rows",
    "Sample",
    "Score",
    "Set",
    "Stack",
    "Standardised",
    "Watched",
    "Watching",
    "again",
    "alike",
    "build_model",
    "chances_over",
    "drawn",
    "expected_improvement",
    "feasible",
    "given",
    "highest",
    "highest_of",
    "inverse_root",
    "kept_margin",
    "kept_of",
    "learned_law",
    "least_likely",
    "margin_over",
    "parts_of",
    "polished",
    "risen",
    "rows_at",
    "set_columns",
    "thinned",
    "upper_bound",
]
