"""Problems that are tables, series, cells and roads which other people measured."""
