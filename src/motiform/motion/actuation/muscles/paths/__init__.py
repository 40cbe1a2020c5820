"""Paths of muscles over the segments: points, wrapping, lengths and moment arms."""
