"""Sensors tell the truth but for what they are told to add; the observer finds the base from the feet."""

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.motion.actuation import bip_step
from motiform.motion.actuation.sensing import (
    BaseObserver,
    FootForceSensor,
    FootMarks,
    InertialSensor,
    JointSensor,
    PressureSensor,
    Reading,
    Sensed,
)
from motiform.motion.figures import bip
from motiform.motion.figures.bip_table import FEET
from motiform.motion.tree import centers_of_mass, forward_kinematics

BASE = ("pelvis_forward", "pelvis_upward", "pelvis_rightward", "pelvis_roll", "pelvis_yaw", "pelvis_pitch")


@pytest.fixture(scope="module")
def standing():
    """Bip at rest on both feet, held by its joints."""
    step = bip_step()
    tau = np.zeros(21)
    tau[:15] = step.controls.control(0.0, step.q0, np.zeros(21)).efforts  # the trajectory is at rest there
    return Sensed(step.figure, 0.0, step.q0, np.zeros(21), tau, step.contacts)


def test_feet_carry_the_weight_at_the_centre_of_mass(standing):
    """At rest the forces are the weight, and the centre of pressure is below the centre of mass.

    The control leaves about λ² of what contacts give, 1e-6 of the weight: 1e-3 N, and 1e-6 of the height of 1 m.
    """
    robot = standing.figure
    sensor = FootForceSensor(robot, standing.contacts, tuple(FEET))
    wrench = sensor.truth(standing).reshape(2, 2, 3)
    R = forward_kinematics(robot, standing.q).rotation[sensor.segments]
    force = (R @ wrench[:, 1, :, None])[..., 0]
    np.testing.assert_allclose(force.sum(0), [0, robot.mass * 9.81, 0], atol=0.01)
    center = centers_of_mass(robot, standing.q)[-1]
    np.testing.assert_allclose(PressureSensor(robot, standing.contacts).truth(standing), center[[0, 2]], atol=1e-5)


def test_an_inertial_unit_at_rest_feels_gravity_in_its_axes(standing):
    robot = standing.figure
    found = InertialSensor(robot, "trunk", (0.3, 0, 0)).truth(standing)
    R = forward_kinematics(robot, standing.q).rotation[robot.index("trunk")]
    np.testing.assert_allclose(found[:3], 0.0, atol=1e-12)
    np.testing.assert_allclose(R @ found[3:], [0, 9.81, 0], atol=1e-5)


def instants(figure, times):
    return [Sensed(figure, t, np.full(21, t), np.zeros(21), np.zeros(21)) for t in times]


def test_noise_bias_sampling_and_delay(standing):
    robot = standing.figure
    sensor = JointSensor(robot, robot.coordinates[:15])
    reading = Reading(sensor, noise=0.1, bias=2.0, seed=3)
    memory, values = reading.memory, []
    for now in instants(robot, np.zeros(400)):
        value, memory = reading.read(now, memory)
        values.append(value)
    values = np.array(values)  # 6000 normal numbers: mean within 4 · 0.1/√6000, spread within 4 · 0.1/√12000
    assert abs(values.mean() - 2.0) < 4 * 0.1 / np.sqrt(6000)
    assert abs(values.std() - 0.1) < 4 * 0.1 / np.sqrt(12000)
    late = Reading(sensor, period=0.02, delay=2)
    memory, sensed = late.memory, []
    for now in instants(robot, np.arange(12) * 0.01):
        value, memory = late.read(now, memory)
        sensed.append(value[0])
    taken = np.repeat(np.arange(6) * 0.02, 2)  # held for two calls
    np.testing.assert_allclose(sensed, np.maximum(taken - 0.04, 0.0), atol=1e-12)


@pytest.mark.parametrize("every", [0.0002, 0.001, 0.005, 0.0137])
def test_a_delay_is_of_samples_however_often_it_is_read(standing, every):
    """1 kHz, three samples late: at t it tells the truth at floor(t/P) P − 3 P, here t itself, whatever the reads are.

    The truth is a line, so that samples between reads are exact but for rounding.
    """
    reading = Reading(JointSensor(standing.figure, ("right_knee",)), period=0.001, delay=3)
    memory = reading.memory
    for now in instants(standing.figure, np.arange(0.0, 0.1, every)):
        value, memory = reading.read(now, memory)
        sample = np.floor(now.t / 0.001 + 1e-9) - 3
        assert value[0] == pytest.approx(max(0.001 * sample, 0.0), abs=1e-12)


def test_noise_of_a_sample_does_not_depend_on_when_it_is_read(standing):
    reading = Reading(JointSensor(standing.figure, ("right_knee",)), noise=1.0, period=0.001, seed=4)
    sensed = []
    for every in (1, 5):
        memory = reading.memory
        for now in instants(standing.figure, np.arange(0, 21, every) * 0.001):
            value, memory = reading.read(now, memory)
        sensed.append(value[0])
    assert sensed[0] == pytest.approx(sensed[1], abs=1e-12)


