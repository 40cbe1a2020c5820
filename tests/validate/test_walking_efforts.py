"""Gait events and efforts of a real walking trial with two force plates.

Its second plate carries the whole right foot; the left heel lands 10 cm before the first one. Postures are fitted here
to the joint centres and markers of the file, by a plain Gauss–Newton method on a body of the subject's lengths.
"""

import os
from pathlib import Path

import numpy as np
import pytest

from motiform import measure
from motiform.motion import postures as posture_tools
from motiform.motion import tree
from motiform.motion.figures import human36

DATA = os.environ.get("MOTIFORM_DATA")
FOLDER = Path(DATA or ".") / "mocap"
pytestmark = pytest.mark.skipif(
    not DATA or not FOLDER.is_dir(), reason="validation data are absent: MOTIFORM_DATA names no folder with mocap/"
)
SEEN = slice(463, 913, 2)  # samples in which joint centres are in the file; every second one, 125 Hz
STRIKE, OFF = 2.3737, 2.9766  # s: the second plate passes 20 N above its level of −18 N, by hand from the file
CUTOFF = 6.0  # Hz


@pytest.fixture(scope="module")
def trial():
    """The recording, turned so that the subject walks along x, y up."""
    rec = measure.read_markers(FOLDER / "walking5.c3d", up="auto")
    return measure.move(rec, np.diag([-1.0, 1.0, -1.0]), np.zeros(3))


def points(rec, name):
    return rec["markers"][:, measure.marker_names(rec).index(name)]


def lengths_of(rec):
    """Lengths of thigh and shank (means of both sides) and distance of the hips [m], from joint centres."""

    def apart(a, b):
        return np.linalg.norm(points(rec, a) - points(rec, b), axis=-1)[SEEN].mean()

    thigh, shank = (np.mean([apart(s + a, s + b) for s in "RL"]) for a, b in (("HJC", "KJC"), ("KJC", "AJC")))
    return {"L3": apart("RHJC", "LHJC"), "L5": shank, "L15": shank, "L6": thigh, "L16": thigh}


def markers_on(L):
    """Where markers sit on the segments, a first guess {name: (segment, point [m])}; joint centres are exact."""
    found = {}
    for s, word, z in (("R", "right", 1.0), ("L", "left", -1.0)):
        thigh, shank, foot = (f"{word}_{part}" for part in ("thigh", "shank", "foot"))
        found |= {
            f"{s}HJC": ("lower_trunk", (0, 0, z * L["L3"] / 2)),
            f"{s}KJC": (thigh, (0, -L["L6"], 0)),
            f"{s}AJC": (shank, (0, -L["L5"], 0)),
            f"{s}ASI": ("lower_trunk", (0.08, 0.08, z * 0.12)),
            f"{s}PSI": ("lower_trunk", (-0.09, 0.1, z * 0.05)),
            f"{s}LFC": (thigh, (0, -L["L6"], z * 0.05)),
            f"{s}MFC": (thigh, (0, -L["L6"], -z * 0.05)),
            f"{s}LMAL": (shank, (0, -L["L5"], z * 0.04)),
            f"{s}MMAL": (shank, (0, -L["L5"], -z * 0.04)),
            f"{s}CAL": (foot, (-0.06, -0.02, 0)),
            f"{s}MT1": (foot, (0.12, -0.03, -z * 0.04)),
            f"{s}MT2": (foot, (0.12, -0.02, z * 0.02)),
        }
    trunk = {"C7": (0, 0.25, 0), "T10": (-0.02, 0.03, 0), "CLAV": (0.15, 0.15, 0), "STRN": (0.2, 0, 0)}
    return found | {name: ("thorax", point) for name, point in trunk.items()}


def gauss_newton(figure, q, target, steps):
    seen = np.isfinite(target)
    for _ in range(steps):
        e = np.where(seen, target - tree.tags(figure, q), 0.0).reshape(len(q), -1, 1)
        J = (tree.tag_jacobians(figure, q) * seen[..., None]).reshape(len(q), -1, figure.nv)
        Jt = np.swapaxes(J, -1, -2)
        q = q + np.clip(np.linalg.solve(Jt @ J + 1e-4 * np.eye(figure.nv), Jt @ e)[..., 0], -0.3, 0.3)
    return q


