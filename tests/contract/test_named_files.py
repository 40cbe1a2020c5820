"""Files that other files name: every reader finds them inside its folder, plain and bounded, or refuses them."""

import json
import os
import signal
from pathlib import Path

import numpy as np
import pytest

import motiform as mf
from motiform.base import files
from motiform.base.errors import InputError
from motiform.base.files import named_file
from motiform.geometry import Mesh, read_mesh, write_mesh
from motiform.measure import read_volume
from motiform.motion.postures.opensim.loads import read_external_loads
from motiform.motion.tree.read import read_mjcf, read_osim, read_urdf

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
META = ("ObjectType = Image\nNDims = 3\nDimSize = 4 5 6\nElementSpacing = 1 1 1\nElementType = MET_UCHAR\n"
        "ElementDataFile = {}\n")  # fmt: skip
NRRD = ("NRRD0004\n# made by hand\ntype: uint8\ndimension: 3\nspace: left-posterior-superior\nsizes: 4 5 6\n"
        "space directions: (1,0,0) (0,1,0) (0,0,1)\nencoding: raw\n{}\n")  # fmt: skip
LOADS = """<OpenSimDocument Version="40000"><ExternalLoads name="l"><objects><ExternalForce name="f">
<applied_to_body>calcn</applied_to_body><force_identifier>f_v</force_identifier><point_identifier>f_p</point_identifier>
</ExternalForce></objects><datafile>{}</datafile></ExternalLoads></OpenSimDocument>"""
OSIM = """<OpenSimDocument Version="40000"><Model name="m"><BodySet><objects><Body name="a"><mass>1</mass></Body>
</objects></BodySet><JointSet><objects><FreeJoint name="j"><socket_parent_frame>/ground</socket_parent_frame>
<socket_child_frame>/bodyset/a</socket_child_frame></FreeJoint></objects></JointSet><MarkerSet file="{}"/></Model>
</OpenSimDocument>"""
SCENE = """[scene]
title = "a"
duration = 1.0
[[body]]
name = "b"
shape = {{ mesh = "{}", density = 1000.0 }}
"""


def gltf(name):
    """Return a tetrahedron whose numbers are in another file."""
    accessors = [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
                 {"bufferView": 1, "componentType": 5125, "count": 12, "type": "SCALAR"}]  # fmt: skip
    views = [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 48}]
    return json.dumps({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "buffers": [{"uri": name, "byteLength": 96}], "bufferViews": views, "accessors": accessors,
    })  # fmt: skip


def buffer(path):
    path.write_bytes(CORNERS.astype("<f4").tobytes() + FACES.astype("<u4").tobytes())


def voxels(path):
    path.write_bytes(bytes(range(120)))


def table(path):
    columns = ["time", *(f"f_{kind}{axis}" for kind in "vp" for axis in "xyz")]
    rows = "\n".join("\t".join(map(str, (0.01 * k, *[0.0] * 6))) for k in range(4))
    path.write_text("t\nversion=1\nnRows=4\nnColumns=7\ninDegrees=no\nendheader\n" + "\t".join(columns) + f"\n{rows}\n")


def marker_set(path):
    path.write_text('<OpenSimDocument Version="40000"><MarkerSet name="m"><objects/></MarkerSet></OpenSimDocument>')


def solid(path):
    write_mesh(Mesh(CORNERS, FACES), path, overwrite=True)


def rig(path):
    """Read the bytes of the first buffer as a rig does."""
    from motiform.form.rig.gltf_file import GltfFile

    return GltfFile(path).numbers(0)


URDF = '<robot name="r"><link name="a"><visual><geometry><mesh filename="{}"/></geometry></visual></link></robot>'
MJCF = '<mujoco><asset><mesh name="m" file="{}"/></asset><worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>'
MJCF_INCLUDE = '<mujoco><include file="{}"/><worldbody><geom size="1"/></worldbody></mujoco>'
READERS = {
    "mhd": ("a.mhd", META.format, "v.raw", voxels, read_volume),
    "mhd-list": ("a.mhd", lambda name: META.format(f"LIST\n{name}\n" + f"{name}\n" * 5), "v.raw", None, read_volume),
    "nhdr": ("a.nhdr", lambda name: NRRD.format(f"data file: {name}"), "v.raw", voxels, read_volume),
    "nrrd": ("a.nrrd", lambda name: NRRD.format(f"datafile: {name}"), "v.raw", voxels, read_volume),
    "nrrd-list": ("a.nhdr", lambda name: NRRD.format(f"Data File: LIST 3\n{name}"), "v.raw", voxels, read_volume),
    "gltf": ("a.gltf", gltf, "v.bin", buffer, read_mesh),
    "rig": ("a.gltf", gltf, "v.bin", buffer, rig),
    "urdf": ("a.urdf", URDF.format, "v.stl", solid, lambda p: read_urdf(p, meshes="all")),
    "urdf-package": ("a.urdf", lambda n: URDF.format("package://x/" + n), "v.stl", solid,
                     lambda p: read_urdf(p, meshes="all")),
    "mjcf": ("a.xml", MJCF.format, "v.stl", solid, lambda p: read_mjcf(p, meshes="all")),
    "mjcf-include": ("a.xml", MJCF_INCLUDE.format, "v.xml", lambda p: p.write_text("<mujoco/>"), read_mjcf),
    "osim": ("a.osim", OSIM.format, "v.xml", marker_set, read_osim),
    "loads": ("a.xml", LOADS.format, "v.mot", table, read_external_loads),
    "scene": ("a.toml", SCENE.format, "v.stl", solid, lambda p: mf.load_scene(p).build()),
}  # fmt: skip
WRONG = ("outside", "absolute", "link", "device", "process", "pipe", "folder", "loop", "large")


