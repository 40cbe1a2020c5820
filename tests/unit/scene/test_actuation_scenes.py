"""Scenes with actuators: what the gallery promises, the same in Python, and what is refused."""

import numpy as np
import pytest

import motiform as mf
from motiform import actuation
from motiform.base.errors import SceneError
from motiform.motion.tree import FigureState
from motiform.scene.read.load import parse_scene

LEG = """
[scene]
title = "leg"
duration = 0.2
rate = 50

[[figure]]
name = "leg"

[[figure.segment]]
name = "shank"
joint = { revolute = [0, 0, -1], names = ["flexion"] }
mass = 4.2
com = [0.27, 0, 0]
inertia = [0.01, 0.1, 0.1]
damping = 0.5

[figure.start]
q = { flexion = "90 deg" }
"""
STIMULATED = """
[figure.stimulation]
coordinate = "flexion"

[[figure.stimulation.train]]
muscle = "quadriceps"
period = "30 ms"
pulses = 3
intensity = 0.7

[[figure.stimulation.train]]
muscle = "hamstrings"
start = 0.03
intensity = 0.2
"""
MOTORS = """
[figure.motors]
constant = 0.02
resistance = 1.5
gear = 100
rotor_inertia = 1e-5
voltage = 24
gain = 100

[figure.posture]
q = { flexion = "60 deg" }
"""
MUSCLE = """
[[figure.wrap]]
name = "knee"
cylinder = 0.03
length = 0.2
side = "+y"

[[figure.muscle]]
name = "extensor"
points = [{ segment = "world", at = [-0.2, 0.04, 0] }, { segment = "shank", at = [0.06, 0.02, 0] }]
wraps = ["knee"]
max_force = 1500
fibre_length = 0.12
slack_length = 0.18
excitation = { times = [0.05], values = [0.5] }
"""


def leg():
    b = mf.FigureBuilder(name="leg")
    inertia = np.diag([0.01, 0.1, 0.1])
    hinge = mf.joints.revolute((0, 0, -1), name="flexion")
    b.segment("shank", None, hinge, mass=4.2, com=(0.27, 0, 0), inertia=inertia, damping=0.5)
    return b.build()


@pytest.mark.slow
def test_swing_up_reaches_its_target():
    """40 degrees of flexion, to 0.1 degrees: the intensity in the scene has three digits."""
    rec = mf.simulate("fes-swing-up", settings={"scene.duration": 0.9, "motion.rtol": 1e-7})
    assert np.degrees(rec["q"].min()) == pytest.approx(40.0, abs=0.1)
    assert rec["stimulation.force"].min() > -1e-9
    assert rec["stimulation.force"][:, 0].max() > 150


def test_pulses_in_python_are_those_of_the_scene():
    found = mf.simulate(parse_scene(LEG + STIMULATED))
    figure = leg()
    train = actuation.PulseTrain([0.0, 0.03, 0.06], [[0.7, 0.0], [0.7, 0.2], [0.7, 0.0]])
    pair = (actuation.QUADRICEPS, actuation.HAMSTRINGS)
    muscles = actuation.StimulatedMuscles(actuation.KneeGeometry(figure, "flexion"), pair, train)
    rec = mf.simulate(figure, t1=0.2, rate=50, q0=[np.pi / 2], controls=muscles)
    assert (found["q"] == rec["q"]).all()
    assert found["stimulation.force"][:, 1].max() > 1


def test_muscles_twice_as_strong_move_twice_the_mass_alike():
    """Forces, inertia, weight and damping are doubled: the motion is the same, to the tolerance of a step."""
    one = mf.simulate(parse_scene(LEG + STIMULATED))
    heavy = LEG.replace("mass = 4.2", "mass = 8.4").replace("[0.01, 0.1, 0.1]", "[0.02, 0.2, 0.2]")
    strong = STIMULATED.replace('"flexion"\n', '"flexion"\nstrength = 2\n', 1)
    two = mf.simulate(parse_scene(heavy.replace("damping = 0.5", "damping = 1") + strong))
    np.testing.assert_allclose(two["q"], one["q"], atol=1e-6)
    np.testing.assert_allclose(two["stimulation.force"], 2 * one["stimulation.force"], atol=1e-3)
    assert np.ptp(one["q"]) > 0.01


