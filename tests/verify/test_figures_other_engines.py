"""Human36, Bip and Kondo against Pinocchio models built here joint by joint, from tables typed here.

M(q) and N q̇ + G agree to 1e-10 of their largest number on random states: both engines add some thousand products of
double precision, whose rounding is below 1e-13 of it.
"""

import numpy as np
import pytest

from motiform.motion import tree
from motiform.motion.figures import bip, human36, kondo

pin = pytest.importorskip("pinocchio")
CLOSE = 1e-10
AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


class Twin:
    """A Pinocchio model that grows segment by segment; steps are (kind, axis, coordinate with its sign)."""

    def __init__(self, count):
        self.model, self.count, self.ends, self.where = pin.Model(), count, {None: (0, pin.SE3.Identity())}, {}
        self.model.gravity.linear = np.array([0, -9.81, 0])

    def add(self, name, parent, place, steps, mass, center, inertia):
        at, frame = self.ends[parent]
        frame = frame * place
        for kind, axis, number in steps:
            direction = np.sign(number) * np.array(AXES[axis], float)
            slide = kind == "slide"
            joint = pin.JointModelPrismaticUnaligned(direction) if slide else pin.JointModelRevoluteUnaligned(direction)
            at, frame = self.model.addJoint(at, joint, frame, f"q{abs(number)}"), pin.SE3.Identity()
            self.where[abs(number) - 1] = at
        if mass:
            self.model.appendBodyToJoint(at, pin.Inertia(mass, np.array(center, float), np.array(inertia)), frame)
        self.ends[name] = (at, frame)

    def finish(self):
        assert sorted(self.where) == list(range(self.count))
        self.data = self.model.createData()
        self.order = [self.model.idx_vs[self.where[n]] for n in range(self.count)]  # theirs for each of ours
        return self

    def theirs(self, x):
        out = np.zeros(self.count)
        out[self.order] = x
        return out

    def inertia_matrix(self, q):
        M = pin.crba(self.model, self.data, self.theirs(q))
        M = np.triu(M) + np.triu(M, 1).T
        return M[np.ix_(self.order, self.order)]

    def nonlinear_effects(self, q, v):
        return pin.nonLinearEffects(self.model, self.data, self.theirs(q), self.theirs(v))[self.order]

    def place(self, segment, point, q):
        pin.forwardKinematics(self.model, self.data, self.theirs(q))
        joint, frame = self.ends[segment]
        return (self.data.oMi[joint] * frame).act(np.array(point, float))


def shift(x, y, z):
    return pin.SE3(np.eye(3), np.array([x, y, z], float))


def turns(z, y, x):
    return [("turn", axis, n) for axis, n in zip("zyx", (z, y, x), strict=True) if n]


# ---- Human36 -------------------------------------------------------------------------------------------------------


