import numpy as np
import pytest
from numpy.testing import assert_allclose

from motiform.base.errors import InputError
from motiform.image.report.gait import curve_pages, cycles_csv, spatio_temporal
from motiform.motion.figures import human36
from motiform.motion.reconstruct import Walker, gait_events, gait_table
from motiform.motion.reconstruct.gait.cycles import GaitCycle, cycle_curves, gait_curves, gait_cycles, pelvis_angles
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
    assert curves.doubtful["r"][0, 31:39].all()
    assert not curves.doubtful["r"][1].any()
    titles = [title for title, _ in curve_pages(curves)]
    assert titles == ["Joint angles [°]", "Internal moments [N·m/kg]", "Joint powers [W/kg]"]
    plain = gait_curves(walk(effort=False)[1], body, walker(np.array([1.0, 0, 0])))
    assert [title for title, _ in curve_pages(plain)] == ["Joint angles [°]"]
    lines = cycles_csv(curves).splitlines()
    assert len(lines) == 1 + 6 * 101
    assert lines[0].startswith("side,cycle,percent,time [s],pelvis anterior tilt [°]")


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
    told = [Event(2.5, "Foot Strike", {"context": "Right"}), Event(2.6, "General", {"context": "Right"})]
    events = gait_events(man, told=told)
    near = [e for e in events if e.name == "r foot strike" and abs(e.time - 2.5) < 0.2]
    assert [(e.time, e.detail["source"]) for e in near] == [(2.5, "file")]
    heads, rows = spatio_temporal(gait_table(man, gait_events(man)))
    assert len(heads) == len(rows[0]) == 4
    assert abs(float(rows[0][3])) < 1.0  # both sides alike
