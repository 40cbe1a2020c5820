"""Residual reduction finds back a trunk's mass centre and a motion of which markers and plates tell.

A man sways, bends and swings his arms on one foot, which stands on a plate. The plate has what Newton's law asks of a
body whose trunk's mass centre lies elsewhere than the model's; markers have noise.
"""

from types import SimpleNamespace

import numpy as np
import pytest

import motiform as mf
from motiform.base.errors import InputError
from motiform.measure.frames import move
from motiform.motion.postures.derivatives import MotionSamples, base_motion
from motiform.motion.postures.dynamics.efforts import RESIDUAL_LIMITS, residual_at_root
from motiform.motion.postures.dynamics.residual_reduction import reduce_residual
from motiform.motion.postures.floating_base import FloatingBase
from motiform.motion.tree import centers_of_mass, forward_kinematics, tags
from motiform.motion.tree.algorithms.matrices import joint_wrenches
from motiform.record import Channel, Recording
from motiform.spatial import exp_rotation

RATE, SECONDS, NOISE = 100.0, 4.0, 0.001
OFFSET = np.array([0.02, -0.015, 0.01])  # [m] of the true mass centre of the trunk from the model's
MODEL = mf.figures.human36(height=1.8, mass=75.0)
TRUNK = max(MODEL.segments, key=lambda segment: segment.mass).name
JOINTS = [k for k, name in enumerate(MODEL.coordinates) if not name.startswith("pelvis_")]
BENT = {"knee_extension": -0.5, "hip_flexion": 0.3, "elbow_flexion": 0.8}


def truth():
    """Return the true figure, times, and its motion: sines of up to 1.5 Hz in all coordinates."""
    com = MODEL.segments[MODEL.index(TRUNK)].com
    figure = MODEL.replace(segments={TRUNK: {"com": np.asarray(com) + OFFSET}})
    rng = np.random.default_rng(3)
    t = np.arange(int(RATE * SECONDS)) / RATE
    size = np.full(MODEL.nv, 0.06)
    f = rng.uniform(0.3, 1.5, (2, MODEL.nv))
    phase = rng.uniform(0.0, 2.0 * np.pi, (2, MODEL.nv))
    w = 2.0 * np.pi * f
    angle = w[:, None] * t[:, None] + phase[:, None]
    middle = MODEL.neutral()
    for name, angle_ in BENT.items():
        middle[[MODEL.coordinates.index(f"{side}_{name}") for side in ("right", "left")]] = angle_
    q = middle + size * np.sin(angle).sum(0)
    v = size * (w[:, None] * np.cos(angle)).sum(0)
    a = -size * (w[:, None] ** 2 * np.sin(angle)).sum(0)
    return figure, t, MotionSamples(q, v, a)


def measured():
    """Return markers with noise, and one plate that carries the right foot."""
    figure, t, (q, v, a) = truth()
    wrench = residual_at_root(figure, q, v, a)
    root = forward_kinematics(figure, q).position[:, figure.roots[0]]
    force, moment = wrench[:, 3:], wrench[:, :3] + np.cross(root, wrench[:, 3:])
    points = tags(figure, q) + np.random.default_rng(4).normal(0.0, NOISE, (len(t), len(figure.tags), 3))
    channels = [
        Channel("markers", dims=("marker", "axis"), shape=points.shape[1:], unit="m", rate=RATE),
        *(Channel(f"plate.{name}", dims=("plate", "axis"), shape=(1, 3), unit=unit, rate=RATE)
          for name, unit in (("force", "N"), ("moment", "N m"))),
    ]  # fmt: skip
    data = {"markers": points, "plate.force": force[:, None], "plate.moment": moment[:, None]}
    manifest = {
        "labels": {"marker": list(figure.tag_names)},
        "up": "y",
        "plates": [{"segment": "right_foot", "normal": [0.0, 1.0, 0.0]}],
    }
    return Recording.from_arrays(channels, data, manifest=manifest)


@pytest.fixture(scope="module")
def both():
    return [mf.reconstruct(MODEL, measured(), reduce_residuals=reduce) for reduce in (False, True)]


INNER = slice(30, -30)  # beyond what the filter makes of a trial's ends


def away(found, true):
    return float(np.sqrt(np.mean((np.asarray(found)[INNER] - true[INNER]) ** 2)))


