"""Muscles of a trial: a squat on two plates, whose statics are known, from markers and forces to the report."""

import csv
import json
import re
import sys

import numpy as np
import pytest

from motiform import read_muscles, reconstruct
from motiform.base.errors import InputError
from motiform.image.report.muscles import muscle_curves, warnings_of
from motiform.measure import read_markers
from motiform.measure.changes import changed
from motiform.measure.sto import read_sto
from motiform.motion import tree
from motiform.motion.actuation.muscles import path_geometry, scale_muscles
from motiform.motion.postures import muscle_forces, read_external_loads, scale_figure
from motiform.motion.postures.opensim.loads import add_forces
from motiform.record import Event, open_recording
from squat import SAMPLES, write_squat


@pytest.fixture(scope="module")
def trial(tmp_path_factory):
    folder = tmp_path_factory.mktemp("squat")
    figure, motion, force, point = write_squat(folder)
    markers = add_forces(read_markers(folder / "squat.trc"), read_external_loads(folder / "squat_grf.mot"))
    muscles = read_muscles(folder / "legs.osim", figure)
    rec = reconstruct(figure, markers, cutoff=None)
    return folder, figure, motion, force, point, markers, muscles, rec


@pytest.fixture(scope="module")
def found(trial):
    return muscle_forces(trial[7], trial[6], trial[5])


def test_moments_of_muscles_and_reserves_are_the_efforts(trial, found):
    """Σ r F + reserve = effort of `reconstruct`, to its rounding; efforts are some hundred N·m."""
    _, figure, _, _, _, _, muscles, rec = trial
    arms = path_geometry(muscles.paths, rec["q"]).arm
    moved = [figure.coordinates.index(name) for name in found.manifest["labels"]["moment"]]
    whole = np.einsum("sm,smk->sk", found["muscle.force"], arms)[:, moved] + found["muscle.reserve"]
    np.testing.assert_allclose(whole, rec["effort"][:, moved], atol=1e-8)
    assert np.abs(found["muscle.reserve"]).max() < 0.02 * np.abs(rec["effort"]).max()
    assert found["muscle.activation"].max() < 0.9
    assert found.manifest["muscles"]["not_settled"] == 0


def test_both_legs_do_the_same(found):
    """The squat is symmetric; markers are fitted to 1e-13 m, which differs by 1e-9 of a force after two derivatives."""
    names = found.manifest["labels"]["muscle"]
    right, left = ([k for k, name in enumerate(names) if name.endswith(side)] for side in ("_r", "_l"))
    force = found["muscle.force"]
    np.testing.assert_allclose(force[:, right], force[:, left], rtol=1e-4, atol=1e-2)
    assert force[:, names.index("vasti_r")].min() > 200.0  # N: knees are bent and carry


def test_contact_force_of_a_knee_by_hand(trial, found):
    """Newton for shank and foot: what the knee does = m (a − g) − ground − what muscles pull, drawn point to point."""
    _, figure, (q, v, a), force, _, _, muscles, _ = trial
    R, p = tree.forward_kinematics(figure, q)
    beyond = [figure.index("shank_r"), figure.index("foot_r")]
    moving = tree.motion(figure, q, v, a)
    asked = np.zeros((len(q), 3))
    for n in beyond:
        r = R[:, n] @ figure.segments[n].com
        o, do = moving.twists[:, n, :3], moving.accelerations[:, n, :3]
        rate = moving.accelerations[:, n, 3:] + np.cross(do, r) + np.cross(o, np.cross(o, r))
        asked += figure.segments[n].mass * (rate - np.array(figure.gravity))
    asked -= force[:, 0]
    for k, muscle in enumerate(muscles.muscles):
        ends = [(figure.index(x.segment), np.array(x.point)) for x in muscle.path.points]
        inside = [n in beyond for n, _ in ends]
        if sum(inside) == 1:
            near, far = ends if inside[0] else ends[::-1]
            line = (R[:, far[0]] @ far[1] + p[:, far[0]]) - (R[:, near[0]] @ near[1] + p[:, near[0]])
            asked -= found["muscle.force"][:, k, None] * line / np.linalg.norm(line, axis=1)[:, None]
    ours = found["joint.contact"][:, figure.index("shank_r"), 3:]
    np.testing.assert_allclose(ours, asked, atol=1e-4 * np.abs(asked).max())
    assert np.linalg.norm(ours, axis=1).max() > figure.mass * 9.81  # muscles press more than the weight


