"""Where each number stands in the arrays that kernels take.

A body is a row of constants and a row of state: centre x, rotation R by rows, momentum P, angular momentum L (about the
centre of mass; about the pivot for a pinned body, whose x and P follow from R and L).
"""

# Columns of a body's constants
MASS, INERTIA, INVERSE, PINNED, PIVOT, LEVER = 0, 1, 10, 19, 20, 23
DRAG, PRESSURE, SPIN_DRAG, CONSTANTS = 26, 29, 32, 35
# Columns of the state
X, R, P, L, STATE = 0, 3, 12, 15, 18
# Entries of the environment
GRAVITY, AIR, WIND, GUST, WAVE, PULSE, ENVIRONMENT = 0, 3, 4, 7, 10, 13, 14
# Columns of an applied load: force, torque, point in the body's axes, 1 if in body axes, from, until
FORCE, TORQUE, POINT, FOLLOWS, FROM, UNTIL, LOAD = 0, 3, 6, 9, 10, 11, 12
# Columns of one end of a spring: own point, other point, stiffness, damping, rest length
OWN, OTHER, STIFFNESS, DAMPING, REST, SPRING = 0, 3, 6, 7, 8, 9
# Columns of what is observed: position, quaternion, velocity, angular velocity in body axes; and of the meters
OBSERVED, METERS = 13, 9
# What went wrong with a step
OK, NOT_CONVERGED, NOT_FINITE = 0, 1, 2
