"""Some variables can be held, at a price; nature draws what is not held."""