def test_a_leg_beside_the_plates_is_not_known(trial):
    _, figure, _, _, _, markers, muscles, rec = trial
    channels = ("plate.force", "plate.moment", "plate.center_of_pressure", "plate.free_moment")
    from dataclasses import replace

    one = {name: (replace(markers.channel(name), shape=(1, *markers.channel(name).shape[1:])), markers[name][:, :1])
           for name in channels}  # fmt: skip
    alone = changed(markers, one, manifest={"plates": markers.manifest["plates"][:1]})
    rec = reconstruct(figure, alone, cutoff=None)
    got = muscle_forces(rec, muscles, alone)
    left = np.array([name.endswith("_l") for name in got.manifest["labels"]["muscle"]])
    assert np.isnan(got["muscle.force"][:, left]).all()
    assert np.isfinite(got["muscle.force"][:, ~left]).all()
    assert np.isfinite(got["muscle.length"]).all()
    contact = got["joint.contact"]
    assert np.isnan(contact[:, figure.index("shank_l")]).all()
    assert np.isfinite(contact[:, figure.index("shank_r")]).all()
    assert got.manifest["muscles"]["reserve_rms"]["knee_l"] is None


def test_without_the_ground_nothing_is_guessed(trial):
    with pytest.raises(InputError, match="need the forces of the ground"):
        muscle_forces(trial[7], trial[6], None)


def test_scaled_muscles_are_similar(trial):
    """All segments 1.2 times as large: so are lengths, arms, fibres and tendons, and forces at rest are the same."""
    _, figure, (q, _, _), _, _, _, muscles, _ = trial
    factors = dict.fromkeys(figure.names, 1.2)
    large = scale_muscles(muscles, scale_figure(figure, factors), factors)
    posture = q[10].copy()
    grown = posture.copy()
    for name in ("forward", "upward"):
        grown[figure.coordinates.index(name)] *= 1.2
    small, big = path_geometry(muscles.paths, posture), path_geometry(large.paths, grown)
    np.testing.assert_allclose(big.length, 1.2 * small.length, rtol=1e-12)
    turns = [figure.coordinates.index(f"knee_{side}") for side in "rl"]
    np.testing.assert_allclose(big.arm[:, turns], 1.2 * small.arm[:, turns], atol=1e-12)
    for m, n in zip(muscles.muscles, large.muscles, strict=True):
        assert (n.fibre_length, n.slack_length, n.max_force) == pytest.approx(
            (1.2 * m.fibre_length, 1.2 * m.slack_length, m.max_force), rel=1e-12
        )


def walked(found):
    """The trial with strikes and offs, as if its feet had stepped."""
    events = [
        Event(time, "", {"kind": kind, "side": side})
        for time, side, kind in ((0.1, "r", "foot strike"), (0.5, "l", "foot strike"), (0.6, "r", "foot off"),
                                 (0.9, "r", "foot strike"), (1.1, "l", "foot strike"))
    ]  # fmt: skip
    return changed(found, {}, events=events)


def test_curves_over_the_cycle(found):
    curves = muscle_curves(walked(found))
    assert [(cycle.side, cycle.start) for cycle in curves.cycles] == [("r", 0.1), ("l", 0.5)]
    one = next(q for q in curves.quantities if q.title == "vasti force")
    names = found.manifest["labels"]["muscle"]
    own = np.interp(np.linspace(0.5, 1.1, 101), found.time("q"), found["muscle.force"][:, names.index("vasti_l")])
    np.testing.assert_allclose(one.values["l"][0], own)
    assert {q.group for q in curves.quantities} == {"activations", "forces", "contacts"}
    assert muscle_curves(found) is None


def test_the_page_tells_reserves(found):
    summary = found.manifest["muscles"]
    large = summary | {"reserve_peak": dict.fromkeys(summary["reserve_peak"], 50.0)}
    assert not any("cannot reach" in block.text for block in warnings_of(found, summary))
    assert any("cannot reach" in block.text and block.bad for block in warnings_of(found, large))


