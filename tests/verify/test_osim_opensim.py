"""OpenSim models read by us and by OpenSim: same poses, markers, inertia matrix, accelerations, joint forces.

Both sides do the same arithmetic in float64 on trees of a few bodies; numbers in the files are printed with 17 digits.
Rounding grows with the products along a branch, some hundred of 1e-16 each, so 1e-13 of the largest entry; solving with
the inertia matrix multiplies it by a condition number up to 1e4 in these models. 1e-11 and 1e-10 leave room for it.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from motiform.motion.tree.algorithms.dynamics import inertia_matrix, inverse_dynamics
from motiform.motion.tree.algorithms.forward import forward_dynamics
from motiform.motion.tree.algorithms.kinematics import forward_kinematics, tags
from motiform.motion.tree.read import read_osim
from motiform.motion.tree.read.osim.functions import BrokenLine, SimmSpline

osim = pytest.importorskip("opensim")

KINEMATIC, DYNAMIC = 1e-11, 1e-10


@pytest.fixture(autouse=True)
def quiet():
    osim.Logger.setLevelString("off")


def close(ours, theirs, tolerance):
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max(initial=0.0) <= tolerance * max(1.0, np.abs(theirs).max(initial=0.0))


# ---- their numbers ---------------------------------------------------------------------------------------------------


def vec(*values):
    return osim.Vec3(*(float(v) for v in values))


def numbers(vector):
    return np.array([vector.get(k) for k in range(vector.size())])


def matrix_of(rotation):
    return np.array([[rotation.get(i, j) for j in range(3)] for i in range(3)])


class Theirs:
    """A model as OpenSim reads it, with coordinates by name and their derivatives in place of its own speeds."""

    def __init__(self, path):
        self.model = osim.Model(str(path))
        self.state = self.model.initSystem()
        for k in range(self.model.getForceSet().getSize()):  # muscles are left out here
            self.model.getForceSet().get(k).setAppliesForce(self.state, False)
        found = self.model.getCoordinateSet()
        self.coordinates = {found.get(k).getName(): found.get(k) for k in range(found.getSize())}
        self.places = {}
        for name, coordinate in self.coordinates.items():
            coordinate.setLocked(self.state, False)
            self.places[name] = self._place(coordinate)

    def _place(self, coordinate):
        """Where in the state's q a coordinate is: where it changes it."""
        before = numbers(self.state.getQ())
        value = coordinate.getValue(self.state)
        low, high = coordinate.getRangeMin(), coordinate.getRangeMax()
        coordinate.setValue(self.state, value + 0.01 if value + 0.01 < high else (value + low) / 2, False)
        (place,) = np.flatnonzero(numbers(self.state.getQ()) != before)
        coordinate.setValue(self.state, value, False)
        return place

    def put(self, q):
        for name, value in q.items():
            self.coordinates[name].setValue(self.state, float(value), False)
        self.model.realizePosition(self.state)

    def bodies(self):
        for k in range(self.model.getBodySet().getSize()):
            body = self.model.getBodySet().get(k)
            X = body.getTransformInGround(self.state)
            yield body.getName(), matrix_of(X.R()), numbers(X.p())

    def marker(self, name):
        return numbers(self.model.getMarkerSet().get(name).getLocationInGround(self.state))

    def put_speeds(self, u):
        for k, value in enumerate(u):
            self.state.updU().set(k, float(value))
        self.model.realizeVelocity(self.state)

    def speed_count(self):
        return self.state.getNU()

    def rates(self, names):
        qdot = numbers(self.state.getQDot())
        return np.array([qdot[self.places[name]] for name in names])

    def rates_from_speeds(self, names):
        """N with q̇ = N u: their speeds of ball and free joints are angular velocities."""
        columns = []
        for row in np.eye(self.speed_count()):
            self.put_speeds(row)
            columns.append(self.rates(names))
        return np.array(columns).T

    def inertia_matrix(self):
        M = osim.Matrix()
        self.model.getMatterSubsystem().calcM(self.state, M)
        return np.array([[M.get(i, j) for j in range(M.ncol())] for i in range(M.nrow())])

    def accelerations(self, names):
        """q̈ of the model that falls, without forces but gravity."""
        self.model.realizeAcceleration(self.state)
        qdd = numbers(self.state.getQDotDot())
        return np.array([qdd[self.places[name]] for name in names])

    def joint_forces(self, accelerations):
        given = osim.Vector(len(accelerations), 0.0)
        for k, value in enumerate(accelerations):
            given.set(k, float(value))
        return numbers(osim.InverseDynamicsSolver(self.model).solve(self.state, given))