def human_twin(H=1.741, mass=73.0):
    L = dict.fromkeys(range(32), 0.0)
    L |= {1: 0.2075 * H, 2: 0.09085, 3: 0.1002 * H, 26: 0.139 * H, 29: 0.1395 * H}
    pairs = {(4, 14): 0.0222 * H, (5, 15): 0.2493 * H, (6, 16): 0.2425 * H, (7, 17): 0.0980 * H, (8, 18): 0.0127}
    pairs |= {(9, 19): 0.1817, (10, 20): 0.0104 * H, (11, 21): 0.259 * H / 2 - 0.0127, (12, 22): 0.09085}
    pairs |= {(13, 23): 0.1618 * H, (24, 25): 0.1544 * H, (27, 28): 0.1091 * H, (30, 31): 0.1482 * H}
    L |= {n: value for both, value in pairs.items() for n in both}
    limb = {  # mass %, centre % downward, radii %, length
        "thigh": (14.16, 40.95, (32.9, 14.9, 32.9), L[6]),
        "shank": (4.33, 44.59, (25.5, 10.3, 24.9), L[5]),
        "upper_arm": (2.71, 57.72, (28.5, 15.8, 26.9), L[13]),
        "forearm": (1.62, 45.74, (27.6, 12.1, 26.5), L[24]),
        "hand": (0.61, 36.91, (28.8, 18.4, 23.5), L[27]),
    }
    body = {  # mass %, centre, radii %, length
        "lower_trunk": (27.5, (0, 0.5108 * L[1], 0), (27.22, 26.28, 22.6), L[1]),
        "foot": (1.37, (0.4415 * L[30] - 0.0248 * H, -L[4] / 2, 0), (12.4, 25.7, 24.5), L[30]),
        "thorax": (15.96, ((L[9] + L[19]) / 4, 0.7001 * L[7], 0), (71.6, 65.9, 45.4), L[7]),
        "head": (6.94, (0, 0.4998 * L[29], 0), (30.3, 26.1, 31.5), L[29]),
        "shoulder": (0.0, (0, 0, 0), (0, 0, 0), 0.0),
        **{name: (m, (0, -c / 100 * length, 0), r, length) for name, (m, c, r, length) in limb.items()},
    }
    twin = Twin(42)

    def add(name, parent, place, steps):
        m, center, radii, length = body[name.removeprefix("right_").removeprefix("left_")]
        moments = m / 100 * mass * (np.array(radii) / 100 * length) ** 2
        twin.add(name, parent, shift(*place), steps, m / 100 * mass, center, np.diag(moments))

    slides = [("slide", "x", 37), ("slide", "y", 38), ("slide", "z", 39)]
    add("lower_trunk", None, (0, L[14] + L[15] + L[16], 0), slides + turns(42, 41, 40))
    add("right_thigh", "lower_trunk", (0, 0, L[3] / 2), turns(6, -5, -4))
    add("right_shank", "right_thigh", (0, -L[6], 0), turns(3, 0, 0))
    add("right_foot", "right_shank", (0, -L[5], 0), turns(2, 0, -1))
    add("left_thigh", "lower_trunk", (0, 0, -L[3] / 2), turns(12, 11, 10))
    add("left_shank", "left_thigh", (0, -L[16], 0), turns(9, 0, 0))
    add("left_foot", "left_shank", (0, -L[15], 0), turns(8, 0, 7))
    add("thorax", "lower_trunk", (-L[2], L[1], 0), turns(15, 14, 13))
    add("right_shoulder", "thorax", (L[9], L[7], L[8]), turns(0, -17, -16))
    add("right_upper_arm", "right_shoulder", (-L[12], L[10], L[11]), turns(20, -19, -18))
    add("right_forearm", "right_upper_arm", (0, -L[13], 0), turns(22, -21, 0))
    add("right_hand", "right_forearm", (0, -L[24], 0), turns(24, 0, -23))
    add("left_shoulder", "thorax", (L[19], L[17], -L[18]), turns(0, 26, 25))
    add("left_upper_arm", "left_shoulder", (-L[22], L[20], -L[21]), turns(29, 28, 27))
    add("left_forearm", "left_upper_arm", (0, -L[23], 0), turns(31, 30, 0))
    add("left_hand", "left_forearm", (0, -L[25], 0), turns(33, 0, 32))
    add("head", "thorax", (L[2], L[26], 0), turns(36, 35, 34))
    return twin.finish()


# ---- Kondo ---------------------------------------------------------------------------------------------------------

FOOT, ANKLE, LEG, THIGH, HIP, HIPS, TRUNK, HEAD = 0.025, 0.020, 0.065, 0.060, 0.020, 0.029, 0.105, 0.045  # m
SHOULDER, WIDE, BRACKET, DROP, ARM, HAND = 0.085, 0.070, 0.020, 0.010, 0.050, 0.075
DEEP, MOTOR = 0.040, 0.022
KONDO = {  # mass %, centre in parts of the box, the box
    "trunk": (40.38, (0, 0.5, 0), (0.050, TRUNK, 0.090)),
    "hip": (0.77, (0, -0.5, 0), (DEEP, HIP, MOTOR)),
    "thigh": (7.69, (0, -0.5, 0), (DEEP, THIGH, MOTOR)),
    "leg": (3.85, (0, -0.6, 0), (DEEP, LEG, MOTOR)),
    "ankle": (0.77, (0, -0.5, 0), (DEEP, ANKLE, MOTOR)),
    "foot": (5.38, (0, 0, 0.25), (0.100, FOOT, 0.055)),
    "shoulder": (0.77, (0, 0, -0.5), (DEEP, MOTOR, BRACKET)),
    "arm": (3.85, (0, -0.4, 0), (DEEP, ARM, MOTOR)),
    "hand": (5.00, (0, -0.5, 0), (MOTOR, HAND, MOTOR)),
    "head": (3.46, (0.4, 0.6, 0), (0.040, HEAD, 0.036)),
}


