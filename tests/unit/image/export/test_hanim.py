"""Humanoids of H-Anim, read back by an evaluator of our own: X3D from its XML, VRML97 from its text."""

import re
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np
import pytest

from motiform import reconstruct
from motiform.base.errors import InputError, RecordingError
from motiform.image.export import export
from motiform.image.export.hanim_names import hanim_names
from motiform.motion import figures
from motiform.motion.tree import tags
from motiform.record import Channel, Recording

SAMPLES, RATE = 40, 20.0
DIGITS = 5e-8  # nine digits of numbers below 10, over 7 joints and a turn that is interpolated at its keys


def walking(figure, seed=0):
    """Return a reconstructed recording of small motions, with markers that are hidden at first, within, and always."""
    rng, t = np.random.default_rng(seed), np.arange(SAMPLES)[:, None] / RATE
    q = figure.neutral() + rng.uniform(-0.3, 0.3, figure.nq) * np.sin(3 * t + rng.uniform(0, 6, figure.nq))
    x = tags(figure, q) + 0.004 * rng.normal(size=(SAMPLES, len(figure.tags), 3))
    x[:6, 2], x[11:17, 4], x[30:, 4], x[:, 9] = np.nan, np.nan, np.nan, np.nan
    channel = Channel("markers", unit="m", dims=("marker", "axis"), shape=x.shape[1:], rate=RATE)
    manifest = {"labels": {"marker": list(figure.tag_names)}, "up": "y"}
    return reconstruct(figure, Recording.from_arrays({"markers": (channel, x)}, manifest=manifest), limits=False)


@pytest.fixture(scope="module")
def human():
    return walking(figures.human36())


# ---------------------------------------------------------------- readers
def read_x3d(path):
    return ElementTree.parse(path).getroot().find("Scene")


def read_vrml(path):
    """Return the nodes of a VRML97 file as elements, like those of X3D; declarations of prototypes are left out."""
    text = path.read_text()
    assert text.startswith("#VRML V2.0 utf8\n")
    text = re.sub(r'"(?:[^"\\]|\\.)*"', lambda m: m[0].replace("\n", " ").replace(" ", "\1"), text.split("\n", 1)[1])
    words = re.findall(r"[{}\[\]]|[^\s{}\[\]]+", text)
    top, at = Element("Scene"), 0

    def skip(at):
        depth = 0
        while True:
            depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(words[at], 0)
            at += 1
            if depth == 0:
                return at

    def node(at, parent, field):
        attrib = {"field": field}
        if words[at] == "USE":
            parent.append(Element("Used", {**attrib, "USE": words[at + 1]}))
            return at + 2
        if words[at] == "DEF":
            attrib["DEF"], at = words[at + 1], at + 2
        own = Element(words[at], attrib)
        parent.append(own)
        assert words[at + 1] == "{"
        at += 2
        while words[at] != "}":
            name, at = words[at], at + 1
            if words[at] == "[":
                at += 1
                values = []
                while words[at] != "]":
                    if words[at][0].isalpha():
                        at = node(at, own, name)
                    else:
                        values.append(words[at])
                        at += 1
                at += 1
                own.attrib[name] = " ".join(values)
            elif words[at][0].isalpha() and words[at] not in ("TRUE", "FALSE"):
                at = node(at, own, name)
            else:
                values = []
                while not (words[at][0].isalpha() or words[at] == "}"):
                    values.append(words[at])
                    at += 1
                if not values:
                    values, at = [words[at]], at + 1
                own.attrib[name] = " ".join(values).strip('"')
        return at + 1

    while at < len(words):
        if words[at] == "PROTO":
            at = skip(skip(at + 2))
        elif words[at] == "ROUTE":
            (a, b), (c, d) = words[at + 1].split("."), words[at + 3].split(".")
            top.append(Element("ROUTE", {"fromNode": a, "fromField": b, "toNode": c, "toField": d}))
            at += 4
        else:
            at = node(at, top, "children")
    return top


READERS = {".x3d": read_x3d, ".wrl": read_vrml}


# ---------------------------------------------------------------- evaluation
def numbers(text):
    return np.array(text.split(), float)