@pytest.fixture(scope="module")
def postures(trial):
    """Times, postures (samples, 42), lengths and height of the subject, root mean square error of the markers."""
    L = lengths_of(trial)
    height = (L["L5"] + L["L6"]) / (0.2493 + 0.2425)  # of de Leva's body with such legs
    body = human36(height, lengths=L)
    on = markers_on(L)
    target = np.stack([points(trial, name)[SEEN] for name in on], axis=1)
    q = np.zeros((len(target), body.nq))
    hips = (points(trial, "RHJC") + points(trial, "LHJC"))[SEEN] / 2 - tree.forward_kinematics(body, q).position[:, 0]
    q[:, [body.coordinates.index(f"pelvis_{way}ward") for way in ("for", "up", "right")]] = hips
    for steps in (20, 6, 6, 6):
        figure = tree.Figure(
            body.segments, tuple(tree.Tag(n, s, p) for n, (s, p) in on.items()), gravity=body.gravity, order=body.order
        )
        q = gauss_newton(figure, q, target, steps)
        R, p = tree.forward_kinematics(figure, q)
        for k, (name, (segment, point)) in enumerate(on.items()):
            n = figure.index(segment)
            own = (np.swapaxes(R[:, n], -1, -2) @ (target[:, k] - p[:, n])[..., None])[..., 0]
            on[name] = (segment, point if name.endswith("JC") else tuple(np.nanmean(own, axis=0)))
    error = np.sqrt(np.nanmean(((tree.tags(figure, q) - target) ** 2).sum(-1)))
    return trial.time("markers")[SEEN], q, L, height, error


@pytest.fixture(scope="module")
def walk(trial, postures):
    """Figure with the mass that the right foot carries, its motion and its efforts."""
    t, q, L, height, _ = postures
    body = human36(height, 70.0, lengths=L)
    moved = posture_tools.velocities(body, t, q, cutoff=CUTOFF)
    found = posture_tools.efforts(body, t, *moved, trial, cutoff=CUTOFF)
    needed = posture_tools.efforts(body, t, *moved).residual[:, 4]
    inside = found.assignment.known
    carried = found.external.sum(1)[:, 4]
    mass = 70.0 * (carried[inside] @ needed[inside]) / (needed[inside] @ needed[inside])
    body = human36(height, mass, lengths=L)
    return body, t, moved, posture_tools.efforts(body, t, *moved, trial, cutoff=CUTOFF)


def test_the_body_fits_its_markers(postures):
    assert postures[-1] < 0.015  # m: knees with one axis, shoes and skin on a stiff body


def test_plates_are_judged_as_the_feet_stand(walk):
    _, _, _, found = walk
    first, second = found.assignment.contacts
    assert (first.plate, second.plate) == (0, 1)
    assert "edge" in first.reason
    assert found.assignment.feet[second.foot].name == "right_foot"
    assert second.usable
    assert second.start == pytest.approx(STRIKE, abs=5e-4)  # s: a sample of the plate
    assert second.end == pytest.approx(OFF, abs=5e-4)
    known = walk[1][found.assignment.known]
    # From the left foot's off to its next strike, both from the markers, the right foot alone stands.
    assert len(known) > 20
    assert known[0] > 2.47
    assert known[-1] < 2.89


def test_little_force_is_left_at_the_root(walk):
    """Published rule of thumb: 5 % of the weight as a peak after tuning [Hicks15]; here nothing but the mass is fitted,
    and arms hang still, though they swing some 5 % of the body with up to 5 m/s²: 2.5 % of the weight more."""
    _, _, _, found = walk
    assert 45.0 < found.report["weight"] / 9.81 < 95.0  # kg
    assert found.report["force_rms_relative"] < 0.05 + 0.025
    assert found.report["moment_rms_relative"] < 0.05


