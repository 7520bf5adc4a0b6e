"""Doors to other libraries, each imported only by who asks for it: `.botorch`, `.optuna`, `.gest`, `.kernels` of here."""
