"""The benchmark of matter."""
