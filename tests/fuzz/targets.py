"""What is fuzzed: each target makes its own corpus, and takes one case from a generator of random numbers."""

import copy
import random
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from fuzz.mutations import ODD_NUMBERS, ODD_TEXTS, mutate_bytes, mutate_value, odd_value

# ruff: noqa: E501, small files that have everything
from motiform.record import Channel, Recorder, Recording, open_recording

Case = Callable[[random.Random, Path], None]


# ---------------------------------------------------------------- files that are read
@cache
def markers() -> dict[str, bytes]:
    """Write files of markers of every format that is written."""
    from motiform.measure import write_markers
    from motiform.measure.markers.register import FORMATS

    places = np.random.default_rng(0).normal(size=(12, 3, 3))
    places[4:6, 1] = np.nan
    channel = Channel("markers", unit="m", dims=("marker", "axis"), shape=(3, 3), rate=100.0)
    analog = Channel("analog", unit="V", dims=("analog",), shape=(2,), rate=200.0)
    rec = Recording.from_arrays(
        {"markers": (channel, places), "analog": (analog, np.ones((24, 2)))},
        manifest={"labels": {"marker": ["a", "b", "c"], "analog": ["f", "g"]}, "up": "y"},
    )
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for form in FORMATS.values():
            if form.write:
                path = Path(folder) / f"seed{form.endings[0]}"
                write_markers(rec, path)
                found[path.name] = path.read_bytes()
    return found


