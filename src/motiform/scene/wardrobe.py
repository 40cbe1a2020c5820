"""What a recording must carry to be drawn: the shapes of figures and of obstacles."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.geometry import Box, Compound, Shape
from motiform.geometry.search.closest import Plane
from motiform.motion.contact import Contacts, Obstacle
from motiform.motion.contact.obstacles import PLANE
from motiform.motion.hybrid.matter.parts import SegmentSolid
from motiform.motion.matter import Network
from motiform.motion.matter.model.network import Bundle, Group, Solid
from motiform.motion.tree import Figure
from motiform.scene.faces import grid_faces, hull_faces
from motiform.scene.solid_looks import seen_shape
from motiform.spatial import Transform, quaternion_from_rotation, up_against, upright

__all__ = ["carried_wardrobe", "figure_wardrobe", "network_wardrobe", "obstacle_wardrobe", "put_aside"]

_GREY, _STONE, _WIRE = (0.55, 0.57, 0.6), (0.74, 0.71, 0.66), (0.34, 0.36, 0.4)
_ROUNDING = 1e-12  # of entries of a rotation


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
            if _level(obstacle, figure.up):
                look["ground"] = float(obstacle.placement.translation @ figure.up)
        worn[name] = look
    return worn, statics


def carried_wardrobe(solids: Iterable[SegmentSolid]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the solids with a color that segments carry into matter likewise; the others are worn already."""
    worn: dict[str, Any] = {}
    statics: dict[str, np.ndarray] = {}
    for solid in solids:
        if solid.color is not None and isinstance(solid.shape, Shape):
            name = f"solid {solid.name}"
            look = _carried(solid.shape, solid.placement, name, statics) | {"color": list(solid.color)}
            look |= {"position": f"{solid.segment}.position", "orientation": f"{solid.segment}.orientation"}
            worn[name] = look
    return worn, statics


def _level(obstacle: Obstacle, up: np.ndarray) -> bool:
    return obstacle.kind == PLANE and obstacle.color is None and _is_up(obstacle.placement, up)


def _is_up(placement: Transform, up: np.ndarray) -> bool:
    """Return whether y of a placed shape points up, but for roundings."""
    return bool(np.abs(placement.rotation[:, 1] - up).max() <= _ROUNDING)


