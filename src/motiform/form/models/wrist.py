"""How the bones of a wrist are drawn."""

from motiform.form.looks import Looks, ShapeLook
from motiform.motion.bones import Wrist

__all__ = ["wrist_looks"]

_FOREARM, _METACARPAL = (0.86, 0.82, 0.73), (0.80, 0.77, 0.70)
#: Neighbours differ.
_CARPALS = {
    "scaphoid": (0.84, 0.42, 0.33), "lunate": (0.36, 0.55, 0.78), "triquetrum": (0.45, 0.66, 0.42),
    "pisiform": (0.87, 0.71, 0.35), "trapezium": (0.60, 0.47, 0.70), "trapezoid": (0.40, 0.68, 0.70),
    "capitate": (0.88, 0.62, 0.50), "hamate": (0.66, 0.60, 0.45),
}  # fmt: skip


def wrist_looks(wrist: Wrist, _model: object) -> Looks:
    """Return the meshes of bones, carpal bones in colors of their own."""
    return Looks(
        {
            name: ShapeLook(
                shape=bone.mesh, color=_CARPALS.get(name, _METACARPAL if name.startswith("meta") else _FOREARM),
                position=f"{name}.position", orientation=f"{name}.orientation",
            )
            for name, bone in wrist.bones.items()
        }
    )  # fmt: skip
