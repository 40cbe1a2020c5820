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


def write_vrml(
    form: "Form", path: Path, *, rate: float | None = None, humanoid: "Humanoid | None" = None,
    rest: "Form | None" = None,
) -> None:  # fmt: skip
    """Write the form as VRML97, with what `write_x3d` writes."""
    root, scene = x3d_document(form, path.parent, rate=rate, humanoid=humanoid, rest=rest)
    top = root.find("Scene")
    assert top is not None
    kinds = {element.tag for element in top.iter()}
    with path.open("wb") as out:
        out.write(b"#VRML V2.0 utf8\n")
        out.write(_protos("sequencer") if "IntegerSequencer" in kinds else b"")
        out.write(_protos("humanoid") if humanoid is not None else b"")
        for element in top:
            out.writelines(_node(element, scene, 0))
            out.write(b"\n")


def _protos(name: str) -> bytes:
    """Return nodes that VRML lacks, as prototypes."""
    return Path(__file__).with_name(f"{name}.wrl").read_text("utf-8").encode()


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
