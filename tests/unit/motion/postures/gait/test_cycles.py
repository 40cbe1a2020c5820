from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from motiform.base.errors import InputError
from motiform.image.report.gait import curve_pages, cycles_csv, marks_in, series_pages, spatio_temporal
from motiform.motion.figures import human36
from motiform.motion.postures import Walker, gait_events, gait_table, read_normative, write_normative
from motiform.motion.postures.gait.cycles import GaitCycle, cycle_curves, gait_curves, gait_cycles
from motiform.motion.postures.gait.series import joint_series, pelvis_angles
from motiform.record import Channel, Event, Recording
from motiform.spatial import euler_from_rotation, rotation_from_euler

UP = np.array([0.0, 1.0, 0.0])


def event(time, side, kind):
    return Event(time, f"{side} {kind}", {"side": side, "kind": kind})


def steps(count=4, stride=1.0):
    """Right strikes at 0, 1, …, left ones half a stride later, feet that leave 0.6 strides after their strike."""
    found = []
    for n in range(count):
        for side, late in (("r", 0.0), ("l", 0.5)):
            found += [
                event((n + late) * stride, side, "foot strike"),
                event((n + late + 0.6) * stride, side, "foot off"),
            ]
    return sorted(found, key=lambda one: one.time)


def test_cycles_run_from_strike_to_strike():
    cycles = gait_cycles(steps())
    assert [(c.side, c.start, c.end) for c in cycles[:3]] == [("r", 0.0, 1.0), ("l", 0.5, 1.5), ("r", 1.0, 2.0)]
    assert len(cycles) == 6
    assert cycles[0].off_percent == pytest.approx(60.0)


def test_a_cycle_with_a_step_that_nobody_saw_is_none():
    without = [one for one in steps() if (one.name, one.time) != ("r foot strike", 1.0)]
    assert ("r", 0.0) not in [(c.side, c.start) for c in gait_cycles(without)]  # two left steps in it
    assert ("l", 0.5) not in [(c.side, c.start) for c in gait_cycles(without)]  # no right one
    assert ("r", 2.0) in [(c.side, c.start) for c in gait_cycles(without)]
    late = [event(0.0, "r", "foot strike"), event(9.0, "r", "foot strike")]
    assert gait_cycles(late) == []


def test_curves_over_the_cycle():
    """A line over time is a line over each cycle, and gaps stay gaps."""
    times = np.arange(0, 4.001, 0.01)
    values = np.stack([3.0 * times, np.where(times > 2.5, np.nan, 1.0)], axis=1)
    curves = cycle_curves(times, values, [GaitCycle("r", 0.5, 1.5), GaitCycle("r", 2.0, 3.0), GaitCycle("r", 3.5, 4.5)])
    assert curves.shape == (3, 101, 2)
    assert_allclose(curves[0, :, 0], np.linspace(1.5, 4.5, 101), atol=1e-12)
    assert np.isfinite(curves[1, :50, 1]).all()
    assert np.isnan(curves[1, 52:, 1]).all()
    assert np.isnan(curves[2, 60:, 0]).all()  # after the trial


def walker(ahead):
    points = {side: np.zeros((2, 3)) for side in "rl"}
    return Walker(np.arange(2.0), points, {side: points[side] + 0.2 * ahead for side in "rl"}, np.zeros((2, 3)), UP)


@pytest.mark.parametrize("way", [0.0, 1.1, -2.5])
def test_the_pelvis_in_the_direction_of_walking(way):
    """One angle at a time about a body that faces where it walks, whatever that direction is in the room."""
    body, man = human36(1.8, 75.0), walker(np.array([np.cos(way), 0.0, -np.sin(way)]))
    places = [body.coordinates.index(f"pelvis_{name}") for name in ("backward_tilt", "left_turn", "right_lean")]

    def angles(side="r", turn=0.0, lean=0.0, tilt=0.0):
        """The pelvis turned about the vertical, then leaned about its forward axis, then tilted about its own."""
        q = body.neutral()
        q[places] = euler_from_rotation(rotation_from_euler([way + turn, lean, tilt], "yxz"), "zyx")
        return pelvis_angles(body, q[None], man, side)[0]

    assert_allclose(angles(), 0.0, atol=1e-12)
    assert_allclose(angles(tilt=-0.2), [0.2, 0, 0], atol=1e-12)  # forward
    assert_allclose(angles(lean=0.1), [0, -0.1, 0], atol=1e-12)  # the right side sinks
    assert_allclose(angles("l", lean=0.1), [0, 0.1, 0], atol=1e-12)
    assert_allclose(angles(turn=0.3), [0, 0, 0.3], atol=1e-12)  # the right side comes forward
    assert_allclose(angles("l", turn=0.3), [0, 0, -0.3], atol=1e-12)
    assert_allclose(angles(turn=0.3, lean=0.1, tilt=-0.2), [0.2, -0.1, 0.3], atol=1e-12)