URDF = b"""<robot name="r"><link name="a"><inertial><origin xyz="0 0 0.1" rpy="0 0 0"/><mass value="1"/><inertia ixx="1"
 iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><box size="1 1 1"/></geometry></collision></link>
<link name="b"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="1 0 0" rpy="0 1 0"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
MJCF = b"""<mujoco><compiler angle="degree"/><option gravity="0 0 -9.81"/><worldbody><geom type="plane" size="1 1 1"/>
<body name="a" pos="0 0 1" euler="0 0 30"><freejoint/><geom type="capsule" size="0.1 0.2" density="1000"/><body pos="0.2 0 0">
<joint name="h" type="hinge" axis="0 1 0" range="-45 45" damping="1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
</body></body></worldbody><actuator><motor joint="h" gear="2"/></actuator></mujoco>"""
BVH = b"""HIERARCHY
ROOT hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT knee
  {
    OFFSET 0 -4 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 -4 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.01
0 1 0 10 20 30 1 2 3
0 1 0 11 21 31 2 3 4
"""
STO = b"motion\nversion=1\nnRows=2\nnColumns=3\ninDegrees=yes\nendheader\ntime\thip\tknee\n0\t1\t2\n0.01\t1.5\t2.5\n"
CSV = b'time [s],x [m],"a, b [mm]"\n0,1,2\n0.1,1.5,2.5\n0.2,2,3\n'
OBJ = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
PLY = b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n" \
      b"property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"  # fmt: skip
STL = b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n"


def _osim() -> bytes:
    """Write a model with kinds of joints, a marker, a coupling and a muscle."""
    import osim_texts as osim

    muscle = """<ForceSet><objects><Thelen2003Muscle name="m"><GeometryPath><PathPointSet><objects>
<PathPoint name="a"><socket_parent_frame>/ground</socket_parent_frame><location>0.1 0.2 0</location></PathPoint>
<PathPoint name="b"><socket_parent_frame>/bodyset/thigh</socket_parent_frame><location>0.05 -0.1 0</location></PathPoint>
</objects></PathPointSet></GeometryPath><max_isometric_force>1000</max_isometric_force>
<optimal_fiber_length>0.2</optimal_fiber_length><tendon_slack_length>0.1</tendon_slack_length>
<pennation_angle_at_optimal>0.1</pennation_angle_at_optimal></Thelen2003Muscle></objects></ForceSet>"""
    return osim.model(more=muscle + osim.coupler()).encode()


def _written(write: Callable[[Path], object], name: str) -> bytes:
    """Return what is written to a file of this name."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / name)
        return (Path(folder) / name).read_bytes()


@cache
def _volume(name: str) -> bytes:
    from motiform.geometry.maps import Grid
    from motiform.measure import Volume, write_volume

    volume = Volume(
        np.arange(60.0).reshape(3, 4, 5), Grid(origin=np.zeros(3), spacing=np.full(3, 1e-3), shape=(3, 4, 5))
    )
    return _written(lambda path: write_volume(volume, path), name)


@cache
def _tiff() -> bytes:
    import SimpleITK

    image = SimpleITK.GetImageFromArray(np.arange(60, dtype=np.uint16).reshape(3, 4, 5))
    return _written(lambda path: SimpleITK.WriteImage(image, str(path)), "a.tif")


@cache
def _dicom(at: float = 0.0) -> bytes:
    import SimpleITK

    image = SimpleITK.GetImageFromArray(np.arange(20, dtype=np.int16).reshape(1, 4, 5))
    image.SetOrigin((0.0, 0.0, at))
    writer = SimpleITK.ImageFileWriter()
    writer.KeepOriginalImageUIDOn()
    for key, value in {"0008|0060": "CT", "0020|000e": "1.2.3", "0020|000d": "1.2", "0020|0032": f"0\\0\\{at}"}.items():
        image.SetMetaData(key, value)

    def write(path: Path) -> None:
        writer.SetFileName(str(path))
        writer.Execute(image)

    return _written(write, "s.dcm")


def _slices(path: Path) -> object:
    """Read a series of which one slice was changed."""
    import motiform as mf

    folder = path.parent / "series"
    folder.mkdir(exist_ok=True)
    path.rename(folder / "0.dcm")
    for n in (1, 2, 3):
        (folder / f"{n}.dcm").write_bytes(_dicom(float(n)))
    return mf.read_volume(folder)


@cache
def readers() -> list[tuple[str, bytes, Callable[[Path], object]]]:
    """Give the name of a file, its content and what reads it."""
    import motiform as mf
    from motiform.measure.sto import read_sto
    from motiform.motion.tree.read import read_bvh
    from motiform.record import read_csv

    found = [(name, data, mf.read_markers) for name, data in markers().items()]
    models = [("a.urdf", URDF, mf.read_urdf), ("a.xml", MJCF, mf.read_mjcf), ("b.xml", MJCF, mf.read_robot),
              ("a.osim", _osim(), mf.read_osim), ("b.osim", _osim(), mf.read_muscles), ("a.bvh", BVH, lambda path: read_bvh(path, units="cm"))]  # fmt: skip
    tables = [
        ("a.sto", STO, read_sto),
        ("a.csv", CSV, read_csv),
        ("m.csv", CSV.replace(b"x [m]", b"a.x [m],a.y [m],a.z [m]").replace(b",1", b",1,2,3"), mf.read_markers),
    ]
    meshes = [("a.obj", OBJ, mf.read_mesh), ("a.ply", PLY, mf.read_mesh), ("a.stl", STL, mf.read_mesh)]
    volumes = [(name, _volume(name), mf.read_volume) for name in ("a.nii", "a.nii.gz", "a.nrrd", "a.mha")]
    volumes += [("a.tif", _tiff(), lambda path: mf.read_volume(path, spacing=1e-3)), ("s.dcm", _dicom(), _slices)]
    return [*found, *models, *tables, *meshes, *volumes, *_setups(), *_rigs()]


def _setups() -> list[tuple[str, bytes, Callable[[Path], object]]]:
    """Tables and settings of measurements, tasks and wrists."""
    from motiform.cli.wrist_inputs import read_driver
    from motiform.measure import read_correspondence, read_labels, read_seeds, read_subjects
    from motiform.motion.actuation import TaskTrajectory, read_traj3, write_traj3
    from motiform.motion.matter import Automaton
    from motiform.motion.postures import read_ik_setup, read_normative, read_scale_setup
    from motiform.motion.tree.read import read_figure, read_marker_set
    from motiform.trials.trial import read_weights

    rows = b"\n".join(b" ".join(b"%d.5" % (k + n) for k in range(16)) for n in range(3)) + b"\n"
    moved = TaskTrajectory((0.0, 1.0, 2.0), (1, 2), np.arange(10.0).reshape(5, 2))
    bands = b"quantity,percent,mean,sd\n" + b"".join(b"hip,%d,10,2\n" % k for k in (0, 50, 100))
    return [
        ("a.toml", b'unit = "mm"\nside = "left"\n[bones]\nlunate = [[1.0, 2.0, 3.0]]\nradius = [[1, 2, 3], [2, 3, 4]]\n', read_seeds),
        ("s.csv", b"subject,01,02\nheight,1.8,1.6\nmass,70,60\nsex,male,female\nL1,0.2,0.3\n", read_subjects),
        ("c.csv", b"marker,tag\nLASI,left_asis\nRASI,right_asis\n", read_correspondence),
        ("l.nrrd", _volume("l.nrrd"), read_labels),
        ("w.csv", b"a,1\nb,2\n", read_weights),
        ("t.traj3", _written(lambda path: write_traj3(moved, path), "t.traj3"), read_traj3),
        ("d.csv", rows.replace(b" ", b","), read_driver),
        ("n.csv", bands, read_normative),
        ("ik.xml", IK, read_ik_setup),
        ("sc.xml", SCALE, read_scale_setup),
        ("el.xml", LOADS, _loads),
        ("ms.xml", MARKERS, read_marker_set),
        ("f.urdf", URDF, read_figure),
        ("law.txt", LAW, lambda path: Automaton("law", path.read_text("utf-8", "replace"))),
    ]  # fmt: skip


def _loads(path: Path) -> object:
    from motiform.motion.postures import read_external_loads

    columns = [f"{kind}{axis}" for kind in "fpt" for axis in "xyz"]
    (path.parent / "a.mot").write_text(
        "a\nversion=1\nnRows=2\nnColumns=10\ninDegrees=no\nendheader\n" + "\t".join(["time", *columns]) + "\n"
        + "\n".join("\t".join([str(t), *("1",) * 9]) for t in (0.0, 0.1)) + "\n"
    )  # fmt: skip
    return read_external_loads(path)


def _rigs() -> list[tuple[str, bytes, Callable[[Path], object]]]:
    """Skinned meshes, as they are exported, and sequences of meshes."""
    from motiform.form import read_rig

    return [(f"rig.{ending}", data, read_rig) for ending, data in rigs().items()]


@cache
def rigs() -> dict[str, bytes]:
    """Write a mesh with two joints by hand, as text and packed."""
    import base64
    import json
    import struct

    places = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "<f4").tobytes()
    joints, weights = np.zeros((3, 4), "<u1").tobytes(), np.tile(np.array([1, 0, 0, 0], "<f4"), (3, 1)).tobytes()
    inverse, faces = (
        np.tile(np.eye(4, dtype="<f4"), (2, 1, 1)).tobytes(),
        np.arange(3, dtype="<u2").tobytes() + bytes(2),
    )
    parts, views, at = (places, joints, weights, inverse, faces), [], 0
    for part in parts:
        views.append({"buffer": 0, "byteOffset": at, "byteLength": len(part)})
        at += len(part)
    kinds = [(5126, 3, "VEC3"), (5121, 3, "VEC4"), (5126, 3, "VEC4"), (5126, 2, "MAT4"), (5123, 3, "SCALAR")]
    accessors = [{"bufferView": n, "componentType": c, "count": k, "type": t} for n, (c, k, t) in enumerate(kinds)]
    file = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 1]}], "bufferViews": views,
        "nodes": [{"mesh": 0, "skin": 0}, {"name": "hip", "children": [2]}, {"name": "knee", "translation": [0, 1, 0]}],
        "skins": [{"joints": [1, 2], "inverseBindMatrices": 3}], "accessors": accessors,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}, "indices": 4}]}],
    }  # fmt: skip
    data = b"".join(parts)
    packed = json.dumps({**file, "buffers": [{"byteLength": len(data)}]}).encode()
    packed += b" " * (-len(packed) % 4)
    data += bytes(-len(data) % 4)
    head = struct.pack("<III", 0x46546C67, 2, 28 + len(packed) + len(data))
    glb = head + struct.pack("<II", len(packed), 0x4E4F534A) + packed + struct.pack("<II", len(data), 0x4E4942) + data
    uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    text = json.dumps({**file, "buffers": [{"byteLength": len(data), "uri": uri}]}).encode()
    return {"glb": glb, "gltf": text}


