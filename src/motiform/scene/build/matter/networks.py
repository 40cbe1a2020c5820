"""From the networks of a scene to the model that is simulated."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from motiform.base.errors import MotiformError, SceneError
from motiform.geometry import Hollow, Plane
from motiform.geometry.checks import LONGEST
from motiform.geometry.search.closest import pack_solids
from motiform.motion.coupled.parts import Attachment, SegmentSolid
from motiform.motion.matter import Network, NetworkBuilder, Points, links, motions, topology
from motiform.motion.matter.laws.links import as_friction
from motiform.motion.matter.system import steps_per_sample
from motiform.motion.tree import Figure
from motiform.scene.build.common import at_table, build_pose, build_rotation, build_shape
from motiform.scene.build.matter.carried import Carriers, Matter
from motiform.scene.build.matter.laws import build_friction, build_law
from motiform.scene.build.matter.motion import build_moves, read_recording
from motiform.scene.build.matter.names import NamedPoints, PointNames
from motiform.scene.build.matter.places import Places, build_places, moved
from motiform.scene.read.load import Scene
from motiform.scene.tables.matter import (
    LinkTable,
    NetworkTable,
    PistonTable,
    PointsOf,
    PushTable,
    ReachTable,
    SolidTable,
)
from motiform.scene.tables.place import FixedTable, ImposedTable, MassesTable, PlacesTable
from motiform.spatial import Transform, rotation_y_to, unit_vector, up_against, up_name, upright

__all__ = ["build_matter", "build_networks"]


def build_networks(scene: Scene) -> Network:
    """Return the networks of a scene, which has no figures, as one."""
    return build_matter(scene).network


def build_matter(scene: Scene, figure: Figure | None = None, q: np.ndarray | None = None) -> Matter:
    """Return the networks of a scene as one, and what holds them and a figure at q together.

    Points of all networks come in their order (masses, fixed, imposed), then links. Where there are several networks,
    names are NETWORK.NAME.
    """
    document = scene.document
    if document.motion.frequency is None:
        raise SceneError("a scene with a network has a frequency", where="motion", remedy="Read it by load_scene.")
    builder = NetworkBuilder(
        frequency=document.motion.frequency, gravity=document.environment.gravity, wind=_wind(scene),
        keep_velocity=any(table.velocities for table in document.network),
    )  # fmt: skip
    groups: dict[str, NamedPoints] = {}
    carriers = Carriers(figure, q)
    parts = [_Part(scene, builder, groups, carriers, n, table) for n, table in enumerate(document.network)]
    for part in parts:
        part.add_points()
    for part in parts:
        part.add_links()
    network = _built(scene, builder)
    with at_table(scene, "scene", "rate"):
        steps_per_sample(network, document.scene.rate)
    return Matter(network, tuple(carriers.contacts), tuple(carriers.attachments))


def _wind(scene: Scene) -> Any:
    table = scene.document.environment
    if table.eddies is not None:
        if table.gust is not None:
            raise SceneError("wind has gusts or eddies", where=scene.place("environment"), remedy="Leave out one.")
        with at_table(scene, "environment", "eddies"):
            return motions.Eddies(wind=table.wind, **table.eddies.model_dump())
    if table.gust is None:
        return table.wind
    return motions.Gusts(table.wind, table.gust.amplitude, table.gust.period)


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


class _Part:
    """One network of several that are built together."""

    def __init__(
        self, scene: Scene, builder: NetworkBuilder, groups: dict[str, NamedPoints], carriers: Carriers, n: int,
        table: NetworkTable,
    ) -> None:  # fmt: skip
        self.scene, self.builder, self.groups, self.n, self.table = scene, builder, groups, n, table
        several = len(scene.document.network) > 1
        networks = {one.name: f"{one.name}." if several else "" for one in scene.document.network}
        self.names, self.carriers = PointNames(builder, groups, table, networks), carriers
        self.prefix, self.pose = networks[table.name], build_pose(table.pose)

    def _each(self, kind: str, add: Callable[[Any, Callable[..., str]], None]) -> None:
        """Add all tables of a kind; what goes wrong gets the file and line."""
        for k, table in enumerate(getattr(self.table, kind)):

            def place(*keys: str | int, k: int = k) -> str:
                return self.scene.place("network", self.n, kind, k, *keys)

            try:
                with (
                    np.errstate(over="ignore", invalid="ignore"),  # what is not finite then is refused
                    at_table(self.scene, "network", self.n, kind, k),
                ):
                    add(table, place)
            except SceneError as error:
                if error.where is not None and error.where.startswith("scene "):  # of a file that is not there
                    raise SceneError(f"{place()}: {error}") from error
                raise

    # ---- points -----------------------------------------------------------------------------------------------------

    def add_points(self) -> None:
        """Add masses, fixed and imposed points."""
        self._each("masses", self._masses)
        self._each("fixed", self._fixed)
        self._each("imposed", self._imposed)

    def _masses(self, table: MassesTable, place: Callable[..., str]) -> None:
        places = self._places(table)
        mass = table.mass if table.total is None else table.total / len(places.position)
        points = self.builder.masses(
            self.prefix + table.name, places.position, mass or 0.0, velocity=self._velocity(table, places),
            axes=table.axes, drag=table.drag, radius=table.radius, inertia=table.inertia,
            angular_velocity=self._angular_velocity(table), color=table.color,
        )  # fmt: skip
        self._keep(table, points, places)

    def _angular_velocity(self, table: MassesTable) -> np.ndarray:
        """Return that of balls that rotate at the start [rad/s], (3,), in the world."""
        turn = self.pose.rotation @ build_rotation(table.pose)
        if table.angular_velocity is not None:
            return np.asarray(turn @ np.array(table.angular_velocity))
        return self._spin_rate(table) if table.spin is not None and table.inertia is not None else np.zeros(3)

    def _spin_rate(self, table: MassesTable) -> np.ndarray:
        """Return the rate of the turning that velocities are added from [rad/s], (3,), in the world."""
        assert table.spin is not None
        size = float(np.linalg.norm(table.spin.axis))
        unit_vector(table.spin.axis, "spin.axis")
        turn = self.pose.rotation @ build_rotation(table.pose)
        return np.asarray(turn @ np.array(table.spin.axis) * (table.spin.speed / size))

    def _velocity(self, table: MassesTable, places: Places) -> np.ndarray:
        """Return velocities at the start [m/s], (3,) or (points, 3), in the world."""
        turn, own = self.pose.rotation, build_rotation(table.pose)
        velocity = turn @ (own @ np.array(table.velocity))
        if table.spin is None:
            return velocity
        rate = self._spin_rate(table)
        center = self.pose.point(build_pose(table.pose).point(np.array(table.spin.center)))
        whirl = np.cross(rate, places.position - center)
        stuck = [k for k, axis in enumerate("xyz") if axis not in table.axes]
        largest = np.abs(whirl).max()
        whirl[:, stuck] *= np.abs(whirl[:, stuck]) > 1e-12 * largest  # what a turned pose leaves by rounding is none
        return velocity + whirl

    def _fixed(self, table: FixedTable, place: Callable[..., str]) -> None:
        name, places = self.prefix + table.name, self._places(table)
        if table.segment is not None:
            own = build_places(self.scene, table, name)
            at = self.carriers.frame(table.segment, place("segment")).point(own.position)
            places = replace(own, position=at)
        points = self.builder.fixed(name, places.position, radius=table.radius, color=table.color)
        self._keep(table, points, places)
        if table.segment is not None:
            held = Attachment(f"{name}.carried", table.segment, points.indices, own.position)
            self.carriers.attachments.append(held)

    def _imposed(self, table: ImposedTable, place: Callable[..., str]) -> None:
        name = self.prefix + table.name
        look: Any = {"radius": table.radius, "color": table.color}
        replay = table.motion.recording
        if replay is not None:
            recording = read_recording(self.scene, replay.file)
            samples, rate = motions.recorded_points(recording, replay.channel, marker=replay.marker, index=replay.index)
            samples = moved(self.table.pose, moved(table.pose, samples))
            points = self.builder.imposed(name, samples, rate=rate, **look)
            self._keep(table, points, Places(samples[0]))
            return
        start = build_places(self.scene, table, name)
        motion = motions.MovedPoints(start.position, build_moves(table.motion), self.pose, table.pose.at)
        points = self.builder.imposed(name, motion, velocity=motion.velocity_before(self.builder.frequency), **look)
        self._keep(table, points, start)

    def _places(self, table: PlacesTable) -> Places:
        return build_places(self.scene, table, self.prefix + table.name).moved(self.table.pose)

    def _keep(self, table: PlacesTable, points: Points, places: Places) -> None:
        self.groups[self.prefix + table.name] = NamedPoints(points, places)
        self._look(table, {} if places.faces is None else {"faces": places.faces})

    def _look(self, table: Any, more: dict[str, Any] | None = None) -> None:
        hints = (more or {}) | ({} if table.look is None else table.look.model_dump(exclude_none=True))
        if hints:
            self.builder.look(self.prefix + table.name, **hints)

    # ---- links ------------------------------------------------------------------------------------------------------

    def add_links(self) -> None:
        """Add links, pistons, links by range, solids and pushes."""
        self._each("link", self._link)
        self._each("piston", self._piston)
        self._each("reach", self._reach)
        self._each("solid", self._solid)
        self._each("push", self._push)

    def _link(self, table: LinkTable, place: Callable[..., str]) -> None:
        if table.to is not None:
            self._hold(table, place)
            return
        kind = next(kind for kind in table.kinds if getattr(table, kind) is not None)
        pairs = self._pairs(table, kind, place(kind))
        if isinstance(pairs, np.ndarray) and not len(pairs):
            remedy = "Raise distance." if kind == "near" else "Give two points or more."
            raise SceneError(
                "a rule must make at least one link", where=place(kind), got=getattr(table, kind), remedy=remedy
            )
        law = build_law(table, place, table.name)
        if kind == "plate":
            one, weights = law.zones[0], self._weights  # neighbours alone have the damper
            law = links.spring(one.stiffness * weights, rest=one.rest, damping=one.damping * (weights > 0))
        self.builder.link(
            self.prefix + table.name, pairs, law, axis=table.axis, acts=table.acts, every=table.every or 1,
            record=table.record,
        )  # fmt: skip
        self._look(table)

    def _hold(self, table: LinkTable, place: Callable[..., str]) -> None:
        """Link points to places of a segment."""
        assert table.to is not None
        assert table.points is not None
        to, points = table.to, self.names.points(table.points, place("points"))
        self.carriers.frame(to.segment, place("to"))
        places: Any = next((v for v in (to.at, to.places, to.tags) if v is not None), None)
        if isinstance(places, list) and len(places) != len(points):
            got = f"{len(places)} for {len(points)} points"
            raise SceneError("places must match the points", where=place("to"), got=got, allowed="one for each")
        for tag in to.tags or ():
            self.carriers.check_tag(tag, to.segment, place("to"))
        law, name = build_law(table, place, table.name), self.prefix + table.name
        self.builder.reserve(name)
        self.carriers.attachments.append(Attachment(name, to.segment, points.indices, places, law, table.record))

    def _pairs(self, table: LinkTable, kind: str, where: str) -> Any:
        named = getattr(table, kind)
        if kind in ("between", "cross"):
            first, second = (self.names.points(one, where) for one in named)
            return (first, second) if kind == "between" else topology.cross(first.indices, second.indices)
        if kind == "pairs":
            ends = [[self._one(name, where) for name in pair] for pair in named]
            return np.array(ends, np.int64).reshape(-1, 2)
        points = self.names.points(named, where)
        if kind == "near":
            assert table.distance is not None
            return topology.near(points.indices, points.position, min(table.distance, LONGEST))
        if kind == "grid":
            return topology.grid(
                points.indices, self._shape(table, where), diagonals=table.diagonals is not False,
                bends=bool(table.bends),
            )  # fmt: skip
        if kind == "plate":
            pairs, self._weights = topology.plate(
                points.indices, self._shape(table, where), poisson=0.3 if table.poisson is None else table.poisson,
                free=table.free is not False,
            )  # fmt: skip
            return pairs
        if kind == "edges":
            return self._edges(named, where)
        return {"chain": topology.chain, "loop": topology.loop, "agglomerate": topology.agglomerate}[kind](
            points.indices
        )

    def _one(self, name: str, where: str) -> int:
        points = self.names.points(name, where)
        if len(points) != 1:
            raise SceneError("a pair is of two single points", where=where, got=f"{name} ({len(points)} points)",
                             remedy="Give between for sets.")  # fmt: skip
        return int(points.indices[0])

    def _shape(self, table: LinkTable, where: str) -> tuple[int, ...]:
        if table.shape is not None:
            return tuple(table.shape)
        named = table.grid or table.plate
        group, index = self.names.group(named, where) if isinstance(named, str) else (None, None)
        if group is None or index is not None or group.places.shape is None:
            raise SceneError("the points must be those of a whole grid", where=where, got=named, remedy="Give shape.")
        return group.places.shape

    def _edges(self, named: PointsOf, where: str) -> np.ndarray:
        group, index = self.names.group(named, where) if isinstance(named, str) else (None, None)
        if group is None or index is not None or group.places.faces is None:
            raise SceneError(
                "the points must be the corners of a mesh", where=where, got=named, remedy="Give a group with mesh."
            )
        return topology.edges(group.points.indices, group.places.faces)

    def _piston(self, table: PistonTable, place: Callable[..., str]) -> None:
        where = place("pairs")
        pairs = [tuple(self.names.points(one, where) for one in pair) for pair in table.pairs]
        self.builder.piston(
            self.prefix + table.name, pairs, table.axes, stiffness=table.stiffness, rest=table.rest,
            damping=table.damping,
        )  # fmt: skip

    def _reach(self, table: ReachTable, place: Callable[..., str]) -> None:
        points = self.names.points(table.points, place("points"))
        others = None if table.others is None else self.names.points(table.others, place("others"))
        apart = [self.names.points(one, place("apart")) for one in table.apart]
        law = build_law(table, place, table.name, {"threshold": 0.0} if self._thick(points, others) else None)
        friction = build_friction(table.friction)
        self.builder.reach(self.prefix + table.name, points, others, law=law, friction=friction, apart=apart)

    def _thick(self, *sets: Points | None) -> bool:
        """Whether all points stand for balls, so that they touch where the gap is none."""
        return all((points.radius > 0).all() for points in sets if points is not None)

    def _solid(self, table: SolidTable, place: Callable[..., str]) -> None:
        points = self.names.group_or_all(table.points, place("points"))
        shape, start = self._shaped(table, place)
        law = build_law(table, place, table.name, {"threshold": 0.0})
        if table.segment is not None:
            self._carried_solid(table, shape, start, points, law, self.carriers.frame(table.segment, place("segment")))
            return
        motion: Any = None if table.motion is None else self._moved_solid(table, start)
        placement = self.pose @ start if motion is None else motion(0.0)
        pack_solids([(shape, placement)])  # its checks belong here, where the file is known
        law.rows(1, np.zeros(1))
        self.builder.solid(
            self.prefix + table.name, shape, placement, points, law=law, friction=build_friction(table.friction),
            color=table.color, motion=motion,
        )  # fmt: skip
        self._look(table)

    def _moved_solid(self, table: SolidTable, start: Transform) -> Any:
        """Return the motion of a solid that moves from outside, from a start in the network's frame."""
        assert table.motion is not None
        replay = table.motion.recording
        if replay is None:
            return motions.MovedSolid(start, build_moves(table.motion), self.pose)
        return motions.recorded_solid(
            read_recording(self.scene, replay.file), replay.channel, replay.orientation, marker=replay.marker,
            index=replay.index, start=build_pose(table.pose), frame=self.pose,
        )  # fmt: skip

    def _carried_solid(
        self, table: SolidTable, shape: Any, start: Transform, points: Points, law: Any, frame: Transform
    ) -> None:
        """Add a solid that a segment carries, at a frame."""
        assert table.segment is not None
        pack_solids([(shape, frame @ start)])
        name, friction = self.prefix + table.name, as_friction(build_friction(table.friction), law)
        self.builder.reserve(name)
        self.carriers.contacts.append(
            SegmentSolid(name, table.segment, shape, points.indices, law, friction, start, table.color)
        )

    def _shaped(self, table: SolidTable, place: Callable[..., str]) -> tuple[Any, Transform]:
        """Return a solid's shape and its placement in the frame of the network, or of the segment that carries it."""
        if table.floor is not None:
            axes = upright(up_name(up_against(self.scene.document.environment.gravity)))
            return Plane(), Transform(axes.T, table.floor * axes[1])
        if table.plane is not None:
            return Plane(), Transform(rotation_y_to(table.plane.normal, "plane.normal"), np.array(table.plane.at))
        if table.container is not None:
            return Hollow(build_shape(self.scene, table.container)[0]), build_pose(table.pose)
        if table.shape is None:
            return self.carriers.shape(table.segment or "", place("segment"))
        return build_shape(self.scene, table.shape)[0], build_pose(table.pose)

    def _push(self, table: PushTable, place: Callable[..., str]) -> None:
        points = self.names.group_or_all(table.points, place("points"))
        force = self.pose.rotation @ np.array(table.force)
        until = np.inf if table.until is None else table.until
        steady = table.wave is None and table.until is None and table.start <= 0
        wave = {} if table.wave is None else table.wave.model_dump()
        push = force if steady else motions.Push(force, table.start, until, **wave)
        self.builder.push(self.prefix + table.name, points, push)
