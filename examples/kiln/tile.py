"""One tile: how deep its blue is, from 0 to 10, and how much iron was in the clay. JSON in, JSON out."""

import json
import random
import sys

question = json.load(sys.stdin)
chance = random.Random(question["round"])
tile = {"iron": min(max(chance.gauss(3, 1), 0.0), 8.0), **question["values"]}

melted = (tile["temperature"] - 1190) / 60
depth = (
    8
    - melted**2
    - ((tile["glaze"] - 1.1 + 0.2 * melted) / 0.5) ** 2
    - ((tile["iron"] - 3.5) / 2.5) ** 2
)
print(json.dumps({"value": depth + chance.gauss(0, 0.15), "realised": tile}))