IK = b"""<OpenSimDocument Version="30000"><InverseKinematicsTool name="a"><model_file>a.osim</model_file><IKTaskSet><objects>
<IKMarkerTask name="m"><apply>true</apply><weight>2</weight></IKMarkerTask><IKCoordinateTask name="c"><apply>true</apply>
<weight>1</weight><value_type>manual_value</value_type><value>0.5</value></IKCoordinateTask></objects></IKTaskSet>
<marker_file>a.trc</marker_file><time_range>0 1</time_range></InverseKinematicsTool></OpenSimDocument>"""
LOADS = b"""<OpenSimDocument Version="30000"><ExternalLoads name="a"><objects><ExternalForce name="r"><isDisabled>false</isDisabled>
<applied_to_body>calcn_r</applied_to_body><force_expressed_in_body>ground</force_expressed_in_body>
<point_expressed_in_body>ground</point_expressed_in_body><force_identifier>f</force_identifier>
<point_identifier>p</point_identifier></ExternalForce></objects><datafile>a.mot</datafile></ExternalLoads></OpenSimDocument>"""
MARKERS = b"""<OpenSimDocument Version="30000"><MarkerSet name="a"><objects><Marker name="m"><body>pelvis</body>
<location>0.1 0 -0.2</location><fixed>false</fixed></Marker></objects></MarkerSet></OpenSimDocument>"""
LAW = b"""parameters stiffness, damping=0, limit, yield=2*stiffness
memory rest = start
state whole: stiffness, damping, rest
state broken final: free
whole -> broken when d > limit and age > 3
whole -> whole when force > yield: rest = d - yield / stiffness
reach limit
"""
SCALE = b"""<OpenSimDocument Version="30000"><ScaleTool><mass>3.5</mass><GenericModelMaker><model_file>arm.osim</model_file>
</GenericModelMaker><ModelScaler><scaling_order>measurements</scaling_order><MeasurementSet><objects><Measurement name="m">
<apply>true</apply><MarkerPairSet><objects><MarkerPair><markers>a b</markers></MarkerPair></objects></MarkerPairSet><BodyScaleSet>
<objects><BodyScale name="thigh"><axes>X Y Z</axes></BodyScale></objects></BodyScaleSet></Measurement></objects></MeasurementSet>
<marker_file>a.trc</marker_file><time_range>0 1</time_range></ModelScaler></ScaleTool></OpenSimDocument>"""