def turned(rotation):
    x, y, z, angle = rotation
    n = np.array([x, y, z]) / np.linalg.norm([x, y, z])
    K = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def values_at(scene, key):
    """Return what the interpolators and sequencers send at a key: {(node, field): numbers}."""
    drivers = {one.attrib["DEF"]: one for one in scene if "keyValue" in one.attrib}
    found = {}
    for route in scene.iter("ROUTE"):
        ends = route.attrib
        if ends["fromNode"] in drivers and ends["toField"].startswith("set_"):
            driver = drivers[ends["fromNode"]]
            keys, values = numbers(driver.attrib["key"]), numbers(driver.attrib["keyValue"])
            rows = values.reshape(len(keys), -1)
            if driver.tag == "IntegerSequencer":
                row = rows[np.searchsorted(keys, key + 1e-9, side="right") - 1]
            else:
                row = rows[np.argmin(np.abs(keys - key))]
                assert np.abs(keys - key).min() < 1e-8
            found[ends["toNode"], ends["toField"].removeprefix("set_")] = row
    return found


def places(element, now, R=None, p=None, found=None, shown=True):
    """Return world places of all named transforms, joints and sites below an element, {DEF: (R, p, shown)}."""
    R, p = np.eye(3) if R is None else R, np.zeros(3) if p is None else p
    found = {} if found is None else found
    own = element.attrib.get("DEF", "")

    def field(name, default):
        return now.get((own, name), numbers(element.attrib.get(name, default)))

    if element.tag in ("Transform", "HAnimJoint", "HAnimSite", "HAnimHumanoid"):
        t, c = field("translation", "0 0 0"), field("center", "0 0 0")
        turn = turned(field("rotation", "0 0 1 0"))
        p = p + R @ (t + c - turn @ c)
        R = R @ turn
    if element.tag == "Switch":
        shown = shown and int(field("whichChoice", "-1")[0]) == 0
    if own:
        found[own] = (R, p, shown)
    for child in element:
        if "USE" not in child.attrib:
            places(child, now, R, p, found, shown)
    return found


def at_samples(scene, rec):
    """Give each sample's number and the places at its key."""
    for k in range(0, SAMPLES, 3):
        yield k, places(scene, values_at(scene, k / (SAMPLES - 1)))


# ---------------------------------------------------------------- tests
@pytest.mark.parametrize("suffix", [".x3d", ".wrl"])
def test_sites_are_the_tags_and_markers_are_where_and_when_they_are_seen(human, tmp_path, suffix):
    scene = READERS[suffix](export(human, tmp_path / f"a{suffix}", humanoid=True))
    prefix, names = {".x3d": "human36_", ".wrl": "hanim_"}[suffix], human.manifest["labels"]["tag"]
    hidden = ~np.isfinite(human["markers"]).all(-1)
    assert hidden.any()
    for k, found in at_samples(scene, human):
        for n, name in enumerate(names):
            np.testing.assert_allclose(found[f"{prefix}{name}"][1], human["tags"][k, n], atol=DIGITS)
            if hidden[:, n].all():
                assert f"marker_{name}_place" not in found
                continue
            _, place, shown = found[f"marker_{name}_place"]
            assert shown != hidden[k, n]
            if shown:
                np.testing.assert_allclose(place, human["markers"][k, n], atol=DIGITS)


def test_shapes_are_where_the_segments_are(human, tmp_path):
    """Each shape's group in a joint, against the poses of the segment; the first use of a shape has a name."""
    scene = read_x3d(export(human, tmp_path / "a.x3d", humanoid=True))
    by_joint = {joint: name for name, (joint, _) in hanim_names(figures.human36().names, "2.0").items()}
    humanoid = scene.find("HAnimHumanoid")
    for k, found in at_samples(scene, human):
        for joint in humanoid.iter("HAnimJoint"):
            if "USE" in joint.attrib:
                continue
            name = by_joint[joint.attrib["name"]]
            R, p, _ = found[joint.attrib["DEF"]]
            center = numbers(joint.attrib["center"])
            np.testing.assert_allclose(p + R @ center, human[f"{name}.position"][k], atol=DIGITS)
            (w, *v) = human[f"{name}.orientation"][k]
            K = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
            rotation = np.eye(3) + 2 * w * K + 2 * K @ K
            for group in joint.find("HAnimSegment").findall("Transform"):
                turn = R @ turned(numbers(group.attrib.get("rotation", "0 0 1 0")))
                np.testing.assert_allclose(turn, rotation, atol=DIGITS)


