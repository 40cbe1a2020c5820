"""Balance: a man stands under a push and falls without control; arms that help."""

import numpy as np
import pytest

import motiform as mf
from motiform import FigureBuilder, actuation, joints
from motiform.base.errors import InputError, SceneError
from motiform.motion.contact import contact_dynamics
from motiform.motion.tree import FigureState


@pytest.fixture(scope="module")
def standing():
    return mf.load_scene("balance").build()


def man(built):
    return built.model, built.arguments["controls"][0].law, built.arguments["q0"]


def test_at_rest_the_efforts_hold_the_man(standing):
    """Two roads to one motion: contact dynamics under the efforts of the law has no acceleration."""
    figure, law, q = man(standing)
    tau = np.zeros(figure.nv)
    tau[law._places] = law(0.0, FigureState(q, np.zeros(figure.nv), np.zeros(0)))
    real = contact_dynamics(figure, standing.arguments["contacts"], q, np.zeros(figure.nv), tau, active=law.soles)
    # forces weigh 1e-4 m/s² a newton beside accelerations: of 700 N some 0.07 m/s² and less are left
    assert np.abs(real.acceleration).max() < 0.07
    assert real.forces[:, 1].sum() == pytest.approx(figure.mass * 9.81, rel=1e-2)


def test_feet_stay_and_forces_press(standing):
    """In motion, too: the soles have no acceleration but what stops them, and every force is in its pyramid."""
    figure, law, q = man(standing)
    v = np.random.default_rng(0).normal(scale=0.1, size=figure.nv)
    feet = law._feet.at(q, v)
    J, wanted = law._held(feet, np.zeros(8))
    a, f, G = law._solved(law._tasks(law.function.at(q, v)), (J, wanted), feet, np.ones(8, bool), q, v)
    nearest = J @ np.linalg.lstsq(J, wanted, rcond=1e-8)[0]  # eight points of two rigid feet cannot all do as they like
    np.testing.assert_allclose(J @ a, nearest, atol=1e-7)
    assert f.min() >= 0.0
    free = np.setdiff1d(np.arange(figure.nv), law._places)
    left = mf.inverse_dynamics(figure, q, v, a) - G @ f
    np.testing.assert_allclose(left[free], 0.0, atol=1e-6)  # N: nobody holds the pelvis


def test_the_impulse_that_ankles_stand():
    """c = p (1 − cosh ωt) + v/ω sinh ωt of a pendulum above the edge p of its foot: at the limit v = ω p it is
    p (1 − exp(−ωt)), and a hundredth more or less carries it beyond or back."""
    mass, height, reach = 70.0, 0.97, 0.15
    w, t = np.sqrt(9.81 / height), 5.0
    v = actuation.capture_impulse(mass, height, reach) / mass
    place = [reach * (1 - np.cosh(w * t)) + k * v / w * np.sinh(w * t) for k in (0.99, 1.0, 1.01)]
    assert place[0] < 0 < place[2]
    assert place[1] == pytest.approx(reach, abs=1e-6)
    with pytest.raises(InputError, match="reach"):
        actuation.capture_impulse(mass, height, 0.0)


@pytest.mark.slow
def test_he_stands_under_a_push():
    """25 N s forward; that he falls under 50 N s the example plot_balance checks."""
    rec = mf.simulate("balance", settings={"scene.duration": 2.2})
    assert rec["center_of_mass"][-1, 1] == pytest.approx(rec["center_of_mass"][0, 1], abs=5e-3)
    assert np.abs(rec["balance.capture"][-1] - rec["balance.center"][0]).max() < 0.01
    assert np.abs(rec["balance.effort"]).max() < 400
    assert rec["center_of_mass"][:, 0].max() > 0.05  # he was moved


@pytest.mark.slow
def test_without_control_he_falls(standing):
    """Joints with their own damping alone, no push: the body sinks."""
    arguments = {key: value for key, value in standing.arguments.items() if key not in ("controls", "loads")}
    loose = actuation.CoordinateControl(
        standing.model, [actuation.CoordinateDrive(name, damping=0.5) for name in standing.model.coordinates[:36]]
    )
    options = {**standing.options, "t1": 0.8}
    rec = mf.simulate(standing.model, **arguments, controls=loose, **options)
    assert rec["center_of_mass"][-1, 1] < 0.7 * rec["center_of_mass"][0, 1]


