"""Visual geometry of Human36: limbs of capsules and ellipsoids, in the clothes of a gymnast."""

from collections.abc import Mapping

from motiform.motion.figures.look import Color, egg, limb
from motiform.motion.tree.model.segment import SegmentShape

__all__ = ["human_parts"]

SKIN: Color = (0.80, 0.60, 0.48)
SHIRTS: dict[str, Color] = {"male": (0.30, 0.45, 0.62), "female": (0.52, 0.36, 0.50)}
TROUSERS: Color = (0.22, 0.25, 0.31)
SHOES: Color = (0.62, 0.28, 0.22)
HAIR: Color = (0.24, 0.17, 0.12)


def human_parts(H: float, L: Mapping[str, float], sex: str) -> dict[str, tuple[SegmentShape, ...]]:
    """Return the parts of each segment; H is the height [m], L the lengths [m]."""
    shirt = SHIRTS.get(sex, SHIRTS["male"])
    slim = 0.90 if sex == "female" else 1.0
    parts = {
        "lower_trunk": _lower_trunk(H, L, shirt, slim),
        "thorax": _thorax(H, L, shirt, slim),
        "head": _head(H, L, long_hair=sex == "female"),
    }
    for word in ("right", "left"):
        own = {**_leg(H, L, word), **_arm(H, L, word, shirt, slim)}
        parts |= {f"{word}_{kind}": part for kind, part in own.items()}
    return parts


def _lower_trunk(H: float, L: Mapping[str, float], shirt: Color, slim: float) -> tuple[SegmentShape, ...]:
    hip, top = L["L3"] / 2, L["L1"]
    return (
        egg((-0.003 * H, 0.020 * H, 0.0), (0.061 * H, 0.075 * H, hip + 0.044 * H), TROUSERS),
        egg((-0.002 * H, 0.62 * top, 0.0), (0.061 * slim * H, 0.62 * top, 0.083 * slim * H), shirt),
    )


def _thorax(H: float, L: Mapping[str, float], shirt: Color, slim: float) -> tuple[SegmentShape, ...]:
    x, y = L["L2"], L["L26"]  # the middle of the body is in front of T10
    z = L["L8"] + L["L11"]
    return (
        egg((x, 0.42 * y, 0.0), (0.072 * H, 0.82 * y, 0.098 * slim * H), shirt),
        limb((x, 0.80 * y, -0.78 * z), (x, 0.80 * y, 0.78 * z), 0.037 * slim * H, shirt),
        limb((x, y - 0.01 * H, 0.0), (x + 0.006 * H, y + 0.03 * H, 0.0), 0.031 * H, SKIN),
    )


def _head(H: float, L: Mapping[str, float], *, long_hair: bool) -> tuple[SegmentShape, ...]:
    top = L["L29"]
    r = 0.043 * H
    tail = (limb((-0.045 * H, 0.62 * top, 0.0), (-0.056 * H, 0.05 * top, 0.0), 0.018 * H, HAIR),) if long_hair else ()
    return (
        *tail,
        egg((0.012 * H, 0.58 * top, 0.0), (0.050 * H, 0.42 * top, r), SKIN),
        egg((0.004 * H, 0.66 * top, 0.0), (0.052 * H, 0.345 * top, 1.04 * r), HAIR, lean=0.35),
        egg((0.063 * H, 0.52 * top, 0.0), (0.010 * H, 0.010 * H, 0.007 * H), SKIN),
        limb((0.0, 0.02 * H, 0.0), (0.004 * H, 0.40 * top, 0.0), 0.029 * H, SKIN),
    )


def _leg(H: float, L: Mapping[str, float], word: str) -> dict[str, tuple[SegmentShape, ...]]:
    n, toe = (0, L["L30"]) if word == "right" else (10, L["L31"])
    foot, shank, thigh = (L[f"L{k + n}"] for k in (4, 5, 6))
    s = 1.0 if word == "right" else -1.0
    r, h, heel = min(0.47 * foot, 0.0105 * H), 0.0165 * H, -0.167 * toe  # the sole touches the ground
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
            limb((heel + r, -foot + r, s * 0.004 * H), (heel + toe - r, -foot + r, -s * 0.006 * H), r, SHOES),
            egg((0.49 * toe, -foot + h, 0.0), (0.34 * toe, h, 0.029 * H), SHOES),
            egg((heel + 0.24 * toe, -foot + 1.5 * h, 0.0), (0.25 * toe, 1.5 * h, 0.025 * H), SHOES),
        ),
    }


def _arm(H: float, L: Mapping[str, float], word: str, shirt: Color, slim: float) -> dict[str, tuple[SegmentShape, ...]]:
    right = word == "right"
    s, n = (1.0, 0) if right else (-1.0, 10)
    y, z, x, upper = (L[f"L{k + n}"] for k in (10, 11, 12, 13))
    fore, hand = (L["L24"], L["L27"]) if right else (L["L25"], L["L28"])
    thumb = (0.004 * H, -0.42 * hand, s * 0.034 * H)
    return {
        "shoulder": (
            limb((-x, y - 0.012 * H, s * 0.45 * z), (-x, y - 0.006 * H, s * 0.92 * z), 0.028 * slim * H, shirt),
        ),
        "upper_arm": (
            egg((0.0, -0.09 * upper, -s * 0.002 * H), (0.034 * slim * H, 0.036 * slim * H, 0.033 * slim * H), shirt),
            limb((0.0, -0.05 * upper, 0.0), (0.0, -0.45 * upper, 0.0), 0.0285 * slim * H, shirt),
            limb((0.0, -0.25 * upper, 0.0), (0.0, -upper, 0.0), 0.024 * slim * H, SKIN),
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
