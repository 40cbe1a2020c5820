"""The layout of packed contacts: which number stands where.

A *candidate* is a ball (a point where its radius is zero), a ring or an ellipsoid of a segment and an obstacle that it
may touch: three rows, tangent 1, normal, tangent 2; or a limit of a coordinate: one row. Two solids that may touch are
as many candidates as they have points in common at most; those of a state are found before its rows are written, and
stand in a table at the end of the floats. Pairs of points come first, then those of solids, then limits.
"""

# ---- integers: header, then a block for each point, obstacle, pair and limit, then the last column of each segment
POINTS, OBSTACLES, PAIRS, LIMITS, AT_POINTS, AT_OBSTACLES, AT_PAIRS, AT_LIMITS, AT_LAST = range(9)
HEADER = 16
POINT_INTS = 2  # segment, kind
OBSTACLE_INTS = 3  # segment (−1: the world), kind, where its numbers begin in the floats
PAIR_INTS = 2  # point, obstacle
FIRST_SLOT, SOLIDS, AT_SOLIDS = 13, 14, 15
"""First pair of a point of two solids, how many pairs of solids there are, and where they begin in the integers."""
SOLID_INTS = 7  # point, obstacle; kind and place of the numbers of either; where the size of both begins in the floats
LIMIT_INTS = 3  # column, place in q, side (1: lower, −1: upper)

# ---- floats: a block for each point, obstacle, pair and limit; where they begin stands in the integers too
FLOAT_POINTS, FLOAT_OBSTACLES, FLOAT_PAIRS, FLOAT_LIMITS = range(9, 13)
POINT_FLOATS = 16  # place in the segment, radius, rotation by rows and sizes of rings and ellipsoids
OBSTACLE_FLOATS = 12  # rotation by rows and origin in the segment
PAIR_FLOATS = 2  # friction, restitution
LIMIT_FLOATS = 2  # bound, restitution
SOLID_FLOATS = 6  # size of the smaller, sum of the radii of balls about both, where the table of both is; LOAD
LOAD = 3
"""Impulse of the last step on the point's solid, in the world: normals that geometry leaves open follow it."""

# ---- features of two solids (`feature_kernels`), after their table
NONE, POINT, LINE, FLAT, GONE, CIRCLE, OVAL, WALL = range(8)
"""Of a side: a point, line or circle with a skin, a flat face, an ellipsoid, the wall of a cone. Of the first one also:
none, the table holds the point; gone, the slot holds no point."""
SIDE_A, SIDE_B, SENSE = 2, 9, 16
"""Place, direction (of a line, outward of a face, the axis of a circle or a cone; of an ellipsoid its half axes) and
radius of the skin of each side, in its solid's frame; sign of the normal of two lines, d_A × d_B."""
MORE_A, MORE_B = 17, 19
"""Radius of a circle, and the sine by which the wall next to it looks along its axis; of a cone's wall the second."""
OFFSET = 21
"""How far outside both sides their curvature is taken [m]: edges and corners are round there."""
ANCHOR = 22
"""Where Newton's method begins: normal, and place of contact from the origins of both solids, in the world's axes."""
FEATURE_FLOATS = 31
TILT = 1e-4
"""Sine of the tilt of a circle on a face below which it lies flat."""

# ---- kinds of points
ROUND, RING, ELLIPSOID, SOLID = range(4)

FAR = 1e30
"""Gap [m] of a point of two solids that is not there."""

# ---- what is known of a candidate that is active
GAP, SITE, NORMAL, TANGENT, SLIP, REGION = 0, 1, 4, 7, 10, 13
"""Gap; place of contact, normal and first tangent in the world; velocity along (tangent 1, normal, tangent 2)."""
SITE_FLOATS = 14

# ---- modes of a candidate
FREE, STICK, SLIDE = range(3)
OPEN = 4
"""Added in the second half of an impact: the points part, but friction of the impulse that parts them goes on."""

# ---- status of a solve
OK, NOT_SOLVED, JAMMED, NOT_FINITE = range(4)