def test_arms_push_up_to_their_limit_and_do_not_pull():
    """A mass of 10 kg on a vertical rail: the force is that of spring and damper, within its limits."""
    b = FigureBuilder()
    b.segment("box", None, joints.prismatic((0, 1, 0), name="up"), mass=10.0)
    figure = b.build()
    way = actuation.PostureTrajectory(figure, [0.0], [[0.5]])
    support = actuation.ArmSupport(figure, "box", way, 150.0, spring=2000.0, damper=10.0)
    for height, speed, force in ((0.46, 0.0, 80.0), (0.46, 1.0, 70.0), (0.3, 0.0, 150.0), (0.6, 0.0, 0.0)):
        found = support._law(0.0, FigureState(np.array([height]), np.array([speed]), np.zeros(0)))
        assert found[0] == pytest.approx(force, abs=1e-9)
        assert found[2] == pytest.approx(force, abs=1e-9)
    rec = mf.simulate(figure, t1=3.0, rate=20, q0=[0.45], controls=support.__class__(figure, "box", way, 150.0))
    assert rec["q"][-1, 0] == pytest.approx(0.5 - 98.1 / 20000, abs=1e-5)  # at rest the spring carries the weight
    assert rec["support.force"][-1, 1] == pytest.approx(98.1, abs=0.1)


@pytest.mark.parametrize("bend", [0.0, 0.4, 1.5])
def test_muscles_of_the_knee_are_drawn_as_long_as_they_are(bend, standing):
    """Chords of five equal parts of the arc, 2 r sin(δ/2) each, in place of r δ; hamstrings are straight."""
    figure, _, posture = man(standing)
    q = np.array(posture, float)
    q[figure.coordinates.index("left_knee_extension")] = -bend
    knee = actuation.KneeGeometry(figure, "left_knee_extension", -1.0)
    (long, ham), lines = knee(q)[0], knee.lines(q)
    drawn = [np.linalg.norm(np.diff(line, axis=0), axis=1).sum() for line in lines]
    part = (np.pi + bend - np.arccos(knee.radius / knee.above) - np.arccos(knee.radius / knee.quadriceps)) / 5
    assert drawn[0] == pytest.approx(long - 5 * knee.radius * (part - 2 * np.sin(part / 2)), rel=1e-12)
    assert drawn[1] == pytest.approx(ham, rel=1e-12)
    assert lines[0][3][0] > lines[1].mean(0)[0]  # the knee-cap is in front of the hamstrings, x forward


def test_two_knees_are_one_geometry(standing):
    figure, _, q = man(standing)
    knees = [actuation.KneeGeometry(figure, f"{side}_knee_extension", -1.0) for side in ("right", "left")]
    lengths, arms = actuation.JoinedGeometry(knees)(q)
    for k, knee in enumerate(knees):
        np.testing.assert_array_equal(lengths[2 * k : 2 * k + 2], knee(q)[0])
        np.testing.assert_array_equal(arms[2 * k : 2 * k + 2], knee(q)[1])
    with pytest.raises(InputError, match="one figure"):
        actuation.JoinedGeometry([])


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"figure.man.balance.weights": [1.0, 2.0]}, "weights"),
        ({"figure.man.balance.friction": 0.0}, "friction"),
        ({"figure.man.balance.limit": -1.0}, "limit"),
    ],
)
def test_wrong_tables_are_named(settings, text):
    with pytest.raises(SceneError, match=text):
        mf.load_scene("balance", settings=settings).build()


def test_wrong_laws_are_named(standing):
    figure, law, q = man(standing)
    for change, text in (
        ({"soles": ("nose", *law.soles)}, "three tags"),
        ({"q0": q[:3]}, "q0 must be a posture"),
        ({"driven": ("nose",)}, "no such coordinate"),
        ({"weights": (1.0, -1.0, 1.0)}, "weights"),
    ):
        given = {"driven": law.driven, "soles": law.soles, "q0": q} | change
        with pytest.raises(InputError, match=text):
            actuation.BalanceLaw(figure, **given)
