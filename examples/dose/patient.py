"""A patient: is looked at twice, before the dose and before the rest, then says how well it went. JSON in, JSON out.

Where the question asks to observe something, the answer is that, and the question comes again with
more set.
"""

import json
import random
import sys

question = json.load(sys.stdin)
chance = random.Random(question["round"])
age, excited = chance.uniform(20, 90), chance.gauss(0, 5)
dose = question["values"].get("dose", chance.random())
pulse = 70 + 30 * dose + excited
rest = question["values"].get("rest", chance.uniform(0, 8))
if question["observe"]:
    seen = {"age": age, "pulse": pulse}
    print(json.dumps({"context": {name: seen[name] for name in question["observe"]}}))
else:
    value = -((dose - age / 90) ** 2) - ((rest - (pulse - 60) / 8) / 8) ** 2 + chance.gauss(0, 0.02)
    print(json.dumps({"value": value}))
