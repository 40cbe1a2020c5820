import sys

import numpy as np
import pytest
from marker_files import motion, simple_c3d
from numpy.testing import assert_allclose

from motiform.base.errors import InputError
from motiform.measure import center_of_pressure, low_pass, read_markers, resample_plates, turn, write_c3d
from motiform.measure.plates import plate_frame

# A plate 0.4 m × 0.6 m in a world with z up, its own z downwards, centred at (1, 2, 0).
CORNERS = np.array([[1.2, 1.7, 0.0], [0.8, 1.7, 0.0], [0.8, 2.3, 0.0], [1.2, 2.3, 0.0]])  # m
CENTER = CORNERS.mean(0)
DEPTH = 0.04  # m, of the sensors
A, B = 0.12, 0.2  # m, places of four sensors
PRESS = np.array([1.06, 2.11, 0.0])  # m
FREE = 3.0  # N m, upwards
SAMPLES, SUBFRAMES = 30, 4


def ground_force():
    """What the ground does to the subject (samples, 3) [N]: nothing at first, then some 700 N upwards."""
    t = np.linspace(0, 1, SAMPLES * SUBFRAMES)
    return np.stack([40 * np.sin(5 * t), 30 * np.cos(3 * t), 700 + 100 * np.sin(9 * t)], axis=1) * (t > 0.2)[:, None]


def channels(kind, sign=1.0):
    """The numbers of the plate's channels in N and N mm, for a force at PRESS and a free moment."""
    axes, _ = plate_frame(CORNERS)
    force = sign * ground_force() @ axes
    free = sign * FREE * (ground_force()[:, 2:] > 0) * (np.array([0, 0, 1.0]) @ axes)
    arm = (PRESS - CENTER) @ axes
    if kind == 1:
        return np.column_stack([force, np.tile(1000 * arm[:2], (len(force), 1)), 1000 * free[:, 2]])
    surface = np.cross(arm, force) + free
    sensors = surface + np.cross((0, 0, -DEPTH), force)  # about a point DEPTH under the surface, z downwards
    if kind in (2, 4):
        return np.column_stack([force, 1000 * sensors])
    # Four sensors at (±A, ±B): any split with these sums will do.
    mx, my, mz = sensors.T
    x = force[:, 0] / 2 + np.outer((-1, 1), mz / (2 * B))
    y = force[:, 1] / 2 + np.outer((1, -1), 0 * mz)
    z = [force[:, 2] / 4 + s * mx / (4 * B) + r * my / (4 * A) for s, r in ((1, -1), (1, 1), (-1, 1), (-1, -1))]
    return np.column_stack([*x, *y, *z])


def plate_file(kind, sign=1.0, units=True, screen="+Z", depth=DEPTH, table=None, rows=1.0, origin=None, more=()):
    table = channels(kind, sign) if table is None else table
    count = table.shape[1]
    if origin is None:
        origin = np.array([[A], [B], [-DEPTH]] if kind == 3 else [[0], [0], [depth]])
    more = [
        ("FORCE_PLATFORM", "USED", np.array([1])),
        ("FORCE_PLATFORM", "TYPE", np.array([kind])),
        ("FORCE_PLATFORM", "CORNERS", 1000 * CORNERS.T[:, :, None]),
        ("FORCE_PLATFORM", "ORIGIN", 1000 * origin),
        ("FORCE_PLATFORM", "CHANNEL", np.arange(1, count + 1)[:, None]),
        ("ANALOG", "LABELS", [f"A{k}" for k in range(count)]),
        ("POINT", "Y_SCREEN", [screen]),
        *more,
    ]  # fmt: skip
    if units:
        each = {1: ["N"] * 3 + ["mm"] * 2 + ["Nmm"], 3: ["N"] * 8}.get(kind, ["N"] * 3 + ["Nmm"] * 3)
        more.append(("ANALOG", "UNITS", each))
    if kind == 4:
        matrix = np.diag([2.0, 2, 4, 1, 1, 1]) + 0.01 * np.ones((6, 6))
        table = table @ np.linalg.inv(matrix).T
        matrix[3:] *= rows
        more.append(("FORCE_PLATFORM", "CAL_MATRIX", matrix[:, :, None]))
    names = ("A", "B", "C", "D")
    return simple_c3d(1000 * motion(SAMPLES), names, analog=table.reshape(SAMPLES, SUBFRAMES, count), more=more)