def kondo_twin():
    twin = Twin(23)

    def add(name, parent, place, steps):
        percent, part, edges = KONDO[name.removeprefix("right_").removeprefix("left_")]
        m, (a, b, c) = 1.3 * percent / 100, edges
        s = -1 if name.startswith("left_") else 1
        moments = m / 12 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
        center = (part[0] * a, part[1] * b, s * part[2] * c)
        twin.add(name, parent, shift(*place), steps, m, center, np.diag(moments))

    slides = [("slide", "x", 18), ("slide", "y", 19), ("slide", "z", 20)]
    add("trunk", None, (0, FOOT + ANKLE + LEG + THIGH + HIP, 0), slides + turns(23, 22, 21))
    for side, s, n in (("right", 1, 1), ("left", -1, 6)):
        add(f"{side}_hip", "trunk", (0, 0, s * HIPS), turns(0, 0, -s * (n + 4)))
        add(f"{side}_thigh", f"{side}_hip", (0, -HIP, 0), turns(-(n + 3), 0, 0))
        add(f"{side}_leg", f"{side}_thigh", (0, -THIGH, 0), turns(-(n + 2), 0, 0))
        add(f"{side}_ankle", f"{side}_leg", (0, -LEG, 0), turns(-(n + 1), 0, 0))
        add(f"{side}_foot", f"{side}_ankle", (0, -ANKLE, 0), turns(0, 0, -s * n))
    for side, s, n in (("right", 1, 11), ("left", -1, 14)):
        add(f"{side}_shoulder", "trunk", (0, SHOULDER, s * WIDE), turns(-(n + 1), 0, 0))
        add(f"{side}_arm", f"{side}_shoulder", (0, -DROP, 0), turns(0, 0, -s * n))
        add(f"{side}_hand", f"{side}_arm", (0, -ARM, 0), turns(-(n + 2), 0, 0))
    add("head", "trunk", (0, TRUNK, 0), turns(0, 17, 0))
    return twin.finish()


# ---- Bip -----------------------------------------------------------------------------------------------------------

PI = np.pi
# frame: ref, r, λ, α, θ, (what moves, coordinate with its sign)
FRAMES = {
    1: (0, 0, 0.903, -PI / 2, 0, ("slide", 17)),
    2: (1, 0, 0, PI / 2, PI / 2, ("slide", 18)),
    3: (2, 0, 0, PI / 2, PI / 2, ("slide", 16)),
    4: (3, 0, 0, PI / 2, PI / 2, ("turn", 20)),
    5: (4, 0, 0, PI / 2, PI / 2, ("turn", 21)),
    6: (5, 0, 0, PI / 2, PI / 2, ("turn", 19)),
    7: (6, 0.11, 0, 0, 0, ("turn", -7)),
    8: (7, 0, 0, PI / 2, PI / 2, ("turn", -8)),
    9: (8, 0, 0, PI / 2, -PI / 2, ("turn", -9)),
    10: (9, 0.41, 0, 0, 0, ("turn", -3)),
    11: (10, 0.41, 0, 0, 0, ("turn", -2)),
    12: (11, 0, 0, -PI / 2, 0, ("turn", -1)),
    14: (6, -0.11, 0, 0, 0, ("turn", 10)),
    15: (14, 0, 0, PI / 2, PI / 2, ("turn", 11)),
    16: (15, 0, 0, PI / 2, -PI / 2, ("turn", -12)),
    17: (16, 0.41, 0, 0, 0, ("turn", -4)),
    18: (17, 0.41, 0, 0, 0, ("turn", -6)),
    19: (18, 0, 0, -PI / 2, 0, ("turn", 5)),
    21: (6, 0, 0.128, PI / 2, PI, ("turn", 13)),
    22: (21, 0, 0, PI / 2, PI / 2, ("turn", 14)),
    23: (22, 0, 0, -PI / 2, 0, ("turn", 15)),
}
ORIGIN, CENTER = "origin", "center"


def block(m, a, b, c):
    return np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) * m / 12


