"""One day in the tunnel: kilograms of tomatoes without mildew, and how warm, damp and dripping it really was."""

import json
import random
import sys

question = json.load(sys.stdin)
chance = random.Random(question["round"])
day = {"temperature": min(max(chance.gauss(18, 6), 0), 35), **question["context"]}
day["humidity"] = min(max(0.95 - 0.02 * day["temperature"] + chance.gauss(0, 0.06), 0.1), 1.0)
day["mist"] = max(chance.gauss(1.6, 0.2), 0)  # the old nozzles drip, more than anybody thinks
day |= question["values"]

warm = day["temperature"] + 12 * (1 - day["vent"])
damp = day["humidity"] + 0.06 * day["mist"] - 0.1 * day["vent"]
kilograms = 9 - ((warm - 24) / 5) ** 2 - ((damp - 0.6) / 0.2) ** 2 + chance.gauss(0, 0.1)
json.dump({"value": kilograms, "realised": day}, sys.stdout)
