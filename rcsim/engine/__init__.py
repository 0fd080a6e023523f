"""The game: Numba kernels over packed integer records. No Python objects, no I/O."""