def wrong_name(kind, folder, name, make):
    """Put something that must not be read in the place of a file, and return its name."""
    outside = folder.parent.parent / name  # set-ups of OpenSim may go up by one folder
    if kind in ("outside", "absolute", "link"):
        (make or voxels)(outside)
    if kind == "outside":
        return f"../../{name}"
    if kind == "absolute":
        return str(outside)
    if kind in ("device", "process"):
        return {"device": "/dev/zero", "process": "/proc/self/environ"}[kind]
    place = folder / name
    if kind == "link":
        place.symlink_to(outside)
    elif kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    elif kind == "loop":
        place.symlink_to(place)
    else:
        with place.open("wb") as file:
            file.truncate(1 << 41)  # a hole: it takes no room
    return name


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "up" / "own"
    place.mkdir(parents=True)
    return place


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes and devices as of POSIX")
@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("reader", READERS)
def test_what_lies_elsewhere_or_is_no_plain_file_is_refused_at_once(folder, reader, kind):
    own, text, name, make, read = READERS[reader]
    try:
        wrong = wrong_name(kind, folder, name, make)
    except OSError as error:
        pytest.skip(f"the disk has no such file: {error}")
    (folder / own).write_text(text(wrong))
    signal.alarm(20)  # a pipe that is opened waits for ever: the alarm ends the test, not the wait alone
    try:
        with pytest.raises(InputError):
            read(folder / own)
    finally:
        signal.alarm(0)


@pytest.mark.parametrize("reader", [reader for reader, row in READERS.items() if row[3] is not None])
def test_what_lies_in_the_folder_is_read(folder, reader):
    own, text, name, make, read = READERS[reader]
    (folder / "deep").mkdir()
    make(folder / "deep" / name)
    (folder / own).write_text(text(f"deep/{name}"))
    read(folder / own)


@pytest.mark.parametrize("head", [META.format("s%02d.raw 3 8 1"), NRRD.format("data file: s%02d.raw 3 8 1 2")])
def test_slices_in_files_of_their_own_are_read_and_each_is_checked(folder, head):
    place = folder / ("a.mhd" if head.startswith("Object") else "a.nhdr")
    place.write_text(head)
    for k in range(6):
        (folder / f"s{k + 3:02d}.raw").write_bytes(bytes(range(20 * k, 20 * k + 20)))
    found = read_volume(place)
    np.testing.assert_array_equal(found.values, np.arange(120).reshape(6, 5, 4).T)
    (folder / "s05.raw").unlink()
    (folder / "s05.raw").symlink_to("/proc/self/environ")
    with pytest.raises(InputError, match="own folder only"):
        read_volume(place)


@pytest.mark.parametrize(
    "line",
    [
        "ElementDataFile : /proc/self/environ\nElementDataFile = LOCAL",
        "Comment = x ElementDataFile = /proc/self/environ\nElementDataFile = LOCAL",
        "ElementDataFile = s%s.raw 1 6 1",
        "ElementDataFile = s%d.raw 1 999999999 1",
    ],
)
def test_data_files_that_itk_would_see_elsewhere_are_refused(folder, line):
    (folder / "a.mha").write_text(META.replace("ElementDataFile = {}", line))
    with pytest.raises(InputError, match="damaged"):
        read_volume(folder / "a.mha")


def test_sizes_are_bounded(folder):
    (folder / "a.bin").write_bytes(bytes(100))
    assert named_file("a.bin", folder, reader="a test", where="here", largest=100) == (folder / "a.bin").resolve()
    with pytest.raises(InputError, match="must not name too large a file"):
        named_file("a.bin", folder, reader="a test", where="here", largest=99)
    assert named_file("none", folder, reader="a test", where="here") is None
    assert named_file("a\0b", folder, reader="a test", where="here") is None


def test_no_reader_joins_names_to_folders_by_itself():
    """A file's own folder is asked for by `named_file` alone; those who need it are listed here with the reason."""
    allowed = {
        "motion/tree/read/folders.py",  # packages, then named_file
        "motion/tree/read/mjcf/settings.py",  # the folder of an included file, for Folders
        "motion/postures/opensim/ik.py",  # then named_file
        "motion/postures/opensim/loads.py",  # in a remedy
    }
    package = Path(files.__file__).parents[1]
    found = set()
    for folder in ("measure", "form/rig", "geometry", "motion/tree/read", "motion/postures/opensim"):
        for path in (package / folder).rglob("*.py"):
            text = path.read_text("utf-8").replace("place.parent, reader", "").replace("self.path.parent, reader", "")
            if ".parent /" in text:
                found.add(path.relative_to(package).as_posix())
    assert found <= allowed
