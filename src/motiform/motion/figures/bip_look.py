"""Visual geometry of Bip: legs of beams, motors behind the hips, a cabinet as trunk."""

from collections.abc import Mapping

from motiform.motion.figures.look import Color, box, limb
from motiform.motion.tree.model.segment import SegmentShape

__all__ = ["bip_parts"]

BEAM: Color = (0.70, 0.72, 0.75)
MOTOR: Color = (0.20, 0.21, 0.24)
CABINET: Color = (0.66, 0.38, 0.16)
DOOR: Color = (0.86, 0.84, 0.78)
SOLE: Color = (0.15, 0.15, 0.16)


def bip_parts(L: Mapping[str, float]) -> dict[str, tuple[SegmentShape, ...]]:
    """Return the parts of each segment in its frame; L are the lengths [m]."""
    parts: dict[str, tuple[SegmentShape, ...]] = {f"frame_{n}": () for n in range(1, 6)}
    hip = L["hip"]
    parts["pelvis"] = (  # X right, Y down, Z forward
        box((0.0, -0.045, -0.060), (1.5 * hip, 0.07, 0.16), BEAM),
        limb((-hip, 0.0, -0.10), (hip, 0.0, -0.10), 0.045, MOTOR),
    )
    parts["lumbar_lever"] = (limb((0.0, 0.02, -0.08), (0.0, 0.0, 0.0), 0.045, MOTOR),)  # Y back, Z up
    parts["lumbar_cardan"] = (limb((0.0, 0.0, -0.03), (0.0, 0.0, 0.05), 0.038, BEAM),)
    parts["trunk"] = (  # X up, Y back, Z right
        box((0.08, 0.0, 0.0), (0.16, 0.18, 0.20), BEAM),
        box((0.435, 0.015, 0.0), (0.60, 0.31, 0.34), CABINET),
        box((0.435, -0.146, 0.0), (0.54, 0.02, 0.28), DOOR),
        box((0.752, 0.0, 0.0), (0.034, 0.22, 0.20), MOTOR),
    )
    for word, s in (("right", 1.0), ("left", -1.0)):
        parts |= {f"{word}_{kind}": part for kind, part in _leg(L, s).items()}
    return parts


def _leg(L: Mapping[str, float], s: float) -> dict[str, tuple[SegmentShape, ...]]:
    thigh, shank, foot = L["thigh"], L["shank"], L["foot"]
    return {
        "hip_bracket": (  # X right, Y down, Z forward
            limb((0.0, -0.02, -0.15), (0.0, -0.005, -0.05), 0.050, MOTOR),
            box((s * 0.03, -0.03, -0.08), (0.03, 0.10, 0.16), BEAM),
        ),
        "hip_cardan": (limb((0.0, 0.0, -0.04), (0.0, 0.0, 0.04), 0.035, BEAM),),
        "thigh": (  # X down, Y forward, Z right
            box((0.5 * thigh, 0.015, s * 0.045), (thigh + 0.06, 0.09, 0.024), BEAM),
            box((0.5 * thigh, 0.015, -s * 0.045), (thigh + 0.06, 0.09, 0.024), BEAM),
            limb((0.16 * thigh, -0.035, 0.0), (0.70 * thigh, -0.035, 0.0), 0.047, MOTOR),
        ),
        "shank": (
            limb((0.0, 0.0, -0.065), (0.0, 0.0, 0.065), 0.038, MOTOR),
            box((0.5 * shank, 0.012, 0.0), (0.96 * shank, 0.075, 0.055), BEAM),
            limb((0.20 * shank, -0.045, s * 0.022), (0.66 * shank, -0.045, s * 0.022), 0.030, MOTOR),
            limb((0.30 * shank, -0.045, -s * 0.022), (0.72 * shank, -0.045, -s * 0.022), 0.030, MOTOR),
        ),
        "ankle_cardan": (limb((0.0, 0.0, -0.04), (0.0, 0.0, 0.04), 0.024, MOTOR),),
        "foot": (  # X down, Y left, Z forward
            box((0.45 * foot, 0.0, 0.0), (0.75 * foot, 0.10, 0.10), BEAM),
            box((foot - 0.028, 0.0, 0.02), (0.030, 0.11, 0.24), BEAM),
            box((foot - 0.009, 0.0, 0.115), (0.018, 0.18, 0.11), SOLE),
            box((foot - 0.009, 0.0, -0.03), (0.018, 0.12, 0.18), SOLE),
        ),
    }
