"""The layout of Hill-type muscles for kernels: which number stands where."""

(FORCE, LENGTH, SLACK, WIDTH, SHORTEST, SPEED, RISE, DECAY, BLEND, LOW, HIGH, RIGID, MODEL, DAMPING, AT, PLACE,
 ROW) = range(17)  # fmt: skip
"""F₀ [N]; l₀, slack length, width, shortest fibre [m]; greatest speed [m/s]; times of activation [s], and how they
blend, 0 where they switch; bounds of excitation; whether the tendon is rigid; number of the model, damping, where their
numbers begin; place of the fibre's length among the states, −1 for none; and the size of a row."""
