"""The protocol of rounds: problems, methods, events, history, and the optimizer."""

from .._wording import numeral
from ._context import (
    TIME,
    Typical,
    average_recommendation,
    context_of,
    horizon,
    last_time,
    now,
    read_time,
    read_when,
    time_of,
    typical,
)
from ._findings import (
    Finding,
    Reason,
    bound_reason,
    finding,
    gain_over_current,
    good_enough,
    least_acceptable,
    reason,
)
from ._fold import FOLD_COPIES, Fold
from ._history import Fit, History, Result, Round, number_of
from ._logged import read_note
from ._method import Choice, Decision, Method, NoOptions, OptionsT, cached_until_next_event
from ._past_answers import PastAnswer, answers_before, kept_of, past_answers
from ._problem import ConstrainedProblem, MeasuredProblem, Problem, StatedLaw, with_unit
from ._stopping import (
    Stop,
    after,
    extended,
    limit_text,
    overruled_settings,
    read_bounds,
    read_stop,
    revised_text,
    standing,
    stop_text,
)
from ._traded import Ways, check_traded, traded_lines
from .answers import (
    Card,
    ExpectedOutcome,
    Explanation,
    LeftOut,
    PolicyStep,
    Prediction,
    Recommendation,
    Scope,
    Status,
    Suggestion,
    Table,
    TradeOff,
    as_text,
    gain_text,
    settings_text,
)
from .determinism import Streams, keyed
from .events import (
    Abandoned,
    Amended,
    Asked,
    BoundsExtended,
    Created,
    DataAdded,
    Decided,
    Event,
    Failed,
    KeptFile,
    LimitsRevised,
    Outcome,
    OutcomeTold,
    Refitted,
    Remarked,
)
from .law_tests import LawTest
from .optimizer import BaseStudy, Optimizer, Warnings, load, problem_of
from .registry import default_method, find_method, kinds, methods, problem_class, read_problem
from .request import SEEN, BatchPosition, RequestField, batch_position, finite, one_or_more
from .state import ReproducibilityWarning

__all__ = [
    "FOLD_COPIES", "SEEN", "TIME", "Abandoned", "Amended", "Asked", "BaseStudy", "BatchPosition",
    "BoundsExtended", "Card", "Choice", "ConstrainedProblem", "Created", "DataAdded", "Decided",
    "Decision", "Event", "ExpectedOutcome", "Explanation", "Failed", "Finding", "Fit", "Fold", "History", "KeptFile",
    "LawTest", "LeftOut", "LimitsRevised", "MeasuredProblem", "Method", "NoOptions", "Optimizer", "OptionsT", "Outcome",
    "OutcomeTold",
    "PastAnswer", "PolicyStep", "Prediction", "Problem", "Reason", "Recommendation", "Refitted",
    "Remarked", "ReproducibilityWarning", "RequestField", "Result", "Round", "Scope", "StatedLaw", "Status",
    "Stop", "Streams", "Suggestion", "Table", "TradeOff", "Typical", "Warnings", "Ways", "after",
    "answers_before", "as_text", "average_recommendation", "batch_position", "bound_reason",
    "cached_until_next_event", "check_traded", "context_of", "default_method", "extended",
    "find_method", "finding", "finite", "gain_over_current", "gain_text", "good_enough", "horizon", "kept_of", "keyed",
    "kinds", "last_time", "least_acceptable", "limit_text", "load", "methods", "now", "number_of",
    "numeral", "one_or_more", "overruled_settings", "past_answers",
    "problem_class", "problem_of", "read_bounds", "read_note", "read_problem", "read_stop", "read_time",
    "read_when", "reason", "revised_text", "settings_text", "standing", "stop_text", "time_of",
    "traded_lines", "typical", "with_unit",
]  # fmt: skip
