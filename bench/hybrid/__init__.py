"""The benchmark of contacts."""