@pytest.mark.slow
def test_the_command_writes_tables_and_a_page(trial, monkeypatch, capfd):
    from motiform.cli import main

    folder = trial[0]
    monkeypatch.chdir(folder)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["motiform", "reconstruct", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        return int(end.value.code or 0), *capfd.readouterr()

    ways = ("--figure", "legs.osim", "--forces", "squat_grf.mot", "--muscles", "--jobs", "1")
    code, out, err = call("squat.trc", *ways, "--out", "out", "--json", "--set", "muscles.power=3")
    assert code == 0, err
    files = json.loads(out)["trials"][0]["files"]
    tables = ("activation", "muscle_force", "reserves", "joint_contact")
    assert {f"squat_{name}.sto" for name in tables} <= set(files)
    rec = open_recording(folder / "out" / "squat" / "squat.mf")
    assert rec.manifest["muscles"]["power"] == 3
    forces = read_sto(folder / "out" / "squat" / "squat_muscle_force.sto")
    np.testing.assert_array_equal(forces["soleus_l"], rec["muscle.force.soleus_l"])
    contact = read_sto(folder / "out" / "squat" / "squat_joint_contact.sto")
    np.testing.assert_array_equal(contact["shank_r_fy"], rec["joint.contact.shank_r.force_y"])
    page = (folder / "out" / "squat" / "report.html").read_text()
    assert "Muscles" in page
    assert "Static optimisation" in page
    code, _, err = call("squat.trc", *ways, "--static", "squat.trc", "--no-report", "--out", "scaled")
    assert code == 0, err
    assert call("squat.trc", "--muscles", "--out", "x")[0] == 2
    assert call("squat.trc", "--figure", "legs.osim", "--set", "muscles.power=3", "--out", "x")[0] == 2
    code, _, err = call("squat.trc", "--figure", "legs.osim", "--muscles", "--out", "bare", "--jobs", "1")
    assert code == 2
    assert "need the forces of the ground" in err


@pytest.mark.slow
def test_residuals_beyond_their_limits_leave_muscles_out(trial, monkeypatch, capfd):
    """A model with ten kilograms too many on its trunk, under the forces of the one without."""
    from motiform.cli import main

    folder = trial[0]
    monkeypatch.chdir(folder)
    text = (folder / "legs.osim").read_text()
    mass = re.search(r'<Body name="pelvis">.*?<mass>([^<]*)</mass>', text, re.DOTALL)
    assert mass is not None
    place = slice(*mass.span(1))
    (folder / "heavy.osim").write_text(text[: place.start] + str(float(mass[1]) + 10.0) + text[place.stop :])

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["motiform", "reconstruct", "squat.trc", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        return int(end.value.code or 0), *capfd.readouterr()

    ways = ("--figure", "heavy.osim", "--forces", "squat_grf.mot", "--muscles", "--jobs", "1", "--no-report", "--json")
    code, out, err = call(*ways, "--out", "heavy")
    assert code == 0
    assert "the residual force at the root must be at most 5 % of the weight" in err
    row = json.loads(out)["trials"][0]
    assert not any("muscle" in name for name in row["files"])
    # what is too heavy is what the ground does not carry; the squat is slow
    force = row["residual"]["force_peak_relative"]
    assert force == pytest.approx(10.0 * 9.81 / row["residual"]["weight"], rel=0.05)
    assert call(*ways, "--out", "heavy", "--overwrite", "--strict")[0] == 1
    code, out, _ = call(*ways, "--out", "all", "--any-residuals")
    assert any("muscle" in name for name in json.loads(out)["trials"][0]["files"])


def test_csv_of_cycles(found, tmp_path):
    from motiform.trials.muscles import write_muscles

    written = write_muscles(walked(found), tmp_path, "walk")
    assert [path.name for path in written][-1] == "walk_muscle_cycles.csv"
    with open(written[-1]) as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 101
    assert float(rows[0]["soleus activation [1]"]) >= 0.0
    assert len(read_sto(written[0]).time("vasti_r")) == SAMPLES
