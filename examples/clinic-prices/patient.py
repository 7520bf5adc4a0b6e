"""A patient: is tested before the dose where that is asked for; afterwards both tests are known. JSON in, JSON out."""

import json
import random
import sys

question = json.load(sys.stdin)
chance = random.Random(question["round"])
blood = chance.random()
tests = {"blood": blood, "quick": blood + chance.uniform(-0.05, 0.05)}
dose = question["values"].get("dose", chance.random())
if question["observe"]:
    print(json.dumps({"context": {name: tests[name] for name in question["observe"]}}))
else:
    value = -((dose - 0.2 - 0.6 * blood) ** 2) + chance.gauss(0, 0.05)
    print(json.dumps({"value": value, "realised": tests}))
