"""Hill-type muscles by us and by OpenSim: forces at rest and in motion, and their response over time.

A muscle pulls a slider whose place and speed are given. Both solve the same equations; OpenSim's own search for the
equilibrium of fibre and tendon ends at 1e-8 of the greatest force or coarser, and its integrator is asked for 1e-9.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from motiform import FigureBuilder, joints
from motiform.motion.actuation.muscles import (
    DeGrooteFregly,
    Millard,
    Muscle,
    MusclePath,
    Muscles,
    PathPoint,
    Thelen,
    activation_rate,
    fibre_equilibrium,
    fibre_speed,
    muscle_force,
    write_osim,
)

osim = pytest.importorskip("opensim", reason="opensim has no wheel for this platform, or is not installed")

MODELS = {"degroote": DeGrooteFregly(damping=0.01), "thelen": Thelen(), "millard": Millard()}
STIFF = ["degroote", "millard"]  # OpenSim has no Thelen muscle with a rigid tendon
FORCE, FIBRE, SLACK = 1000.0, 0.1, 0.2
PLACES = np.array([0.26, 0.28, 0.30, 0.32, 0.34])  # [m], lengths of the path


def slider(folder, model, *, rigid=False, pennation=0.2):
    """Return the muscle of a slider, and the OpenSim model that `write_osim` makes of it."""
    b = FigureBuilder(name="slider", gravity=(0, 0, 0))
    b.segment("block", None, joints.prismatic((1, 0, 0), name="x"), mass=1.0, inertia=np.eye(3) * 0.01)
    path = MusclePath("pull", (PathPoint(None, (0, 0, 0)), PathPoint("block", (0, 0, 0))))
    blend = 0.1 if isinstance(model, DeGrooteFregly) else None
    muscle = Muscle(path, FORCE, FIBRE, SLACK, pennation, 10.0, model, rigid, activations=(0.01, 1.0), smoothing=blend)
    write_osim(Muscles(b.build(), (muscle,)), folder / "slider.osim")
    osim.Logger.setLevelString("error")
    return muscle, osim.Model(str(folder / "slider.osim"))


def placed(model, state, place, speed=0.0):
    coordinate = model.getCoordinateSet().get(0)
    coordinate.setValue(state, float(place), False)
    coordinate.setSpeedValue(state, float(speed))


@pytest.mark.parametrize("name", MODELS)
def test_forces_at_rest(name, tmp_path):
    muscle, model = slider(tmp_path, MODELS[name])
    state = model.initSystem()
    pull = model.getMuscles().get(0)
    for place in PLACES:
        for activation in (0.05, 0.3, 1.0):
            placed(model, state, place)
            pull.setActivation(state, activation)
            model.equilibrateMuscles(state)
            model.realizeDynamics(state)
            fibre = fibre_equilibrium([muscle], [activation], [place])
            ours = muscle_force([muscle], [activation], [place], [0.0], fibre)[0]
            assert abs(ours - pull.getTendonForce(state)) < 1e-6 * FORCE, (place, activation)


@pytest.mark.parametrize("name", STIFF)
def test_forces_at_given_speeds(name, tmp_path):
    """The tendon keeps its length, so the fibre has the speed of the slider. Our fibres do not push."""
    muscle, model = slider(tmp_path, MODELS[name], rigid=True)
    state = model.initSystem()
    pull = model.getMuscles().get(0)
    for place in PLACES:
        for speed in (-0.8, -0.3, -0.05, 0.0, 0.05, 0.3, 0.6):
            for activation in (0.05, 0.6, 1.0):
                placed(model, state, place, speed)
                pull.setActivation(state, activation)
                model.realizeDynamics(state)
                ours = muscle_force([muscle], [activation], [place], [speed])[0]
                theirs = max(pull.getTendonForce(state), 0.0)
                assert abs(ours - theirs) < 1e-6 * FORCE, (place, speed, activation)


@pytest.mark.parametrize("speed", [0.0, -0.1, 0.1])
@pytest.mark.parametrize("name", MODELS)
def test_response_to_an_excitation(name, speed, tmp_path):
    """Isometric and at constant speeds, from 5 %, excited by 80 %; forces to 1e-6, activations to 1e-7 of the whole.

    With elastic tendons OpenSim leaves out the damping of De Groote and Fregly's fibres.
    """
    muscle, model = slider(tmp_path, DeGrooteFregly() if name == "degroote" else MODELS[name])
    start, low, high, ends = 0.30, 0.05, 0.8, np.array([0.02, 0.05, 0.1, 0.2])
    coordinate = model.updCoordinateSet().get(0)
    coordinate.setPrescribedFunction(osim.LinearFunction(speed, start))
    coordinate.setDefaultIsPrescribed(True)
    brain = osim.PrescribedController()
    brain.addActuator(model.getMuscles().get(0))
    brain.prescribeControlForActuator("pull", osim.Constant(high))
    model.addController(brain)
    state = model.initSystem()
    pull = model.getMuscles().get(0)
    pull.setActivation(state, low)
    model.equilibrateMuscles(state)
    model.realizeDynamics(state)
    fibre = pull.getFiberLength(state)  # some of its models begin with the slider's speed

    def rate(t, y):
        a, l = y
        speeds = fibre_speed([muscle], [a], [start + speed * t], [l])
        return [activation_rate([muscle], [a], [high])[0], speeds[0]]

    ours = solve_ivp(rate, (0, ends[-1]), [low, fibre], "LSODA", t_eval=ends, rtol=1e-10, atol=1e-12)
    manager = osim.Manager(model)
    manager.setIntegratorAccuracy(1e-9)
    manager.initialize(state)
    for t, a, l in zip(ends, *ours.y, strict=True):
        state = manager.integrate(float(t))
        model.realizeDynamics(state)
        force = muscle_force([muscle], [a], [start + speed * t], [0.0], [l])[0]
        assert abs(pull.getActivation(state) - a) < 1e-7, t
        assert abs(force - pull.getTendonForce(state)) < 1e-6 * FORCE, t
