"""Places that always fail, and failures by bad luck."""
