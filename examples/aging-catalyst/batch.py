"""One batch: its yield in per cent. The older the catalyst, the hotter it is best; after batch 60 it is a new one."""

import json
import random
import sys

question = json.load(sys.stdin)
batch = question["round"]
chance = random.Random(batch)
age = batch if batch <= 60 else batch - 60
x = {"purity": min(max(chance.gauss(96, 1), 90), 100), **question["values"]}

best = 200 + 0.6 * age
grown = (
    92
    - ((x["temperature"] - best) / 10) ** 2
    - 0.1 * (99 - x["purity"]) ** 2
    + chance.gauss(0, 0.3)
)
json.dump({"value": grown, "realised": x}, sys.stdout)