def test_legs_that_stand_up_by_stimulation_have_no_drives():
    """What acts on them: muscles of the knees, stated stiffness and damping; nothing acts on the pelvis."""
    built = mf.load_scene("fes-sit-to-stand").build()
    man, given = built.model, built.arguments
    posture, tissue, muscles = given["controls"]
    assert not given.get("loads")
    assert isinstance(muscles, actuation.StimulatedMuscles)
    names = np.array(man.coordinates)
    legs = np.array([any(part in name for part in ("hip_", "knee_", "ankle_", "pelvis_")) for name in names])
    rng = np.random.default_rng(0)
    state = FigureState(rng.normal(0, 0.5, man.nq), rng.normal(0, 0.5, man.nv))
    assert (posture(1.0, state)[legs] == 0).all()
    assert (posture.stiffness[legs] == 0).all()
    assert (posture.damping[legs] == 0).all()
    stated = {"knee_": 0.4, "hip_": 1.0, "ankle_": 1.0}
    wanted = [next((d for part, d in stated.items() if part in name), 0.0) for name in names]
    assert tissue.damping == pytest.approx(wanted)
    assert {"right_hand", "left_hand"} <= set(given["contacts"].solids)


def test_motors_in_python_are_those_of_the_scene():
    found = mf.simulate(parse_scene(LEG + MOTORS))
    motor = actuation.Motor("flexion", 0.02, 1.5, gear=100, rotor_inertia=1e-5, voltage=24)
    figure = actuation.with_rotors(leg(), [motor])
    way = actuation.PostureTrajectory(figure, [0.0], [[np.radians(60)]])
    servo = actuation.SampledLaw(actuation.ServoLaw(figure, ["flexion"], way, 100.0), 0.01)
    rec = mf.simulate(figure, t1=0.2, rate=50, q0=[np.pi / 2], controls=actuation.Motors(figure, [motor], servo))
    assert (found["q"] == rec["q"]).all()
    assert found["q"][-1, 0] < np.radians(88)


@pytest.mark.slow
def test_muscle_of_a_scene_pulls():
    rec = mf.simulate(parse_scene(LEG + MUSCLE))
    assert rec["muscles.activation"][-1, 0] > 0.4
    assert rec["q"][-1, 0] < np.radians(85)
    assert rec.manifest["labels"]["muscles"] == ["extensor"]


@pytest.mark.slow
def test_arm_reaches_its_target():
    rec = mf.simulate("arm-reach")
    assert rec["tags"][0, 0, :2] == pytest.approx([0.165, 0.422], abs=1e-3)
    assert np.abs(rec["tags"][:20, 0] - rec["tags"][0, 0]).max() < 1e-3  # it waits in balance
    assert rec["tags"][-1, 0, :2] == pytest.approx([0.077, 0.600], abs=0.01)


@pytest.mark.slow
def test_kondo_squats_on_its_motors():
    rec = mf.simulate("kondo-squat")
    knee = rec.manifest["labels"]["coordinate"].index("right_knee")
    assert 80 < np.degrees(rec["q"][:, knee].max()) < 95
    assert np.abs(rec["q"][-1, knee]) < 0.02
    assert -0.04 < np.nanmin(rec["zmp"][:, 0]) < np.nanmax(rec["zmp"][:, 0]) < 0.06  # between heels and toes
    assert np.abs(rec["motors.effort"]).max() < 0.85
    supplied, heat = rec["motors.supplied"][-1].sum(), rec["motors.heat"][-1].sum()
    assert supplied == pytest.approx(heat, rel=0.01)  # it stands as at the start; steps of first order


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LEG + MOTORS.replace('[figure.posture]\nq = { flexion = "60 deg" }\n', ""), "motors follow a posture"),
        (LEG + MOTORS + "stand = true\n", "no other key"),
        (LEG + MOTORS.replace("gear = 100", "gear = 0"), "gear"),
        (LEG + STIMULATED.replace('"flexion"', '"extension"'), "no such coordinate"),
        (LEG + STIMULATED.replace("intensity = 0.7", "intensity = 1.7"), "intensity"),
        (LEG + MUSCLE.replace('wraps = ["knee"]', 'wraps = ["hip"]'), "hip"),
        (LEG + MUSCLE.replace('segment = "shank"', 'segment = "foot"'), "foot"),
        (LEG + MUSCLE.replace("values = [0.5]", "values = [0.5, 0.6]"), "value for each"),
        (LEG + MUSCLE.replace("cylinder = 0.03", ""), "sphere or cylinder"),
        (LEG + MUSCLE.replace("at = [-0.2, 0.04, 0]", "at = [-0.02, 0.0, 0]"), "outside of what it wraps"),
        (LEG + STIMULATED + '[image]\nplot = ["muscles.force"]\n', "no such channel"),
        (LEG + STIMULATED + '[image]\nhide = ["shnk"]\n', "no such segment"),
        (LEG + STIMULATED.replace('"flexion"\n', '"flexion"\nstrength = 0\n', 1), "strength"),
    ],
)
def test_wrong_tables_are_named(text, message):
    with pytest.raises(SceneError, match=message):
        parse_scene(text).build()


