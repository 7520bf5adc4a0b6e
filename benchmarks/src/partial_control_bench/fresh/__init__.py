"""Problems drawn afresh by a seed, simple rules that play them, and the coverage of bounds on them."""