def network_wardrobe(network: Network) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return how a network looks, in the same way: its points, its links, its solids.

    Points are balls, those of a grid of two dimensions a skin; links are thin rods where they are not too many and no
    skin hides them; those of automata that are recorded are not drawn once they are broken. The network's looks say
    otherwise by name: draw ("balls", "skin", "links", "none"), color (also "speed", "height", "tension", with map =
    [low, high]), radius [m], width [m], faces (triangles, 3).
    """
    return _NetworkWardrobe(network).dressed()


_MOST_LINKS = 3000  # of a bundle: more are a thicket that hides the points
_DRAWN = ("balls", "skin", "links", "none")


class _NetworkWardrobe:
    """What a network wears, as it is put together."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.up = up_against(network.gravity)
        self.looks: dict[str, dict[str, Any]] = getattr(network, "looks", {}) or {}
        self.worn: dict[str, Any] = {}
        self.statics: dict[str, np.ndarray] = {}
        self.firsts = np.array([group.first for group in network.groups])
        self.covered = np.zeros(network.count, bool)
        """Points that a skin shows."""
        self.hidden = np.zeros(network.count, bool)
        """Points that are not drawn at all, nor the links between them."""
        self.size = np.zeros(network.count)
        """Radius of the ball that a point is drawn as [m], 0 for none."""

    def dressed(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Return the wardrobe and the arrays that it refers to."""
        for group in self.network.groups:
            self._add_group(group)
        for bundle in self.network.bundles:
            self._add_links(bundle)
        for solid in self.network.solids:
            self._add_solid(solid)
        return self.worn, self.statics

    def _add_group(self, group: Group) -> None:
        look, mine = self._look(group.name), slice(group.first, group.first + group.count)
        surface = self._surface(group, look)
        draw = look.get("draw") or ("skin" if surface is not None else "balls")
        self.hidden[mine] = draw == "none"
        if draw == "skin":
            if surface is None:
                remedy = "Give its faces (triangles, 3), or link its points by a grid of two dimensions."
                raise InputError("no faces for a skin", where=f"look of {group.name!r}", remedy=remedy)
            if isinstance(look.get("color"), str):
                remedy = "Give red, green and blue, or draw balls."
                raise InputError(
                    "a skin has one colour", where=f"look of {group.name!r}", got=look["color"], remedy=remedy
                )
            self._add_skin(group, look, *surface)
            if "draw" in look:  # told to be a skin and nothing else
                self.covered[mine] = True
        if draw in ("skin", "balls"):
            self._add_balls(group, look)

    def _surface(self, group: Group, look: dict[str, Any]) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the triangles between a group's points, by number in the group, and the square that each is of."""
        if look.get("faces") is not None:
            faces = np.asarray(look["faces"])
            return faces, np.zeros(len(faces), int)
        grids = [bundle.grid.points for bundle in self.network.bundles if bundle.grid is not None]
        own = [p - group.first for p in grids if p.min() >= group.first and p.max() < group.first + group.count]
        flat = [p for p in own if sum(n > 1 for n in p.shape) == 2]
        if flat:
            return grid_faces(max(flat, key=np.size).squeeze())
        solid = [p for p in own if min(p.shape) > 1]
        return hull_faces(max(solid, key=np.size)) if solid and look.get("draw") == "skin" else None

    def _add_skin(self, group: Group, look: dict[str, Any], faces: np.ndarray, square: np.ndarray) -> None:
        self.covered[group.first + np.unique(faces)] = True
        color: Any = list(look.get("color") or group.color)
        if "color" not in look and square.any():
            tones = np.array([group.color, 0.8 * np.array(group.color)])
            color = put_aside(tones[square], f"{group.name}.colors", self.statics)
        kept = put_aside(faces.astype(np.int32), f"{group.name}.faces", self.statics)
        self.worn[group.name] = {"skin": f"{group.name}.position", "faces": kept, "color": color}

    def _add_balls(self, group: Group, look: dict[str, Any]) -> None:
        """Add those points of a group that no skin shows."""
        left = np.flatnonzero(~self.covered[group.indices])
        if not len(left):
            return
        given = np.broadcast_to(np.asarray(look.get("radius", group.radius), float), (group.count,))[left]
        radius = np.where(given > 0, given, 0.0 if (given > 0).all() else self._point_size())
        self.size[group.indices[left]] = radius
        name = group.name if group.name not in self.worn else f"{group.name} points"
        worn: dict[str, Any] = {"points": f"{group.name}.position", "matter": True}
        worn["color"] = self._color(look, group.name, list(group.color), None)
        alike = (radius == radius[0]).all()
        worn["radius"] = float(radius[0]) if alike else put_aside(radius, f"{name}.radius", self.statics)
        if len(left) < group.count:
            worn["pick"] = put_aside(left, f"{name}.pick", self.statics)
            if isinstance(worn["color"], dict) and "channel" in worn["color"]:
                worn["color"]["pick"] = worn["pick"]
        self.worn[name] = worn

    def _add_links(self, bundle: Bundle) -> None:
        look, ends = self._look(bundle.name), bundle.pairs
        shown = look.get("draw") or ("links" if bundle.count <= _MOST_LINKS else "none")
        if shown == "none" or not bundle.count:
            return
        if "draw" not in look and (self.covered[ends].all() or self.hidden[ends].any()):
            return
        radius = float(look["radius"]) if "radius" in look else 0.5 * float(look.get("width", 2 * self._thin(bundle)))
        group = np.searchsorted(self.firsts, ends, side="right") - 1
        broken = _broken(bundle) if bundle.record else []
        for k, (a, b) in enumerate(np.unique(group, axis=0).tolist()):
            own = np.flatnonzero((group == (a, b)).all(axis=1))
            name = f"links {bundle.name}" if k == 0 else f"links {bundle.name} {k + 1}"
            pairs = put_aside((ends[own] - self.firsts[[a, b]]).astype(np.int32), f"{name}.pairs", self.statics)
            which = None if len(own) == bundle.count else put_aside(own, f"{name}.pick", self.statics)
            channels = [f"{self.network.groups[g].name}.position" for g in (a, b)]
            color = self._color(look, bundle.name, list(_WIRE), which)
            self.worn[name] = {"links": channels, "pairs": pairs, "radius": radius, "color": color}
            if broken:
                gone = {"channel": f"{bundle.name}.state", "values": broken}
                self.worn[name]["gone"] = gone if which is None else {**gone, "pick": which}

    def _thin(self, bundle: Bundle) -> float:
        """Return a radius for links [m]: thinner than the balls at their ends, and far thinner than they are long."""
        place = self.network.initial_state().position[bundle.pairs]
        long = float(np.median(np.linalg.norm(place[:, 1] - place[:, 0], axis=1)))
        ball = self.size[bundle.pairs]
        return (
            min(0.03 * long, 0.2 * float(ball[ball > 0].min())) if (ball > 0).any() and long else 0.03 * long or 0.005
        )

    def _color(self, look: dict[str, Any], name: str, plain: Any, pick: Any) -> Any:
        """Return a color as a form takes it: given, by name of what it shows, or the plain one."""
        color = look.get("color", plain)
        if isinstance(color, str):
            if color not in ("speed", "height", "tension"):
                raise InputError("color of a look", where=name, got=color, allowed="'speed', 'height', 'tension'")
            channel = {"speed": "velocity", "height": "position", "tension": "tension"}[color]
            color = {"channel": f"{name}.{channel}"} | ({"axis": self.up.tolist()} if color == "height" else {})
            color |= {"map": list(look["map"])} if "map" in look else {}
        if isinstance(color, dict):
            return color if pick is None else {**color, "pick": pick}
        return np.asarray(color, float).tolist() if np.ndim(color) == 1 else put_aside(
            np.asarray(color, float), f"{name}.colors", self.statics
        )  # fmt: skip

    def _add_solid(self, solid: Solid) -> None:
        """Add a solid: moved by its channels where the recording has them, else where it starts."""
        look = self._look(solid.name)
        shape = seen_shape(solid.shape, float(np.ptp(self.network.initial_state().position, axis=0).max()))
        if shape is None or look.get("draw") == "none":
            return
        name = f"solid {solid.name}"
        worn: dict[str, Any] = {"color": list(look.get("color") or solid.color or _STONE), "offset": [0.0, 0.0, 0.0]}
        worn["shape"] = put_aside(shape.describe(), name, self.statics)
        worn["at"] = solid.placement.translation.tolist()
        worn["turn"] = quaternion_from_rotation(solid.placement.rotation).tolist()
        if solid.motion is not None:
            worn |= {"position": f"{solid.name}.position", "orientation": f"{solid.name}.orientation"}
        else:
            worn |= self._footing(solid, shape, "color" in look)
        self.worn[name] = worn

    def _footing(self, solid: Solid, shape: Shape, colored: bool) -> dict[str, float]:
        """Return the height of a floor, which a picture's ground stands for, or how far down another solid reaches."""
        axes = upright(self.up)  # x, height and z by rows
        turn, place = axes @ solid.placement.rotation, axes @ solid.placement.translation
        plain = not colored and solid.color is None
        if isinstance(solid.shape, Plane):
            return {"ground": float(place[1])} if plain and _is_up(solid.placement, self.up) else {}
        low, high = np.asarray(shape.bounds, float)
        middle, half = place + turn @ (0.5 * (low + high)), np.abs(turn) @ (0.5 * (high - low))
        points = self.network.initial_state().position @ axes.T
        reach = np.abs(points - middle).max(0)
        flat = isinstance(solid.shape, Box) and (np.abs(turn).max(1) >= 1.0 - _ROUNDING).all()
        if flat and plain and (half > 1.2 * reach)[[0, 2]].all() and points[:, 1].min() >= middle[1]:
            return {"ground": float(middle[1] + half[1])}
        return {"stands": float(middle[1] - half[1])}

    def _look(self, name: str) -> dict[str, Any]:
        look = dict(self.looks.get(name, {}))
        if look.get("draw", "balls") not in _DRAWN:
            raise InputError("draw of a look", where=name, got=look["draw"], allowed=", ".join(map(repr, _DRAWN)))
        return look

    def _point_size(self) -> float:
        """Return a radius at which points without one are well seen [m]: a part of the distance between them."""
        place = self.network.initial_state().position
        if len(place) < 2:
            return 0.02
        from scipy.spatial import cKDTree

        nearest = cKDTree(place).query(place, k=2)[0][:, 1]
        part = 0.2 if self.network.link_count else 0.3
        return float(part * np.median(nearest[nearest > 0])) if (nearest > 0).any() else 0.02


def _broken(bundle: Bundle) -> list[int]:
    """Return the numbers of the states that a link never leaves and in which it does nothing."""
    automaton = getattr(bundle.law, "automaton", None)
    states = () if automaton is None else automaton.states
    return [n for n, state in enumerate(states) if state.final and state.stiffness == 0 and state.damping == 0]


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