# ---- a knee in closed loop -----------------------------------------------------------------------------------------
@pytest.mark.slow
def test_a_swung_knee_meets_both_limits():
    """The three states of contact of the document's figure 6.2, and nothing beyond the limits."""
    rec = mf.simulate("fes-knee-swing", settings={"scene.duration": 1.5})
    assert rec.manifest["labels"]["velocity"] == ["right_knee_extension"]
    assert set(rec["limit.contact"][:, 0].tolist()) == {-1, 0, 1}
    assert np.maximum(rec["q"], np.radians(-140) - rec["q"]).max() < 1e-9
    force, limit = rec["limit.force"][:, 0], rec["limit.contact"][:, 0]
    assert (force[limit == 0] == 0).all()
    assert (force[limit == -1] >= 0).all()
    assert (force[limit == 1] <= 0).all()


def test_pulses_by_width_and_current_are_those_of_their_charge():
    by_charge = mf.simulate(parse_scene(LEG + STIMULATED))
    told = STIMULATED.replace("intensity = 0.7", 'width = "350 us"\ncurrent = "120 mA"')
    told = told.replace('"flexion"\n', '"flexion"\nmax_width = "500 us"\nmax_current = "120 mA"\n', 1)
    by_width = mf.simulate(parse_scene(LEG + told))
    np.testing.assert_allclose(by_width["q"], by_charge["q"], rtol=1e-12)
    assert actuation.pulse_intensity(250e-6, [0.05, 0.1]) == pytest.approx([0.25, 0.5])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (STIMULATED.replace("intensity = 0.7", 'width = "300 us"'), "width and a current"),
        (
            STIMULATED.replace("intensity = 0.7", "intensity = 1\nwidth = 1e-4\ncurrent = 0.1"),
            "intensity of pulses, or",
        ),
        (STIMULATED.replace("intensity = 0.7", 'width = "600 us"\ncurrent = 0.1'), "width of a pulse is out of range"),
        (STIMULATED + "[figure.stimulation.swing]\n", "trains or from a swing"),
        ('[figure.stimulation]\ncoordinate = "flexion"\n[figure.stimulation.swing]\nlook = 0.1\n', "look at least as"),
    ],
)
def test_pulses_that_are_said_wrongly_are_refused(text, message):
    with pytest.raises(SceneError, match=message):
        parse_scene(LEG + text).build()


# ---- locked joints -------------------------------------------------------------------------------------------------
LOCKED = """
[scene]
title = "locked"
duration = 0.3
rate = 50

[[figure]]
name = "arm"
free = ["lower"]

[[figure.segment]]
name = "upper"
joint = { revolute = [0, 0, 1], names = ["shoulder"] }
mass = 2
com = [0.2, 0, 0]
inertia = [0.01, 0.02, 0.02]

[[figure.segment]]
name = "lower"
parent = "upper"
placement = { at = [0.4, 0, 0] }
joint = { revolute = [0, 0, 1], names = ["elbow"] }
mass = 1
com = [0.2, 0, 0]
inertia = [0.01, 0.02, 0.02]

[figure.start]
q = { shoulder = "30 deg", elbow = "20 deg" }
v = { elbow = 1 }
"""


def test_a_figure_of_which_one_joint_is_free_moves_as_a_pendulum():
    """A forearm on a fixed upper arm at 30 degrees: φ'' = −m g c cos(30° + φ)/(I + m c²)."""
    from scipy.integrate import solve_ivp

    rec = mf.simulate(parse_scene(LOCKED))

    def rate(t, y):
        return [y[1], -9.81 * 0.2 * np.cos(np.radians(30) + y[0]) / (0.02 + 0.04)]

    want = solve_ivp(rate, (0, 0.3), [np.radians(20), 1.0], t_eval=rec.time("q"), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(rec["q"][:, 0], want.y[0], atol=1e-7)
    with pytest.raises(SceneError, match="lowr"):
        parse_scene(LOCKED.replace('["lower"]', '["lowr"]')).build()
