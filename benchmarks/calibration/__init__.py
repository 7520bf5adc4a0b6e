"""Do bounds hold? Small problems of every kind, and how often the recommendation's bounds cover what is true."""