def test_nodes_obey_the_rules_of_hanim(human, tmp_path):
    """Fields, parents and uses of [X3D 4.0 26.3]; names and references are of one node each."""
    root = ElementTree.parse(export(human, tmp_path / "a.x3d", humanoid=True)).getroot()
    assert [one.attrib for one in root.iter("component")] == [{"name": "HAnim", "level": "1"}]
    own = [one.attrib["DEF"] for one in root.iter() if "DEF" in one.attrib]
    assert len(own) == len(set(own))
    assert {one.attrib["USE"] for one in root.iter() if "USE" in one.attrib} <= set(own)
    (humanoid,) = root.iter("HAnimHumanoid")
    assert (humanoid.attrib["name"], humanoid.attrib["version"]) == ("human36", "2.0")
    parents = {child: parent for parent in root.iter() for child in parent}
    allowed = {
        "HAnimJoint": ("HAnimJoint", "HAnimHumanoid"), "HAnimSegment": ("HAnimJoint", "HAnimHumanoid"),
        "HAnimSite": ("HAnimSegment", "HAnimHumanoid"),
    }  # fmt: skip
    for kind, field in (("HAnimJoint", "joints"), ("HAnimSegment", "segments"), ("HAnimSite", "sites")):
        made = [one for one in root.iter(kind) if "DEF" in one.attrib]
        used = [one.attrib for one in humanoid.findall(kind) if "USE" in one.attrib]
        assert [one.attrib["DEF"] for one in made] == [one["USE"] for one in used]
        assert {one["containerField"] for one in used} == {field}
        assert all(parents[one].tag in allowed[kind] and one.attrib["name"] for one in made)
    (top,) = [one for one in humanoid.findall("HAnimJoint") if "DEF" in one.attrib]
    assert (top.attrib["name"], top.attrib["containerField"]) == ("humanoid_root", "skeleton")
    assert {one.attrib["name"] for one in root.iter("HAnimSite") if "DEF" in one.attrib} == set(
        figures.human36().tag_names
    )


@pytest.mark.parametrize("resolution", ["high", "medium", "low"])
def test_resolutions_move_alike(human, tmp_path, resolution):
    first, own = (
        read_x3d(export(human, tmp_path / f"{name}.x3d", humanoid=True, resolution=name, overwrite=True))
        for name in ("high", resolution)
    )
    joints = [one for one in first.iter("HAnimJoint") if "DEF" in one.attrib]
    assert [one.attrib for one in joints] == [one.attrib for one in own.iter("HAnimJoint") if "DEF" in one.attrib]
    kinds = {one.tag for segment in own.iter("HAnimSegment") for one in segment.iter()}
    assert ("Ellipsoid" in kinds, "Cylinder" in kinds) == (False, True)


def test_meshes_of_medium_resolution_are_their_hulls():
    from motiform.geometry import Ball, Compound, Mesh
    from motiform.image.export.hanim_shapes import hulled
    from motiform.spatial import Transform

    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)] + [[0.5, 0.5, 0.2]], float)
    faces = np.array([[0, 1, 8], [1, 3, 8], [3, 2, 8], [2, 0, 8]])
    made = hulled(Compound(((Mesh(corners, faces), Transform.identity()), (Ball(0.1), Transform.identity()))))
    (mesh, _), (ball, _) = made.parts
    assert len(mesh.vertices) == 8
    assert isinstance(ball, Ball)
    a, b, c = np.swapaxes(mesh.vertices[mesh.faces], 0, 1)
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6 == pytest.approx(1.0)  # m³, outward


def test_colours_of_markers_are_those_of_their_sides_or_given(human, tmp_path):
    scene = read_x3d(export(human, tmp_path / "a.x3d", humanoid=True, marker_colors={"vertex": (1.0, 1.0, 0.0)}))

    def color(name):
        (switch,) = [one for one in scene.iter("Switch") if one.attrib["DEF"] == f"marker_{name}"]
        shape = switch.find("Group").find("Transform")
        used = [one.attrib["USE"] for one in shape.iter() if "USE" in one.attrib]
        named = {one.attrib["DEF"]: one for one in scene.iter() if "DEF" in one.attrib}
        materials = [*shape.iter("Material"), *(one for name in used for one in named[name].iter("Material"))]
        return materials[0].attrib["diffuseColor"]

    assert color("vertex") == "1 1 0"
    assert len({color("r_digit2"), color("l_digit2"), color("cervicale")}) == 3
    assert color("r_acromion") == color("r_digit2")


def test_kondo_has_the_names_of_its_table(tmp_path):
    """[HuMAnS table 4.1]: the joints at which tags lie."""
    kondo = figures.kondo()
    scene = read_vrml(export(walking(kondo), tmp_path / "k.wrl", humanoid=True))
    joints = [one.attrib["name"] for one in scene.iter("HAnimJoint")]
    sides = [f"Kondo_{s}_{n}" for s in "rl" for n in ("ankle", "ankleSagittal", "knee", "hip", "hipFrontal",
                                                      "shoulderSagittal", "shoulder", "elbow")]  # fmt: skip
    assert sorted(joints) == sorted([*sides, "Kondo_vc7", "HumanoidRoot"])