def test_the_residual_falls_below_the_limits(both):
    before, after = (rec.manifest["reconstruct"] for rec in both)
    for what, limit in RESIDUAL_LIMITS.items():
        assert after["residual"][f"{what}_peak_relative"] < limit < before["residual"][f"{what}_peak_relative"]
    assert before["residual_beyond"]
    assert not after["residual_beyond"]
    told = after["residual_reduction"]
    for when, one in (("before", before), ("after", after)):
        assert told[when]["moment_rms"] == pytest.approx(one["residual"]["moment_rms"], rel=1e-6)


def test_the_mass_centre_of_the_trunk_is_found(both):
    """To a quarter of how far it is off, in markers with 1 mm of noise; tags are moved by less than that noise."""
    told = both[1].manifest["reconstruct"]["residual_reduction"]
    assert told["segment"] == TRUNK
    assert np.linalg.norm(told["mass_center_offset"] - OFFSET) < 0.25 * np.linalg.norm(OFFSET)
    assert told["tags_rms"] < NOISE
    figure, _, (q, _, _) = truth()
    far = [away(rec["center_of_mass"], centers_of_mass(figure, q)[:, -1]) for rec in both]
    assert far[1] < 0.25 * far[0]


def test_moments_of_the_leg_that_stands_stay_right(both):
    """They follow from the plate beneath: what is put right above them must not spoil them."""
    figure, t, (q, v, a) = truth()
    wrench, place = residual_at_root(figure, q, v, a), forward_kinematics(figure, q).position
    external, foot = np.zeros((len(t), len(figure.segments), 6)), figure.index("right_foot")
    external[:, foot, 3:] = wrench[:, 3:]
    external[:, foot, :3] = wrench[:, :3] + np.cross(place[:, 0] - place[:, foot], wrench[:, 3:])
    true = joint_wrenches(figure, q, v, a, external)[..., :3]
    for name in ("right_foot", "right_shank", "right_thigh"):
        n = figure.index(name)
        assert away(both[1]["joint_moment"][:, n], true[:, n]) < 0.01 * np.abs(true[INNER, n]).max()


def test_a_motion_that_needs_no_change_is_left_alone():
    """Of true coordinates and the true figure: nothing is changed beyond rounding of the differences."""
    figure, t, motion = truth()
    base = FloatingBase.of(figure)
    inner = base_motion(figure, t, motion.q, None)[1]
    wrench = residual_at_root(base.figure, *inner)
    wrench[:, :3] += np.cross(forward_kinematics(figure, motion.q).position[:, 0], wrench[:, 3:])
    loads = SimpleNamespace(carrier=np.zeros((len(t), 1), int), wrench=wrench[:, None])
    normal = np.tile(np.eye(figure.nv) / 1e-3**2, (len(t), 1, 1))
    every = np.ones(len(t), bool)
    found = reduce_residual(base.figure, t, inner, loads, every, normal, cutoff=6.0)
    assert np.abs(found.change).max() < 1e-9
    assert np.abs(found.report["mass_center_offset"]).max() < 1e-9
    gaps = inner._replace(a=np.where(np.arange(len(t))[:, None] % 5 == 0, np.nan, inner.a))
    with pytest.raises(InputError, match="six samples"):
        reduce_residual(base.figure, t, gaps, loads, every, normal, cutoff=6.0)


@pytest.mark.slow
def test_the_room_changes_nothing(both):
    rec = mf.reconstruct(
        MODEL, move(measured(), exp_rotation(1.7 * MODEL.up), np.zeros(3), up="y"), reduce_residuals=True
    )
    for name in ("effort", "power"):
        joints = np.asarray(both[1][name])[:, JOINTS], np.asarray(rec[name])[:, JOINTS]
        assert np.nanmax(np.abs(joints[0] - joints[1])) < 1e-6 * np.nanmax(np.abs(joints[0]))


def test_why_nothing_is_reduced_is_told():
    rec = measured()
    alone = Recording.from_arrays({"markers": (rec.channel("markers"), rec["markers"])}, manifest=rec.manifest)
    for given, cutoff, words in ((alone, 6.0, "needs force plates"), (rec, None, "low-passed")):
        found = mf.reconstruct(MODEL, given, cutoff=cutoff, reduce_residuals=True).manifest["reconstruct"]
        assert found["residual_reduction"] is None
        assert any(words in note for note in found["notes"])
