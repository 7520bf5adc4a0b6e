"""A live stream: how turbid is the river at one place in this hour? JSON in, JSON out, standard library only.

The clear stretch lies near the weir, six kilometres down, and wanders with the weather.
"""

import json
import math
import random
import sys

question = json.load(sys.stdin)
hour = question["round"]  # one measurement an hour
weather = 0.8 * math.sin(hour / 17) + 0.3 * math.sin(hour / 5)
distance = question["values"]["position"] - (6 + weather)
turbidity = 5 - 3 * math.exp(-0.5 * (distance / 1.5) ** 2)
noise = random.Random(hour).gauss(0, 0.3)
print(json.dumps({"value": turbidity + noise}))
