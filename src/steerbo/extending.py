"""Interface for authors of methods and of kinds of problems: everything they need is imported from here.

**A method** is a class derived from `Method`. It has a `name`, the class of problems that it
`solves`, and answers three questions:

- `choose(request)` returns a `Choice`: the `Scope` of this round (variables that are set, and those
  looked at before), the values, and the reasons to be logged (`note`).
- `recommend_at(context)` returns a `Recommendation`: the arm and settings to use from now on in a
  context (values seen before choosing and, where the problem drifts, the time), and the `Reason`s
  for it.
- `explain()` returns an `Explanation`: why, with `Table`s if you like. `why(suggestion)` may add
  the `Reason`s for one suggestion, by its note.

It is made of `self.problem`, `self.options`, `self.streams` and `self.history`, and every answer is a
function of these. The history has the study as it stands now: `history.results` is everything to
learn from, corrected, in the order in which it came, and `history.unresolved` the rounds that are
out, or have failed: a choice counts them as if they were known, or all workers that ask at once
would get the same. A method is given no events: after a restart, or where an outcome was corrected,
the history is another one, and nothing else happens. Expensive results are cached:

- Hyperparameters that are learned are returned by `refit()` as plain data, and logged. From then
  on they are `history.fit().hyperparameters`, with the `results` that taught them. Override
  `check_fit` to raise an error where a log has some that cannot be used: these are left out, and
  are due again.
- A rule in which each lesson depends on those before it is a `Fold` over results: it goes on where
  results begin with those that it has, and begins anew where the past was changed.

Under a budget a play may not cost more than is left by stated prices, else it is refused as
`LimitBroken`. Choose from `problem.affordable(self.history)`, the scopes of which a play fits; where
a price hangs on the settings, ask `history.affords(price)`. When no scope fits the study ends, by
`finished`.

Randomness is `self.streams(history.next_round, "what for")`. A method that looks at something
before it sets its values names that in `Choice.observe`, and overrides `decide`. Values `seen`
before choosing are in `request["context"]`, by name; where the problem has such variables,
`recommend` answers for typical contexts, and `policy` for any. `Options` is a `record` in which
every field has a default. Where answers have bounds, `bound_inflation` is a factor for the model's
own errors, and `gain_at(context)` the gain that they still allow, so that a study can `stop` when
that is little; both may be left out.

>>> from steerbo import CostVarying, Float, Optimizer, Uniform
>>> class Middle(Method):
...     '''Every control set in turn, always at the middle of its variables.'''
...     name = "middle"
...     solves = CostVarying
...     def choose(self, request):
...         scopes = self.problem.affordable(self.history)
...         scope = scopes[len(self.history) % len(scopes)]
...         return Choice(scope, {name: self.problem.space[name].decode([0.5])[0] for name in scope.set})
...     def recommend_at(self, context):
...         why = reason("said", text="nothing is learned")
...         return Recommendation(Scope(self.problem.control_sets[0]), {}, reasons=(why,))
...     def explain(self):
...         return Explanation("outcomes are ignored")
>>> problem = CostVarying([Float("ph", 4, 8, law=Uniform())], [["ph"]])
>>> Optimizer(problem, Middle).ask().values
{'ph': 6.0}

**A kind of problem** is a `record` derived from `Problem`: data, with a `kind` (a `Literal` with a
default), `minimize`, and a `space` of variables. Arguments of `ask` and `tell` go through its
`read_…` methods, which refuse invalid values by name, and may be overridden. Its other declarations
have sensible defaults: `describe`, `use` and `columns` for `steerbo check` and tables, `takes`
(`RequestField`s) for arguments of `ask`, `stated_laws` (`StatedLaw`s) for laws that realised values
are tested against, `pictures` for its pictures. Page, tables, exports and the command line
then know nothing of your kind, and work.

**Its limits.** Declare the field as `limits: Limits | None = None`, and users may give
`LinearConstraint` and `ForbiddenCombination`; derive from `ConstrainedProblem`, and they may give
`OutcomeConstraint`, too, whose outcomes are then told beside the value.
`check_limits(limits, space)` refuses unknown variables by name; `violated(limits, values)` lists
the violated ones. Methods must satisfy them: a choice, a recommendation or a step of a policy that
breaks one is refused as `LimitBroken`. Where limits have another name, or follow from other fields,
override `every_limit`.

**Its pictures.** `pictures: ClassVar[str] = "my_package.pictures:draw"` names a function with the
signature of `DrawPictures`. `steerbo plot` and `plots.pictures` draw them by matplotlib; page and
report draw their own pictures of every kind.

    def draw(study: BaseStudy, advice: Recommendation) -> Iterator[Picture]:
        figure = matplotlib.figure.Figure((5.6, 3.8), layout="constrained")
        axes = figure.subplots()
        told = study.history.told
        axes.plot([played.number for played, _ in told], [outcome.value for _, outcome in told], "o")
        axes.axvline(study.status.rounds)
        yield Picture("Outcome of every round", "The value of each round, in order", figure)

**How it is found.** Pass the class, `Optimizer(problem, Middle)`; name its place in a study file,
`method = "my_package.methods:Middle"`, whose module may stand beside that file; or let your package
declare it, after which it has a name like any other, and is listed by `steerbo methods`. Both
groups go by the kind of problem; a kind's own package names its default first.
`examples/extension` is such a package.

    [project.entry-points."steerbo.problems"]
    shelf = "my_package:Shelf"
    [project.entry-points."steerbo.methods"]
    shelf = "my_package:METHODS"               # a tuple of classes, or one
    cost-varying = "my_package:Middle"

**Its place in logs.** A log has the import path of each class that is not steerbo's own, and the
versions of the packages that declare one; opening it without them names the missing ones. Going on
with a log, or showing its answers, imports that module, which runs it, as any import does; it must
be installed or on the path, Python's own modules are never imported, and only a `Method` is called.
Check the names in a log from a stranger first: `steerbo doctor` and `steerbo export --format jsonl`
import nothing. A class should keep its import path; if it moves, leave its old name behind.

**How it is tested.** `steerbo.testing` has the contract that every method keeps, and one for
pictures, to be inherited.
"""