def compare(path, rng, *, states=4, held=None, span=1.0, **options):
    figure, theirs = read_osim(path, **options), Theirs(path)
    names = list(figure.layout.names)
    assert names == [name for name in theirs.coordinates if name not in (held or {})]
    for _ in range(states):
        q = rng.uniform(-span, span, figure.nq)
        everything = q if figure.coupled is None else figure.coupled.expand(q)
        theirs.put(dict(zip(names, everything, strict=True)) | (held or {}))
        compare_places(figure, theirs, q)
        compare_motion(figure, theirs, q, names, rng)
    return figure


def compare_places(figure, theirs, q):
    R, p = forward_kinematics(figure, q)
    for name, rotation, place in theirs.bodies():
        close(R[figure.index(name)], rotation, KINEMATIC)
        close(p[figure.index(name)], place, KINEMATIC)
    for name, point in zip(figure.tag_names, tags(figure, q), strict=True):
        close(point, theirs.marker(name), KINEMATIC)


def compare_motion(figure, theirs, q, names, rng):
    if figure.couplings:
        return
    everything = list(theirs.coordinates)
    free = [everything.index(name) for name in names]
    back = np.linalg.inv(theirs.rates_from_speeds(everything))
    M = back.T @ theirs.inertia_matrix() @ back
    close(inertia_matrix(figure, q), M[np.ix_(free, free)], KINEMATIC)
    if len(free) == len(everything):
        theirs.put_speeds(rng.standard_normal(theirs.speed_count()))
        v, a = theirs.rates(names), theirs.accelerations(names)
        close(forward_dynamics(figure, q, v, np.zeros(figure.nv)), a, DYNAMIC)
        force = np.abs(inertia_matrix(figure, q) @ a).max()
        close(inverse_dynamics(figure, q, v, a), np.zeros(figure.nv), DYNAMIC * force)
    if set(back.ravel()) <= {0.0, 1.0}:  # their speeds are rates, in some order
        v, a = np.zeros((2, len(everything)))
        v[free], a[free] = rng.standard_normal((2, len(free)))
        theirs.put_speeds(back @ v)
        tau = back.T @ theirs.joint_forces(back @ a)
        close(inverse_dynamics(figure, q, v[free], a[free]), tau[free], DYNAMIC)


# ---- models ----------------------------------------------------------------------------------------------------------


class Maker:
    """Builds a model with OpenSim; every body gets a marker away from its axes."""

    def __init__(self, gravity=(0.0, -9.80665, 0.0)):
        self.model, self.kept = osim.Model(), []
        self.model.setName("made")
        self.model.setGravity(vec(*gravity))

    def body(self, name, mass=1.0):
        body = osim.Body(name, mass, vec(0.02, -0.1, 0.03), osim.Inertia(0.021, 0.012, 0.017, 0.001, -0.002, 0.0015))
        self.model.addBody(body)
        self.model.addMarker(osim.Marker(f"{name}_marker", body, vec(0.1, -0.2, 0.05)))
        self.kept.append(body)
        return body

    def joint(self, kind, name, parent, child, *more, at=(0.1, -0.3, 0.05), turn=(0.1, -0.2, 0.3), back=(0, 0.1, 0.02)):
        make = getattr(osim, kind)
        joint = make(name, parent, vec(*at), vec(*turn), child, vec(*back), vec(0.2, 0.1, -0.1), *more)
        self.model.addJoint(joint)
        self.kept.append(joint)
        return joint

    @property
    def ground(self):
        return self.model.getGround()

    def write(self, folder):
        path = folder / "made.osim"
        self.model.finalizeConnections()
        self.model.printToXML(str(path))
        return path


