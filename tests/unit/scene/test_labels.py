"""Recordings name every number that has a meaning of its own, and tell its unit."""

import numpy as np
import pytest

from motiform.motion.tree import FigureBuilder, joints
from motiform.motion.tree.model.functions import Polynomial
from motiform.motion.tree.observe import configuration_names, configuration_units, effort_units, velocity_units
from motiform.record.labels import axis_names
from motiform.scene import load_scene, simulate

NUMBERED = ("point", "link", "body", "state")  # a population: one is like the other, and has its number

SHORT = {
    "pushed": 0.02, "bouncing": 0.02, "rolling": 0.02, "bowl": 0.02, "four-bar": 0.02, "handle": 0.05, "flock": 0.05,
    "dancing-puppet": 0.02, "cloth": 0.08,
}  # fmt: skip


def record(name):
    scene = load_scene(name)
    return simulate(scene, settings={"scene.duration": SHORT[name]})


@pytest.mark.parametrize("name", SHORT)
def test_every_axis_of_a_run_has_names_and_every_number_a_unit(name):
    rec = record(name)
    for channel in map(rec.channel, rec.names):
        for dim, names in zip(channel.dims, axis_names(channel, rec.manifest["labels"]), strict=True):
            assert names is not None or dim in NUMBERED, (channel.name, dim)
        if channel.name in ("q", "v", "tau", "limit.force", "solid.wrench", "matter.wrench"):
            assert channel.unit or channel.units
    assert len(set(rec.to_pandas([c for c in rec.names if rec.channel(c).sample_bytes < 10_000]).columns)) > 9


def test_names_and_units_of_a_man_on_the_ground():
    rec = record("pushed")
    assert rec.unit("q.right_knee_extension") == "rad"
    assert rec.unit("q.pelvis_forward") == "m"
    assert rec.unit("v.pelvis_forward") == "m/s"
    assert rec.unit("tau.right_knee_extension") == "N m"
    assert rec.unit("limit.force.pelvis_upward") == "N"
    assert rec.unit("solid.wrench.right_foot.force_y") == "N"
    assert rec.unit("solid.wrench.right_foot.moment_y") == "N m"
    assert rec["contact.force.r_digit2.y"].shape == rec.time("q").shape
    # At the start the man stands still, and the ground carries him: 73 kg or so, by the sum of two soles.
    weight = sum(rec[f"solid.wrench.{foot}.force_y"][0] for foot in ("right_foot", "left_foot"))
    assert weight == pytest.approx(rec["contact.force.*.y"][0].sum(), rel=1e-9)
    assert weight > 500


def test_names_and_units_of_a_free_body():
    rec = record("bouncing")
    np.testing.assert_array_equal(rec["q.rubber.y"], rec["rubber.position.y"])
    np.testing.assert_allclose(np.abs(rec["q.rubber.qw"]), np.abs(rec["rubber.orientation.w"]), atol=1e-15)
    assert (rec.unit("q.rubber.x"), rec.unit("q.rubber.qw")) == ("m", "")
    assert (rec.unit("v.rubber.wx"), rec.unit("v.rubber.vx")) == ("rad/s", "m/s")


def test_force_of_a_contact_joint_is_along_its_tangents_and_normal():
    rec = record("bowl")
    assert rec.labels("ball.contact_force") == (("tangential_1", "tangential_2", "normal"),)
    assert (rec["ball.contact_force.normal"] > 0).all()


def test_coordinates_that_follow_others_have_no_name():
    b = FigureBuilder()
    b.segment("thigh", None, joints.free(), mass=1.0, inertia=np.eye(3))
    b.segment("shank", "thigh", joints.prismatic((1, 0, 0)), mass=1.0, inertia=np.eye(3))
    b.segment("foot", "shank", joints.revolute((0, 0, 1)), mass=1.0, inertia=np.eye(3))
    b.couple("foot", "shank", Polynomial((0.0, 2.0)))
    figure = b.build()
    names = ["thigh.x", "thigh.y", "thigh.z", "thigh.qw", "thigh.qx", "thigh.qy", "thigh.qz", "shank"]
    assert configuration_names(figure) == names
    assert configuration_units(figure) == ("m", "m", "m", "", "", "", "", "m")
    assert velocity_units(figure) == (*("rad/s",) * 3, *("m/s",) * 4)
    assert effort_units(figure) == (*("N m",) * 3, *("N",) * 4)