def test_motions_of_scenes_and_other_figures_are_humanoids_too(tmp_path):
    from motiform import simulate

    rec = simulate("pendulum", settings={"scene.duration": 0.5})
    scene = read_x3d(export(rec, tmp_path / "p.x3d", humanoid=True))
    names = list(rec.manifest["skeleton"]["segments"])
    found = places(scene, values_at(scene, 1.0))
    root = scene.find("HAnimHumanoid")
    for joint in root.iter("HAnimJoint"):
        if "DEF" in joint.attrib:
            R, p, _ = found[joint.attrib["DEF"]]
            at = p + R @ numbers(joint.attrib["center"])
            np.testing.assert_allclose(at, rec[f"{joint.attrib['name']}.position"][-1], atol=DIGITS)
    assert sorted(names) == sorted(one.attrib["name"] for one in root.iter("HAnimJoint") if "DEF" in one.attrib)


def test_plain_forms_are_vrml_too(human, tmp_path):
    scene = read_vrml(export(human, tmp_path / "plain.wrl"))
    assert not list(scene.iter("HAnimHumanoid"))
    x3d = read_x3d(export(human, tmp_path / "plain.x3d"))
    names = [one.attrib["DEF"] for one in x3d.iter("Transform") if "DEF" in one.attrib]
    assert [one.attrib["DEF"] for one in scene.iter("Transform") if "DEF" in one.attrib] == names
    now = [values_at(one, 0.0) for one in (scene, x3d)]
    assert now[0].keys() == now[1].keys()
    for key, value in now[0].items():
        np.testing.assert_array_equal(value, now[1][key])


@pytest.mark.parametrize(
    ("suffix", "options", "words"),
    [
        (".glb", {"humanoid": True}, "needs X3D or VRML97"),
        (".x3d", {"resolution": "low"}, "is of humanoids"),
        (".x3d", {"humanoid": True, "resolution": "hi"}, "no such resolution"),
        (".x3d", {"humanoid": True, "marker_colors": {"vertx": (1, 0, 0)}}, "Did you mean 'vertex'"),
        (".x3d", {"humanoid": True, "marker_colors": {"vertex": (2, 0, 0)}}, "red, green, blue"),
    ],
)
def test_what_has_no_meaning_is_refused(human, tmp_path, suffix, options, words):
    with pytest.raises(InputError, match=words):
        export(human, tmp_path / f"a{suffix}", **options)
    assert not list(tmp_path.iterdir())


def test_a_recording_without_a_figure_is_refused(tmp_path):
    from motiform import simulate

    with pytest.raises(RecordingError, match="needs the recording of a figure"):
        export(simulate("handle", settings={"scene.duration": 0.1}), tmp_path / "a.x3d", humanoid=True)


def test_nodes_pass_the_package_of_the_web3d_consortium(human, tmp_path, capsys):
    """With its Python package x3d, where it is installed: it knows every node, field, type and name."""
    x3d = pytest.importorskip("x3d.x3d")
    scene = read_x3d(export(human, tmp_path / "a.x3d", humanoid=True))

    def value(kind, text):
        if kind == "SFString":
            return text
        if kind == "SFBool":
            return text == "true"
        values = [float(one) for one in text.split()]
        if kind in ("SFInt32", "MFInt32"):
            values = [int(one) for one in values]
        width = {"MFVec3f": 3, "MFRotation": 4, "MFColor": 3}.get(kind)
        if width:
            return [tuple(values[k : k + width]) for k in range(0, len(values), width)]
        return values[0] if kind in ("SFFloat", "SFTime", "SFInt32") else values if kind[0] == "M" else tuple(values)

    def made(element):
        kind = getattr(x3d, element.tag)
        fields = {row[0]: row[2].__name__ for row in kind.FIELD_DECLARATIONS()}
        given = {name: value(fields[name], text) for name, text in element.attrib.items() if name != "containerField"}
        for child in element:
            one = made(child)
            field = child.attrib.get("containerField") or type(one).CONTAINERFIELD_DEFAULT()
            many = fields[field] == "MFNode"
            given[field] = [*given.get(field, []), one] if many else one
        return kind(**given)

    for element in scene:
        made(element)
    assert "error" not in capsys.readouterr().out.lower()
