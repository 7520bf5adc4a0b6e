# %% [markdown]
# # What to look at before dosing
#
# A clinic gives a drug. It may look at the patient's age and ward before the dose is set, and at the pulse before it says how
# long to rest. Looking takes time, and looking at what does not matter misleads. **What is worth looking at, what should be set, and how?**
#
# The clinic has a drawing of what causes what. That drawing decides which questions make sense at all.

# %%
import random

import steerbo as sb

graph = sb.CausalGraph.from_text(
    """
    age -> dose
    ward -> dose
    dose -> pulse
    pulse -> rest
    age -> y
    dose -> y
    rest -> y
    pulse -> y
    """,
    target="y",
    intervenable=["dose", "rest"],
    contexts=["age", "ward", "pulse"],
)
problem = sb.Causal(
    graph,
    [
        sb.Float("dose", 0, 1, unit="mg"),
        sb.Float("rest", 0, 8, unit="h"),
        sb.Float("age", 20, 90, unit="years"),
        sb.Integer("ward", 1, 4),
        sb.Float("pulse", 50, 120),
    ],
)

# %% [markdown]
# ## Before any patient: what can be best at all?
#
# Many things could be tried: set this after looking at that, or leave it alone. The drawing rules out most of them. What is left:

# %%
for scope in sb.causal.policy_scopes(graph):
    print(scope)

# %%
from steerbo.plots import causal

causal.scope_figure(graph, next(iter(sb.causal.policy_scopes(graph))))

# %% [markdown]
# Orange is what is set, blue what is looked at before. The ward is gone: once we set the dose ourselves, it changes nothing. Nothing but this
# can be best, whatever the numbers are, and so nothing else is tried. (`steerbo scopes graph.txt` says why each other one is out.)
#
# ## Patients
#
# This is a made-up patient. The right dose grows with age; the right rest follows the pulse. The library does not know that.


# %%
class Patient:
    """Is looked at, treated, and in the end says how it went: 0 is as good as can be."""

    def __init__(self, number):
        self.chance = random.Random(number)
        self.age, self.ward = self.chance.uniform(20, 90), self.chance.randint(1, 4)
        self.dose = self.chance.random()  # what the doctor would give by habit

    def take(self, dose):
        self.dose, self.pulse = dose, 70 + 30 * dose + self.chance.gauss(0, 5)

    def outcome(self, rest):
        wrong_dose, wrong_rest = (
            self.dose - self.age / 90,
            (rest - (self.pulse - 60) / 8) / 8,
        )
        return -(wrong_dose**2) - wrong_rest**2 + self.chance.gauss(0, 0.02)


# %% [markdown]
# ## The rounds
#
# A round may have stages. `suggestion.observe` says what to look at now; `decide` takes what was seen, and sets what follows from it; and so on
# until nothing is left to look at.

# %%
optimizer = sb.Optimizer(problem, seed=1)
patients = range(40)

for number in patients:
    patient = Patient(number)
    suggestion = optimizer.ask()
    while suggestion.observe:
        seen = {name: getattr(patient, name) for name in suggestion.observe}
        suggestion = optimizer.decide(suggestion, seen)
        if (
            "rest" not in suggestion.values
        ):  # the first stage: what is left to look at follows from the dose
            patient.take(suggestion.values.get("dose", patient.dose))
    rest = suggestion.values.get("rest", patient.chance.uniform(0, 8))
    optimizer.tell(suggestion, value=patient.outcome(rest))

print(optimizer.recommend())

# %% [markdown]
# ## The decision, for a patient of your own
#
# `policy` applies what was learned. It logs nothing, and can be asked as often as you like.

# %%
for age in (30, 61, 85):
    print(age, "years:", optimizer.policy({"age": float(age)}))

# %%
print(optimizer.policy({"age": 61.0, "pulse": 96.0}))

# %% [markdown]
# The truth, which only this page knows: a dose of age / 90, and (pulse − 60) / 8 hours of rest.
#
# **What to take away.** You gave a drawing and what can be set and seen. The drawing left one question worth asking; forty patients
# answered it. A graph may be a file, in several formats: see [how it works](../how-it-works/causal.md).
