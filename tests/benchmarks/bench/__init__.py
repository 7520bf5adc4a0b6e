"""Tests of `partial_control_bench`."""