def read_files(draw: random.Random, folder: Path) -> None:
    """Read a changed file."""
    name, data, read = draw.choice(readers())
    path = folder / name
    path.write_bytes(mutate_bytes(data, draw))
    read(path)


# ---------------------------------------------------------------- scenes
@cache
def scenes() -> dict[str, bytes]:
    """Return the texts of the gallery, made small."""
    from motiform.scene import list_scenes

    return {entry.name: entry.path.read_bytes().replace(b"count = 10000", b"count = 20") for entry in list_scenes()}


def run_scenes(draw: random.Random, folder: Path) -> None:
    """Parse, build and run a changed scene for a few samples."""
    from motiform.motion.run import run_blocks
    from motiform.scene import list_scenes, parse_scene
    from motiform.scene.simulate import KINDS, find_kind

    name = draw.choice(sorted(scenes()))
    text = mutate_bytes(scenes()[name], draw).decode("utf-8", "replace")
    scene = parse_scene(text, name=name, folder=list_scenes()[0].path.parent)
    built = scene.build()
    kind = find_kind(KINDS, built.model, built.arguments)
    options = kind.options(built.model, built.options)
    system = kind.system(built.model, options, **built.arguments)
    if name not in QUICK or options.steps > 100:
        return
    count = 0
    for block in run_blocks(system, None):
        if len(block.states):
            system.observe(np.arange(len(block.states)) / options.rate, block.states)
        count += len(block.states)
        if block.error is not None:
            raise block.error
        if count > 5:
            return


QUICK = ("bouncing", "disk", "handle", "mobile", "pendulum", "thrown", "top")


# ---------------------------------------------------------------- recordings
@cache
def recordings() -> list[Recording]:
    """Make small recordings with every kind of look."""
    from motiform.scene import load_scene, simulate

    found = [simulate(load_scene(name, {"scene.duration": 0.1})) for name in ("handle", "pendulum", "mobile", "cloth")]
    return [_short(rec) for rec in found]


def _short(rec: Recording) -> Recording:
    names = rec.names
    data = {name: (rec.channel(name), rec.read(name, 0, 3)) for name in names}
    return Recording.from_arrays(data, manifest=rec.manifest, statics=dict(rec.statics))


def show_recordings(draw: random.Random, folder: Path) -> None:
    """Dress, draw, plot and export a recording whose manifest was changed."""
    from motiform.form import dress
    from motiform.image import plot_channels
    from motiform.image.cast.raycast import render
    from motiform.image.export import export

    rec = draw.choice(recordings())
    manifest = {key: value for key, value in rec.manifest.items() if key in SHOWN or draw.random() < 0.1}
    manifest = mutate_value(copy.deepcopy(manifest), draw)
    data = {name: (rec.channel(name), rec[name]) for name in rec}
    changed = Recording.from_arrays(data, manifest=manifest, statics=dict(rec.statics)).save(folder / "changed.mf")
    what = draw.random()
    if what < 0.4:
        render(dress(changed), 0, size=(16, 12), samples_per_pixel=1)
    elif what < 0.6:
        export(changed, folder / draw.choice(EXPORTED), overwrite=True)
    elif what < 0.7:
        plot_channels(changed, changed.manifest.get("image", {}).get("plot") or changed.names)
    else:
        dress(changed)