def spatial_transform(axes):
    """Return a spatial transform of {number: (coordinate, axis, function)}."""
    transform = osim.SpatialTransform()
    for number, (coordinate, direction, function) in axes.items():
        axis = transform.updTransformAxis(number)
        if coordinate:
            axis.append_coordinates(coordinate)
        axis.setAxis(vec(*direction))
        axis.set_function(function)
    return transform


def spline(x, y):
    function = osim.SimmSpline()
    for a, b in zip(x, y, strict=True):
        function.addPoint(float(a), float(b))
    return function


KNEE = ([-2.0944, -1.74533, -1.39626, -1.0472, -0.698132, -0.349066, -0.174533, 0.197344, 0.337395],
        [-0.0032, 0.00179, 0.00411, 0.0041, 0.00212, -0.001, -0.0031, -0.005227, -0.005435])  # fmt: skip


KINDS = ["Pin", "Slider", "Universal", "Gimbal", "Ball", "Planar", "Free", "Weld"]


@pytest.mark.parametrize("kind", [f"{kind}Joint" for kind in KINDS])
def test_joints_with_frames_away_from_the_bodies(tmp_path, kind):
    maker = Maker(gravity=(0.3, -9.7, 1.1))
    thigh, shank, foot = maker.body("thigh", 7.0), maker.body("shank", 3.0), maker.body("foot")
    maker.joint("PinJoint", "hip", maker.ground, thigh)
    maker.joint(kind, "knee", thigh, shank)
    maker.joint("PinJoint", "ankle", shank, foot, turn=(0.5, 0.0, 1.0))
    compare(maker.write(tmp_path), np.random.default_rng(1))


def test_a_point_on_an_ellipsoid(tmp_path):
    maker = Maker()
    thorax, scapula = maker.body("thorax", 7.0), maker.body("scapula")
    maker.joint("FreeJoint", "ground_thorax", maker.ground, thorax)
    maker.joint("EllipsoidJoint", "scapulothoracic", thorax, scapula, vec(0.2, 0.13, 0.09))
    compare(maker.write(tmp_path), np.random.default_rng(2))


def test_a_knee_with_splines(tmp_path):
    maker = Maker()
    thigh, shank = maker.body("thigh", 7.0), maker.body("shank", 3.0)
    maker.joint("FreeJoint", "hip", maker.ground, thigh)
    axes = {
        2: ("knee", (0, 0, 1), osim.LinearFunction(1, 0)),
        3: ("knee", (1, 0, 0), spline(*KNEE)),
        4: ("knee", (0, 1, 0), spline(KNEE[0], np.cos(KNEE[0]) * 0.4)),
    }
    maker.joint("CustomJoint", "knee_joint", thigh, shank, spatial_transform(axes))
    compare(maker.write(tmp_path), np.random.default_rng(3), states=8, span=3.0)  # beyond the ends of the splines, too


def multiplied(function, factor):
    inner = function.clone()
    inner.thisown = False  # the product owns it
    product = osim.MultiplierFunction()
    product.setFunction(inner)
    product.setScale(factor)
    return product


def test_axes_of_all_functions(tmp_path):
    """Six axes, three coordinates, slopes, offsets, axes that are not of length 1, a constant that shifts."""
    line = osim.PiecewiseLinearFunction()
    for x, y in ((-0.7, 0.1), (0.1, -0.2), (0.5, 0.3)):
        line.addPoint(x, y)
    polynomial = osim.PolynomialFunction(osim.Vector.createFromMat(np.array([0.3, -0.2, 0.4, 0.1])))
    axes = {
        0: ("a", (0.6, 0.5, -0.3), osim.LinearFunction(-1, 0.2)),
        1: ("b", (0, 2, 0.5), polynomial),
        2: ("c", (0.1, 0, 3), osim.LinearFunction(0.7, -0.1)),
        3: ("a", (1, 0.2, 0), multiplied(spline(*KNEE), 3.0)),
        4: ("c", (0, 2, 0.3), line),
        5: ("", (0.1, 0.2, 1), osim.Constant(0.37)),
    }
    maker = Maker()
    thigh, shank, foot = maker.body("thigh", 7.0), maker.body("shank", 3.0), maker.body("foot")
    maker.joint("PinJoint", "hip", maker.ground, thigh)
    maker.joint("CustomJoint", "knee_joint", thigh, shank, spatial_transform(axes))
    maker.joint("PinJoint", "ankle", shank, foot)
    compare(maker.write(tmp_path), np.random.default_rng(4), states=8)