def check(rec, atol=2e-3):
    """atol: 700 N and 1400 N m in 32-bit numbers, of N mm."""
    force = ground_force()
    loaded = force[:, 2] > 0
    assert_allclose(rec["plate.force"][:, 0], force, atol=atol)
    assert_allclose(rec["plate.center_of_pressure"][loaded, 0], np.tile(PRESS, (loaded.sum(), 1)), atol=1e-5)
    assert_allclose(rec["plate.free_moment"][loaded, 0], FREE, atol=atol)
    assert np.isnan(rec["plate.center_of_pressure"][~loaded]).all()
    about = np.cross(PRESS, force) + np.outer(loaded, (0, 0, FREE))
    assert_allclose(rec["plate.moment"][:, 0], about, atol=atol)
    assert rec.channel("plate.force").rate == 400.0


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_plates_of_every_type(kind, sign, tmp_path):
    path = tmp_path / "a.c3d"
    path.write_bytes(plate_file(kind, sign))
    rec = read_markers(path)
    check(rec)
    assert rec.manifest["plates"][0]["signs_turned"] == (sign < 0)


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_units_that_are_not_stated_are_those_of_the_points(kind, tmp_path):
    path = tmp_path / "a.c3d"
    path.write_bytes(plate_file(kind, units=False, depth=-DEPTH))
    check(read_markers(path))


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_plates_are_those_of_ezc3d(kind, tmp_path):
    ezc3d = pytest.importorskip("ezc3d", reason="ezc3d is not installed: it has no wheels for Linux on ARM")
    (tmp_path / "a.c3d").write_bytes(plate_file(kind))
    path = tmp_path / "b.c3d"
    write_c3d(read_markers(tmp_path / "a.c3d"), path)  # with all the parameters that ezc3d asks for
    (plate,) = ezc3d.c3d(str(path), extract_forceplat_data=True)["data"]["platform"]
    rec = read_markers(path)
    loaded = np.isfinite(rec["plate.center_of_pressure"][:, 0, 0])
    assert loaded.sum() > 90
    assert_allclose(rec["plate.force"][:, 0], plate["force"].T, atol=1e-9)
    assert_allclose(rec["plate.center_of_pressure"][loaded, 0], plate["center_of_pressure"].T[loaded] / 1000, atol=1e-9)
    assert_allclose(rec["plate.free_moment"][loaded, 0], plate["Tz"].T[loaded, 2] / 1000, atol=1e-9)


@pytest.mark.parametrize(("kind", "stated"), [(2, "Nm"), (2, "V"), (1, "m"), (4, "matrix"), (2, "Nmm")])
def test_moments_in_another_unit_than_stated_are_mended(kind, stated, tmp_path):
    """The pressure is on the plate in one unit alone; numbers in N m under N mm hold it at the centre."""
    path = tmp_path / "a.c3d"
    data = plate_file(kind)
    if stated in ("Nm", "m"):  # numbers in N mm and mm
        old = b"Nmm" if kind == 2 else b"mm "
        assert data.count(old) >= 2
        data = data.replace(old, stated.encode().ljust(3))
    elif stated == "V":  # numbers in N m, no unit of a moment: those of the points are taken, mm
        data = plate_file(kind, table=channels(2) / ([1.0] * 3 + [1000.0] * 3)).replace(b"Nmm", b"V  ")
    elif stated == "Nmm":
        data = plate_file(kind, table=channels(2) / ([1.0] * 3 + [1000.0] * 3))
    else:
        data = plate_file(kind, rows=1e-3)  # the matrix gives N m
    path.write_bytes(data)
    rec = read_markers(path)
    check(rec, atol=2e-3)
    assert any("force plate 1: its" in note for note in rec.manifest["notes"])
    write_c3d(rec, tmp_path / "b.c3d")
    again = read_markers(tmp_path / "b.c3d")
    check(again, atol=2e-3)
    assert not again.manifest["notes"]


