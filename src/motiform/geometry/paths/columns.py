"""Numbers that the kernels of wrapping share."""

# ---- kinds of surfaces
SPHERE, CYLINDER, ELLIPSOID, TORUS = range(4)

# ---- what a surface does to a line
FREE, INSIDE, WRAPPED, CROSSED, PLANAR = range(5)
"""It stays straight; it stays straight as an end is inside; it may wrap; it must as it crosses the surface; it must,
and no geodesic was found, so that its curve is the section of a plane."""

# ---- how an ellipsoid's side is chosen
HYBRID, MIDPOINT, AXIAL = range(3)
