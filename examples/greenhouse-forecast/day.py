"""One day in the greenhouse: what grew, in kilograms, and how much warmth and shade there really was."""

import json
import random
import sys

question = json.load(sys.stdin)
chance = random.Random(question["round"])
day = {"heat": max(chance.gauss(0, 1), 0.0), "shade": min(max(chance.gauss(0.1, 0.1), 0.0), 1.0)}
# what was set, and what was seen before: outside and sky
day |= question["values"] | question["context"]

inside = (
    day["outside"] + 1.2 * day["heat"] + (8 if day["sky"] == "clear" else 0) * (1 - day["shade"])
)
grown = (
    5
    - ((inside - 22) / 8) ** 2
    - ((day["water"] - 3 - inside / 10) / 3) ** 2
    + chance.gauss(0, 0.1)
)
json.dump({"value": grown, "realised": day}, sys.stdout)