def test_a_plate_with_the_pressure_far_away_is_left_out(tmp_path):
    path = tmp_path / "a.c3d"
    moments = channels(2)
    moments[:, 3:] *= 20.0  # no unit explains it
    path.write_bytes(plate_file(2, table=moments))
    rec = read_markers(path)
    assert "plate.force" not in rec
    assert "analog" in rec
    assert "force plate 1 is left out: the centre of pressure" in rec.manifest["notes"][0]


OFFSET = np.array([3.0, -5.0, 41.0, 900.0, -700.0, 200.0])  # N, N mm of the empty plate


def test_level_of_the_empty_plate_is_taken_off(tmp_path):
    """The first fifth of the trial is empty: samples 1 to 5 of the markers lie in it."""
    path = tmp_path / "a.c3d"
    path.write_bytes(plate_file(2, table=channels(2) + OFFSET, more=[("FORCE_PLATFORM", "ZERO", np.array([1, 5]))]))
    rec = read_markers(path)
    check(rec)
    assert_allclose(rec["analog"][0], OFFSET * ([1.0] * 3 + [1e-3] * 3), rtol=1e-6)  # the channels stay as they are
    assert "samples 1 to 5" in rec.manifest["notes"][0]
    write_c3d(rec.slice(0.1, 0.3), tmp_path / "b.c3d")  # the samples that told the level are gone
    part = read_markers(tmp_path / "b.c3d")
    assert_allclose(part["plate.force"], rec.slice(0.1, 0.3)["plate.force"], atol=2e-3)


@pytest.mark.parametrize("zero", [(1, 0), (150, 160), (1, 30)])
def test_level_of_an_empty_plate_is_found_where_none_is_stated(zero, tmp_path, monkeypatch):
    """The first 0.4 s of 2 s are empty. A plate that reads −18 N then puts the pressure centimetres behind a heel."""
    monkeypatch.setattr(sys.modules[__name__], "SAMPLES", 200)
    for level in (OFFSET, -OFFSET, 4 * OFFSET):
        path = tmp_path / "a.c3d"
        more = [("FORCE_PLATFORM", "ZERO", np.array(zero))]
        path.write_bytes(plate_file(2, table=channels(2) + level, more=more))
        rec = read_markers(path)
        if level[2] < 100 or zero == (1, 30):  # beyond that it must be told
            check(rec)
        assert any("is taken off" in note for note in rec.manifest["notes"]) == (level[2] < 100 or zero == (1, 30))


def test_a_plate_that_carries_somebody_all_the_time_has_no_level(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "SAMPLES", 200)
    stands = channels(2)[SUBFRAMES * 50 :]
    stands = np.concatenate([stands, stands[: SUBFRAMES * 50]])
    (tmp_path / "a.c3d").write_bytes(plate_file(2, table=stands))
    rec = read_markers(tmp_path / "a.c3d")
    assert not rec.manifest["notes"]
    assert rec["plate.force"][..., 2].min() > 500.0


@pytest.mark.parametrize("zero", [(0, 0), (1, 0), (10, 30)])
def test_level_of_a_loaded_plate_is_not_taken_off(zero, tmp_path):
    path = tmp_path / "a.c3d"
    path.write_bytes(plate_file(2, more=[("FORCE_PLATFORM", "ZERO", np.array(zero))]))
    rec = read_markers(path)
    check(rec)
    assert ["loaded then" in note for note in rec.manifest["notes"]] == [True] * (zero == (10, 30))


def test_four_sensors_at_no_distance_are_left_out(tmp_path):
    path = tmp_path / "a.c3d"
    path.write_bytes(plate_file(3, origin=np.zeros((3, 1))))
    assert "plate.force" not in read_markers(path)


def test_turned_plates_say_the_same(tmp_path):
    path = tmp_path / "a.c3d"
    path.write_bytes(plate_file(2))
    rec, turned = read_markers(path), read_markers(path, up="z")
    swap = lambda v: np.stack([v[..., 0], v[..., 2], -v[..., 1]], axis=-1)  # noqa: E731
    for name in ("plate.force", "plate.moment", "plate.center_of_pressure", "markers"):
        assert_allclose(turned[name], swap(rec[name]), atol=1e-12)
    assert_allclose(turned.manifest["plates"][0]["normal"], (0, 1, 0))
    assert_allclose(turned.manifest["plates"][0]["corners"], swap(CORNERS), atol=1e-6)


