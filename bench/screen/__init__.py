"""The benchmark of screens."""