from ._validation import collecting_errors
from .bandit import ArmStatistics, hoeffding_radius
from .core import (
    SEEN,
    Abandoned,
    Amended,
    Asked,
    BaseStudy,
    BoundsExtended,
    Choice,
    ConstrainedProblem,
    Created,
    DataAdded,
    Decided,
    Decision,
    Event,
    Explanation,
    Failed,
    Finding,
    Fit,
    Fold,
    History,
    LimitsRevised,
    Method,
    Outcome,
    OutcomeTold,
    PolicyStep,
    Problem,
    Reason,
    Recommendation,
    Refitted,
    RequestField,
    Result,
    Round,
    Scope,
    StatedLaw,
    Streams,
    Suggestion,
    Table,
    Typical,
    average_recommendation,
    finding,
    finite,
    reason,
    typical,
)
from .errors import (
    InvalidContext,
    InvalidInput,
    InvalidOption,
    InvalidOutcome,
    InvalidProblem,
    InvalidRequest,
    LimitBroken,
    MissingExtra,
    ModelFailure,
    SteerboError,
    combine,
    one_of,
)
from .gp import GPRegression, Hyperparameters, Matern32, Matern52, SquaredExponentialKernel, called
from .optim import Box, Maximum, maximise, sobol_points
from .plots.drawing import DrawPictures, Picture
from .records import record
from .space import (
    Categorical,
    Float,
    ForbiddenCombination,
    Integer,
    Limits,
    LinearConstraint,
    OutcomeConstraint,
    Space,
    check_limits,
    violated,
)
from .space.fields import ListField, Number, Positive

__all__ = [
    "SEEN", "Abandoned", "Amended", "ArmStatistics", "Asked", "BaseStudy", "BoundsExtended", "Box", "Categorical",
    "Choice", "ConstrainedProblem", "Created", "DataAdded", "Decided", "Decision", "DrawPictures", "Event",
    "Explanation", "Failed", "Finding", "Fit", "Float", "Fold", "ForbiddenCombination", "GPRegression", "History",
    "Hyperparameters", "Integer", "InvalidContext", "InvalidInput", "InvalidOption", "InvalidOutcome",
    "InvalidProblem", "InvalidRequest", "LimitBroken", "Limits", "LimitsRevised", "LinearConstraint", "ListField",
    "Matern32", "Matern52", "Maximum", "Method", "MissingExtra", "ModelFailure", "Number", "Outcome",
    "OutcomeConstraint", "OutcomeTold", "Picture", "PolicyStep", "Positive", "Problem", "Reason", "Recommendation",
    "Refitted", "RequestField", "Result", "Round", "Scope", "Space", "SquaredExponentialKernel", "StatedLaw",
    "SteerboError", "Streams", "Suggestion", "Table", "Typical", "average_recommendation",
    "called", "check_limits", "collecting_errors", "combine", "finding", "finite", "hoeffding_radius", "maximise",
    "one_of", "reason", "record", "sobol_points", "typical", "violated",
]  # fmt: skip
