"""The layout of Hill-type muscles for kernels: which number stands where."""

FORCE, LENGTH, SLACK, WIDTH, SHORTEST, SPEED, RISE, DECAY, LOW, HIGH, RIGID, MODEL, DAMPING, AT, PLACE = range(15)
"""F₀ [N]; l₀, slack length, width, shortest fibre [m]; greatest speed [m/s]; times of activation [s]; bounds of
excitation; whether the tendon is rigid; kind of curves, damping, where their numbers begin; place of the fibre's length
among the states, −1 for none."""
ROW = 15
DEGROOTE, THELEN, MILLARD = range(3)
CURVE = 5  # numbers before the pieces of a Bézier curve: pieces, first and last x, slopes beyond
PIECE = 13  # first x, coefficients of x − x₀ and of y by powers of the parameter