def test_turns_of_custom_axes_with_slopes_of_one_are_plain_axes(tmp_path):
    axes = {
        0: ("flexion", (0, 0, 1), osim.LinearFunction(1, 0)),
        1: ("adduction", (1, 0, 0), osim.LinearFunction(-1, 0.3)),
        2: ("rotation", (0, 1, 0), osim.LinearFunction(1, -0.2)),
        3: ("tx", (1, 0, 0), osim.LinearFunction(1, 0.1)),
    }
    maker = Maker()
    thigh = maker.body("thigh", 7.0)
    maker.joint("CustomJoint", "hip", maker.ground, thigh, spatial_transform(axes))
    figure = compare(maker.write(tmp_path), np.random.default_rng(5))
    assert len(figure.segments[0].joint.axes) == 4


def test_a_joint_that_the_file_describes_from_the_outer_body(tmp_path):
    maker = Maker()
    thigh, shank, foot = maker.body("thigh", 7.0), maker.body("shank", 3.0), maker.body("foot")
    maker.joint("FreeJoint", "hip", maker.ground, thigh)
    axes = {2: ("knee", (0, 0, 1), osim.LinearFunction(1, 0)), 3: ("knee", (1, 0, 0), spline(*KNEE))}
    maker.joint("CustomJoint", "knee_joint", shank, thigh, spatial_transform(axes))
    maker.joint("UniversalJoint", "ankle", foot, shank)
    compare(maker.write(tmp_path), np.random.default_rng(6))


def coupled_model(maker):
    thigh, shank, patella = maker.body("thigh", 7.0), maker.body("shank", 3.0), maker.body("patella", 0.1)
    maker.joint("PinJoint", "hip", maker.ground, thigh)
    axes = {2: ("knee", (0, 0, 1), osim.LinearFunction(1, 0)), 3: ("knee", (1, 0, 0), spline(*KNEE))}
    maker.joint("CustomJoint", "knee_joint", thigh, shank, spatial_transform(axes))
    axes = {2: ("beta", (0, 0, 1), osim.LinearFunction(1, 0)), 4: ("beta", (0, 1, 0), spline(*KNEE))}
    maker.joint("CustomJoint", "patella_joint", thigh, patella, spatial_transform(axes))
    coupler = osim.CoordinateCouplerConstraint()
    coupler.setName("follow")
    names = osim.ArrayStr()
    names.append("knee")
    coupler.setIndependentCoordinateNames(names)
    coupler.setDependentCoordinateName("beta")
    coupler.setFunction(spline([-2.0, -0.5, 0.3, 1.5], [0.8, 0.1, -0.3, -0.9]))
    osim.PropertyHelper.setValueDouble(1.3, coupler.updPropertyByName("scale_factor"))
    maker.model.addConstraint(coupler)
    maker.kept.append(coupler)


def test_a_coupled_coordinate(tmp_path):
    maker = Maker()
    coupled_model(maker)
    path = maker.write(tmp_path)
    rng = np.random.default_rng(7)
    figure = compare(path, rng)
    assert figure.coordinates == ("hip_coord_0", "knee")
    theirs, names = Theirs(path), list(figure.layout.names)
    for _ in range(4):
        q, v = rng.uniform(-1, 1, 2), rng.standard_normal(2)
        theirs.put(dict(zip(names, figure.coupled.expand(q), strict=True)))
        theirs.put_speeds(figure.coupled.expand_velocity(q, v))  # their speeds are rates here
        close(theirs.rates(names), figure.coupled.expand_velocity(q, v), KINEMATIC)
        close(forward_dynamics(figure, q, v, np.zeros(2)), theirs.accelerations(figure.coordinates), DYNAMIC)


