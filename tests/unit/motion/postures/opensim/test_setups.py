"""Set-up files of OpenSim: external loads, weights and tasks of inverse kinematics, scaling."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from motiform import FigureBuilder, joints, reconstruct
from motiform.base.errors import InputError
from motiform.motion.figures import human36
from motiform.motion.postures import Fit, scale_figure
from motiform.motion.postures.dynamics.efforts import efforts
from motiform.motion.postures.opensim.ik import read_ik_setup
from motiform.motion.postures.opensim.loads import add_forces, read_external_loads
from motiform.motion.postures.opensim.scaling import read_scale_setup, scale_by_setup
from motiform.motion.tree import centers_of_mass, tags
from motiform.record import Channel, Recording


def document(path, inner):
    path.write_text(f'<OpenSimDocument Version="40000">{inner}</OpenSimDocument>', "utf-8")
    return path


def markers(figure, q, rate=100.0, start=0.0):
    points = tags(figure, q)
    channel = Channel("markers", unit="m", dims=("marker", "axis"), shape=points.shape[1:], rate=rate, start=start)
    manifest = {"labels": {"marker": list(figure.tag_names)}, "up": "y", "gravity": [0, -9.81, 0]}
    return Recording.from_arrays({"markers": (channel, points)}, manifest=manifest)


# ---- external loads
FORCE, POINT, TORQUE = np.array([10.0, 600.0, -20.0]), np.array([0.1, 0.0, 0.2]), np.array([0.0, 3.0, 0.0])


def table(path, heads, values, samples=30):
    rows = [f"{k / 100:.2f}\t" + "\t".join(repr(float(x)) for x in values) for k in range(samples)]
    text = ["forces", f"nRows={samples}", f"nColumns={len(heads) + 1}", "endheader", "\t".join(["time", *heads]), *rows]
    path.write_text("\n".join(text) + "\n", "utf-8")


def heads(force, point, torque):
    return [start + axis for start in (force, point, torque) for axis in "xyz"]


def loads_file(folder, body="right_foot", more=""):
    table(folder / "grf.mot", heads("f1_v", "f1_p", "f1_m"), np.concatenate([FORCE, POINT, TORQUE]).tolist())
    elements = {"force_identifier": "f1_v", "point_identifier": "f1_p", "torque_identifier": "f1_m"}
    elements |= {"applied_to_body": body, "force_expressed_in_body": "ground", "point_expressed_in_body": "ground"}
    force = "".join(f"<{key}>{value}</{key}>" for key, value in elements.items())
    inner = f"<objects><ExternalForce name='f'>{force}{more}</ExternalForce></objects><datafile>grf.mot</datafile>"
    return document(folder / "loads.xml", f"<ExternalLoads name='e'>{inner}</ExternalLoads>")


def test_external_loads_are_plates_that_know_their_segment(tmp_path):
    rec = read_external_loads(loads_file(tmp_path))
    assert rec.channel("plate.force").rate == 100.0
    assert_allclose(rec["plate.force"], np.tile(FORCE, (30, 1, 1)))
    assert_allclose(rec["plate.moment"], np.tile(TORQUE + np.cross(POINT, FORCE), (30, 1, 1)), rtol=1e-15)
    assert_allclose(rec["plate.center_of_pressure"], np.tile(POINT, (30, 1, 1)))
    assert_allclose(rec["plate.free_moment"], 3.0)
    assert rec.manifest["plates"][0]["segment"] == "right_foot"


@pytest.mark.parametrize(
    ("force", "torque"), [("ground_force_", "ground_torque_"), ("1_ground_force_", "1_ground_torque_")]
)
def test_a_table_of_forces_alone(force, torque, tmp_path):
    table(tmp_path / "a.mot", heads(f"{force}v", f"{force}p", torque), np.concatenate([FORCE, POINT, TORQUE]).tolist())
    rec = read_external_loads(tmp_path / "a.mot")
    assert_allclose(rec["plate.moment"], np.tile(TORQUE + np.cross(POINT, FORCE), (30, 1, 1)), rtol=1e-15)
    assert "segment" not in rec.manifest["plates"][0]


def test_forces_that_carry_a_body_leave_no_residual(tmp_path):
    """A body at rest under its weight at the place under its centre of mass, as external loads put it on one foot."""
    body = human36(1.8, 70.0)
    q = np.tile(body.neutral(), (30, 1))
    weight, center = body.mass * 9.81, centers_of_mass(body, q[0])[-1]
    path = loads_file(tmp_path)
    table(tmp_path / "grf.mot", heads("f1_v", "f1_p", "f1_m"), [0, weight, 0, center[0], 0, center[2], 0, 0, 0])
    both = add_forces(markers(body, q), read_external_loads(path))
    zero = np.zeros((30, body.nv))
    found = efforts(body, both.time("markers"), q, zero, zero, both, cutoff=None)
    assert found.assignment.feet[0].name == "right_foot"
    assert np.abs(found.residual).max() < 1e-9 * weight  # rounding
    assert_allclose(found.external[:, body.index("right_foot"), 4], weight)


def test_forces_are_refused_where_they_say_nothing(tmp_path):
    path = loads_file(tmp_path)
    right = path.read_text()
    for old, new, words in (
        (">ground<", ">pelvis<", "expressed in the ground"),
        ("f1_p", "f2_p", "columns of the load"),
    ):
        path.write_text(right.replace(old, new))
        with pytest.raises(InputError, match=words):
            read_external_loads(path)
    body = human36(1.8, 70.0)
    late = markers(body, np.tile(body.neutral(), (5, 1)), start=9.0)
    with pytest.raises(InputError, match="a time in common"):
        add_forces(late, read_external_loads(loads_file(tmp_path)))
    rec = add_forces(markers(body, np.tile(body.neutral(), (5, 1))), read_external_loads(loads_file(tmp_path, "hoof")))
    with pytest.raises(InputError, match="segments of the figure"):
        reconstruct(body, rec)


def test_plates_of_another_file(tmp_path):
    body = human36(1.8, 70.0)
    rec = markers(body, np.tile(body.neutral(), (30, 1)))
    plated = add_forces(rec, read_external_loads(loads_file(tmp_path)))
    again = add_forces(rec, plated)
    assert_allclose(again["plate.moment"], plated["plate.moment"])
    with pytest.raises(InputError, match="no force plate"):
        add_forces(plated, rec)


# ---- inverse kinematics
def arm():
    b = FigureBuilder(name="arm")
    b.segment("upper", None, joints.revolute((0, 0, 1), name="shoulder"), mass=1.0, com=(0, -0.2, 0))
    b.segment("lower", "upper", joints.revolute((0, 0, 1), name="elbow"), placement=_at(0, -0.4, 0), mass=1.0)
    for name, segment, y in (("a", "upper", -0.2), ("b", "upper", -0.4), ("c", "lower", -0.2), ("d", "lower", -0.4)):
        b.tag(name, segment, (0.03, y, 0.01))
    return b.build()


def _at(*point):
    from motiform.spatial import Transform

    return Transform(np.eye(3), np.array(point, float))


IK = """<InverseKinematicsTool><model_file>arm.osim</model_file><marker_file>walk.trc</marker_file>
<time_range>0 2</time_range><IKTaskSet><objects>
<IKMarkerTask name="a"><apply>true</apply><weight>2</weight></IKMarkerTask>
<IKMarkerTask name="b"><apply>false</apply><weight>5</weight></IKMarkerTask>
<IKMarkerTask name="d"><weight>1</weight></IKMarkerTask>
<IKCoordinateTask name="elbow"><apply>true</apply><weight>0.05</weight><value_type>manual_value</value_type>
<value>0.4</value></IKCoordinateTask>
<IKCoordinateTask name="locked"><apply>true</apply><weight>9</weight></IKCoordinateTask>
<IKCoordinateTask name="shoulder"><apply>false</apply><weight>9</weight></IKCoordinateTask>
</objects></IKTaskSet></InverseKinematicsTool>"""


def test_an_ik_setup(tmp_path):
    setup = read_ik_setup(document(tmp_path / "ik.xml", IK))
    assert setup.weights == {"a": 2.0, "b": 0.0, "d": 1.0}
    assert setup.coordinates == {"elbow": (0.4, 0.05), "locked": (None, 9.0)}
    assert (setup.model, setup.markers, setup.times) == (tmp_path / "arm.osim", tmp_path / "walk.trc", (0.0, 2.0))
    options = setup.options(arm())
    assert options == {"weights": {"a": 2.0, "b": 0.0, "c": 0.0, "d": 1.0}, "tasks": {"elbow": (0.4, 0.05)}}


def test_weights_and_tasks_give_the_least_sum_of_squares(tmp_path):
    """Against SciPy's minimum of the sum that OpenSim documents: Σ w |x − m|² + Σ w (q − value)²."""
    from scipy.optimize import minimize

    figure = arm()
    options = read_ik_setup(document(tmp_path / "ik.xml", IK)).options(figure)
    rng = np.random.default_rng(3)
    rec = markers(figure, rng.uniform(-0.5, 1.0, (5, 2)))
    points = np.array(rec["markers"]) + 0.01 * rng.normal(size=rec["markers"].shape)
    rec = Recording.from_arrays({"markers": (rec.channel("markers"), points)}, manifest=rec.manifest)
    found = reconstruct(figure, rec, fit=Fit(swaps=False, **options))["q"]
    w = np.array(list(options["weights"].values()))
    for q, m in zip(found, points, strict=True):
        cost = lambda x: w @ ((tags(figure, x) - m) ** 2).sum(-1) + 0.05 * (x[1] - 0.4) ** 2  # noqa: B023, E731
        best = minimize(cost, q, method="BFGS", options={"gtol": 1e-10})
        assert_allclose(q, best.x, atol=1e-6)  # BFGS by differences ends within 1e-8 of a sum of 1e-2
    held = reconstruct(figure, rec, fit=Fit(swaps=False, tasks={"elbow": (0.4, 1e6)}))["q"]
    assert_allclose(held[:, 1], 0.4, atol=1e-6)


