"""How screens are drawn."""

from motiform.form.looks import HeightsLook, LevelLook, Looks, PointsLook
from motiform.form.looks.plain import PartLook
from motiform.form.models.network import network_looks
from motiform.motion.screens import Follow, Screen, Screens

__all__ = ["screen_looks", "screens_looks"]

_SURFACE, _POINTS = (0.80, 0.72, 0.58), (0.25, 0.35, 0.55)


def screen_looks(screen: Screen, _model: object) -> Looks:
    """Return the surface of a screen, and the points that engrave it."""
    return Looks(_parts(screen, "screen", "", _SURFACE, 1.0, None))


def screens_looks(model: Screens, _model: object) -> Looks:
    """Return the surfaces of all screens, and the network that engraves them."""
    found: dict[str, PartLook] = {}
    for name, screen in model.screens.items():
        color, scale = model.colors.get(name, _SURFACE), model.scales.get(name, 1.0)
        found |= _parts(screen, name, f"{name}.", color, scale, model.levels.get(name))
    return Looks(found) if model.network is None else network_looks(model.network, model) | Looks(found)


def _parts(
    screen: Screen, name: str, prefix: str, color: tuple[float, float, float], scale: float, level: float | None
) -> dict[str, PartLook]:
    found: dict[str, PartLook] = {}
    if screen.normal is not None and (screen.dimensions == 1 or min(screen.shape) > 1):
        found[name] = HeightsLook(
            heights=f"{prefix}heights", origin=screen.origin, axes=screen.axes, normal=screen.normal,
            spacing=screen.spacing, color=color, scale=scale,
        )  # fmt: skip
    if screen.dimensions == 3 and min(screen.shape) > 1 and (level is not None or screen.engravers):
        found[name] = LevelLook(
            level=f"{prefix}heights", at=_half_way(screen) if level is None else level, origin=screen.origin,
            axes=screen.axes, spacing=screen.spacing, color=color,
        )  # fmt: skip
    for one in screen.engravers:
        if not isinstance(one.points, Follow):  # the network draws those
            radius = min(0.25 * one.reach, screen.spacing)
            found[f"{prefix}{one.name}"] = PointsLook(
                points=f"{prefix}{one.name}.position", radius=radius, color=_POINTS
            )
    return found


def _half_way(screen: Screen) -> float:
    """Return the height half-way between rest and the nearest engraver: pins above it are drawn as inside [m]."""
    heights = [screen.rest if one.height is None else one.height for one in screen.engravers]
    return 0.5 * (screen.rest + min(heights, key=lambda height: abs(height - screen.rest)))