def test_the_ankle_moment_is_that_of_the_ground_about_the_ankle(trial, walk):
    """From the joint centre of the file and the plate alone, without a model: r × F, but for the foot's own weight."""
    body, t, moved, found = walk
    loads = posture_tools.read_loads(trial, np.array([0.0, 1.0, 0.0])).at(t, CUTOFF)[:, 1]
    ankle = points(trial, "RAJC")[SEEN]
    ground = loads[:, :3] - np.cross(ankle, loads[:, 3:])
    k = body.coordinates.index("right_ankle_dorsiflexion")
    axis = tree.forward_kinematics(body, moved.q).rotation[:, body.index("right_shank"), :, 2]
    expected = -(ground * axis).sum(-1)
    stance = found.foot_of_plate[:, 1] == 0
    # The fitted ankle is 1 cm beside the file's (root mean square, all markers), and the force up to 910 N: 9 N·m; a
    # foot of 1.4 % of the body, its centre 6 cm before the ankle, with up to 20 m/s² and gravity: 2 N·m.
    assert np.abs(found.effort[stance, k] - expected[stance]).max() < 0.01 * 910 + 2 + 5
    assert np.sqrt(((found.effort[stance, k] - expected[stance]) ** 2).mean()) < 0.01 * 910
    assert np.corrcoef(found.effort[stance, k], expected[stance])[0, 1] > 0.99


def test_efforts_and_angles_are_those_of_walking(walk):
    """Normal walking: the ankle pushes with 1.2 to 2 N·m/kg late in stance, the knee bends to 55° to 75° in swing and
    flexes again early in stance, the hip goes from about 30° to −20° [Winter09 A.5]."""
    body, t, moved, found = walk
    mass = body.mass
    stance = (t > STRIKE) & (t < OFF)
    ankle = found.effort[:, body.coordinates.index("right_ankle_dorsiflexion")] / mass
    assert 1.2 < -ankle[stance].min() < 2.0
    late = t[stance][ankle[stance].argmin()]
    assert 0.6 < (late - STRIKE) / (OFF - STRIKE) < 0.95
    angles = posture_tools.joint_angles(body, moved.q, ["right_knee", "right_hip", "right_ankle"])
    knee, hip = np.degrees(angles["right_knee"][:, 0]), np.degrees(angles["right_hip"][:, 0])
    assert 55 < knee.max() < 78
    assert knee[stance].min() > -5
    assert 15 < hip.max() < 40
    assert -25 < hip.min() < -5
    power = found.powers[:, body.coordinates.index("right_ankle_dorsiflexion")] / mass
    assert 2.0 < power[stance].max() < 6.0  # W/kg: push-off


@pytest.mark.parametrize("method", ["zeni", "velocity"])
def test_events_of_markers_are_those_of_the_plate(trial, method):
    """Within two frames of 60 Hz, in which [Zeni08] finds nearly all of its events."""
    pelvis = (points(trial, "RPSI") + points(trial, "LPSI")) / 2
    heels, toes = ({"r": points(trial, "R" + name), "l": points(trial, "L" + name)} for name in ("CAL", "MT1"))
    walker = posture_tools.Walker(trial.time("markers"), heels, toes, pelvis, np.array([0.0, 1.0, 0.0]))
    events = posture_tools.gait_events(walker, method=method)
    for name, time in (("r foot strike", STRIKE), ("r foot off", OFF), ("l foot off", 2.4777)):
        nearest = min(abs(event.time - time) for event in events if event.name == name)
        assert nearest < 2 / 60, name
    means = posture_tools.gait_table(walker, events).mean()
    assert means["stride_time"] == pytest.approx(0.98, abs=0.02)  # s
    assert means["speed"] == pytest.approx(means["stride_length"] / means["stride_time"], rel=0.03)
    assert means["step_length"] == pytest.approx(means["stride_length"] / 2, rel=0.1)


def test_the_table_of_the_walk(walk):
    body, t, moved, found = walk
    walker = posture_tools.walker_of(body, t, moved.q)
    events = posture_tools.gait_events(walker, found.assignment)
    (strike,) = [e for e in events if e.detail["source"] == "plate" and e.name == "r foot strike"]
    assert strike.time == pytest.approx(STRIKE, abs=5e-4)
    speed = posture_tools.gait_table(walker, events).mean()["speed"]
    assert speed == pytest.approx(1.6, abs=0.05)  # m/s, as of markers
