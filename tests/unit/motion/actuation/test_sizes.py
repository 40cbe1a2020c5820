"""Compiled laws check no bounds: states of another size than the figure's must be refused before they are called."""

from dataclasses import replace

import numpy as np
import pytest

from motiform import FigureBuilder, figures, joints
from motiform.base.errors import InputError
from motiform.motion import actuation as a
from motiform.motion.actuation.stimulation import HAMSTRINGS, QUADRICEPS, KneeGeometry, StimulatedMuscles
from motiform.motion.tree import FigureState
from motiform.scene import load_scene


def knee():
    b = FigureBuilder()
    b.segment("shank", None, joints.revolute((0, 0, -1), name="flexion"), mass=4.2, inertia=np.diag([0.1, 0.01, 0.1]))
    return b.build()


KNEE, KONDO = knee(), figures.kondo()
HELD = a.PostureTrajectory(KNEE, [0.0], [[0.1]])
ACTUATORS = {
    "drives": lambda: a.TorqueDrives(KNEE, ("flexion",), 1.0, lag=0.1),
    "motors": lambda: a.Motors(KNEE, (a.Motor("flexion", 0.5, 2.0, inductance=0.05),), 1.0),
    "pulses": lambda: StimulatedMuscles(KneeGeometry(KNEE, "flexion"), (QUADRICEPS, HAMSTRINGS), None),
    "muscles": lambda: load_scene("arm-reach").build().arguments["controls"][0],
}
LAWS = {
    "coordinates": lambda: a.CoordinateControl(KNEE, [a.CoordinateDrive("flexion", 1.0, 20.0)]),
    "posture": lambda: a.posture_control(KNEE, HELD),
    "servo": lambda: a.ServoLaw(KNEE, ("flexion",), HELD, 1.0),
    "torque": lambda: a.ComputedTorque(KNEE, HELD),
}


LOOKED_AT = {"drives": "z", "motors": "vz", "pulses": "qvz", "muscles": "qvz"}


@pytest.mark.parametrize(("kind", "part"), [(kind, part) for kind, parts in LOOKED_AT.items() for part in parts])
def test_actuators_refuse_states_of_another_size(kind, part):
    one = ACTUATORS[kind]()
    figure = one.geometry.figure if kind == "pulses" else one.figure
    state = FigureState(figure.neutral(), np.zeros(figure.nv))
    state = replace(state, z=np.asarray(one.start(state), float))
    one.act(0.0, state)
    one.measure(0.0, state)
    for size in (0, getattr(state, part).size + 1):
        other = replace(state, **{part: np.zeros(size)})
        for method in (one.act, one.measure):
            with pytest.raises(InputError, match=rf"{part}( of [\w ]+)? must have \d+ numbers"):
                method(0.0, other)


def test_a_posture_of_no_numbers_is_refused_at_once():
    muscles = ACTUATORS["muscles"]()
    with pytest.raises(InputError, match=r"q must have \d numbers"):
        muscles.act(0.0, FigureState(np.zeros(0), np.zeros(muscles.figure.nv), np.zeros(len(muscles.states))))


@pytest.mark.parametrize("kind", LAWS)
def test_laws_refuse_states_of_another_size(kind):
    law = LAWS[kind]()
    right = FigureState(np.zeros(1), np.zeros(1))
    assert np.isfinite(law(0.0, right)).all()
    for part in "qv":
        for size in (0, 2):
            with pytest.raises(InputError, match=f"{part} must have 1 numbers"):
                law(0.0, replace(right, **{part: np.zeros(size)}))


def test_trajectories_of_another_figure_are_refused():
    state = FigureState(KONDO.neutral(), np.zeros(KONDO.nv))
    servo = a.ServoLaw(KONDO, KONDO.coordinates[6:8], HELD, 1.0)
    with pytest.raises(InputError, match="a posture must be one of the figure"):
        servo(0.0, state)
    control = a.posture_control(KONDO, KONDO.neutral(), feedforward=a.EffortTrajectory([0.0, 1.0], np.zeros((2, 1))))
    with pytest.raises(InputError, match="feedforward must be efforts of the figure"):
        control(0.0, state)