# frame: mass, centre [mm], inertia, the point it is about
SHIN, THIGHS, CROSS = block(6, 0.41, 0.11, 0.11), block(11, 0.41, 0.14, 0.14), block(0.6, 0.08, 0.08, 0.08)
BRACKETS = np.array([[0.06, 0, 0], [0, 0.0505, -0.01], [0, -0.01, 0.0105]])
BODIES = {
    6: (8.8, (0, 12, -68), np.array([[13, 0, 0], [0, 14, 2], [0, 2, 5]]) / 100, ORIGIN),
    7: (3.2, (5, -29, -107), BRACKETS, ORIGIN),
    14: (3.2, (-5, -29, -107), BRACKETS, ORIGIN),
    **dict.fromkeys((8, 15), (0.6, (0, 0, 0), CROSS, CENTER)),
    **dict.fromkeys((9, 16), (11.0, (190, 0, 0), THIGHS, CENTER)),
    **dict.fromkeys((10, 17), (6.0, (180, 0, 0), SHIN, CENTER)),
    **{n: (0.18, (0, 0, 0), np.zeros((3, 3)), ORIGIN) for n in (11, 18)},
    **{n: (2.34, (59, 0, 19), np.diag([2, 3, 1]) / 100, ORIGIN) for n in (12, 19)},
    21: (1.05, (0, 47, -25), np.diag([0.0016, 0.0016, 0.0030]), CENTER),
    22: (0.46, (0, 0, 46), np.diag([0.0062, 0.0004, 0.0062]), CENTER),
    23: (48.0, (405, 13, 9), block(48, 0.70, 0.34, 0.30), CENTER),
}


def modified_dh(r, lam, alpha, theta):
    """The matrix of Khalil and Kleinfinger as HuMAnS prints it."""
    ca, sa, ct, st = np.cos(alpha), np.sin(alpha), np.cos(theta), np.sin(theta)
    R = np.array([[ct, -st, 0], [ca * st, ca * ct, -sa], [sa * st, sa * ct, ca]])
    return pin.SE3(R, np.array([r, -lam * sa, lam * ca]))


def bip_twin():
    twin = Twin(21)
    for number, (ref, r, lam, alpha, theta, (kind, q)) in FRAMES.items():
        m, center, inertia, about = BODIES.get(number, (0.0, (0, 0, 0), np.zeros((3, 3)), CENTER))
        c = np.array(center) / 1000
        inertia = inertia - m * (c @ c * np.eye(3) - np.outer(c, c)) if about == ORIGIN else inertia
        # A turn about Z, or a shift along it, goes before or after the constant turn about Z all the same.
        twin.add(number, ref or None, modified_dh(r, lam, alpha, theta), [(kind, "z", q)], m, c, inertia)
    return twin.finish()


# ---- the comparison ------------------------------------------------------------------------------------------------

CASES = {"human36": (human36, human_twin), "kondo": (kondo, kondo_twin), "bip": (bip, bip_twin)}


@pytest.fixture(scope="module", params=CASES)
def pair(request):
    make, twin = CASES[request.param]
    return make(), twin()


def random_states(figure, count=8):
    rng = np.random.default_rng(11)
    return [(rng.normal(size=figure.nv), rng.normal(size=figure.nv)) for _ in range(count)]


def assert_near(found, expected):
    size = np.abs(expected).max()
    np.testing.assert_allclose(found, expected, rtol=0, atol=CLOSE * size)


def test_inertia_matrix_is_pinocchios(pair):
    figure, twin = pair
    for q, _ in random_states(figure):
        assert_near(tree.inertia_matrix(figure, q), twin.inertia_matrix(q))


def test_nonlinear_effects_are_pinocchios(pair):
    figure, twin = pair
    for q, v in random_states(figure):
        assert_near(tree.nonlinear_effects(figure, q, v), twin.nonlinear_effects(q, v))


def test_tags_are_pinocchios(pair):
    figure, twin = pair
    numbers = dict(zip(figure.names, FRAMES, strict=True)) if figure.name == "bip" else {}
    for q, _ in random_states(figure, 3):
        for tag, place in zip(figure.tags, tree.tags(figure, q), strict=True):
            assert_near(place, twin.place(numbers.get(tag.segment, tag.segment), tag.point, q))


@pytest.mark.parametrize(("height", "mass"), [(1.5, 45.0), (2.05, 120.0)])
def test_other_bodies_too(height, mass):
    figure, twin = human36(height, mass), human_twin(height, mass)
    q, v = random_states(figure, 1)[0]
    assert_near(tree.inertia_matrix(figure, q), twin.inertia_matrix(q))
    assert_near(tree.nonlinear_effects(figure, q, v), twin.nonlinear_effects(q, v))
