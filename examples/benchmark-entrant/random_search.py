"""A random search that comes back to the best point so far: an entrant of a stranger's, without any import of ours."""

import random


class RandomSearch:
    """Two rounds of three it draws; in the third it plays the best point that is available again."""

    def __init__(self, known, seed, again=3):
        if known["wing"] != "time-varying":
            raise ValueError("this entrant plays time-varying problems: pcb list time-varying")
        self.levels = {v["name"]: v["levels"] for v in known["variables"]}
        self.random = random.Random(seed)
        self.again = again
        self.told = []  # pairs of a value and what was set

    def ask(self, now):
        points = self.available(now)
        if now["round"] % self.again == 0:
            for _, values in sorted(self.told, key=lambda pair: -pair[0]):
                if values in points:
                    return values
        return self.random.choice(points)

    def tell(self, values, outcome):
        self.told.append((outcome.value, dict(values)))

    def available(self, now):
        """All points of the domain, the last variable varying first, or those that can be chosen in this round."""
        points = [{}]
        for name, levels in self.levels.items():
            points = [{**point, name: level} for point in points for level in levels]
        mask = now.get("available")
        return (
            points
            if mask is None
            else [point for point, free in zip(points, mask, strict=True) if free]
        )
