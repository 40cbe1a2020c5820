"""From the networks of a scene to the model that is simulated."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from motiform.base.errors import InputError, MotiformError, SceneError, closest
from motiform.geometry.closest import Hollow, Plane, pack_solids
from motiform.motion.contact.obstacles import up_to
from motiform.motion.matter import Network, NetworkBuilder, Points, topology
from motiform.motion.matter.run import steps_per_sample
from motiform.scene.build import build_pose, build_rotation, build_shape
from motiform.scene.load import Scene
from motiform.scene.matter_laws import build_friction, build_law
from motiform.scene.matter_motion import Gusts, MovedPoints, MovedSolid, Push, Way, read_replay, replayed_solid
from motiform.scene.matter_places import Places, build_places, moved
from motiform.scene.matter_tables import (
    ImposedTable,
    LinkTable,
    MassesTable,
    NetworkTable,
    PistonTable,
    PlacesTable,
    PointsOf,
    PushTable,
    ReachTable,
    SolidTable,
)
from motiform.spatial import Transform

__all__ = ["build_networks"]

_NAMED = re.compile(r"\s*(?:(?P<network>[\w-]+)\.)?(?P<group>[\w-]+)\s*(?:\[(?P<index>[^\[\]]*)\])?\s*", re.ASCII)
_INDEX = re.compile(r"\s*(?:(-?\d{1,9})|(-?\d{1,9})?\s*:\s*(-?\d{1,9})?\s*(?::\s*(-?\d{1,9})?)?)\s*", re.ASCII)


def build_networks(scene: Scene) -> Network:
    """Return the networks of a scene as one: points of all in their order (masses, fixed, imposed), then links.

    Where there are several, names are NETWORK.NAME.
    """
    document = scene.document
    assert document.motion.rate is not None, "chosen when the scene was read"
    builder = NetworkBuilder(
        rate=document.motion.rate, gravity=document.environment.gravity, wind=_wind(scene),
        keep_velocity=any(table.velocities for table in document.network),
    )  # fmt: skip
    groups: dict[str, _Group] = {}
    parts = [_Part(scene, builder, groups, n, table) for n, table in enumerate(document.network)]
    for part in parts:
        part.add_points()
    for part in parts:
        part.add_links()
    network = _built(scene, builder)
    try:
        steps_per_sample(network, document.scene.rate)
    except InputError as error:
        raise SceneError(f"{scene.place('scene', 'rate')}: {error}") from error
    return network


def _wind(scene: Scene) -> Any:
    table = scene.document.environment
    if table.gust is None:
        return table.wind
    return Gusts(np.array(table.wind), np.array(table.gust.amplitude), table.gust.period)


def _built(scene: Scene, builder: NetworkBuilder) -> Network:
    """Return the network; an error of the whole gets the line of the links that it names."""
    try:
        return builder.build()
    except MotiformError as error:
        several = len(scene.document.network) > 1
        for n, table in enumerate(scene.document.network):
            for k, link in enumerate(table.link):
                if error.where == f"links '{f'{table.name}.' if several else ''}{link.name}'":
                    raise SceneError(f"{scene.place('network', n, 'link', k)}: {error}") from error
        raise SceneError(f"{scene.place('network', 0)}: {error}") from error


@dataclass(frozen=True)
class _Group:
    """Points of a network that is being built, and how they belong together."""

    points: Points
    places: Places
    kind: str


class _Part:
    """One network of several that are built together."""

    def __init__(
        self, scene: Scene, builder: NetworkBuilder, groups: dict[str, _Group], n: int, table: NetworkTable
    ) -> None:
        self.scene, self.builder, self.groups, self.n, self.table = scene, builder, groups, n, table
        several = len(scene.document.network) > 1
        self.prefix = f"{table.name}." if several else ""
        self.networks = {one.name: f"{one.name}." if several else "" for one in scene.document.network}
        self.pose = build_pose(table.pose)

    def _each(self, kind: str, add: Callable[[Any, Callable[..., str]], None]) -> None:
        """Add all tables of a kind; what goes wrong gets the file and line."""
        for k, table in enumerate(getattr(self.table, kind)):

            def place(*keys: str | int, k: int = k) -> str:
                return self.scene.place("network", self.n, kind, k, *keys)

            try:
                add(table, place)
            except SceneError as error:
                if error.where is not None and error.where.startswith("scene "):  # of a file that is not there
                    raise SceneError(f"{place()}: {error}") from error
                raise
            except MotiformError as error:
                raise SceneError(f"{place()}: {error}") from error

    # ---- points -----------------------------------------------------------------------------------------------------

    def add_points(self) -> None:
        """Add masses, fixed and imposed points."""
        self._each("masses", self._masses)
        self._each("fixed", self._fixed)
        self._each("imposed", self._imposed)

    def _masses(self, table: MassesTable, place: Callable[..., str]) -> None:
        places = self._places(table)
        mass = table.mass if table.total is None else table.total / len(places.position)
        velocity = build_rotation(table.pose) @ np.array(table.velocity)
        points = self.builder.masses(
            self.prefix + table.name, places.position, mass or 0.0, velocity=self.pose.rotation @ velocity,
            axes=table.axes, drag=table.drag, radius=table.radius, color=table.color,
        )  # fmt: skip
        self._keep(table, points, places, "masses")

    def _fixed(self, table: Any, place: Callable[..., str]) -> None:
        places = self._places(table)
        points = self.builder.fixed(self.prefix + table.name, places.position, radius=table.radius, color=table.color)
        self._keep(table, points, places, "fixed")

    def _imposed(self, table: ImposedTable, place: Callable[..., str]) -> None:
        name = self.prefix + table.name
        look: Any = {"radius": table.radius, "color": table.color}
        if table.motion.recording is not None:
            samples, rate = read_replay(self.scene, table.motion.recording)
            samples = moved(self.table.pose, moved(table.pose, samples))
            points = self.builder.imposed(name, samples, rate=rate, **look)
            self._keep(table, points, Places(samples[0]), "imposed")
            return
        start = build_places(self.scene, table, name)
        motion = MovedPoints(Way(table.motion, table.pose.at), start.position, self.pose)
        step = 1 / self.builder.rate
        points = self.builder.imposed(name, motion, velocity=(motion(0.0) - motion(-step)) / step, **look)
        self._keep(table, points, start, "imposed")

    def _places(self, table: PlacesTable) -> Places:
        found = build_places(self.scene, table, self.prefix + table.name)
        return Places(moved(self.table.pose, found.position), found.shape, found.edges)

    def _keep(self, table: PlacesTable, points: Points, places: Places, kind: str) -> None:
        self.groups[self.prefix + table.name] = _Group(points, places, kind)

    # ---- points by name ---------------------------------------------------------------------------------------------

    def points(self, named: PointsOf, where: str) -> Points:
        """Return points by name: one, some or all of a group, or those of several names after one another."""
        if isinstance(named, str):
            return self._named(named, where)
        if not named:
            raise SceneError("no points", where=where, allowed="one name or several")
        found = [self._named(name, where) for name in named]
        return Points(np.concatenate([points.indices for points in found]), self.builder)

    def _named(self, name: str, where: str) -> Points:
        group, index = self._group(name, where)
        if index is None:
            return group.points
        parts = [_slice(part) for part in index.split(",")]
        if None in parts:
            raise SceneError("points by number", where=where, got=name, allowed="such as [3], [2:5], [::2], [0, :]")
        shape = (len(group.points),) if len(parts) == 1 else group.places.shape
        if shape is None or len(shape) != len(parts):
            allowed = "one number or range" + ("" if shape is None else f", or {len(shape)} of a grid")
            raise SceneError("points by number", where=where, got=name, allowed=allowed)
        try:
            found = group.points.indices.reshape(shape)[tuple(parts)]
        except IndexError as error:
            allowed = ", ".join(f"0 to {size - 1}" for size in shape)
            raise SceneError("no such point", where=where, got=name, allowed=allowed) from error
        if not found.size:
            raise SceneError("no such point", where=where, got=name)
        return Points(np.atleast_1d(found.ravel()), self.builder)

    def _group(self, name: str, where: str) -> tuple[_Group, str | None]:
        match = _NAMED.fullmatch(name)
        if match is None:
            allowed = 'a group such as "rope", "rope[3]", "rope[2:5]", "other_network.rope"'
            raise SceneError("not a name of points", where=where, got=name, allowed=allowed)
        owner = match["network"]
        if owner is not None and owner not in self.networks:
            raise SceneError("no such network", where=where, got=owner, allowed=", ".join(self.networks),
                             remedy=closest(owner, self.networks))  # fmt: skip
        prefix = self.prefix if owner is None else self.networks[owner]
        if prefix + match["group"] not in self.groups:
            names = [one.removeprefix(prefix) for one in self.groups if one.startswith(prefix)]
            raise SceneError("no such points", where=where, got=match["group"], allowed=", ".join(names) or "none",
                             remedy=closest(match["group"], names))  # fmt: skip
        return self.groups[prefix + match["group"]], match["index"]

    def _met(self, named: PointsOf | None, where: str) -> Points:
        """Return points by name, or all masses of the network."""
        if named is not None:
            return self.points(named, where)
        own = [self.groups[self.prefix + table.name].points.indices for table in self.table.masses]
        if not own:
            raise SceneError("the network has no masses", where=where, remedy="Give points.")
        return Points(np.concatenate(own), self.builder)

    # ---- links ------------------------------------------------------------------------------------------------------

    def add_links(self) -> None:
        """Add links, pistons, links by range, solids and pushes."""
        self._each("link", self._link)
        self._each("piston", self._piston)
        self._each("reach", self._reach)
        self._each("solid", self._solid)
        self._each("push", self._push)

    def _link(self, table: LinkTable, place: Callable[..., str]) -> None:
        kind = next(kind for kind in table.kinds if getattr(table, kind) is not None)
        pairs = self._pairs(table, kind, place(kind))
        if isinstance(pairs, np.ndarray) and not len(pairs):
            raise SceneError("no links", where=place(kind), got=getattr(table, kind), remedy="Raise distance."
                             if kind == "near" else "Give two points or more.")  # fmt: skip
        law = build_law(table, place, table.name)
        self.builder.link(self.prefix + table.name, pairs, law, axis=table.axis, acts=table.acts, record=table.record)

    def _pairs(self, table: LinkTable, kind: str, where: str) -> Any:
        named = getattr(table, kind)
        if kind in ("between", "cross"):
            first, second = (self.points(one, where) for one in named)
            return (first, second) if kind == "between" else topology.cross(first.indices, second.indices)
        if kind == "pairs":
            ends = [[self._one(name, where) for name in pair] for pair in named]
            return np.array(ends, np.int64).reshape(-1, 2)
        points = self.points(named, where)
        if kind == "near":
            assert table.distance is not None
            return topology.near(points.indices, points.position, table.distance)
        if kind == "grid":
            return topology.grid(
                points.indices,
                self._shape(table, where),
                diagonals=table.diagonals is not False,
                bends=bool(table.bends),
            )
        if kind == "edges":
            return self._edges(named, where)
        return {"chain": topology.chain, "loop": topology.loop, "agglomerate": topology.agglomerate}[kind](
            points.indices
        )

    def _one(self, name: str, where: str) -> int:
        points = self.points(name, where)
        if len(points) != 1:
            raise SceneError("a pair is of two single points", where=where, got=f"{name} ({len(points)} points)",
                             remedy="Give between for sets.")  # fmt: skip
        return int(points.indices[0])

    def _shape(self, table: LinkTable, where: str) -> tuple[int, ...]:
        if table.shape is not None:
            return tuple(table.shape)
        group, index = self._group(table.grid, where) if isinstance(table.grid, str) else (None, None)
        if group is None or index is not None or group.places.shape is None:
            raise SceneError("not the points of a whole grid", where=where, got=table.grid, remedy="Give shape.")
        return group.places.shape

    def _edges(self, named: PointsOf, where: str) -> np.ndarray:
        group, index = self._group(named, where) if isinstance(named, str) else (None, None)
        if group is None or index is not None or group.places.edges is None:
            raise SceneError("not the corners of a mesh", where=where, got=named, remedy="Give a group with mesh.")
        return group.points.indices[group.places.edges]

    def _piston(self, table: PistonTable, place: Callable[..., str]) -> None:
        where = place("pairs")
        pairs = [tuple(self.points(one, where) for one in pair) for pair in table.pairs]
        self.builder.piston(
            self.prefix + table.name, pairs, table.axes, stiffness=table.stiffness, rest=table.rest,
            damping=table.damping,
        )  # fmt: skip

    def _reach(self, table: ReachTable, place: Callable[..., str]) -> None:
        points = self.points(table.points, place("points"))
        others = None if table.others is None else self.points(table.others, place("others"))
        apart = [self.points(one, place("apart")) for one in table.apart]
        law = build_law(table, place, table.name, {"threshold": 0.0} if self._thick(points, others) else None)
        friction = build_friction(table.friction, law)
        self.builder.reach(self.prefix + table.name, points, others, law=law, friction=friction, apart=apart)

    def _thick(self, *sets: Points | None) -> bool:
        """Whether all points stand for balls, so that they touch where the gap is none."""
        radius = np.concatenate([group.radius for group in self.builder._groups])
        return all((radius[points.indices] > 0).all() for points in sets if points is not None)

    def _solid(self, table: SolidTable, place: Callable[..., str]) -> None:
        points = self._met(table.points, place("points"))
        shape, start = self._shaped(table)
        law = build_law(table, place, table.name, {"threshold": 0.0})
        motion: Any = None
        if table.motion is not None and table.motion.recording is not None:
            motion = replayed_solid(self.scene, table.motion.recording, table.pose, self.pose)
        elif table.motion is not None:
            motion = MovedSolid(Way(table.motion, tuple(start.translation.tolist())), start, self.pose)
        placement = self.pose @ start if motion is None else motion(0.0)
        pack_solids([(shape, placement)])  # its checks belong here, where the file is known
        law.rows(1, np.zeros(1))
        self.builder.solid(
            self.prefix + table.name, shape, placement, points, law=law, friction=build_friction(table.friction, law),
            color=table.color, motion=motion,
        )  # fmt: skip

    def _shaped(self, table: SolidTable) -> tuple[Any, Transform]:
        """Return a solid's shape and its placement in the network's frame."""
        if table.floor is not None:
            return Plane(), Transform(np.eye(3), np.array([0.0, table.floor, 0.0]))
        if table.plane is not None:
            size = float(np.linalg.norm(table.plane.normal))
            if not size > 0:
                raise InputError("a normal of no length", got=table.plane.normal)
            return Plane(), Transform(up_to(np.array(table.plane.normal) / size), np.array(table.plane.at))
        if table.container is not None:
            return Hollow(build_shape(self.scene, table.container)[0]), build_pose(table.pose)
        assert table.shape is not None
        return build_shape(self.scene, table.shape)[0], build_pose(table.pose)

    def _push(self, table: PushTable, place: Callable[..., str]) -> None:
        points = self._met(table.points, place("points"))
        force = self.pose.rotation @ np.array(table.force)
        steady = table.wave is None and table.until is None and table.start <= 0
        self.builder.push(self.prefix + table.name, points, force if steady else Push(table, force))


def _slice(text: str) -> int | slice | None:
    """Return what stands between brackets as an index; None where it is none."""
    match = _INDEX.fullmatch(text)
    if match is None:
        return None
    if match[1] is not None:
        return int(match[1])
    ends: Iterable[int | None] = [None if end is None else int(end) for end in match.groups()[1:]]
    found = slice(*ends)
    return None if found.step == 0 else found
