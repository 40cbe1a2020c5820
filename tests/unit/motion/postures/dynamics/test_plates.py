import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from models import free_body
from motiform import FigureBuilder, Recording, joints
from motiform.base.errors import InputError
from motiform.motion import tree
from motiform.motion.figures import human36
from motiform.motion.postures.dynamics.loads import find_contacts, read_loads
from motiform.motion.postures.dynamics.plates import assign_plates
from motiform.motion.postures.feet import find_feet, side_of
from motiform.record import Channel

UP = np.array([0.0, 1.0, 0.0])
RATE, SAMPLES, TIMES_PER = 100.0, 150, 10  # of the motion; the plates are ten times as fast
T = np.arange(SAMPLES) / RATE
TA = np.arange((SAMPLES - 1) * TIMES_PER + 1) / (RATE * TIMES_PER)
PLATES = ((0.0, 0.15), (0.0, -0.15))  # x, z of the centres [m]: under the right and the left foot
HALF = np.array([0.25, 0.14])  # m, half the size along x and z


def square(x, z, half=HALF):
    a, b = half
    return np.array([[x + a, 0, z + b], [x - a, 0, z + b], [x - a, 0, z - b], [x + a, 0, z - b]])


def pulse(start, end, force=700.0):
    """An upward force at the times of the plates [N], with ramps of 0.05 s inside."""
    return force * np.clip(np.minimum(TA - start, end - TA) / 0.05, 0.0, 1.0)


def plates(presses, places, corners=None, gravity=(0, -9.81, 0), free=2.0):
    """Plates that press upwards [N] at places (plates, 3) [m], with some shear and a free moment."""
    F = np.stack([np.outer(p, (0.05, 1.0, 0.02)) for p in presses], axis=1)
    M = np.cross(np.asarray(places, float), F) + free * UP * (F[..., 1:2] > 0)
    vector = {"dims": ("plate", "axis"), "shape": (len(presses), 3), "rate": RATE * TIMES_PER}
    corners = [square(*at) for at in PLATES] if corners is None else corners
    return Recording.from_arrays(
        {
            "plate.force": (Channel("plate.force", unit="N", **vector), F),
            "plate.moment": (Channel("plate.moment", unit="N m", **vector), M),
        },
        manifest={
            "gravity": list(gravity),
            "plates": [{"corners": c.tolist(), "normal": UP.tolist()} for c in corners],
        },
    )


def standing():
    man = human36()
    return man, np.zeros((SAMPLES, man.nq))


def under(man, foot):
    """The middle of a sole at q = 0."""
    points = tree.tags(man, np.zeros(man.nq))
    return np.mean([p for p, tag in zip(points, man.tags, strict=True) if tag.segment == foot], axis=0)


def test_each_plate_carries_the_foot_upon_it():
    man, q = standing()
    places = [under(man, "right_foot"), under(man, "left_foot")]
    rec = plates([pulse(0.2, 0.9), pulse(0.5, 1.3)], places)
    found = assign_plates(man, T, q, rec, cutoff=None)
    assert [foot.name for foot in found.feet] == ["right_foot", "left_foot"]
    assert all(c.usable for c in found.contacts)
    # The ramp of 14 N/ms passes 20 N at 1/700 s: samples in which the plate is loaded.
    edge = 20.0 / 700 * 0.05
    for k, (start, end) in enumerate(((0.2, 0.9), (0.5, 1.3))):
        inside = (start + edge <= T) & (end - edge >= T)
        assert_array_equal(found.foot[:, k], np.where(inside, k, -1))
        assert found.contacts[k].start == pytest.approx(start + edge, abs=1e-12)
        assert found.contacts[k].end == pytest.approx(end - edge, abs=1e-12)
    assert not found.known[:20].any()  # he stands, and no plate tells
    assert found.known[60:80].all()  # both feet are on plates
    assert [event.name for event in found.events] == ["plate 1: right_foot", "plate 2: left_foot"]
    assert found.describe()[0]["until"] == found.contacts[0].end


