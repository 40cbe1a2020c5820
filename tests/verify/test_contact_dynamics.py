"""Bodies that roll and slide on each other, simulated, against formulas on paper: V4, V4b, V5, V6, V9, V11.

Tolerances are those of the table of known answers. Tight runs ask for rtol 1e-12 where the motion is a polynomial or
short, so that the integrator adds less than that; where it does not, the comment says what it adds.
"""

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

from motiform import FigureBuilder, Transform, joints, simulate
from motiform.base.errors import RunError
from motiform.geometry import surfaces as s
from motiform.motion import tree
from motiform.motion.integrate import Guard
from motiform.motion.tree.matrices import contact_wrench
from motiform.spatial import rotation_from_euler, rotation_from_quaternion

G = 9.81
UPWARD = Transform(rotation_from_euler((0.0, 0.0, -np.pi / 2), "zyx"), np.zeros(3))  # z of a surface along the world's y
TIGHT = {"rtol": 1e-12, "atol": 1e-14}


def turned(axis, angle, at=(0.0, 0.0, 0.0)):
    """The frame turned about one of the world's axes."""
    angles = {"z": (angle, 0, 0), "y": (0, angle, 0), "x": (0, 0, angle)}[axis]
    return Transform(rotation_from_euler(angles, "zyx"), np.array(at, float))


def moments(k, m, r):
    """Moments with k m r² about every axis: only one of them counts where these are used."""
    return np.eye(3) * k * m * r * r
