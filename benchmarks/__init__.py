"""Published problems to measure methods on."""
