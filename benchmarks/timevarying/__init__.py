"""Time-varying: the paper's problems, plain rivals, speed and results."""