EXPORTED = ("a.glb", "a.x3d", "a.csv", "a.gltf", "a.ply", "a.obj", "a.wav", "a.bvh")
SHOWN = ("form", "image", "links", "title", "labels", "gravity", "up")


@cache
def folder_of_files() -> dict[str, bytes]:
    """Return the files of a recording that can be resumed."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "x.mf"
        recorder = Recorder(path, [Channel("x", unit="m", rate=10.0), Channel("y", dims=("axis",), shape=(3,))],
                            manifest={"title": "t"}, statics={"mesh": np.eye(3)}, chunk_bytes=80)  # fmt: skip
        recorder.append({"x": np.arange(30.0), "y": np.ones((30, 3))}, np.arange(30.0))
        recorder.event(0.5, "mark", k=1)
        recorder.commit({"k": 30, "rng": np.arange(3)}, force=True)
        recorder._sink.release()
        return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}


def _fit_checksums(files: dict[str, bytes], name: str) -> None:
    """Let the checksums of a chunk, the events or the checkpoint be those of its change."""
    import json

    import google_crc32c

    from motiform.record.layout import checksum
    from motiform.record.plain import dump_plain

    data, last = files[name], name.rsplit("/", 1)[-1]
    if last.startswith("c.") and len(data) > 20:
        body = data[:12] + (len(data) - 4).to_bytes(4, "little") + data[16:-4]  # its size is in its head, too
        files[name] = body + google_crc32c.value(body).to_bytes(4, "little")
    if not last.startswith(("checkpoint", "events")):
        return
    commit = json.loads(files["commit.json"])["commit"]
    if last.startswith("checkpoint"):
        commit["checkpoint"] |= {"crc32": checksum(data), "bytes": len(data)}
    else:
        events = {"event_count": len(data.splitlines()), "event_bytes": len(data), "event_crc32": checksum(data)}
        commit["upto"] |= events
        commit["resume"] |= events
    files["commit.json"] = dump_plain({"commit": commit, "crc32": checksum(commit)}).encode()


def open_recordings(draw: random.Random, folder: Path) -> None:
    """Open, read and resume a recording of which a file was changed, also where checksums fit the change."""
    import json

    from motiform.record.layout import checksum
    from motiform.record.plain import dump_plain

    files = dict(folder_of_files())
    name = draw.choice(sorted(files))
    if name in ("commit.json", "zarr.json") and draw.random() < 0.8:
        whole = json.loads(files[name])
        if name == "commit.json":
            body = mutate_value(whole["commit"], draw)
            files[name] = dump_plain({"commit": body, "crc32": checksum(body)}).encode()
        else:
            header = mutate_value(whole["attributes"]["motiform"], draw)
            files[name] = dump_plain({**whole, "attributes": {"motiform": header}}).encode()
            commit = json.loads(files["commit.json"])["commit"] | {"header_crc32": checksum(header)}
            files["commit.json"] = dump_plain({"commit": commit, "crc32": checksum(commit)}).encode()
    else:
        files[name] = mutate_bytes(files[name], draw)
        if draw.random() < 0.8:
            _fit_checksums(files, name)
    path = folder / "x.mf"
    for file, data in files.items():
        (path / file).parent.mkdir(parents=True, exist_ok=True)
        (path / file).write_bytes(data)
    rec = open_recording(path)
    for channel in rec:
        rec[channel], rec.time(channel)
    for static in rec.statics:
        assert rec.statics[static].ndim >= 0
    recorder = Recorder.resume(path, discard=True)
    recorder.close()


# ---------------------------------------------------------------- live runs
@cache
def lives() -> list[object]:
    """Return a network and a screen that are played, without their threads."""
    from motiform.scene import load_scene
    from motiform.studio.control import Instrument
    from motiform.studio.live import LiveNetwork
    from motiform.studio.live_screen import LiveScreen

    matter, screen = load_scene("harp").build(), load_scene("ripples").build()
    live = LiveNetwork(matter.model)
    return [live, LiveScreen(screen.model), Instrument(live.network, live.move)]


def play_live(draw: random.Random, folder: Path) -> None:
    """Send a live run odd places, notes, laws and messages, then let it go on."""
    live, screen, instrument = lives()
    value, other = odd_value(draw, plain=False), odd_value(draw, plain=False)
    acts: list[Callable[[], object]] = [
        lambda: live.move(value), lambda: live.move([value, 0, other]), lambda: live.gesture(value), lambda: live.reset(),
        lambda: screen.press(value, 1.0), lambda: screen.press(0.5, value, below=bool(other)), lambda: screen.lift(),
        lambda: screen.widen(value), lambda: screen.shape(value), lambda: screen.strokes(value),
        lambda: instrument.osc(draw.choice(("/hand", "/hand/x", "/note", "/x")), value, other),
        lambda: instrument.osc("/hand", *draw.choices((value, 0.0, 1.0), k=3)),
        lambda: instrument.osc("/note", value, 0.5),
    ]  # fmt: skip
    try:
        draw.choice(acts)()
    finally:
        draw.choice((live, screen)).advance(2)


# ---------------------------------------------------------------- the command line
@cache
def commands() -> list[list[str]]:
    """Return right command lines; `handle.mf` is a recording."""
    assert folder_of_recording()
    return [
        ["run", "handle.toml", "--set", "scene.seed=3", "--set", "motion.step=1e-3", "--out", "new.mf", "-q"],
        ["list"],
        ["plot", "handle.mf", "handle.position", "--out", "a.svg"],
        ["picture", "handle.mf", "--out", "a.png", "--size", "16x12", "--at", "0.01"],
        ["export", "handle.mf", "--out", "a.glb", "--rate", "50"],
        ["export", "handle.mf", "--out", "a.csv"],
        ["form", "handle.mf", "--out", "b.mf", "--set", "image.speed=0.5"],
        ["reconstruct", "walk.trc", "--out", "made"],
        ["wrist", "bones", "--out", "made", "--flexion", "0:10:5"],
    ]


@cache
def folder_of_recording() -> dict[str, bytes]:
    """Return the files of the recording of a short run, by their paths."""
    from motiform.scene import load_scene, simulate

    with tempfile.TemporaryDirectory() as place:
        simulate(load_scene("handle", {"scene.duration": 0.02}), out=Path(place) / "handle.mf")
        files = [path for path in Path(place).rglob("*") if path.is_file()]
        return {str(path.relative_to(place)): path.read_bytes() for path in files}


def give_commands(draw: random.Random, folder: Path) -> None:
    """Give a command line of which a word was changed, left out, repeated or taken from another."""
    import sys

    from motiform.cli import _run

    for name, data in folder_of_recording().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    (folder / "handle.toml").write_bytes(scenes()["handle"].replace(b"duration = 30", b"duration = 0.02"))
    (folder / "walk.trc").write_bytes(markers()["seed.trc"])
    words = list(draw.choice(commands()))
    for _ in range(draw.choice((1, 1, 2))):
        k = draw.randrange(len(words)) if words else 0
        other = draw.choice(draw.choice(commands()))
        text = draw.choice((other, draw.choice(ODD_TEXTS), draw.choice(ODD_NUMBERS)[:400])).replace("\0", "")
        word = words[k] if words else ""
        head, sign, _ = word.partition("=")
        words[k : k + 1] = draw.choice(([], [word] * 2, [text], [text, word], [f"{head}={text}"] if sign else [text]))
    before, sys.argv = sys.argv, ["motiform", *words]
    try:
        _run()
    except (Exception, SystemExit) as error:
        expected = isinstance(error, OSError | SystemExit) or hasattr(
            error, "show"
        )  # as `motiform.cli.main` tells them
        if not expected:
            raise
    finally:
        sys.argv = before


TARGETS: dict[str, Case] = {
    "files": read_files,
    "scenes": run_scenes,
    "shown": show_recordings,
    "opened": open_recordings,
    "live": play_live,
    "commands": give_commands,
}
"""What is fuzzed, by name."""
CORPORA: dict[str, Callable[[], object]] = {
    "files": readers,
    "scenes": scenes,
    "shown": recordings,
    "opened": folder_of_files,
    "live": lives,
    "commands": commands,
}
"""What makes the right inputs of each."""
SHARES = {"files": 50, "opened": 30, "shown": 9, "scenes": 5, "live": 3, "commands": 3}
"""Cases of each in a hundred: most are of what is cheap."""