def test_frames_within_frames_and_markers_in_them(tmp_path):
    maker = Maker()
    thigh, shank = maker.body("thigh", 7.0), maker.body("shank", 3.0)
    maker.joint("PinJoint", "hip", maker.ground, thigh)
    outer = osim.PhysicalOffsetFrame(
        "outer", thigh, osim.Transform(osim.Rotation(0.3, osim.CoordinateAxis(1)), vec(0.1, 0, 0))
    )
    thigh.addComponent(outer)
    inner = osim.PhysicalOffsetFrame(
        "inner", outer, osim.Transform(osim.Rotation(0.5, osim.CoordinateAxis(0)), vec(0, 0.2, 0.1))
    )
    outer.addComponent(inner)
    knee = osim.PinJoint("knee", inner, shank)
    maker.model.addJoint(knee)
    maker.model.addMarker(osim.Marker("far", inner, vec(0.1, 0.2, 0.3)))
    figure = compare(maker.write(tmp_path), np.random.default_rng(8))
    assert figure.tag_names == ("thigh_marker", "shank_marker", "far")
    maker.kept += [outer, inner, knee]


# In a process of its own: ezc3d, too, teaches SWIG what a vector of ints is, and whoever comes second is refused.
DERIVATIVES = """
import json, sys
import opensim as osim
osim.Logger.setLevelString("off")
x, y, at = json.load(sys.stdin)
first, second = osim.StdVectorInt(), osim.StdVectorInt()
for order in (first, second, second):
    order.append(0)
found = {}
for name, function in (("SimmSpline", osim.SimmSpline()), ("BrokenLine", osim.PiecewiseLinearFunction())):
    for point in zip(x, y):
        function.addPoint(*point)
    points = [osim.Vector(1, t) for t in at]
    found[name] = [[function.calcValue(p) for p in points]]
    found[name] += [[function.calcDerivative(order, p) for p in points] for order in (first, second)]
json.dump(found, sys.stdout)
"""


@pytest.mark.parametrize("count", [2, 3, 4, 5, 12])
def test_functions_with_their_derivatives(count):
    rng = np.random.default_rng(count)
    x, y = np.sort(rng.uniform(-2, 2, count)), rng.standard_normal(count)
    at = np.concatenate([rng.uniform(-3, 3, 40), x])
    asked = json.dumps([x.tolist(), y.tolist(), at.tolist()])
    run = subprocess.run([sys.executable, "-c", DERIVATIVES], input=asked, capture_output=True, text=True, check=True)
    theirs = json.loads(run.stdout)
    for ours in (SimmSpline(x, y), BrokenLine(x, y)):
        value, slope, bend = theirs[type(ours).__name__]
        found = ours.derivatives(at)
        inside = slice(None) if isinstance(ours, SimmSpline) else slice(0, 40)  # the slope of a broken line jumps
        close(found[0], value, KINEMATIC)
        close(found[1][inside], slope[inside], KINEMATIC)
        close(found[2][:40], bend[:40], KINEMATIC)


# ---- a lower limb of version 3 ---------------------------------------------------------------------------------------

LEG = Path(__file__).parents[1] / "unit/motion/tree/read/leg.osim"


def test_a_leg_of_version_3():
    held = {"subtalar_angle_r": 0.1, "mtp_angle_r": 0.0}
    figure = compare(LEG, np.random.default_rng(9), states=6, held=held)
    assert figure.nq == 11
    assert figure.tag_names == ("R.ASIS", "R.Knee.Lat", "R.Heel", "R.Toe.Tip")
    compare(LEG, np.random.default_rng(10), locked="free")
    theirs = Theirs(LEG)
    started = [theirs.coordinates[name].getDefaultValue() for name in figure.coordinates]
    np.testing.assert_array_equal(figure.neutral(), started)


def test_the_leg_as_opensim_writes_it_again(tmp_path):
    again = tmp_path / "again.osim"
    model = osim.Model(str(LEG))
    model.finalizeConnections()
    model.printToXML(str(again))
    compare(again, np.random.default_rng(11), locked="free")
    old, new = read_osim(LEG), read_osim(again)
    assert old.coordinates == new.coordinates
    np.testing.assert_allclose(old.limits, new.limits, rtol=1e-15)
    q = np.random.default_rng(12).uniform(-1, 1, old.nq)
    close(tags(old, q), tags(new, q), KINEMATIC)
