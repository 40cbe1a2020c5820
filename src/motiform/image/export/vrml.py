"""VRML97 (ISO/IEC 14772): the nodes of an X3D document in VRML's notation.

What VRML97 has not is declared at the beginning: nodes of H-Anim as prototypes over Transform and Group [ISO/IEC 19774,
annex B], and the sequencer of switches as a script.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from motiform.image.export.x3d import LATER, X3DScene, number_texts, x3d_document

if TYPE_CHECKING:
    from motiform.form import Form
    from motiform.image.export.humanoid import Humanoid

__all__ = ["write_vrml"]

_FIELDS = {  # where a child goes, by its node and that of its parent
    ("Shape", "Appearance"): "appearance", ("Appearance", "Material"): "material",
    ("IndexedFaceSet", "Coordinate"): "coord", ("IndexedLineSet", "Coordinate"): "coord",
    ("Switch", "Group"): "choice", ("HAnimHumanoid", "HAnimJoint"): "skeleton",
}  # fmt: skip
_GEOMETRY = ("Box", "Sphere", "Cylinder", "IndexedFaceSet", "IndexedLineSet")
_SINGLE = {"appearance", "material", "coord", "geometry"}
_LISTS = {"key", "keyValue", "point", "coordIndex"}
_TEXTS = {"name", "version", "description", "title"}
_NOT_IN_VRML = {("Viewpoint", "centerOfRotation")}
_SCRIPT = """PROTO IntegerSequencer [
 eventIn SFFloat set_fraction
 field MFFloat key []
 field MFInt32 keyValue []
 eventOut SFInt32 value_changed
] {
 Script {
  eventIn SFFloat set_fraction IS set_fraction
  field MFFloat key IS key
  field MFInt32 keyValue IS keyValue
  eventOut SFInt32 value_changed IS value_changed
  url "javascript:
   function set_fraction(fraction, now) {
    var k = 0;
    while (k + 1 < key.length && key[k + 1] <= fraction) k = k + 1;
    value_changed = keyValue[k];
   }"
 }
}
"""
_MOVED = """ exposedField SFVec3f center 0 0 0
 exposedField SFRotation rotation 0 0 1 0
 exposedField SFVec3f scale 1 1 1
 exposedField SFRotation scaleOrientation 0 0 1 0
 exposedField SFVec3f translation 0 0 0
"""
_TRANSFORM = """ Transform {
  center IS center
  rotation IS rotation
  scale IS scale
  scaleOrientation IS scaleOrientation
  translation IS translation
  children IS children
 }
"""
_HANIM = f"""PROTO HAnimJoint [
{_MOVED} exposedField MFNode children []
 exposedField SFString name ""
] {{
{_TRANSFORM}}}
PROTO HAnimSite [
{_MOVED} exposedField MFNode children []
 exposedField SFString name ""
] {{
{_TRANSFORM}}}
PROTO HAnimSegment [
 exposedField MFNode children []
 exposedField SFString name ""
] {{
 Group {{ children IS children }}
}}
PROTO HAnimHumanoid [
{_MOVED} exposedField MFNode skeleton []
 exposedField MFNode joints []
 exposedField MFNode segments []
 exposedField MFNode sites []
 exposedField SFString name ""
 exposedField SFString version ""
] {{
{_TRANSFORM.replace("children IS children", "children IS skeleton")}}}
"""


def write_vrml(
    form: "Form",
    path: Path,
    *,
    rate: float | None = None,
    humanoid: "Humanoid | None" = None,
    rest: "Form | None" = None,
) -> None:
    """Write the form as VRML97, with what `write_x3d` writes."""
    root, scene = x3d_document(form, path.parent, rate=rate, humanoid=humanoid, rest=rest)
    top = root.find("Scene")
    assert top is not None
    kinds = {element.tag for element in top.iter()}
    with path.open("wb") as out:
        out.write(b"#VRML V2.0 utf8\n")
        out.write((_SCRIPT if "IntegerSequencer" in kinds else "").encode())
        out.write((_HANIM if humanoid is not None else "").encode())
        for element in top:
            out.writelines(_node(element, scene, 0))
            out.write(b"\n")


def _node(element: Element, scene: X3DScene, depth: int) -> Iterator[bytes]:
    """Give a node and those in it."""
    kind, given = element.tag, dict(element.attrib)
    if kind == "ROUTE":
        ends = [f"{given[f'{end}Node']}.{given[f'{end}Field']}" for end in ("from", "to")]
        yield f"ROUTE {ends[0]} TO {ends[1]}".encode()
        return
    if "USE" in given:
        yield f"USE {given['USE']}".encode()
        return
    if kind == "IndexedTriangleSet":
        kind, given = "IndexedFaceSet", _as_faces(given)
    pad = " " * (depth + 1)
    yield (f"DEF {given.pop('DEF')} " if "DEF" in given else "").encode() + f"{kind} {{".encode()
    given.pop("containerField", None)
    for name, value in given.items():
        if (kind, name) in _NOT_IN_VRML:
            continue
        yield f"\n{pad}{name} ".encode()
        yield from _value(name, value, scene)
    slots: dict[str, list[Element]] = {}
    for child in element:
        slots.setdefault(_slot(kind, child), []).append(child)
    for slot, children in slots.items():
        yield f"\n{pad}{slot} ".encode() + (b"" if slot in _SINGLE else b"[")
        for child in children:
            yield b"" if slot in _SINGLE else b"\n " + pad.encode()
            yield from _node(child, scene, depth + 2)
        yield b"" if slot in _SINGLE else f"\n{pad}]".encode()
    yield b"\n" + pad[:-1].encode() + b"}"


def _slot(kind: str, child: Element) -> str:
    """Return the field of a node that a child is in."""
    name = "IndexedFaceSet" if child.tag == "IndexedTriangleSet" else child.tag
    if kind == "Shape" and name in _GEOMETRY:
        return "geometry"
    return child.attrib.get("containerField") or _FIELDS.get((kind, name), "children")


def _as_faces(given: dict[str, str]) -> dict[str, str]:
    """Return the fields of triangles as those of faces, which end with −1."""
    index = given.pop("index").split()
    smooth = given.pop("normalPerVertex", "true") == "true"
    faces = " ".join(f"{a} {b} {c} -1" for a, b, c in zip(*[iter(index)] * 3, strict=True))
    return {**given, "coordIndex": faces, "creaseAngle": "3.2" if smooth else "0"}


def _value(name: str, value: str, scene: X3DScene) -> Iterator[bytes]:
    """Give the value of a field."""
    if name in _TEXTS:
        text = value.replace("\\", "\\\\").replace('"', '\\"')
        yield f'"{text}"'.encode()
    elif name in _LISTS:
        yield b"["
        if value.startswith(LATER):
            yield from number_texts(scene.later[int(value.strip(LATER))]())
        else:
            yield value.encode()
        yield b"]"
    else:
        yield (value.upper() if value in ("true", "false") else value).encode()
