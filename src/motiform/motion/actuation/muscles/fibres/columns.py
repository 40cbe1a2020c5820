"""The layout of Hill-type muscles for kernels: which number stands where."""

(FORCE, LENGTH, SLACK, WIDTH, SHORTEST, SPEED, RISE, DECAY, BLEND, LOW, HIGH, RIGID, MODEL, DAMPING, AT, PLACE,
 ROW) = range(17)  # fmt: skip
"""F₀ [N]; l₀, slack length, width, shortest fibre [m]; greatest speed [m/s]; times of activation [s], and how they
blend, 0 where they switch; bounds of excitation; whether the tendon is rigid; kind of curves, damping, where their
numbers begin; place of the fibre's length among the states, −1 for none; and the size of a row."""
DEGROOTE, THELEN, MILLARD = range(3)
CURVE = 5  # numbers before the pieces of a Bézier curve: pieces, first and last x, slopes beyond
PIECE = 13  # first x, coefficients of x − x₀ and of y by powers of the parameter