def test_tasks_must_be_of_coordinates():
    figure = arm()
    rec = markers(figure, np.zeros((3, 2)))
    with pytest.raises(InputError, match=r"tasks must be of coordinates .*elbow"):
        reconstruct(figure, rec, fit=Fit(tasks={"elbo": (0.0, 1.0)}))
    with pytest.raises(InputError, match="a value and a weight"):
        reconstruct(figure, rec, fit=Fit(tasks={"elbow": (0.0, -1.0)}))


# ---- scaling
SCALE = """<ScaleTool><mass>3.5</mass><GenericModelMaker><model_file>arm.osim</model_file></GenericModelMaker>
<ModelScaler><apply>true</apply><scaling_order>measurements manualScale</scaling_order><MeasurementSet><objects>
<Measurement name="upper"><apply>true</apply>
<MarkerPairSet><objects><MarkerPair><markers>a b</markers></MarkerPair></objects></MarkerPairSet>
<BodyScaleSet><objects><BodyScale name="upper"><axes>X Y Z</axes></BodyScale></objects></BodyScaleSet></Measurement>
<Measurement name="off"><apply>false</apply></Measurement></objects></MeasurementSet>
<ScaleSet><objects><Scale><scales>1 1.1 1</scales><segment>lower</segment><apply>true</apply></Scale></objects>
</ScaleSet>
<marker_file>static.trc</marker_file><time_range>0 0.2</time_range>
<preserve_mass_distribution>true</preserve_mass_distribution></ModelScaler>{0}</ScaleTool>"""
PLACER = """<MarkerPlacer><apply>true</apply><time_range>0 0.1</time_range><IKTaskSet><objects>
<IKMarkerTask name="b"><weight>1</weight></IKMarkerTask><IKMarkerTask name="d"><weight>1</weight></IKMarkerTask>
</objects></IKTaskSet></MarkerPlacer>"""


