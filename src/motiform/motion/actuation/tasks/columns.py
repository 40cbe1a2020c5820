"""How tasks lie in the integers and floats that their kernel reads."""

__all__ = ["AXES", "CENTER", "FRAME", "FROM", "KIND", "NONE", "POINT", "POSTURE", "TURN", "WHAT"]

KIND, WHAT, FROM, FRAME, AXES = range(5)
"""Of a task: its kind; tag, segment or place in q; tag of the origin; segment of the axes; digits of the axes, or
place in v."""
POINT, CENTER, TURN, POSTURE = range(4)
"""Kinds: a tag, the centre of mass, the turn of a segment, a coordinate."""
NONE = -1
