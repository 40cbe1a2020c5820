"""The block of numbers of a contact joint, as kernels read it."""

POSE = (0, 12)  # pose of each surface in its body: rotation by rows, translation
SURFACE = (24, 29)  # kind, sign (−1 inside), three lengths
GAUGE = 34  # share of the spin that turns L in body 1
CONTACT = 35  # POINT, LINE, FACE, or APART: the bodies move freely, L is fixed in body 2
FOLLOW = 36  # 0, or the body along whose line L's first axis stays
COUNT = 37  # free velocities
COLUMNS = 38  # which of (wx, wy, wz, vx, vy, vz) these are
SIZE = 44

POINT, LINE, FACE, APART = 0, 1, 2, 3

STICKS, SLIDES, STARTS = 1, 2, 3  # modes of a contact joint with friction; the last slides from rest
SLIP_FLOOR = 1e-12  # [m/s] below it a slip has the direction that it had at the start of the step
