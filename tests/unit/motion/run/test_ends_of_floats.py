"""Numbers near the ends of floats, one by one: a result that is finite, or an error of motiform that says where."""

import numpy as np
import pytest

from motiform.base.errors import InputError, MotiformError, RunError, SceneError
from motiform.motion.figures import human36, kondo
from motiform.record import Recording
from motiform.scene import parse_scene, simulate

pytestmark = pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")  # numpy's word for what is tested here

BODY = """
[scene]
title = "x"
duration = 0.02
rate = 100
[[body]]
name = "a"
shape = { box = [1, 1, 1], density = 1000 }
"""
FIGURE = """
[scene]
title = "x"
duration = 0.02
rate = 100
[[figure]]
name = "f"
[[figure.segment]]
name = "arm"
joint = { revolute = [0, 0, 1] }
placement = { at = [0, 1, 0] }
shape = { box = [0.1, 0.1, 0.1], mass = 1.0 }
"""


KEYS = "[[figure.posture.key]]\nat = 0\nq = {{ arm = 0 }}\n[[figure.posture.key]]\nat = 1\nq = {{ arm = {} }}\n"
SPLINE = "[[figure.prescribed]]\ncoordinate = 'arm'\ntimes = [0, 1, 2]\npositions = [0, {}, 1]\n"
MATTER = """
[scene]
title = "x"
duration = 0.08
[[network]]
name = "n"
[[network.masses]]
name = "m"
points = [[0, 0.1, 0]]
mass = {mass}
radius = 0.05
[[network.solid]]
name = "floor"
floor = 0
law = "visco_elastic_buffer"
stiffness = {stiffness}
damping = {damping}
"""


def matter(mass=1, stiffness=100, damping=0.1):
    return MATTER.format(mass=mass, stiffness=stiffness, damping=damping)


def ended(what):
    """Return the recording of a run whose numbers are all finite, or the error of one that is refused or stops."""
    try:
        rec = simulate(parse_scene(what)) if isinstance(what, str) else simulate(what(), t1=0.02, rate=100)
    except RunError as error:
        return error if "t = " in error.where else None  # its instant must be told
    except MotiformError as error:
        return error
    assert all(np.isfinite(rec[name]).all() for name in rec)
    return rec


USUAL = [BODY, FIGURE, f"{FIGURE}[figure.posture]\nfrequency = 2\n", f"{FIGURE}[figure.posture]\n{KEYS.format(0.5)}",
         matter(), pytest.param(f"{FIGURE}{SPLINE.format(0.5)}", marks=pytest.mark.slow)]  # fmt: skip


@pytest.mark.parametrize("scene", USUAL, ids=["body", "figure", "posture", "keys", "matter", "spline"])
def test_usual_numbers_run(scene):
    assert isinstance(ended(scene), Recording)


@pytest.mark.parametrize("name", ["L1", "L5", "L20", "L31"])
def test_lengths_of_a_human(name):
    assert isinstance(ended(lambda: human36(lengths={name: 1e160})), InputError)


def test_masses_of_figures():
    assert isinstance(ended(lambda: human36(mass=1e308)), RunError)
    assert "mass must not be lost" in str(ended(lambda: kondo(mass=1e-308)))


@pytest.mark.parametrize("place", ["1e200", "1e308", "-1e154"])
def test_placements_of_segments(place):
    ended(FIGURE.replace("at = [0, 1, 0]", f"at = [{place}, 1, 0]"))


@pytest.mark.parametrize("integrator", ["dormand-prince", "cash-karp"])
@pytest.mark.parametrize("given", ["velocity = [1e150, 0, 0]", "spin = [1e150, 1, 0]"])
def test_speeds_in_adaptive_integrators(integrator, given):
    ended(f"{BODY}{given}\n[motion]\nintegrator = '{integrator}'\n")


@pytest.mark.parametrize("given", ["damping = 1e308", "frequency = 1e154", "stiffness = 1e308", "ratio = 1e308"])
def test_gains_of_a_posture(given):
    assert isinstance(ended(f"{FIGURE}[figure.posture]\nq = {{ arm = 0.1 }}\n{given}\n"), MotiformError)


@pytest.mark.parametrize("mass", ["1e-308", "5e-324", "1e308"])
def test_masses_of_segments_and_points(mass):
    assert isinstance(ended(FIGURE.replace("mass = 1.0", f"mass = {mass}")), SceneError)
    ended(matter(mass=mass))


@pytest.mark.parametrize("point", ["1e308", "-1e200"])
@pytest.mark.parametrize("way", ["[figure.posture]\n" + KEYS, SPLINE], ids=["keys", "spline"])
def test_ways_through_points(way, point):
    ended(f"{FIGURE}{way.format(point)}")


@pytest.mark.parametrize("given", ["[100, 100, 100]", "1e308", "5e-324", "nan"])
@pytest.mark.parametrize("key", ["stiffness", "damping"])
def test_laws_of_a_solid(key, given):
    ended(matter(**{key: given}))
