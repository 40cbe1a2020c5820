"""What is fuzzed: each target makes its own corpus, and takes one case from a generator of random numbers."""

import copy
import inspect
import random
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from fuzz.mutations import mutate_bytes, mutate_value, odd_value

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
    import osim_texts

    found = [text for text in vars(osim_texts).values() if isinstance(text, str) and "<OpenSimDocument" in text]
    return max(found, key=len).encode() if found else b"<OpenSimDocument><Model/></OpenSimDocument>"


@cache
def readers() -> list[tuple[str, bytes, Callable[[Path], object]]]:
    """Give the name of a file, its content and what reads it."""
    import motiform as mf
    from motiform.measure.sto import read_sto
    from motiform.motion.tree.read import read_bvh
    from motiform.record import read_csv

    found = [(name, data, mf.read_markers) for name, data in markers().items()]
    models = [("a.urdf", URDF, mf.read_urdf), ("a.xml", MJCF, mf.read_mjcf), ("b.xml", MJCF, mf.read_robot),
              ("a.osim", _osim(), mf.read_osim), ("b.osim", _osim(), mf.read_muscles), ("a.bvh", BVH, read_bvh)]  # fmt: skip
    tables = [("a.sto", STO, read_sto), ("a.csv", CSV, read_csv), ("m.csv", CSV, mf.read_markers)]
    meshes = [("a.obj", OBJ, mf.read_mesh), ("a.ply", PLY, mf.read_mesh), ("a.stl", STL, mf.read_mesh)]
    volumes = [("a.nii", bytes(352) + bytes(64), mf.read_volume), ("a.nrrd", _nrrd(), mf.read_volume)]
    return [*found, *models, *tables, *meshes, *volumes]


def _nrrd() -> bytes:
    head = (
        "NRRD0004\ntype: short\ndimension: 3\nsizes: 2 2 2\nspace directions: (1,0,0) (0,1,0) (0,0,1)\nencoding: raw\n"
    )
    return (head + "space origin: (0,0,0)\nendian: little\n\n").encode() + bytes(16)


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
    for block in system.blocks(None):
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
    changed = Recording.from_arrays(data, manifest=manifest, statics=dict(rec.statics))
    what = draw.random()
    if what < 0.4:
        render(dress(changed), 0, size=(16, 12), samples_per_pixel=1)
    elif what < 0.6:
        export(changed, folder / draw.choice(("a.glb", "a.x3d", "a.csv", "a.gltf")), overwrite=True)
    elif what < 0.7:
        plot_channels(changed, (changed.manifest.get("image") or {}).get("plot"))
    else:
        dress(changed)


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
    path = folder / "x.mf"
    for file, data in files.items():
        (path / file).parent.mkdir(parents=True, exist_ok=True)
        (path / file).write_bytes(data)
    rec = open_recording(path)
    for channel in rec:
        rec[channel], rec.time(channel)
    assert [rec.statics[static].shape for static in rec.statics]
    recorder = Recorder.resume(path, discard=True)
    recorder.close()


# ---------------------------------------------------------------- Python
@cache
def functions() -> list[tuple[Callable[..., object], dict[str, object]]]:
    """Give public functions with arguments that are right."""
    import motiform as mf
    from motiform.motion.figures import human36
    from motiform.motion.matter import links, topology
    from motiform.spatial import Transform

    builder = mf.FigureBuilder(name="arm")
    builder.segment("arm", None, mf.joints.revolute((0, 0, 1)), mass=1.0, com=(0, -0.2, 0), inertia=np.eye(3))
    builder.tag("tip", "arm", (0, -0.4, 0))
    arm, rec = builder.build(), recordings()[0]
    q, v = np.zeros(arm.nq), np.zeros(arm.nv)
    return [
        (mf.simulate, {"what": arm, "t1": 0.02, "rate": 100.0, "q0": q, "v0": v, "step": 1e-3, "integrator": "rk4"}),
        (mf.inverse_dynamics, {"figure": arm, "q": q, "v": v, "a": v}),
        (mf.forward_dynamics, {"figure": arm, "q": q, "v": v, "tau": v}),
        (mf.inertia_matrix, {"figure": arm, "q": q}),
        (mf.tags, {"figure": arm, "q": q}),
        (mf.centers_of_mass, {"figure": arm, "q": q}),
        (mf.virtual_markers, {"figure": arm, "q": np.zeros((3, 1)), "rate": 50.0}),
        (mf.resample, {"rec": rec, "rate": 10.0}),
        (mf.compare, {"a": rec, "b": rec}),
        (mf.dress, {"recording": rec}),
        (mf.load_scene, {"source": "handle", "settings": {"motion.step": 1e-3}}),
        (Channel, {"name": "x", "unit": "m", "dims": ("a",), "shape": (3,), "rate": 1.0, "start": 0.0}),
        (Transform, {"rotation": np.eye(3), "translation": np.zeros(3)}),
        (human36, {"height": 1.8, "mass": 70.0}),
        (links.spring, {"stiffness": 1.0, "damping": 0.1, "rest": 0.2}),
        (topology.ring_positions, {"radius": 1.0, "count": 5, "center": (0, 0, 0), "axis": (0, 1, 0)}),
        (topology.block_positions, {"shape": (2, 2), "spacing": 0.1, "at": (0, 0, 0)}),
        (topology.near, {"points": np.arange(3), "positions": np.eye(3), "distance": 1.0}),
        (mf.joints.revolute, {"axis": (0, 0, 1)}),
        (rec.slice, {"t0": 0.0, "t1": 0.1}),
        (rec.read, {"name": rec.names[0], "first": 0, "last": 2}),
    ]


def call_functions(draw: random.Random, folder: Path) -> None:
    """Call a public function with an odd argument."""
    function, given = draw.choice(functions())
    known = set(inspect.signature(function).parameters)
    arguments = {key: value for key, value in given.items() if key in known}
    for key in draw.sample(sorted(arguments), draw.choice((1, 1, 2)) if len(arguments) > 1 else 1):
        arguments[key] = odd_value(draw, plain=False)
    function(**arguments)


TARGETS: dict[str, Case] = {
    "files": read_files,
    "scenes": run_scenes,
    "shown": show_recordings,
    "opened": open_recordings,
    "calls": call_functions,
}
