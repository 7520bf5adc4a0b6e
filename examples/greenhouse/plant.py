"""A greenhouse: what it yields at a temperature and an acidity. JSON in, JSON out, standard library only.

What is not held follows the weather: it is drawn here, and told back as `realised`.
"""

import csv
import json
import random
import sys
from pathlib import Path

question = json.load(sys.stdin)
chance = random.Random(question["round"])
with Path("weather.csv").open() as file:
    days = [float(row["temperature"]) for row in csv.DictReader(file)]
nature = {"temperature": chance.choice(days), "ph": min(8, max(4, chance.gauss(6, 0.8)))}
x = {**nature, **question["values"]}
value = 10 - (x["temperature"] - 24) ** 2 / 40 - 0.2 * (x["ph"] - 6.2) ** 2 + chance.gauss(0, 0.1)
print(json.dumps({"value": value, "realised": x}))
