"""Doors to other libraries, each imported only by who asks for it: `steerbo.interop.botorch`, `.optuna`, `.kernels`."""
