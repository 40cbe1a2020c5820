"""The layout of packed muscle paths: which number stands where."""

# ---- integers: header, then paths, points, wraps, objects, segments, columns
PATHS, AT_PATHS, AT_POINTS, AT_WRAPS, AT_OBJECTS, AT_SEGMENTS, AT_COLUMNS, ENTRIES, WRAPS, ROWS = range(10)
"""How many paths; where each table begins; most points of a path, wrapped ones included; most wraps; rows of work."""
HEADER = 12
PATH_INTS = 4
PATH_POINT, PATH_POINTS, PATH_WRAP, PATH_WRAPS = range(PATH_INTS)
POINT_INTS = 12
POINT_SEGMENT, POINT_IF, POINT_MOVES, POINT_Q, POINT_V, POINT_FUNCTION = 0, 1, 2, 3, 6, 9
"""Segment (−1: the world); place in q of its condition or −1; whether it moves; by axis: place in q (−1: none), in v,
and where the numbers of its function are."""
WRAP_INTS = 4
WRAP_OBJECT, WRAP_FIRST, WRAP_LAST, WRAP_METHOD = range(WRAP_INTS)
OBJECT_INTS = 4
OBJECT_SEGMENT, OBJECT_KIND, OBJECT_AXIS, OBJECT_SIGN = range(OBJECT_INTS)
COLUMN_INTS = 2
COLUMN_BEFORE, COLUMN_V = range(COLUMN_INTS)

# ---- floats: points, then objects, then functions
POINT_FLOATS = 11
POINT_AT, POINT_LOW, POINT_HIGH, POINT_CLAMP = 0, 3, 4, 5
"""Place [m]; range of its condition; by axis the range of the coordinate that moves it."""
OBJECT_FLOATS = 15
OBJECT_SIZE, OBJECT_R, OBJECT_P = 0, 3, 12

# ---- what a path reports
INSIDE, PLANAR, UNSETTLED, JUMPS = 1, 2, 4, 8