def test_the_same_sample_has_the_same_noise_after_a_restart(standing):
    reading = Reading(JointSensor(standing.figure, ("right_knee",)), noise=1.0, seed=1)
    first, memory = reading.read(standing, reading.memory)
    second, _ = reading.read(standing, memory)
    assert second == reading.read(standing, memory.copy())[0]
    assert first != second


def observer(robot):
    feet = [FootMarks(tags[0], tags[1], tags[3]) for tags in FEET.values()]
    return BaseObserver(robot, BASE, feet, FootMarks(*(robot.suspension[k] for k in (0, 1, 3))))


def test_the_base_is_found_from_the_foot_that_carries():
    """Exact joints and a foot that stays: the base is exact, also after the load has gone to the other foot."""
    robot = bip()
    watch, rng = observer(robot), np.random.default_rng(0)
    q = robot.configuration(right_knee=0.4, left_knee=0.4)
    kept, t = watch.start(q), 0.0
    for k, loads, moves in ((0, (900.0, 0.0), 8), (0, (500.0, 400.0), 0), (0, (500.0, 400.0), 0), (1, (0.0, 900.0), 8)):
        reference = watch.numbers(q, watch.feet[k])[0]
        for _ in range(max(moves, 1)):
            before, t = q, t + 0.01
            moved = q.copy()
            moved[:15] += (0.02 if moves else 0.0) * rng.normal(size=15)
            q = watch._fitted(q, moved, k, reference)
            seen, v, used, kept = watch.observe(t, np.r_[q[:15], np.zeros(6)], loads, kept)
            assert used == k
            np.testing.assert_allclose(seen, q, atol=1e-10)
            np.testing.assert_allclose(v, (q - before) / 0.01, atol=1e-7)
    _, _, used, _ = watch.observe(t + 0.01, q, [0.0, 0.0], kept)
    assert used == 2  # the suspension


def test_nobody_stands_where_no_foot_carries():
    """Without a suspension nothing tells the base: the reference is −1, and the base stays where it was."""
    robot = bip()
    marks = [FootMarks(tags[0], tags[1], tags[3]) for tags in FEET.values()]
    watch = BaseObserver(robot, BASE, marks)
    q = robot.configuration(right_knee=0.4, left_knee=0.4)
    bent = q.copy()
    bent[:15] += 0.01
    seen, _, used, kept = watch.observe(0.01, bent, [0.0, 0.0], watch.start(q))
    assert used == -1
    np.testing.assert_array_equal(seen[15:], q[15:])
    _, _, used, kept = watch.observe(0.02, bent, [0.0, 900.0], kept)
    assert used == -1  # it has not carried at the last call
    assert watch.observe(0.03, bent, [0.0, 900.0], kept)[2] == 1


def test_velocities_are_filtered_and_not_late_where_they_are_foreseen():
    """q = a t²/2 with noise s: differences over h are √2 s/h rough. A filter that takes the share p of a
    difference has the answers p, −p² (1 − p)ʲ to one number and leaves p √(2/(2 − p)) s/h, with p = 1 − exp(−2π f h):
    0.145 at 5 Hz and 5 ms, a ninth. A difference is the velocity half a step before, so it is behind by a h/2."""
    robot, h, s, a = bip(), 0.005, 2e-5, 0.5
    marks = [FootMarks(tags[0], tags[1], tags[3]) for tags in FEET.values()]
    watch, rng = BaseObserver(robot, BASE, marks, cutoff=5.0), np.random.default_rng(0)
    start = robot.configuration(right_knee=0.4, left_knee=0.4)
    knee = robot.coordinates.index("left_knee")
    foreseen, kept, errors = np.zeros(robot.nv), watch.start(start), []
    foreseen[knee] = a
    for k in range(1, 401):
        q = start.copy()
        q[knee] += 0.5 * a * (k * h) ** 2 + s * rng.normal()
        _, v, _, kept = watch.observe(k * h, q, [900.0, 0.0], kept, foreseen)
        errors.append(v[knee] - a * k * h)
    p = 1 - np.exp(-2 * np.pi * 5.0 * h)
    rough = p * np.sqrt(2 / (2 - p)) * s / h
    assert np.std(errors[50:]) == pytest.approx(rough, rel=0.3)  # of some 50 independent numbers: thrice their 10 %
    assert np.mean(errors[50:]) == pytest.approx(-0.5 * a * h, abs=3 * rough / np.sqrt(50))


def test_wrong_input_is_named():
    robot = bip()
    with pytest.raises(InputError, match="no such coordinate"):
        JointSensor(robot, ("nose",))
    with pytest.raises(InputError, match="noise is out of range"):
        Reading(JointSensor(robot, ("right_knee",)), noise=-1.0)
    with pytest.raises(InputError, match="six coordinates"):
        BaseObserver(robot, BASE[:5], [])
    with pytest.raises(InputError, match="no such tag"):
        BaseObserver(robot, BASE, [FootMarks("a", "b", "c")])


def test_a_foot_that_is_no_contact_solid_is_refused(standing):
    with pytest.raises(InputError, match="no such contact solid"):
        FootForceSensor(standing.figure, standing.contacts, ("right_fot",))
