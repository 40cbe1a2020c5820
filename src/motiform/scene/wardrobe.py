"""What a recording must carry to be drawn: the shapes of figures and of obstacles."""

from typing import Any

import numpy as np

from motiform.geometry import Compound, Shape
from motiform.motion.contact import Contacts, Obstacle
from motiform.motion.contact.obstacles import PLANE
from motiform.motion.matter import Network
from motiform.motion.tree import Figure
from motiform.spatial import Transform, quaternion_from_rotation

__all__ = ["figure_wardrobe", "network_wardrobe", "obstacle_wardrobe", "put_aside"]

_GREY, _STONE = (0.55, 0.57, 0.6), (0.74, 0.71, 0.66)


def figure_wardrobe(figure: Figure) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the shapes of a figure as a recording's manifest keeps them, and the arrays that they refer to."""
    worn: dict[str, Any] = {}
    statics: dict[str, np.ndarray] = {}
    for segment in figure.segments:
        for n, part in enumerate(segment.parts):
            name = segment.name if len(segment.parts) == 1 else f"{segment.name}.{n + 1}"
            worn[name] = {
                **_carried(part.shape, part.placement, name, statics),
                "color": list(part.color or _GREY),
                "position": f"{segment.name}.position",
                "orientation": f"{segment.name}.orientation",
            }
    return worn, statics


def _carried(shape: Shape, placement: Transform, name: str, statics: dict[str, np.ndarray]) -> dict[str, Any]:
    """Return a shape that is placed in the frame of what carries it."""
    turned = not np.array_equal(placement.rotation, np.eye(3))
    whole = Compound(((shape, placement),)) if turned else shape
    offset = [0.0, 0.0, 0.0] if turned else placement.translation.tolist()
    return {"shape": put_aside(whole.describe(), name, statics), "offset": offset}


def obstacle_wardrobe(figure: Figure, contacts: Contacts) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the shapes of obstacles likewise: those of the world where they are, the others on their segments.

    What a segment wears already is not drawn again unless the obstacle has a color of its own. Level ground is left
    to the ground of a picture, which it tells its height.
    """
    worn: dict[str, Any] = {}
    statics: dict[str, np.ndarray] = {}
    for obstacle in contacts.obstacles:
        name, carrier = f"obstacle {obstacle.name}", obstacle.segment
        if carrier is not None and obstacle.color is None and figure.segment(carrier).parts:
            continue
        look: dict[str, Any] = {"color": list(obstacle.color or _STONE)}
        if carrier is not None:
            look |= _carried(obstacle.shape, obstacle.placement, name, statics)
            look |= {"position": f"{carrier}.position", "orientation": f"{carrier}.orientation"}
        else:
            look |= {"shape": put_aside(obstacle.shape.describe(), name, statics), "offset": [0.0, 0.0, 0.0]}
            look["at"] = obstacle.placement.translation.tolist()
            look["turn"] = quaternion_from_rotation(obstacle.placement.rotation).tolist()
            if _level(obstacle):
                look["ground"] = float(obstacle.placement.translation[1])
        worn[name] = look
    return worn, statics


def _level(obstacle: Obstacle) -> bool:
    upward = np.array_equal(obstacle.placement.rotation, np.eye(3))
    return obstacle.kind == PLANE and upward and obstacle.color is None


def network_wardrobe(network: Network) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return how a network looks: balls at its points, where they have a radius or are few, and its solids."""
    worn: dict[str, Any] = {}
    statics: dict[str, np.ndarray] = {}
    for group in network.groups:
        radius = float(np.median(group.radius)) or _point_size(network)
        worn[group.name] = {"points": f"{group.name}.position", "radius": radius, "color": list(group.color)}
    for solid in network.solids:
        if isinstance(solid.shape, Shape) and solid.motion is None:
            look = {"color": list(solid.color or _STONE), "offset": [0.0, 0.0, 0.0]}
            look["shape"] = put_aside(solid.shape.describe(), solid.name, statics)
            look["at"] = solid.placement.translation.tolist()
            look["turn"] = quaternion_from_rotation(solid.placement.rotation).tolist()
            worn[f"solid {solid.name}"] = look
    return worn, statics


def _point_size(network: Network) -> float:
    """Return a radius at which points without one are well seen: a part of the distance between them."""
    place = network.initial_state().position
    if len(place) < 2:
        return 0.02
    from scipy.spatial import cKDTree

    nearest = cKDTree(place).query(place, k=2)[0][:, 1]
    return float(0.3 * np.median(nearest[nearest > 0])) if (nearest > 0).any() else 0.02


def put_aside(description: Any, name: str, statics: dict[str, np.ndarray]) -> Any:
    """Replace the arrays of a description by {"static": name}, and keep them."""
    if isinstance(description, np.ndarray):
        statics[name] = description
        return {"static": name}
    if isinstance(description, dict):
        return {key: put_aside(value, f"{name}.{key}", statics) for key, value in description.items()}
    if isinstance(description, list | tuple):
        return [put_aside(value, f"{name}.{n}", statics) for n, value in enumerate(description)]
    return description
