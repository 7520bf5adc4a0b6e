"""The round protocol, history and seeding: what every wing stands on."""

from .answers import Explanation, PolicyStep, Recommendation, Status, Table, as_text
from .events import Abandoned, Added, Amended, Asked, Created, Decided, Event, Failed, Outcome, Refitted, Told
from .history import History, Round
from .method import Choice, Decision, Method
from .optimizer import Log, Optimizer, ReproducibilityWarning
from .problem import Problem, finite
from .randomness import Streams, keyed
from .suggestion import Suggestion, one_or_more

__all__ = [
    "Abandoned",
    "Added",
    "Amended",
    "Asked",
    "Choice",
    "Created",
    "Decided",
    "Decision",
    "Event",
    "Explanation",
    "Failed",
    "History",
    "Log",
    "Method",
    "Optimizer",
    "Outcome",
    "PolicyStep",
    "Problem",
    "Recommendation",
    "Refitted",
    "ReproducibilityWarning",
    "Round",
    "Status",
    "Streams",
    "Suggestion",
    "Table",
    "Told",
    "as_text",
    "finite",
    "keyed",
    "one_or_more",
]
