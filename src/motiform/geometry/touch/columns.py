"""What kernels of touching solids share: kinds, room and results."""

from motiform.geometry.solids.register import NUMBERS

__all__ = [
    "BALL", "BOX", "CAPSULE", "CONE", "CYLINDER", "ELLIPSOID", "FACE", "GAP", "HULL", "MOST", "NORMAL", "PLANE", "ROOM",
    "SITE", "TORUS", "TOUCH_FLOATS", "WIDTH",
]  # fmt: skip

PLANE, FACE, BALL, BOX, CAPSULE = (NUMBERS[name] for name in ("plane", "face", "ball", "box", "capsule"))
CYLINDER, ELLIPSOID, TORUS, CONE = (NUMBERS[name] for name in ("cylinder", "ellipsoid", "torus", "cone"))
HULL = NUMBERS["mesh"]
"""A mesh touches as its convex hull."""

MOST = 8
"""Points at which one pair of solids touches at most: two boxes face to face have eight corners in common."""

# ---- what is known of one point of a pair
GAP, SITE, NORMAL = 0, 1, 4
"""Gap [m]; half-way between the surfaces; unit normal from the second solid to the first."""
TOUCH_FLOATS = 7

# ---- room that one pair needs while it is looked at
CORNERS, FACES, EDGES, POLYGON = 80, 200, 100, 136
"""Corners, faces and horizon of the growing polytope, corners of a clipped face."""
AT_FACES = CORNERS
AT_EDGES = AT_FACES + FACES
AT_FIRST = AT_EDGES + EDGES
AT_SECOND = AT_FIRST + POLYGON
AT_THIRD = AT_SECOND + POLYGON
ROOM, WIDTH = AT_THIRD + POLYGON, 8
"""Rows and columns of that room."""
