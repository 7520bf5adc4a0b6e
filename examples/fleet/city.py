"""A city: what the average van earns, given how many wait where. JSON in, JSON out, standard library only.

Places pay differently, and each pays less the more vans wait there.
"""

import json
import random
import sys

question = json.load(sys.stdin)
(shares,) = question["values"]["distribution"].values()
pays = {"north": 20, "south": 26, "harbour": 40}
crowded = {"north": 10, "south": 20, "harbour": 60}
value = sum(share * (pays[place] - crowded[place] * share) for place, share in shares.items())
print(json.dumps({"value": value + random.Random(question["round"]).gauss(0, 0.2)}))
