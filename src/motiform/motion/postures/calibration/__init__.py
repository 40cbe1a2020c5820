"""Segment lengths and tag positions of a figure from markers."""
