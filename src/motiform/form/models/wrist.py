"""How the bones of a wrist are drawn."""

import numpy as np

from motiform.form.looks import BallsLook, ColorBy, LinksLook, Looks, PointsLook, ShapeLook
from motiform.form.looks.plain import PartLook
from motiform.geometry.maps import Cover
from motiform.motion.bones import Wrist
from motiform.motion.bones.ligaments import NODES

__all__ = ["bone_color", "cover_looks", "wrist_looks"]

_FOREARM, _METACARPAL = (0.86, 0.82, 0.73), (0.80, 0.77, 0.70)
#: Neighbours differ.
_CARPALS = {
    "scaphoid": (0.84, 0.42, 0.33), "lunate": (0.36, 0.55, 0.78), "triquetrum": (0.45, 0.66, 0.42),
    "pisiform": (0.87, 0.71, 0.35), "trapezium": (0.60, 0.47, 0.70), "trapezoid": (0.40, 0.68, 0.70),
    "capitate": (0.88, 0.62, 0.50), "hamate": (0.66, 0.60, 0.45),
}  # fmt: skip


def bone_color(name: str) -> tuple[float, float, float]:
    """Return the color of a bone: carpal bones have their own, distal fragments a paler one."""
    whole, _, part = name.partition("_")
    red, green, blue = _CARPALS.get(whole, _METACARPAL if name.startswith("meta") else _FOREARM)
    return (0.5 + 0.5 * red, 0.5 + 0.5 * green, 0.5 + 0.5 * blue) if part == "distal" else (red, green, blue)


_FIBRE = 2.5e-4  # [m] radius of a fibre
_PULL = 40.0  # [N] of a ligament at which its fibres are red
_SLACK_TO_TAUT = np.array([(0.93, 0.92, 0.88), (0.95, 0.75, 0.25), (0.85, 0.12, 0.10)])


_SPOT = 3.5e-4  # [m] radius of a point under pressure: they are some 0.5 mm apart
_PRESSURE = 1e7  # [Pa] at which it is darkest
_PRESSED = np.array([(0.99, 0.91, 0.65), (0.97, 0.55, 0.18), (0.70, 0.07, 0.25), (0.24, 0.02, 0.30)])


def wrist_looks(wrist: Wrist, _model: object) -> Looks:
    """Return the meshes of bones, the fibres of ligaments by their tension, and contacts by their pressure."""
    found: dict[str, PartLook] = {
        name: ShapeLook(
            shape=bone.mesh, color=bone_color(name),
            position=f"{name}.position", orientation=f"{name}.orientation",
        )
        for name, bone in wrist.bones.items()
    }  # fmt: skip
    if wrist.ligaments:
        found["ligaments"] = _fibres(wrist)
    by = ColorBy(channel="contact.pressure", map=(0.0, _PRESSURE), colors=_PRESSED)
    found["contact"] = PointsLook(points="contact.point", radius=_SPOT, color=by)
    return Looks(found)


def _fibres(wrist: Wrist) -> LinksLook:
    """Return the rods between the nodes of the fibres, pale where slack and red where a ligament pulls with 40 N."""
    counts = [len(lig.starts) for lig in wrist.ligaments]
    first = np.arange(sum(counts) * (NODES + 2)).reshape(-1, NODES + 2)
    pairs = np.stack([first[:, :-1], first[:, 1:]], axis=-1).reshape(-1, 2)
    owner = np.repeat(np.arange(len(counts)), np.array(counts) * (NODES + 1))
    by = ColorBy(channel="ligament.tension", map=(0.0, _PULL), pick=owner, colors=_SLACK_TO_TAUT)
    return LinksLook(links=("ligament.path", "ligament.path"), pairs=pairs, radius=_FIBRE, color=by)


def cover_looks(cover: Cover, model: object) -> Looks:
    """Return the balls of a cover, on the poses of that bone of a wrist whose cover it is; else they stay."""
    balls = np.column_stack([cover.centers, cover.radii])
    for name, bone in model.bones.items() if isinstance(model, Wrist) else ():
        if vars(bone).get("cover") is cover:  # one that is not made yet is not it
            at = {"position": f"{name}.position", "orientation": f"{name}.orientation"}
            return Looks({f"{name}.balls": BallsLook(balls=balls, color=bone_color(name), **at)})
    return Looks({"balls": BallsLook(balls=balls, color=_FOREARM)})
