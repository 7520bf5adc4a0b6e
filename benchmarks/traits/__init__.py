"""What real systems have: each trait against leaving it out and against its nearest rival."""
