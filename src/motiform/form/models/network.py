"""How networks are drawn: their points, their links, their solids."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.form.looks import ColorBy, HideBy, LinksLook, Looks, PointsLook, ShapeLook, SkinLook
from motiform.form.looks.color import Color
from motiform.form.looks.plain import PartLook
from motiform.form.models.faces import grid_faces, hull_faces
from motiform.form.models.figure import STONE, is_up, placed
from motiform.geometry import Shape
from motiform.motion.matter import GroupLook, Network
from motiform.motion.matter.model.network import Bundle, Group, NetworkSolid
from motiform.spatial import up_against, upright

__all__ = ["network_looks"]

_WIRE = (0.34, 0.36, 0.4)
_ROUNDING = 1e-12  # of entries of a rotation
_MOST_LINKS = 3000  # of a bundle: more are a thicket that hides the points


def network_looks(network: Network, _model: object) -> Looks:
    """Return the looks of a network.

    Points are balls, those of a grid of two dimensions a skin; links are thin rods where they are not too many and no
    skin hides them; those of automata that are recorded are not drawn once they are broken. The network's looks say
    otherwise by name.
    """
    return Looks(_NetworkLooks(network).parts)


class _NetworkLooks:
    """Looks of a network, as they are put together: groups first, on whose sizes those of links depend."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.up = up_against(network.gravity)
        self.start = network.initial_state().position
        self.parts: dict[str, PartLook] = {}
        self.firsts = np.array([group.first for group in network.groups])
        self.covered = np.zeros(network.count, bool)
        """Points that a skin shows."""
        self.hidden = np.zeros(network.count, bool)
        """Points that are not drawn at all, nor the links between them."""
        self.size = np.zeros(network.count)
        """Radius of the ball that a point is drawn as [m], 0 for none."""
        for group in network.groups:
            self._add_group(group, network.looks.get(group.name, GroupLook()))
        for bundle in network.bundles:
            self._add_links(bundle, network.looks.get(bundle.name, GroupLook()))
        for solid in network.solids:
            self._add_solid(solid, network.looks.get(solid.name, GroupLook()))

    # ---- points -----------------------------------------------------------------------------------------------------

    def _add_group(self, group: Group, look: GroupLook) -> None:
        mine = slice(group.first, group.first + group.count)
        surface = self._surface(group, look)
        draw = look.draw or ("skin" if surface is not None else "balls")
        self.hidden[mine] = draw == "none"
        if draw == "skin":
            self._add_skin(group, look, surface)
            if look.draw is not None:  # told to be a skin and nothing else
                self.covered[mine] = True
        if draw in ("skin", "balls"):
            self._add_balls(group, look)

    def _surface(self, group: Group, look: GroupLook) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the triangles between a group's points, by number in the group, and the square that each is of."""
        if look.faces is not None:
            faces = np.asarray(look.faces)
            return faces, np.zeros(len(faces), int)
        grids = [bundle.grid.points for bundle in self.network.bundles if bundle.grid is not None]
        own = [p - group.first for p in grids if p.min() >= group.first and p.max() < group.first + group.count]
        flat = [p for p in own if sum(n > 1 for n in p.shape) == 2]
        if flat:
            return grid_faces(max(flat, key=np.size).squeeze())
        solid = [p for p in own if min(p.shape) > 1]
        return hull_faces(max(solid, key=np.size)) if solid and look.draw == "skin" else None

    def _add_skin(self, group: Group, look: GroupLook, surface: tuple[np.ndarray, np.ndarray] | None) -> None:
        where = f"look of {group.name!r}"
        if surface is None:
            remedy = "Give `faces`, or link the points by a grid of two or three dimensions."
            raise InputError("a skin must have faces", where=where, remedy=remedy)
        if isinstance(look.color, str):
            remedy = "Give numbers, or draw balls."
            raise InputError("`color` of a skin must be numbers", where=where, got=look.color, remedy=remedy)
        faces, square = surface
        self.covered[group.first + np.unique(faces)] = True
        color = np.asarray(group.color if look.color is None else look.color)
        if look.color is None and square.any():
            color = np.array([group.color, 0.8 * np.array(group.color)])[square]
        skin = SkinLook(skin=f"{group.name}.position", faces=faces.astype(np.int32), color=color)
        self.parts[group.name] = skin

    def _add_balls(self, group: Group, look: GroupLook) -> None:
        """Add those points of a group that no skin shows."""
        left = np.flatnonzero(~self.covered[group.indices])
        if not len(left):
            return
        own = group.radius if look.radius is None else look.radius
        given = np.broadcast_to(_picked(own, left, group.count, f"look of {group.name!r}"), (len(left),))
        radius = np.where(given > 0, given, 0.0 if (given > 0).all() else self._point_size())
        self.size[group.indices[left]] = radius
        name = group.name if group.name not in self.parts else f"{group.name} points"
        pick = left if len(left) < group.count else None
        self.parts[name] = PointsLook(
            points=f"{group.name}.position", matter=True, color=self._point_color(group, look, pick),
            radius=float(radius[0]) if (radius == radius[0]).all() else radius, pick=pick,
        )  # fmt: skip

    def _point_color(self, group: Group, look: GroupLook, pick: np.ndarray | None) -> Color:
        where = f"look of {group.name!r}"
        if not isinstance(look.color, str):
            return _picked(group.color if look.color is None else look.color, pick, group.count, where)
        if look.color == "height":
            up = tuple(self.up.tolist())
            return ColorBy(channel=f"{group.name}.position", map=look.map, axis=up, pick=pick)
        if look.color != "speed":
            raise InputError("`color` of points must be numbers, 'speed' or 'height'", where=where, got=look.color)
        if not self.network.keep_velocity:
            remedy = "Build the network with keep_velocity=True (velocities = true in a scene)."
            raise InputError("`color` 'speed' needs recorded velocities", where=where, remedy=remedy)
        return ColorBy(channel=f"{group.name}.velocity", map=look.map, pick=pick)

    def _point_size(self) -> float:
        """Return a radius at which points without one are well seen [m]: a part of the distance between them."""
        if len(self.start) < 2:
            return 0.02
        from scipy.spatial import cKDTree

        nearest = cKDTree(self.start).query(self.start, k=2)[0][:, 1]
        part = 0.2 if self.network.link_count else 0.3
        return float(part * np.median(nearest[nearest > 0])) if (nearest > 0).any() else 0.02

    # ---- links ------------------------------------------------------------------------------------------------------

    def _add_links(self, bundle: Bundle, look: GroupLook) -> None:
        shown = look.draw or ("links" if bundle.count <= _MOST_LINKS else "none")
        if shown == "none" or not bundle.count:
            return
        if look.draw is None and (self.covered[bundle.pairs].all() or self.hidden[bundle.pairs].any()):
            return
        thick = 2 * self._thin(bundle) if look.width is None else look.width
        radius = 0.5 * thick if look.radius is None else look.radius
        names, broken = [group.name for group in self.network.groups], _broken(bundle) if bundle.record else ()
        for name, groups, own in self._split(bundle):
            pick = None if len(own) == bundle.count else own
            gone = HideBy(channel=f"{bundle.name}.state", values=broken, pick=pick) if broken else None
            self.parts[name] = LinksLook(
                links=(f"{names[groups[0]]}.position", f"{names[groups[1]]}.position"),
                pairs=(bundle.pairs[own] - self.firsts[list(groups)]).astype(np.int32),
                radius=_picked(radius, pick, bundle.count, f"look of {bundle.name!r}"),
                color=self._link_color(bundle, look, pick),
                gone=gone,
            )

    def _split(self, bundle: Bundle) -> Iterator[tuple[str, tuple[int, int], np.ndarray]]:
        """Give the links between each two groups: a name, the groups, and which links of the bundle they are."""
        group = np.searchsorted(self.firsts, bundle.pairs, side="right") - 1
        for k, (a, b) in enumerate(np.unique(group, axis=0).tolist()):
            own = np.flatnonzero((group == (a, b)).all(axis=1))
            yield f"links {bundle.name}" if k == 0 else f"links {bundle.name} {k + 1}", (a, b), own

    def _thin(self, bundle: Bundle) -> float:
        """Return a radius for links [m]: thinner than the balls at their ends, and far thinner than they are long."""
        place = self.start[bundle.pairs]
        long = float(np.median(np.linalg.norm(place[:, 1] - place[:, 0], axis=1)))
        ball = self.size[bundle.pairs]
        thin = 0.03 * long or 0.005
        return min(thin, 0.2 * float(ball[ball > 0].min())) if (ball > 0).any() and long else thin

    def _link_color(self, bundle: Bundle, look: GroupLook, pick: np.ndarray | None) -> Color:
        where = f"look of {bundle.name!r}"
        if not isinstance(look.color, str):
            return _picked(_WIRE if look.color is None else look.color, pick, bundle.count, where)
        if look.color != "tension":
            raise InputError("`color` of links must be numbers or 'tension'", where=where, got=look.color)
        if not bundle.record:
            remedy = "Add the links with record=True."
            raise InputError("`color` 'tension' needs recorded tensions", where=where, remedy=remedy)
        return ColorBy(channel=f"{bundle.name}.tension", map=look.map, pick=pick)

    # ---- solids -----------------------------------------------------------------------------------------------------

    def _add_solid(self, solid: NetworkSolid, look: GroupLook) -> None:
        """Add a solid: moved by its channels where the recording has them, else where it starts."""
        shape = solid.shape.seen(float(np.ptp(self.start, axis=0).max()))
        if shape is not None and look.draw != "none":
            self.parts[f"solid {solid.name}"] = self._solid(solid, shape, look)

    def _solid(self, solid: NetworkSolid, shape: Shape, look: GroupLook) -> ShapeLook:
        given = solid.color if look.color is None else look.color
        if isinstance(given, str):
            where = f"look of {solid.name!r}"
            raise InputError("`color` of a solid must be numbers", where=where, got=given)
        color = np.asarray(STONE if given is None else given)
        if solid.motion is not None:
            return placed(shape, solid.placement, color, moved=solid.name)
        ground, stands = self._footing(solid, shape, plain=given is None)
        return placed(shape, solid.placement, color, ground=ground, stands=stands)

    def _footing(self, solid: NetworkSolid, shape: Shape, *, plain: bool) -> tuple[float | None, float | None]:
        """Return the height of a floor, which a picture's ground stands for, or how far down another solid reaches."""
        axes = upright(self.up)  # x, height and z by rows
        turn, place = axes @ solid.placement.rotation, axes @ solid.placement.translation
        if solid.shape.ground:
            return (float(place[1]) if plain and is_up(solid.placement, self.up) else None), None
        low, high = np.asarray(shape.bounds, float)
        middle, half = place + turn @ (0.5 * (low + high)), np.abs(turn) @ (0.5 * (high - low))
        points = self.start @ axes.T
        reach = np.abs(points - middle).max(0)
        flat = solid.shape.flat and (np.abs(turn).max(1) >= 1.0 - _ROUNDING).all()
        if flat and plain and (half > 1.2 * reach)[[0, 2]].all() and points[:, 1].min() >= middle[1]:
            return float(middle[1] + half[1]), None
        return None, float(middle[1] - half[1])


def _picked(given: Any, pick: np.ndarray | None, count: int, where: str) -> Any:
    """Return what is given for each, of those that are picked; one for all stays."""
    if not isinstance(given, np.ndarray):
        return given
    if len(given) != count:
        raise InputError(
            "a color or a radius must be one, or one for each", where=where, got=len(given), allowed=f"{count}"
        )
    return given if pick is None else given[pick]


def _broken(bundle: Bundle) -> tuple[int, ...]:
    """Return the numbers of the states that a link never leaves and in which it does nothing."""
    automaton = getattr(bundle.law, "automaton", None)
    states = () if automaton is None else automaton.states
    return tuple(n for n, state in enumerate(states) if state.final and state.stiffness == 0 and state.damping == 0)
