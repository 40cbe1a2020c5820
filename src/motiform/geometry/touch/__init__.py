"""Convex solids that touch: gap, normal and the points at which they do."""
