"""A batch of bricks: their strength, which is best at 870 °C."""


def strength(suggestion):
    """What a test of the batch gives."""
    temperature = suggestion.values["temperature"]
    return {"value": 40 - ((temperature - 870) / 60) ** 2, "cost": 1.0}