def walk(effort=True):
    """A body whose right knee bends with the cycle, with efforts of known size."""
    body = human36(1.8, 75.0)
    times = np.arange(0, 4.0, 0.01)
    q = np.tile(body.neutral(), (len(times), 1))
    knee, hip = (body.coordinates.index(f"right_{name}") for name in ("knee_extension", "hip_abduction"))
    q[:, knee] = -0.5 + 0.4 * np.cos(2 * np.pi * times)
    tau, power = np.zeros_like(q), np.zeros_like(q)
    tau[:, knee], tau[:, hip], power[:, knee] = 30.0, 15.0, 60.0
    arrays = {"q": q, "unseen": np.zeros_like(q), "status": np.zeros(len(times))}
    arrays |= {"effort": tau, "power": power} if effort else {}
    arrays["status"][30:40] = 1
    data = {n: (Channel(n, shape=v.shape[1:], dims=("k",) * (v.ndim - 1), rate=100.0), v) for n, v in arrays.items()}
    return body, Recording.from_arrays(data, events=steps())


def test_angles_moments_and_powers_have_one_sign():
    """Knee extension is flexion below zero, abduction adduction below zero; moments and powers are per kilogram."""
    body, rec = walk()
    curves = gait_curves(rec, body, walker(np.array([1.0, 0, 0])))
    found = {one.title: one for one in curves.quantities}
    percent = np.linspace(0, 1, 101)
    bend = np.rad2deg(0.5 - 0.4 * np.cos(2 * np.pi * percent))
    # linear between samples: (2π)² 0.4 h²/8 rad
    assert_allclose(found["knee flexion"].values["r"], np.tile(bend, (3, 1)), atol=np.rad2deg(0.4 * 39.5 * 1e-4 / 8))
    assert_allclose(found["knee flexion moment"].values["r"], -30.0 / body.mass, rtol=1e-6)
    assert_allclose(found["hip adduction moment"].values["r"], -15.0 / body.mass, rtol=1e-6)
    assert_allclose(found["knee power"].values["r"], 60.0 / body.mass, rtol=1e-12)
    assert found["knee flexion"].marks["r"]["not fitted"][0, 31:39].all()
    assert not found["knee flexion"].marks["r"]["not fitted"][1].any()
    titles = [title for title, _ in curve_pages(curves)]
    assert titles == ["Joint angles [°]", "Internal moments [N·m/kg]", "Joint powers [W/kg]"]
    plain = gait_curves(walk(effort=False)[1], body, walker(np.array([1.0, 0, 0])))
    assert [title for title, _ in curve_pages(plain)] == ["Joint angles [°]"]
    lines = cycles_csv(curves).splitlines()
    assert len(lines) == 1 + 6 * 101
    assert lines[0].startswith("side,cycle,percent,time [s],pelvis anterior tilt [°]")
    assert lines[0].endswith(",doubtful")
    assert "knee not fitted" in lines[1 + 3 * 101 + 35]  # the first right cycle, at 35 %


def test_plug_in_gait_tells_external_moments():
    """Of the same efforts: the moment that muscles balance, in the direction of the angle."""
    body, rec = walk()
    ahead = walker(np.array([1.0, 0, 0]))
    own, other = (gait_curves(rec, body, ahead, name) for name in ("isb", "plug-in-gait"))
    assert other.convention == "plug-in-gait"
    (inner,) = [one for one in own.quantities if one.title == "knee flexion moment"]
    (outer,) = [one for one in other.quantities if one.title == "knee flexion moment, external"]
    assert_allclose(outer.values["r"], -inner.values["r"], rtol=1e-12)
    titles = [title for title, _ in curve_pages(other)]
    assert titles == ["Joint angles [°]", "External moments [N·m/kg]", "Joint powers [W/kg]"]
    with pytest.raises(InputError, match="convention"):
        gait_curves(rec, body, ahead, "plug in gait")


