import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from motiform.base.errors import InputError
from motiform.measure import Subject, read_sto, read_subjects, write_sto, write_subjects
from motiform.measure.subjects import HUMAN36_TAGS
from motiform.record import Channel, Recording

NAMES = ["hip_flexion_r", "pelvis_tx", "knee_angle_r"]


def coordinates():
    values = np.random.default_rng(0).normal(size=(20, 3))
    channel = Channel("q", dims=("coordinate",), shape=(3,), rate=50.0, start=0.2)
    return Recording.from_arrays({"q": (channel, values)}, manifest={"labels": {"coordinate": NAMES}}), values


@pytest.mark.parametrize("degrees", [True, False])
def test_sto_round_trip(degrees, tmp_path):
    rec, values = coordinates()
    write_sto(rec, tmp_path / "a.sto", degrees=degrees)
    again = read_sto(tmp_path / "a.sto")
    assert again.names == NAMES
    for k, name in enumerate(NAMES):
        assert_allclose(again[name], values[:, k], rtol=1e-15)
        assert again.channel(name).rate == 50.0
        assert again.time(name)[0] == 0.2
    assert again.manifest["in_degrees"] == degrees
    text = (tmp_path / "a.sto").read_text()
    assert f"inDegrees={'yes' if degrees else 'no'}" in text
    row = text.split("endheader\n")[1].split("\n")[1].split("\t")
    assert float(row[1]) == pytest.approx(np.rad2deg(values[0, 0]) if degrees else values[0, 0])
    assert float(row[2]) == values[0, 1]  # a length stays


def test_other_columns(tmp_path):
    force = Channel("force", unit="N", dims=("axis",), shape=(3,), rate=10.0)
    angle = Channel("angle", unit="rad", rate=10.0)
    rec = Recording.from_arrays({"force": (force, np.ones((4, 3))), "angle": (angle, np.full(4, np.pi))})
    write_sto(rec, tmp_path / "a.mot", degrees=True)
    lines = (tmp_path / "a.mot").read_text().split("\n")
    assert lines[6] == "time\tforce_x\tforce_y\tforce_z\tangle"
    assert lines[7] == "0.0\t1.0\t1.0\t1.0\t180.0"
    assert_allclose(read_sto(tmp_path / "a.mot", rotations=["angle"])["angle"], np.pi)
    with pytest.raises(InputError, match="exists already"):
        write_sto(rec, tmp_path / "a.mot")
    with pytest.raises(InputError, match="no such column"):
        read_sto(tmp_path / "a.mot", rotations=["knee"])


def test_old_mot_header_spaces_and_uneven_times(tmp_path):
    path = tmp_path / "a.mot"
    path.write_text(
        "walk\nnRows=3\nnColumns=2\ninDegrees = yes\nendheader\r\n\n time   knee_angle_r\n 0 90\n 0.1 45\n 0.5 0\n"
    )
    rec = read_sto(path)
    assert_allclose(rec["knee_angle_r"], [np.pi / 2, np.pi / 4, 0.0])
    assert rec.channel("knee_angle_r").rate is None
    assert rec.time("knee_angle_r").tolist() == [0.0, 0.1, 0.5]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("time\ta\n0\t1\n", "endheader"),
        ("endheader\na\tb\n0\t1\n", "not the time"),
        ("endheader\ntime\ta\ta\n0\t1\t2\n", "different names"),
        ("endheader\ntime\ta\n0\tx\n", "a.sto:3"),
        ("endheader\ntime\ta\nnan\t1\n1\t1\n", "time"),
    ],
)
def test_broken_sto(text, words, tmp_path):
    path = tmp_path / "a.sto"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        read_sto(path)


ANNA = Subject(
    "01", {"L5": 0.4311, "L13": 0.1 + 0.2}, {"r_digit2": (0.21, -0.04, 1 / 3)}, height=1.7, mass=60.5, sex="female"
)
BOB = Subject("02", {"L5": 0.45}, {"vertex": (0.0, 0.24, 0.0)})


def test_subjects_round_trip(tmp_path):
    write_subjects([ANNA, BOB], tmp_path / "a.csv")
    again = read_subjects(tmp_path / "a.csv")
    assert again == {"01": ANNA, "02": BOB}
    again["03"] = Subject("03", {"L1": 0.3})
    with pytest.raises(InputError, match="exists already"):
        write_subjects(again, tmp_path / "a.csv")
    write_subjects(again, tmp_path / "a.csv", overwrite=True)
    assert read_subjects(tmp_path / "a.csv") == again


def test_subjects_make_figures():
    from motiform.motion.figures import human36
    from motiform.motion.figures.human36_table import TAGS

    assert HUMAN36_TAGS == TAGS
    figure = human36(**ANNA.measures)
    assert figure.recipe.all_lengths()["L5"] == 0.4311
    assert figure.recipe.all_tags()["r_digit2"][1] == (0.21, -0.04, 1 / 3)
    assert human36(**BOB.measures).recipe.body_height == human36().recipe.body_height


def test_units_of_rows_and_other_names(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(
        "subject;A;B\nsize (cm);170;\nL(5) [cm];43;44\nx r_digit2 [mm];1;\ny r_digit2 [mm];2;\nz r_digit2 [mm];3;\n"
    )
    a, b = read_subjects(path).values()
    assert (a.height, a.lengths["L5"]) == (pytest.approx(1.7), pytest.approx(0.43))
    assert_allclose(a.tags["r_digit2"], (0.001, 0.002, 0.003))
    assert (b.height, dict(b.tags)) == (None, {})


def test_numbers_alone_as_in_the_seed(tmp_path):
    numbers = np.random.default_rng(0).uniform(0.1, 0.5, (31 + 84, 2))
    lines = ["1,1001", *(",".join(map(repr, row)) for row in numbers.tolist())]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(lines))
    found = read_subjects(path)
    assert list(found) == ["1", "1001"]
    assert found["1001"].lengths["L31"] == numbers[30, 1]
    assert_array_equal(found["1"].tags["vertex"], numbers[-3:, 0])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("subject,A,A\nL1,1,2\n", "every subject must have a name of its own"),
        ("subject,A\nL1,x\n", "a.csv:2"),
        ("subject,A\nL1,nan\n", "a.csv:2"),
        ("subject,A\nnose,1\n", "nose"),
        ("subject,A\nvertex.x,1\nvertex.y,1\n", "vertex"),
        ("1,2\n3,4\n", "32 or 116"),
    ],
)
def test_broken_subjects(text, words, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        read_subjects(path)
    with pytest.raises(InputError, match="no such file"):
        read_subjects(tmp_path / "none.csv")


def test_units_of_numbers_tell_what_turns(tmp_path):
    """A shift whose name does not look like one, and the parts of a quaternion, are no angles."""
    channel = Channel("q", dims=("coordinate",), shape=(4,), rate=50.0, units=("rad", "m", "", "rad"))
    labels = {"coordinate": ["knee", "pelvis_forward", "ball.qw", "pelvis_tx"]}
    rec = Recording.from_arrays({"q": (channel, np.ones((3, 4)))}, manifest={"labels": labels})
    write_sto(rec, tmp_path / "a.mot", degrees=True)
    back = read_sto(tmp_path / "a.mot", rotations=[])
    assert_allclose([back[name][0] for name in back], [180 / np.pi, 1, 1, 180 / np.pi], rtol=1e-15)
