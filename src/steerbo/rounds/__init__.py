"""The round protocol, history and seeding: what every wing stands on."""

from .answers import Explanation, PolicyStep, Recommendation, Status, Table, as_text, numeral
from .clock import TIME, horizon, known_before, now, read_time, read_when, time_of
from .events import (
    Abandoned,
    Added,
    Amended,
    Asked,
    Created,
    Decided,
    Event,
    Extended,
    Failed,
    Log,
    Outcome,
    Refitted,
    Revised,
    Told,
)
from .extension import after, extended, read_bounds
from .finite import finite
from .fold import ReproducibilityWarning
from .history import History
from .law_evidence import LawEvidence, ShownSoFar
from .measuring import Measuring
from .method import Choice, Decision, Method, OptionsT, kept
from .optimizer import Optimizer
from .plausible import COMPARABLE, Doubt
from .problem import Problem
from .randomness import Streams, keyed
from .reading import Reading
from .recorder import Doubts
from .registry import default_method, find_method, kinds, methods, problem_class, read_problem
from .request import SEEN, Place, RequestField, place_in_batch
from .revision import left_behind, limit_text, revised_text, standing
from .round import Round
from .saved import load, problem_of
from .scope import Scope
from .stated_law import StatedLaw
from .stopping import Stop, read_stop, stop_text
from .suggestion import Suggestion, one_or_more
from .typical import Typical, mean_over, over_contexts, typical

__all__ = [
    "COMPARABLE",
    "SEEN",
    "TIME",
    "Abandoned",
    "Added",
    "Amended",
    "Asked",
    "Choice",
    "Created",
    "Decided",
    "Decision",
    "Doubt",
    "Doubts",
    "Event",
    "Explanation",
    "Extended",
    "Failed",
    "History",
    "LawEvidence",
    "Log",
    "Measuring",
    "Method",
    "Optimizer",
    "OptionsT",
    "Outcome",
    "Place",
    "PolicyStep",
    "Problem",
    "Reading",
    "Recommendation",
    "Refitted",
    "ReproducibilityWarning",
    "RequestField",
    "Revised",
    "Round",
    "Scope",
    "ShownSoFar",
    "StatedLaw",
    "Status",
    "Stop",
    "Streams",
    "Suggestion",
    "Table",
    "Told",
    "Typical",
    "after",
    "as_text",
    "default_method",
    "extended",
    "find_method",
    "finite",
    "horizon",
    "kept",
    "keyed",
    "kinds",
    "known_before",
    "left_behind",
    "limit_text",
    "load",
    "mean_over",
    "methods",
    "now",
    "numeral",
    "one_or_more",
    "over_contexts",
    "place_in_batch",
    "problem_class",
    "problem_of",
    "read_bounds",
    "read_problem",
    "read_stop",
    "read_time",
    "read_when",
    "revised_text",
    "standing",
    "stop_text",
    "time_of",
    "typical",
]
