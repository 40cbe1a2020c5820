"""The benchmark of many figures at once."""