def test_plates_at_the_rate_of_the_markers(tmp_path):
    path = tmp_path / "a.c3d"
    path.write_bytes(plate_file(2))
    rec = resample_plates(turn(read_markers(path), up="z"), cutoff=None)
    assert rec.channel("plate.force").rate == 100.0
    assert rec.count("plate.force") == SAMPLES
    force = ground_force()[::SUBFRAMES]
    assert_allclose(rec["plate.force"][:, 0, 1], force[:, 2], atol=1e-3)
    loaded = force[:, 2] > 0
    assert_allclose(rec["plate.center_of_pressure"][loaded, 0], np.tile((1.06, 0, -2.11), (loaded.sum(), 1)), atol=1e-5)
    smooth = resample_plates(read_markers(path), cutoff=20.0)
    assert np.ptp(np.diff(smooth["plate.force"][:, 0, 2])) < np.ptp(np.diff(force[:, 2]))


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("units", ["mm", "m", "in"])
def test_plates_written_again(kind, sign, units, tmp_path):
    path = tmp_path / "a.c3d"
    path.write_bytes(plate_file(kind, sign))
    rec = read_markers(path)
    write_c3d(rec, tmp_path / "b.c3d", units=units)
    again = read_markers(tmp_path / "b.c3d")
    check(again)
    for plate, old in zip(again.manifest["plates"], rec.manifest["plates"], strict=True):
        assert plate.keys() == old.keys()
        for key in plate:
            # From one unit to another: twice rounded to 32 bits. Corners are sums of up to 2.3 m.
            assert_allclose(plate[key], old[key], rtol=2.0**-23, atol=2.0**-52)


def test_more_plates_than_one_parameter_holds(tmp_path):
    """227 matrices of 144 bytes are as many as one parameter holds, 255 of the others."""
    path = tmp_path / "a.c3d"
    path.write_bytes(plate_file(4))
    rec = read_markers(path)
    (plate,) = rec.manifest["plates"]
    rec.manifest["plates"] = [
        {**plate, "corners": np.add(plate["corners"], (k, 0, 0)).tolist(), "matrix": (np.eye(6) * (k + 1)).tolist()}
        for k in range(300)
    ]
    write_c3d(rec, tmp_path / "b.c3d")
    plates = read_markers(tmp_path / "b.c3d").manifest["plates"]
    assert_allclose(
        [p["corners"] for p in plates], [p["corners"] for p in rec.manifest["plates"]], rtol=2.0**-24, atol=0
    )
    assert_allclose([p["matrix"] for p in plates], [p["matrix"] for p in rec.manifest["plates"]], rtol=2.0**-23)


def test_incomplete_plates_are_left_out_with_a_note(tmp_path):
    path = tmp_path / "a.c3d"
    data = plate_file(2).replace(b"CORNERS", b"CORMERS")
    path.write_bytes(data)
    rec = read_markers(path)
    assert "plate.force" not in rec
    assert "left out" in rec.manifest["notes"][-1]
    assert "analog" in rec
    with pytest.raises(InputError, match="no force plate"):
        resample_plates(rec)


def test_centre_of_pressure_of_an_inclined_plate():
    n = np.array([0.6, 0.8, 0.0])
    arm, force = np.array([[0.08, -0.06, 0.3]]), np.array([[10.0, 300.0, -20.0]])
    assert_allclose(arm @ n, 0, atol=1e-15)
    point, free = center_of_pressure(np.cross(arm, force) + 2.0 * n, force, np.array([1.0, 0, 0]), n)
    assert_allclose(point, arm + np.array([1.0, 0, 0]), atol=1e-12)
    assert_allclose(free, 2.0, rtol=1e-12)


def test_filter_of_channels_at_another_rate(tmp_path):
    path = tmp_path / "a.c3d"
    path.write_bytes(plate_file(2))
    rec = low_pass(read_markers(path), 30.0, names=["plate.force"])
    assert rec.count("plate.force") == SAMPLES * SUBFRAMES
