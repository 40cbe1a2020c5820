"""How Human36 looks: limbs of capsules and ellipsoids, in the clothes of a gymnast."""

from collections.abc import Mapping

from motiform.motion.figures.look import Color, egg, limb
from motiform.motion.tree.figure import Part

__all__ = ["dress_human"]

SKIN: Color = (0.80, 0.60, 0.48)
SHIRT: Color = (0.30, 0.45, 0.62)
TROUSERS: Color = (0.22, 0.25, 0.31)
SHOES: Color = (0.62, 0.28, 0.22)
HAIR: Color = (0.24, 0.17, 0.12)


def dress_human(H: float, L: Mapping[str, float]) -> dict[str, tuple[Part, ...]]:
    """Return the parts of each segment; H is the height [m], L the lengths [m]."""
    parts = {"lower_trunk": _lower_trunk(H, L), "thorax": _thorax(H, L), "head": _head(H, L)}
    for word in ("right", "left"):
        own = {**_leg(H, L, word), **_arm(H, L, word)}
        parts |= {f"{word}_{kind}": part for kind, part in own.items()}
    return parts


def _lower_trunk(H: float, L: Mapping[str, float]) -> tuple[Part, ...]:
    hip, top = L["L3"] / 2, L["L1"]
    return (
        egg((0.0, 0.035 * H, 0.0), (0.063 * H, 0.060 * H, hip + 0.048 * H), TROUSERS),
        egg((-0.004 * H, 0.55 * top, 0.0), (0.060 * H, 0.66 * top, 0.077 * H), SHIRT),
    )


def _thorax(H: float, L: Mapping[str, float]) -> tuple[Part, ...]:
    x, y = L["L2"], L["L26"]  # the middle of the body is in front of T10
    z = L["L8"] + L["L11"]
    return (
        egg((x, 0.47 * y, 0.0), (0.066 * H, 0.80 * y, 0.098 * H), SHIRT),
        limb((x, 0.80 * y, -0.72 * z), (x, 0.80 * y, 0.72 * z), 0.040 * H, SHIRT),
        limb((x, y - 0.01 * H, 0.0), (x + 0.006 * H, y + 0.03 * H, 0.0), 0.031 * H, SKIN),
    )


def _head(H: float, L: Mapping[str, float]) -> tuple[Part, ...]:
    top = L["L29"]
    r = 0.043 * H
    return (
        egg((0.012 * H, 0.58 * top, 0.0), (0.050 * H, 0.42 * top, r), SKIN),
        egg((0.004 * H, 0.66 * top, 0.0), (0.052 * H, 0.345 * top, 1.04 * r), HAIR, lean=0.35),
        egg((0.063 * H, 0.52 * top, 0.0), (0.010 * H, 0.010 * H, 0.007 * H), SKIN),
        limb((0.0, 0.02 * H, 0.0), (0.004 * H, 0.40 * top, 0.0), 0.029 * H, SKIN),
    )


def _leg(H: float, L: Mapping[str, float], word: str) -> dict[str, tuple[Part, ...]]:
    n, toe = (0, L["L30"]) if word == "right" else (10, L["L31"])
    foot, shank, thigh = (L[f"L{k + n}"] for k in (4, 5, 6))
    r = 0.47 * foot
    heel, ball = -0.16 * toe, 0.55 * toe
    return {
        "thigh": (
            limb((0.0, -0.01 * H, 0.0), (0.0, -thigh, 0.0), 0.033 * H, TROUSERS),
            egg((0.004 * H, -0.36 * thigh, 0.0), (0.049 * H, 0.52 * thigh, 0.045 * H), TROUSERS),
        ),
        "shank": (
            limb((0.0, 0.0, 0.0), (0.0, -shank + 0.006 * H, 0.0), 0.022 * H, TROUSERS),
            egg((-0.007 * H, -0.30 * shank, 0.0), (0.035 * H, 0.33 * shank, 0.032 * H), TROUSERS),
        ),
        "foot": (
            limb((heel + 2 * r, -foot + r, 0.0), (0.98 * toe - 0.16 * toe - r, -foot + r, 0.0), r, SHOES),
            egg((ball - 0.02 * toe, -0.5 * foot, 0.0), (0.34 * toe, 0.5 * foot, 0.030 * H), SHOES),
            egg((heel + 0.20 * toe, -0.28 * foot, 0.0), (0.24 * toe, 0.72 * foot, 0.026 * H), SHOES),
        ),
    }


def _arm(H: float, L: Mapping[str, float], word: str) -> dict[str, tuple[Part, ...]]:
    right = word == "right"
    s, n = (1.0, 0) if right else (-1.0, 10)
    y, z, x, upper = (L[f"L{k + n}"] for k in (10, 11, 12, 13))
    fore, hand = (L["L24"], L["L27"]) if right else (L["L25"], L["L28"])
    thumb = (0.004 * H, -0.42 * hand, s * 0.034 * H)
    return {
        "shoulder": (limb((-x, y - 0.006 * H, s * 0.55 * z), (-x, y - 0.006 * H, s * 0.93 * z), 0.028 * H, SHIRT),),
        "upper_arm": (
            limb((0.0, 0.0, 0.0), (0.0, -0.45 * upper, 0.0), 0.030 * H, SHIRT),
            limb((0.0, -0.25 * upper, 0.0), (0.0, -upper, 0.0), 0.024 * H, SKIN),
        ),
        "forearm": (
            limb((0.0, 0.0, 0.0), (0.0, -fore, 0.0), 0.017 * H, SKIN),
            egg((0.0, -0.30 * fore, 0.0), (0.024 * H, 0.38 * fore, 0.026 * H), SKIN),
        ),
        "hand": (
            egg((0.0, -0.30 * hand, 0.0), (0.011 * H, 0.32 * hand, 0.024 * H), SKIN),
            egg((0.002 * H, -0.70 * hand, 0.0), (0.009 * H, 0.30 * hand, 0.019 * H), SKIN),
            limb((0.0, -0.14 * hand, s * 0.014 * H), thumb, 0.008 * H, SKIN),
        ),
    }
