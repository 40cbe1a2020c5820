"""Which way is up in a form: told by the recording that it is made of."""

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.form import Form, dress
from motiform.form.upright import up_of
from motiform.geometry import Ball
from motiform.motion.bodies import Bodies, Body, Environment
from motiform.motion.matter import NetworkBuilder
from motiform.motion.tree import FigureBuilder, joints
from motiform.record import Channel, Recording, open_recording
from motiform.scene import simulate

BALL = Ball(0.1)


def bodies(gravity):
    body = Body("ball", BALL.mass_properties(density=500), shape=BALL)
    return Bodies((body,), environment=Environment(gravity=gravity))


def figure(gravity):
    builder = FigureBuilder(gravity=gravity)
    builder.segment("ball", None, joints.free(), mass=1.0, inertia=0.1 * np.eye(3), shape=BALL)
    return builder.build()


def network(gravity):
    builder = NetworkBuilder(gravity=gravity, frequency=100)
    builder.masses("ball", [(0.0, 0.0, 0.0)], mass=1.0, radius=0.1)
    return builder.build()


@pytest.mark.parametrize("make", [bodies, figure, network])
@pytest.mark.parametrize(
    ("gravity", "up", "name"),
    [
        ((0, -9.81, 0), (0, 1, 0), "y"),
        ((0, 0, -9.81), (0, 0, 1), "z"),
        ((1.62, 0, 0), (-1, 0, 0), "-x"),
        ((3.0, -4.0, 0.0), (-0.6, 0.8, 0.0), "y"),
        ((0, 0, 0), (0, 1, 0), "y"),
    ],
)
def test_up_is_against_gravity_and_y_without(make, gravity, up, name, tmp_path):
    rec = simulate(make(gravity), t1=0.02, rate=100, out=tmp_path / "a.mf")
    assert dress(rec).up == pytest.approx(up, abs=1e-15)
    assert (rec.manifest["gravity"], rec.manifest["up"]) == (list(gravity), name)
    assert dress(open_recording(tmp_path / "a.mf")).up == dress(rec).up


@pytest.mark.parametrize(
    ("manifest", "up"),
    [
        ({}, (0, 1, 0)),
        ({"gravity": None, "up": None}, (0, 1, 0)),  # markers whose up nobody knows
        ({"gravity": [0, 0, -9.81], "up": "z"}, (0, 0, 1)),  # markers as their file has them
        ({"up": "-x"}, (-1, 0, 0)),
        ({"gravity": [0.0, 0.0, 0.0], "up": "z"}, (0, 0, 1)),
    ],
)
def test_markers_determine_their_axis(manifest, up):
    channel = Channel("markers", unit="m", dims=("marker", "axis"), shape=(1, 3), rate=1.0)
    look = {"form": {"markers": {"points": "markers", "radius": 0.1, "color": [1.0, 0, 0]}}}
    rec = Recording.from_arrays([channel], {"markers": np.zeros((2, 1, 3))}, manifest={**look, **manifest})
    assert dress(rec).up == up_of(rec.manifest) == up


def test_an_axis_or_a_vector_may_be_given():
    assert Form((), np.zeros(1), up="z").up == (0.0, 0.0, 1.0)
    assert Form((), np.zeros(1), up=[0, 3, 4]).up == pytest.approx((0, 0.6, 0.8))
    with pytest.raises(InputError, match="x, y, z"):
        Form((), np.zeros(1), up=(0, 0, 0))