def test_the_pelvis_of_plug_in_gait():
    """Tilt first, then obliquity, then rotation, each about axes that those before have turned."""
    body, man = human36(1.8, 75.0), walker(np.array([1.0, 0, 0]))
    places = [body.coordinates.index(f"pelvis_{name}") for name in ("backward_tilt", "left_turn", "right_lean")]
    q = body.neutral()
    q[places] = euler_from_rotation(rotation_from_euler([-0.2, 0.1, 0.3], "zxy"), "zyx")
    assert_allclose(pelvis_angles(body, q[None], man, "r", "plug-in-gait")[0], [0.2, -0.1, 0.3], atol=1e-12)
    assert_allclose(pelvis_angles(body, q[None], man, "l", "plug-in-gait")[0], [0.2, 0.1, -0.3], atol=1e-12)


def test_moments_only_where_the_force_on_the_foot_is_known():
    body, rec = walk()
    known = np.ones((rec.count("q"), 2), np.int8)
    known[100:200, 0] = 0
    data = {name: (rec.channel(name), rec[name]) for name in rec.names}
    data["effort.known"] = (Channel("effort.known", shape=(2,), dims=("foot",), rate=100.0, dtype="int8"), known)
    labels = {"labels": {"foot": ["right_foot", "left_foot"]}}
    rec = Recording.from_arrays(data, events=rec.events, manifest=labels)
    found = {(one.title, one.side): one.values for one in joint_series(rec, body, walker(np.array([1.0, 0, 0]))).series}
    for title in ("knee flexion moment", "knee power"):
        assert np.isnan(found[title, "r"][100:200]).all()
        assert np.isfinite(found[title, "r"][:100]).all()
        assert np.isfinite(found[title, "l"]).all()
    assert np.isfinite(found["knee flexion", "r"]).all()


def test_what_is_hidden_uncertain_left_out_or_at_a_limit_is_marked():
    body, rec = walk()
    arrays = {name: np.array(rec[name]) for name in rec.names}
    knee, twist = (body.coordinates.index(f"right_{name}") for name in ("knee_extension", "hip_external_rotation"))
    arrays["std"] = np.full_like(arrays["q"], 0.01)
    arrays["unseen"][50:60, knee], arrays["std"][70:80, knee], arrays["unseen"][:, twist] = 1.0, 0.2, 1.0
    data = {n: (Channel(n, shape=v.shape[1:], dims=("k",) * (v.ndim - 1), rate=100.0), v) for n, v in arrays.items()}
    tag = next(tag.name for tag in body.tags if tag.segment == "right_shank")
    events = [*rec.events, Event(0.9, f"left out: {tag}", {"until": 0.95}),
              Event(1.2, "at its limit: right_knee_extension", {"until": 1.3})]  # fmt: skip
    manifest = {"reconstruct": {"per_marker": {tag: {"marker": tag}}}}
    rec = Recording.from_arrays(data, events=events, manifest=manifest)
    found = joint_series(rec, body, walker(np.array([1.0, 0, 0])))
    (one,) = [s for s in found.series if s.title == "knee flexion" and s.side == "r"]
    spans = {kind: (int(np.argmax(mask)), int(mask.sum())) for kind, mask in one.marks.items()}
    assert spans == {"not fitted": (30, 10), "hidden": (50, 10), "uncertain": (70, 10), "left out": (90, 6),
                     "limit": (120, 11)}  # fmt: skip
    assert marks_in(one.marks) == {"not fitted": "×", "hidden": "■", "uncertain": "◆", "limit": "▲", "left out": "▼"}
    pages = [title for title, _ in series_pages(found)]
    assert pages == ["Joint angles [°]", "Internal moments [N·m/kg]", "Joint powers [W/kg]"]
    still = found._replace(series=tuple(replace(s, values=0 * s.values) for s in found.series))
    assert series_pages(still) == []  # nothing is not drawn
    (other,) = [s for s in found.series if s.title == "knee flexion" and s.side == "l"]
    assert set(other.marks) == {"not fitted"}
    assert len(found.undetermined) == 1  # an angle that no marker ever tells is no curve
    assert not [s for s in found.series if s.side == "r" and s.title == found.undetermined[0]]


