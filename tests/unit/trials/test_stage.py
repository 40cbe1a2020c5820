"""The stage from markers to a motion: names and units of its channels, how it is shown."""

import numpy as np
import pytest

from motiform import FigureBuilder, Transform, figures, joints
from motiform.base.errors import InputError
from motiform.measure.names import choose_markers
from motiform.motion.postures import velocities, virtual_markers
from motiform.motion.postures.fit_trial import fit_markers
from motiform.motion.tree import tags
from motiform.record import Recording
from motiform.record.labels import axis_names
from motiform.trials import reconstruct
from motiform.trials.stage import describe_fit


def test_names_and_units_of_a_reconstruction():
    man = figures.human36(height=1.8)
    q = np.repeat(man.neutral()[None], 5, axis=0)
    rec = reconstruct(man, virtual_markers(man, q, rate=100.0), dynamics=True)
    for name in rec.names:
        channel = rec.channel(name)
        assert None not in axis_names(channel, rec.manifest["labels"]), name
    units = {"q": "rad", "v": "rad/s", "a": "rad/s^2", "std": "rad", "effort": "N m", "power": "W"}
    assert {name: rec.unit(f"{name}.right_knee_extension") for name in units} == units
    assert (rec.unit("a.pelvis_forward"), rec.unit("residual.force_y")) == ("m/s^2", "N")
    assert rec["tags.vertex.y"][0] == pytest.approx(1.8, abs=0.1)
    assert rec["centers_of_mass.whole"].tolist() == rec["center_of_mass"].tolist()


@pytest.mark.slow
def test_the_marker_set_of_a_file_is_recognised_as_the_command_does():
    """A man of another height than the subject, and markers of Plug-in Gait alone: joints bend as they did."""
    body = figures.human36(height=1.7, markers="plug-in-gait")
    t = np.arange(60)[:, None] / 60.0
    q = body.neutral() + 0.2 * np.sin(2 * np.pi * t + np.arange(42))
    rec = virtual_markers(body, q, rate=60.0)
    names = [name for name in body.tag_names if name in figures.human36(markers="plug-in-gait").recipe.markers]
    found = reconstruct(figures.human36(height=1.8, mass=75.0), choose_markers(rec, names))
    assert found.manifest["taken"]["markers"][0] == "plug-in-gait"
    assert found.manifest["reconstruct"]["rms"] < 0.01
    knee = body.coordinates.index("right_knee_extension")
    # tags may stray 2 cm from their sites (their spread), at both ends of a shank and a thigh of 0.4 m
    assert np.abs(found["q"][:, knee] - q[:, knee]).max() < 2 * 0.02 / 0.4


def test_a_figure_with_a_loop_is_refused_by_name():
    """Its closures are named, with what to do."""
    b = FigureBuilder(name="ladder")
    for name, x in (("left", 0.0), ("right", 0.5)):
        b.segment(name, None, joints.revolute((0, 0, 1)), placement=Transform.translation_of((x, 0, 0)), mass=1.0)
        b.tag(f"{name} tip", name, (0, -0.4, 0))
    open_one = b.build()
    b.close("rung", "left", (0, -0.4, 0), "right", (0, -0.4, 0), "distance", length=0.5)
    markers = virtual_markers(open_one, np.zeros((3, 2)), rate=100.0)
    with pytest.raises(InputError, match=r"closures \(got 'rung'.*skip='constraints'"):
        reconstruct(b.build(), markers)


@pytest.mark.slow
def test_a_foot_that_is_hidden_has_no_steps():
    """Legs that swing, the right one without markers for the last 0.6 s: no event of it is made up there."""
    man = figures.human36(height=1.8, mass=70.0)
    t = np.arange(250) / 100.0
    q = np.tile(man.neutral(), (250, 1))
    for side, late in (("right", 0.0), ("left", np.pi)):
        q[:, man.coordinates.index(f"{side}_hip_flexion")] = 0.4 * np.cos(2 * np.pi * t + late)
    q[:, man.coordinates.index("pelvis_forward")] = 1.2 * t
    plain = virtual_markers(man, q, rate=100.0)
    points = np.array(plain["markers"])
    leg = [k for k, tag in enumerate(man.tags) if tag.segment in ("right_thigh", "right_shank", "right_foot")]
    points[190:, leg] = np.nan
    hidden = Recording.from_arrays({"markers": (plain.channel("markers"), points)}, manifest=plain.manifest)
    whole, cut = (
        [e for e in reconstruct(man, rec).events if (e.detail or {}).get("kind") and e.name.startswith("r ")]
        for rec in (plain, hidden)
    )
    kept = [e for e in whole if e.time < 1.8]
    assert [e.name for e in cut] == [e.name for e in kept]
    assert len(kept) < len(whole)
    assert [e.time for e in cut] == pytest.approx([e.time for e in kept], abs=0.01)


def test_another_mass_needs_no_other_fit():
    """The fit of one body, described with another mass, is what the body of that mass gives, to the bit."""
    man, t = figures.human36(1.8, 80.0), np.arange(20)[:, None] / 100.0
    heavy = man.replace(mass=95.0)
    trial = virtual_markers(man, man.neutral() + 0.1 * np.sin(4.0 * t + np.arange(man.nq)), rate=100.0)
    one = describe_fit(fit_markers(man, trial), heavy, dynamics=True)
    other = reconstruct(heavy, trial, dynamics=True)
    assert one.names == other.names
    for name in one.names:
        assert np.array_equal(one[name], other[name], equal_nan=True), name
    own = describe_fit(fit_markers(man, trial), man, dynamics=True)
    assert np.allclose(own["residual"] / 80.0, other["residual"] / 95.0, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize(("frequency", "told"), [(1.0, False), (8.0, True)])
def test_a_filter_that_smooths_the_motion_away_is_told(frequency, told):
    """An arm that swings at 1 and at 8 Hz, low-passed at 6 Hz."""
    man = figures.human36(1.8, 75.0)
    t = np.arange(200) / 200
    q = np.tile(man.neutral(), (200, 1))
    for name in ("right_elbow_flexion", "left_elbow_flexion"):
        q[:, man.coordinates.index(name)] = 0.8 + 0.4 * np.sin(2 * np.pi * frequency * t)
    rec = reconstruct(man, virtual_markers(man, q, rate=200.0))
    summary = rec.manifest["reconstruct"]
    shift = np.linalg.norm(tags(man, q) - tags(man, velocities(man, t, q, cutoff=6.0).q), axis=-1)
    assert summary["filtered"]["rms"] == pytest.approx(np.sqrt((shift**2).mean()), rel=1e-3)
    assert any("higher cutoff" in note for note in summary["notes"]) == told
