"""Solids: one file a kind with its mass, mesh and extents, its kernels beside it, and the register of all kinds."""