def test_wrenches_reach_the_feet_about_their_origins():
    man, q = standing()
    place = under(man, "right_foot") + np.array([0.03, 0.0, 0.01])
    rec = plates([pulse(0.2, 0.9)], [place], [square(*PLATES[0])])
    found = assign_plates(man, T, q, rec, cutoff=None)
    p = tree.forward_kinematics(man, q).position
    external = found.external(man, p)
    n = man.index("right_foot")
    F = np.array([35.0, 700.0, 14.0])  # N, at the top of the pulse
    assert_allclose(external[50, n, 3:], F, rtol=1e-12)
    assert_allclose(external[50, n, :3], np.cross(place - p[50, n], F) + 2.0 * UP, atol=1e-11)
    assert not np.delete(external, n, axis=1).any()
    assert not external[T < 0.19].any()


def test_forces_are_low_passed_before_they_are_resampled():
    """A tremor at 60 Hz of the plate does not reach the samples at 100 Hz, and the mean passes."""
    man, q = standing()
    press = 700.0 + 100.0 * np.sin(2 * np.pi * 60 * TA)
    found = assign_plates(man, T, q, plates([press], [under(man, "right_foot")], [square(*PLATES[0])]), cutoff=6.0)
    inside = slice(60, 90)
    gain = 1 / (1 + (np.sqrt(2) - 1) * (np.tan(np.pi * 60 / 1000) / np.tan(np.pi * 6 / 1000)) ** 4)
    ripple = found.wrench[inside, 0, 4] - 700.0
    # The interpolation between samples errs by far less, the ends' transient by exp(−34 · 0.6) of 100 N.
    assert np.abs(ripple).max() <= 100.0 * gain * 1.01 + 100 * np.exp(-34 * 0.6)
    assert np.abs(ripple).max() > 50.0 * gain


def test_what_the_low_pass_spreads_goes_to_the_same_foot():
    man, q = standing()
    rec = plates([pulse(0.5, 0.9)], [under(man, "right_foot")], [square(*PLATES[0])])
    found = assign_plates(man, T, q, rec, cutoff=6.0)
    carried = found.carrier[:, 0] == 0
    assert carried.sum() > (found.foot[:, 0] == 0).sum()
    # The filter keeps the sum: the impulse 700 N · 0.35 s is all there but for what passes 1/6 s: e⁻⁵·⁶ of it.
    impulse = found.wrench[:, 0, 4].sum() / RATE
    assert impulse == pytest.approx(700 * 0.35, rel=np.exp(-5.6))


@pytest.mark.parametrize(
    ("place", "corners", "reason"),
    [
        ((0.05, 0.0, 0.45), square(0.0, 0.4), "no foot is at its centre of pressure"),
        ((0.03, 0.0, 0.087), square(0.0, 0.0, (0.3, 0.3)), "both feet stand on it"),
        ((0.03, 0.0, 0.087), square(0.0, 0.23), "passes the edge"),
    ],
)
def test_contacts_that_cannot_be_used_are_reported(place, corners, reason):
    man, q = standing()
    found = assign_plates(man, T, q, plates([pulse(0.2, 0.9)], [place], [corners]), cutoff=None)
    (contact,) = found.contacts
    assert not contact.usable
    assert reason in contact.reason
    assert set(np.unique(found.foot)) == {-1, -2}
    assert not found.wrench.any()
    assert not found.known[25:85].any()
    assert "not usable" in found.events[0].name


def test_a_foot_that_swings_past_does_not_spoil_a_plate():
    """The other foot passes over the same plate 2 cm above the ground, at 3 m/s."""
    man, q = standing()
    q[:, man.coordinates.index("left_knee_extension")] = -0.6
    hip = man.coordinates.index("left_hip_flexion")
    q[:, hip] = np.clip(6.0 * (T - 0.5), -1.2, 1.2) + 0.3
    rec = plates([pulse(0.2, 0.9)], [under(man, "right_foot")], [square(0.0, 0.0, (0.3, 0.3))])
    assert assign_plates(man, T, q, rec).contacts[0].usable


