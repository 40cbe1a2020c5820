"""How screens are drawn."""

from motiform.form.looks import HeightsLook, Looks, PointsLook
from motiform.form.looks.plain import PartLook
from motiform.form.screen import Screen

__all__ = ["screen_looks"]

_SURFACE, _POINTS = (0.80, 0.72, 0.58), (0.25, 0.35, 0.55)


def screen_looks(screen: Screen, _model: object) -> Looks:
    """Return the surface of a screen of one or two dimensions, and the points that engrave it."""
    found: dict[str, PartLook] = {}
    if screen.normal is not None and min(screen.shape) > 1:
        found["screen"] = HeightsLook(
            heights="heights", origin=screen.origin, axes=screen.axes, normal=screen.normal, spacing=screen.spacing,
            color=_SURFACE,
        )  # fmt: skip
    for one in screen.engravers:
        radius = min(0.25 * one.reach, screen.spacing)
        found[one.name] = PointsLook(points=f"{one.name}.position", radius=radius, color=_POINTS)
    return Looks(found)