def test_normative_bands_are_those_of_the_file(tmp_path):
    """Bands by deviations and by borders; those of a laboratory's own subjects have their mean and deviation."""
    body, rec = walk()
    curves = gait_curves(rec, body, walker(np.array([1.0, 0, 0])))
    (knee,) = [one for one in curves.quantities if one.title == "knee flexion"]
    table = tmp_path / "normal.csv"
    table.write_text("# Smith, 2001\nquantity,percent,mean,sd\nknee flexion [deg],0,10,2\nknee flexion [deg],100,20,4\n"
                     "tail wag,0,1,1\n", "utf-8")  # fmt: skip
    found = read_normative(table)
    assert found.source == "Smith, 2001"
    assert found.unused(curves.quantities) == ["tail wag"]
    percent = np.linspace(0, 1, 101)
    assert_allclose(found.of(knee), [8 + 8 * percent, 12 + 12 * percent], rtol=1e-12)
    table.write_text("quantity,percent,low,high\nknee flexion,0,1,2\nknee flexion,50,1,3\n", "utf-8")
    assert_allclose(read_normative(table).of(knee)[:, 50], [1, 3])
    assert np.isnan(read_normative(table).of(knee)[:, 51:]).all()  # the table tells nothing there
    for n, shift in enumerate((0.0, 3.0, 6.0)):
        moved = [replace(one, values={s: v + shift for s, v in one.values.items()}) for one in curves.quantities]
        (tmp_path / f"s{n}_cycles.csv").write_text(cycles_csv(replace(curves, quantities=tuple(moved))), "utf-8")
    write_normative(sorted(tmp_path.glob("s*_cycles.csv")), tmp_path / "own.csv", source="three men")
    own = read_normative(tmp_path / "own.csv")
    assert own.source.startswith("three men")
    both = np.concatenate([knee.values["l"], knee.values["r"]]).mean(0) + 3.0
    assert_allclose(own.of(knee), [both - 3.0, both + 3.0], atol=1e-9)  # deviations of 0, 3, 6 are 3
    for wrong in ("", "sd\nknee,0,1,-1\n", "sd\nknee,101,1,1\n", "sd\nknee,0,1,1\nknee,0,1,1\n"):
        table.write_text(f"quantity,percent,mean,{wrong}", "utf-8")
        with pytest.raises(InputError, match="normative"):
            read_normative(table)


def test_the_direction_of_walking():
    """The way of the pelvis where it goes straight, though one foot points aside; that of the toes elsewhere."""
    t = np.arange(300) / 100.0
    aside = {"r": np.array([0.18, 0, 0.09]), "l": np.array([0.2, 0, 0])}

    def going(way):
        heels = {side: way + np.array([0, 0, 0.1 if side == "r" else -0.1]) for side in "rl"}
        return Walker(t, heels, {side: heels[side] + aside[side] for side in "rl"}, way, UP)

    straight = going(np.outer(t, [1.3, 0, 0]))
    assert_allclose(straight.forward, [1, 0, 0], atol=1e-12)
    assert straight.turned < 1e-12
    assert_allclose(going(np.outer(-t, [1.3, 0, 0])).forward, [1, 0, 0], atol=1e-12)  # backwards: where he looks
    toes = (aside["r"] + aside["l"]) / np.linalg.norm(aside["r"] + aside["l"])
    for way in (np.zeros((300, 3)), np.outer(t, [0, 0, 1.3]), np.outer(np.sin(3 * t), [1.3, 0, 0])):
        assert_allclose(going(way).forward, toes, atol=1e-12)  # on the spot, sideways, to and fro


def test_a_figure_without_a_pelvis():
    from motiform import FigureBuilder, joints

    b = FigureBuilder()
    b.segment("arm", None, joints.revolute((0, 0, 1)), mass=1.0)
    with pytest.raises(InputError, match="pelvis"):
        pelvis_angles(b.build(), np.zeros((1, 1)), walker(np.array([1.0, 0, 0])))


def test_symmetry_and_events_of_the_file():
    t, w = np.arange(600) / 100.0, 2 * np.pi / 1.1
    heels = {s: np.outer(1.3 * t + 0.3 * np.sin(w * t + p), [1.0, 0, 0]) for s, p in (("r", 0.0), ("l", np.pi))}
    toes = {side: x + np.array([0.2, 0, 0]) for side, x in heels.items()}
    man = Walker(t, heels, toes, np.outer(1.3 * t, [1.0, 0, 0]), UP)
    stated = [Event(2.5, "Foot Strike", {"context": "Right"}), Event(2.6, "General", {"context": "Right"})]
    events = gait_events(man, stated=stated)
    near = [e for e in events if e.name == "r foot strike" and abs(e.time - 2.5) < 0.2]
    assert [(e.time, e.detail["source"]) for e in near] == [(2.5, "file")]
    heads, rows = spatio_temporal(gait_table(man, gait_events(man)))
    assert len(heads) == len(rows[0]) == 4
    assert abs(float(rows[0][3])) < 1.0  # both sides alike