def test_a_lifted_foot_is_not_the_one_that_presses():
    man, q = standing()
    q[:, man.coordinates.index("right_hip_flexion")] = 1.4
    q[:, man.coordinates.index("right_knee_extension")] = -1.5
    where = tree.forward_kinematics(man, q[0]).position[man.index("right_foot")] * (1, 0, 1)
    found = assign_plates(man, T, q, plates([pulse(0.2, 0.9)], [where], [square(where[0], where[2])]))
    assert found.contacts[0].foot == -1


def test_crossings_lie_between_samples_and_dips_do_not_part():
    times = np.arange(0.0, 1.0, 0.01)
    force = np.zeros(100)
    force[20:40] = np.linspace(5.0, 195.0, 20)
    force[40:60] = 200.0
    force[45] = 15.0  # above half the threshold
    force[80:83] = 100.0  # shorter than 0.05 s
    ((start, end),) = find_contacts(times, force)
    assert start == pytest.approx(times[21] + 0.01 * (20 - 15) / 10)
    assert end == pytest.approx(times[59] + 0.01 * 180 / 200)
    force[45] = 9.0
    assert len(find_contacts(times, force)) == 2
    assert find_contacts(times, np.full(100, np.nan)) == []
    assert find_contacts(times, np.full(100, 50.0)) == [(0.0, times[-1])]


def test_feet_are_found_by_name():
    b = FigureBuilder()
    solid = {"mass": 1.0, "inertia": np.diag([0.1, 0.1, 0.1])}
    b.segment("pelvis", None, joints.free(), **solid)
    for side, z in (("r", 0.1), ("l", -0.1)):
        b.segment(f"calcn_{side}", "pelvis", joints.revolute(axis=(0, 0, 1)), com=(0.1, 0, z), **solid)
        b.segment(f"toes_{side}", f"calcn_{side}", joints.revolute(axis=(0, 0, 1)), com=(0.02, 0, 0), **solid)
    bare = b.build()
    right, left = find_feet(bare)
    assert (right.name, right.side, left.side) == ("calcn_r", "r", "l")
    assert len(right.points) == 3  # its frame, its centre of mass, the frame of its toes
    b.tag("R.Heel", "calcn_r", (-0.02, 0.0, 0.0))
    b.tag("R.Toe.Tip", "toes_r", (0.06, 0.0, 0.0))
    right = find_feet(b.build())[0]
    assert_allclose(right.points[:, 0], [-0.02, 0.06])  # heel first
    with pytest.raises(InputError, match="feet"):
        find_feet(free_body(name="ball"))
    with pytest.raises(InputError, match="no such tag"):
        find_feet(bare, {"calcn_r": ["heel"]})


@pytest.mark.parametrize(
    ("name", "side"), [("right_foot", "r"), ("calcn_l", "l"), ("l_heel", "l"), ("LeftFoot", "l"), ("foot", "")]
)
def test_sides_follow_from_names(name, side):
    assert side_of(name) == side


def test_plates_of_another_vertical_or_without_moments_are_refused():
    man, q = standing()
    rec = plates([pulse(0.2, 0.9)], [(0, 0, 0)], [square(0, 0)], gravity=(0, 0, -9.81))
    with pytest.raises(InputError, match="vertical"):
        assign_plates(man, T, q, rec)
    force = Channel("plate.force", unit="N", dims=("plate", "axis"), shape=(1, 3), rate=100.0)
    with pytest.raises(InputError, match="must have moments"):
        read_loads(Recording.from_arrays({"plate.force": (force, np.zeros((5, 1, 3)))}), UP)
    with pytest.raises(InputError, match="q must have one row of nq numbers for each time"):
        assign_plates(man, T, q[:-1], rec)