def test_a_figure_is_scaled_by_distances_and_by_factors(tmp_path):
    generic = arm()
    subject = scale_figure(generic, {"upper": 1.2, "lower": (1.0, 1.1, 1.0)}, mass=3.5)
    setup = read_scale_setup(document(tmp_path / "scale.xml", SCALE.format("")))
    assert setup.model == tmp_path / "arm.osim"
    found = scale_by_setup(generic, setup, markers(subject, np.tile([0.3, 0.5], (30, 1))))
    assert found.mass == pytest.approx(3.5)
    q = np.array([0.4, -0.2])
    assert_allclose(tags(found, q), tags(subject, q), atol=1e-12)
    with pytest.raises(InputError, match="needs a standing trial"):
        scale_by_setup(generic, setup)
    more = SCALE.format("").replace("<segment>lower", "<segment>patella")
    short = scale_by_setup(
        generic,
        read_scale_setup(document(tmp_path / "scale.xml", more)),
        markers(subject, np.tile([0.3, 0.5], (30, 1))),
    )
    assert "no segments patella" in short.notes[-1]
    assert_allclose(tags(short, q)[:2], tags(subject, q)[:2], atol=1e-12)


def test_tags_are_moved_to_the_markers(tmp_path):
    """Two tags tell the posture; the others go to where their markers are in it."""
    generic = arm()
    subject = scale_figure(generic, {"upper": 1.2, "lower": (1.0, 1.1, 1.0)}, mass=3.5)
    from dataclasses import replace

    # a and b keep their distance, so that the factor of the measurement stays 1.2
    shift = np.array([0.01, 0.0, -0.02])
    moved = subject.replace(
        tags=tuple(replace(t, point=tuple(np.add(t.point, shift))) if t.name == "c" else t for t in subject.tags)
    )
    setup = read_scale_setup(document(tmp_path / "scale.xml", SCALE.format(PLACER)))
    found = scale_by_setup(generic, setup, markers(moved, np.tile([0.3, 0.5], (30, 1))))
    for name in "abcd":
        k = generic.tag_names.index(name)
        assert_allclose(found.tags[k].point, moved.tags[k].point, atol=1e-9)
