"""Visual geometry of Kondo: motors in aluminium brackets."""

from collections.abc import Mapping

from motiform.motion.figures.look import Color, box, limb
from motiform.motion.tree.model.segment import SegmentShape

__all__ = ["kondo_parts"]

METAL: Color = (0.72, 0.74, 0.78)
MOTOR: Color = (0.16, 0.17, 0.20)
CASE: Color = (0.18, 0.32, 0.58)
EYE: Color = (0.90, 0.35, 0.15)


def kondo_parts(L: Mapping[str, float]) -> dict[str, tuple[SegmentShape, ...]]:
    """Return the parts of each segment; L are the lengths [m]."""
    parts = {"trunk": _trunk(L), "head": _head(L)}
    for word, s in (("right", 1.0), ("left", -1.0)):
        own = {**_leg(L, s), **_arm(L, s)}
        parts |= {f"{word}_{kind}": part for kind, part in own.items()}
    return parts


def _trunk(L: Mapping[str, float]) -> tuple[SegmentShape, ...]:
    depth, height, width = L["L15"], L["L7"], L["L16"]
    return (
        box((0.0, 0.10 * height, 0.0), (0.55 * depth, 0.26 * height, 0.95 * width), METAL),
        box((0.0, 0.40 * height, 0.0), (0.70 * depth, 0.36 * height, 0.60 * width), MOTOR),
        box((0.0, 0.77 * height, 0.0), (0.80 * depth, 0.40 * height, width), METAL),
        box((0.42 * depth, 0.74 * height, 0.0), (0.16 * depth, 0.30 * height, 0.70 * width), CASE),
        box((-0.45 * depth, 0.62 * height, 0.0), (0.22 * depth, 0.55 * height, 0.80 * width), CASE),
    )


def _head(L: Mapping[str, float]) -> tuple[SegmentShape, ...]:
    depth, height, width = L["L17"], L["L8"], L["L18"]
    return (
        limb((0.0, 0.0, 0.0), (0.0, 0.2 * height, 0.0), 0.18 * width, METAL),
        box((0.40 * depth - 0.1 * depth, 0.60 * height, 0.0), (depth, 0.80 * height, width), CASE),
        box((0.80 * depth, 0.68 * height, 0.0), (0.10 * depth, 0.16 * height, 0.74 * width), EYE),
    )


def _leg(L: Mapping[str, float], s: float) -> dict[str, tuple[SegmentShape, ...]]:
    depth, width = L["L23"], L["L24"]
    hip, thigh, leg, ankle = L["L5"], L["L4"], L["L3"], L["L2"]
    middle = s * (L["L20"] / 2 - L["L22"])
    return {
        "hip": (box((0.0, -0.5 * hip, 0.0), (0.9 * depth, 0.9 * hip, 1.5 * width), METAL),),
        "thigh": (
            *_brackets(0.0, -0.55 * thigh, depth, width),
            box((0.0, -0.55 * thigh, 0.0), (depth, 0.72 * thigh, width), MOTOR),
        ),
        "leg": (
            *_brackets(0.0, -leg, depth, width),
            box((0.0, -0.50 * leg, 0.0), (0.95 * depth, 0.48 * leg, width), MOTOR),
        ),
        "ankle": (box((0.0, -0.5 * ankle, 0.0), (0.9 * depth, 1.1 * ankle, width), MOTOR),),
        "foot": (
            box((0.0, -0.30 * L["L1"], 0.0), (0.8 * depth, 0.9 * L["L1"], 1.3 * width), METAL),
            box((L["L19"] / 2 - L["L21"], -0.90 * L["L1"], middle), (L["L19"], 0.20 * L["L1"], L["L20"]), METAL),
        ),
    }


def _brackets(top: float, bottom: float, depth: float, width: float) -> tuple[SegmentShape, ...]:
    """Return the two plates that hold the motors."""
    size = (0.42 * depth, top - bottom + 0.35 * depth, 0.16 * width)
    return tuple(box((0.0, (top + bottom) / 2, s * 0.62 * width), size, METAL) for s in (1.0, -1.0))


def _arm(L: Mapping[str, float], s: float) -> dict[str, tuple[SegmentShape, ...]]:
    depth, width, arm, hand = L["L23"], L["L24"], L["L13"], L["L14"]
    return {
        "shoulder": (box((0.0, -0.1 * width, -s * L["L11"] / 2), (0.8 * depth, width, L["L11"]), METAL),),
        "arm": (
            box((0.0, -0.35 * arm, 0.0), (0.85 * depth, 0.75 * arm, width), MOTOR),
            *_brackets(-0.3 * arm, -arm, 0.8 * depth, width),
        ),
        "hand": (
            box((0.0, -0.28 * hand, 0.0), (0.8 * depth, 0.45 * hand, 0.95 * width), MOTOR),
            box((0.0, -0.72 * hand, 0.0), (0.55 * width, 0.56 * hand, 0.9 * width), METAL),
        ),
    }
