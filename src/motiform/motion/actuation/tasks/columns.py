"""How tasks lie in the integers and floats that their kernel reads."""

__all__ = ["AXES", "CENTER", "FRAME", "FROM", "INTS", "KIND", "NONE", "NUMBERS", "POINT", "POSTURE", "TURN", "WHAT"]

KIND, WHAT, FROM, FRAME, AXES, INTS = range(6)
"""Of a task: its kind; tag, segment or place in q; tag of the origin; segment of the axes; digits of the axes, or
place in v."""
POINT, CENTER, TURN, POSTURE = range(4)
"""Kinds: a tag, the centre of mass, the turn of a segment, a coordinate."""
NONE = -1
NUMBERS = 9
"""Floats of a task: the turn of a segment in the neutral posture, by rows."""
