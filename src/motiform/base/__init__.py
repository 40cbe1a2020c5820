"""Foundations of all packages: errors, units, references, kernels, progress."""
