"""Efforts of a motion: force plates, which foot they carry, inverse dynamics."""
