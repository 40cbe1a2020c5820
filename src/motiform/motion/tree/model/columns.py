"""The layout of a packed figure and of the workspace: which number stands where.

A *column* is one velocity of the tree with its twist S, in world axes about the origin of its root segment. A state's
numbers are rows of arrays [row, state].
"""

# mypy: disable-error-code="no-untyped-def"

# ---- integers: header, then a block for each segment, then one for each column
SEGMENTS, COLUMNS, NQ, NV, AT_COLUMNS, FLOAT_COLUMNS, ROWS = range(7)
"""Header: how many segments, columns; lengths of q and v; where columns begin in integers and floats; rows of work."""
# rows of the workspace at which each quantity begins
W_POSE, W_ROOT, W_ANGLE, W_S, W_V, W_C, W_A, W_F, W_J, W_IA, W_U, W_D, W_DS, W_G = range(7, 21)
HEADER = 24

SEGMENT_INTS = 8
PARENT, KIND, FIRST, COUNT, AT_Q, AT_NUMBERS, ROOT, HAS_MASS = range(SEGMENT_INTS)
COLUMN_INTS = 4
AXIS, COLUMN_Q, COLUMN_V, BEFORE = range(COLUMN_INTS)
"""Kind of axis; places in q and v; the next column toward the root, −1 at the root."""

# ---- kinds of joints and of axes
AXES, BALL, FREE, FUNCTION, CONTACT, GIVEN = range(6)
EXACT = (AXES, BALL, FREE)
"""Kinds whose derivatives the kernels know."""
TURN_X, TURN_Y, TURN_Z, SCREW, SHIFT, NO_AXIS = range(6)

# ---- floats: gravity, then a block for each segment, then one for each column, then numbers of particular joints
GRAVITY = 0
FLOAT_HEADER = 4
SEGMENT_FLOATS = 22
PLACE_R, PLACE_P, MASS, COM, INERTIA = 0, 9, 12, 13, 16
COLUMN_FLOATS = 11
DIRECTION, POINT, PITCH, OFFSET, SIGN, ARMATURE, DAMPING = 0, 3, 6, 7, 8, 9, 10

# ---- rows of the workspace per segment or column
POSE_ROWS = 12  # rotation by rows, then the origin from that of the root segment
INERTIA_ROWS = 10  # mass, mass times centre, moments xx xy xz yy yz zz about the root's origin
ARTICULATED_ROWS = 21  # angular xx xy xz yy yz zz, angular–linear by rows, linear xx xy xz yy yz zz

# ---- algorithms that run on many states
RECURSIVE, ARTICULATED, COMPOSITE, TWISTS, POSES, MOTION = range(6)

# ---- status of a state
OK, WRONG_SIZE, NOT_FINITE, SINGULAR, CONFORMING = range(5)
WHERE = 256
"""A status is one of these, plus WHERE times the segment that it is about."""

LEAST = 1e-14
"""Smallest articulated inertia along a column, over the largest it could be, that counts as nonzero: rounding."""
