"""A patient: the blood is tested before the dose where that is asked for, else afterwards. JSON in, JSON out."""

import json
import random
import sys

question = json.load(sys.stdin)
chance = random.Random(question["round"])
blood, own, luck = chance.random(), chance.random(), chance.gauss(0, 0.02)
if question["observe"]:
    print(json.dumps({"context": {"blood": blood}}))
else:
    # what is taken where nobody prescribes anything
    dose = question["values"].get("dose", 0.3 * own)
    print(
        json.dumps(
            {"value": 1 - (dose - 0.2 - 0.6 * blood) ** 2 + luck, "realised": {"blood": blood}}
        )
    )
