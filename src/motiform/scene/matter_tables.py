"""What a scene file may say of matter: networks of masses and links, and what acts on them."""

from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from motiform.scene.contact_tables import PlaneTable, _given
from motiform.scene.law_tables import FrictionTable, LawKeys, Lengths, Numbers
from motiform.scene.tables import (
    Above0,
    AtLeast0,
    Color,
    CylinderTable,
    Hertz,
    Kilogram,
    Length,
    Metre,
    Name,
    Newtons,
    Number,
    Point,
    PoseTable,
    Radian,
    Second,
    ShapeTable,
    Sizes,
    Table,
    Turning,
    Vector,
    Velocity,
)

__all__ = ["NetworkTable"]

PointsOf = str | list[str]
"""Points by name: "group", "group[3]", "group[2:5]", "other_network.group"; of a grid "group[0, :]"; or several."""
Count = Annotated[int, Field(ge=1, le=10_000_000)]
Friction = Annotated[Number, AtLeast0] | FrictionTable


class GridTable(Table):
    """A regular grid; its last index runs fastest."""

    shape: list[Count] = Field(min_length=1, max_length=3, description="points along each direction")
    spacing: Lengths = Field(description="between neighbours, one number or one for each direction")
    axes: str = Field("xyz", description="letters of the directions, such as xz")
    at: Point = Field((0.0, 0.0, 0.0), description="of the first point")

    @model_validator(mode="after")
    def _fits(self) -> "GridTable":
        letters = self.axes[: len(self.shape)]
        if len(letters) < len(self.shape) or len(set(letters)) < len(letters) or set(letters) - set("xyz"):
            raise ValueError("axes must be letters of xyz, each once, one for each direction")
        if isinstance(self.spacing, list) and len(self.spacing) != len(self.shape):
            raise ValueError("spacing must be one number, or one for each direction")
        if min(self.spacing if isinstance(self.spacing, list) else [self.spacing]) <= 0:
            raise ValueError("spacing must be above 0")
        return self


class LineTable(Table):
    """Points evenly along a line, both ends among them."""

    from_: Point = Field(alias="from")
    to: Point
    count: Count = Field(description="number of points")


class RingTable(Table):
    """Points evenly around a circle."""

    center: Point = (0.0, 0.0, 0.0)
    radius: Length
    count: Count = Field(description="number of points")
    axis: Vector = Field((0.0, 1.0, 0.0), description="normal of its plane")


class FillTable(Table):
    """Points that fill a shape: those of a cubic lattice, each moved at random so far that balls do not overlap."""

    kinds: ClassVar[tuple[str, ...]] = ("box", "ball", "cylinder", "mesh")
    box: Sizes | None = Field(None, description="edges along x, y, z")
    ball: Length | None = Field(None, description="radius")
    cylinder: CylinderTable | None = None
    mesh: str | None = Field(None, description="file of a closed mesh, in the scene's folder")
    scale: Annotated[float, Above0] | None = Field(None, description="metres per unit of the mesh file, 1 if not given")
    spacing: Length | None = Field(None, description="of the lattice; the widest that gives `count` if not given")
    count: Count | None = Field(None, description="number of points, drawn from the lattice")
    jitter: Annotated[float, Field(ge=0, le=1)] = Field(0.0, description="share of the room that a point is moved by")

    @model_validator(mode="after")
    def _complete(self) -> "FillTable":
        _given(self, self.kinds)
        if self.spacing is None and self.count is None:
            raise ValueError("give spacing or count")
        _check_scale(self)
        return self


def _check_scale(table: "FillTable | PlacesTable") -> None:
    if table.scale is not None and table.mesh is None:
        raise ValueError("scale belongs to mesh files")


class PlacesTable(Table):
    """Where points are: exactly one source, and a pose that moves it."""

    kinds: ClassVar[tuple[str, ...]] = ("at", "points", "grid", "line", "ring", "fill", "mesh")
    name: Name
    at: Point | None = Field(None, description="a single point")
    points: list[Point] | None = None
    grid: GridTable | None = None
    line: LineTable | None = None
    ring: RingTable | None = None
    fill: FillTable | None = None
    mesh: str | None = Field(None, description="file of a mesh in the scene's folder: a point at each corner")
    scale: Annotated[float, Above0] | None = Field(None, description="metres per unit of the mesh file, 1 if not given")
    pose: PoseTable = PoseTable()
    radius: Lengths = Field(0.0, description="of the ball that a point stands for")

    @model_validator(mode="after")
    def _one_source(self) -> "PlacesTable":
        if not self.moved_alone:
            _given(self, self.kinds)
        _check_scale(self)
        return self

    @property
    def moved_alone(self) -> bool:
        """Whether something else than a source tells where the points are."""
        return False


class MassesTable(PlacesTable):
    """`[[network.masses]]`: points that links move."""

    mass: Annotated[float | list[float], Numbers("kg")] | None = Field(None, description="of each point")
    total: Annotated[Kilogram, Above0] | None = Field(None, description="of all points together, instead")
    velocity: Velocity = (0.0, 0.0, 0.0)
    axes: str = Field("xyz", description="axes of the world along which they move")
    drag: Annotated[float | list[float], Numbers("N s/m")] = Field(0.0, description="force by speed through the air")
    color: Color = (0.62, 0.68, 0.76)

    @model_validator(mode="after")
    def _weighs(self) -> "MassesTable":
        if (self.mass is None) == (self.total is None):
            raise ValueError("give mass (of each) or total (of all)")
        return self


class FixedTable(PlacesTable):
    """`[[network.fixed]]`: points that stay where they are."""

    color: Color = (0.4, 0.4, 0.42)


class PathTable(Table):
    """Shifts at instants, and what lies between them."""

    times: list[Second]
    points: list[Point] = Field(description="shift at each of the times")
    between: Literal["linear", "smooth", "spline"] = Field(
        "smooth", description="straight; with a rest at each point; one curve through all, with a rest at both ends"
    )
    repeat: bool = Field(False, description="whether it begins anew after the last")

    @model_validator(mode="after")
    def _in_order(self) -> "PathTable":
        if len(self.times) != len(self.points) or len(self.times) < 2:
            raise ValueError("give two or more times, and a point for each")
        if any(b <= a for a, b in pairwise(self.times)):
            raise ValueError("times must rise")
        return self


class WaveTable(Table):
    """A swing to and fro: direction · amplitude · sin(2π frequency t + phase)."""

    direction: Vector = (0.0, 1.0, 0.0)
    amplitude: Metre
    frequency: Hertz
    phase: Radian = 0.0


class CircleTable(Table):
    """A way around a circle, without turning."""

    radius: Length
    frequency: Hertz = Field(description="rounds a second; below zero: the other way")
    axis: Vector = (0.0, 1.0, 0.0)
    phase: Radian = 0.0


class SpinTable(Table):
    """A steady turn about an axis, or a swing about it."""

    axis: Vector = (0.0, 1.0, 0.0)
    at: Point | None = Field(None, description="a point of the axis; the pose's origin if not given")
    rate: Turning | None = None
    amplitude: Radian | None = Field(None, description="of a swing, with frequency")
    frequency: Hertz | None = None
    phase: Radian = 0.0

    @model_validator(mode="after")
    def _one_way(self) -> "SpinTable":
        if (self.rate is None) == (self.amplitude is None) or (self.amplitude is None) != (self.frequency is None):
            raise ValueError("give rate, or amplitude and frequency")
        return self


class ReplayTable(Table):
    """What was recorded: a table, a file of markers or a recording in the scene's folder."""

    file: str
    channel: str = Field("markers", description="positions, three numbers for each point")
    marker: str | None = Field(None, description="one of the markers, by name")
    index: int | None = Field(None, ge=0, description="one of the points, by number")
    orientation: str | None = Field(None, description="channel of quaternions, for a solid")


class WayTable(Table):
    """How something is moved from outside: the sum of all that is given, or a recording."""

    kinds: ClassVar[tuple[str, ...]] = ("path", "wave", "circle", "spin", "recording")
    path: PathTable | None = None
    wave: WaveTable | None = None
    circle: CircleTable | None = None
    spin: SpinTable | None = None
    recording: ReplayTable | None = None

    @model_validator(mode="after")
    def _moves(self) -> "WayTable":
        given = [kind for kind in self.kinds if getattr(self, kind) is not None]
        if not given:
            raise ValueError(f"give one or several of {', '.join(self.kinds)}")
        if self.recording is not None and len(given) > 1:
            raise ValueError("a recording is the whole motion: leave out the others")
        return self


class ImposedTable(PlacesTable):
    """`[[network.imposed]]`: points that are moved from outside."""

    motion: WayTable
    color: Color = (0.85, 0.55, 0.3)

    @model_validator(mode="after")
    def _sourced(self) -> "ImposedTable":
        given = [kind for kind in self.kinds if getattr(self, kind) is not None]
        if self.moved_alone and given:
            raise ValueError(f"a recording tells where the points are: leave out {', '.join(given)}")
        return self

    @property
    def moved_alone(self) -> bool:
        """Whether a recording tells where the points are."""
        return self.motion.recording is not None


class LinkTable(LawKeys):
    """`[[network.link]]`: links with one law; who is linked with whom is told by exactly one key."""

    kinds: ClassVar[tuple[str, ...]] = (
        *("chain", "loop", "grid", "agglomerate", "near", "edges", "between", "cross", "pairs"),
    )
    name: Name
    chain: PointsOf | None = Field(None, description="each point with the next")
    loop: PointsOf | None = Field(None, description="and the last with the first")
    grid: PointsOf | None = Field(None, description="neighbours of a grid")
    agglomerate: PointsOf | None = Field(None, description="all with all")
    near: PointsOf | None = Field(None, description="all that begin within `distance`")
    edges: PointsOf | None = Field(None, description="corners of a mesh along its edges")
    between: tuple[PointsOf, PointsOf] | None = Field(None, description="two sets, end by end")
    cross: tuple[PointsOf, PointsOf] | None = Field(None, description="all of one set with all of another")
    pairs: list[tuple[str, str]] | None = Field(None, description="two points each")
    distance: Length | None = Field(None, description="of near")
    shape: list[Count] | None = Field(None, description="of a grid, where the group is not one already")
    diagonals: bool | None = Field(None, description="of a grid: whether also across its faces; true if not given")
    bends: bool | None = Field(None, description="of a grid: whether also to the second next")
    axis: Literal["x", "y", "z"] | None = Field(None, description="of the world, of distances and forces")
    acts: Literal["both", "first", "second"] = Field("both", description="whose motion they act on")
    record: bool = Field(False, description="whether lengths, tensions and states are kept")

    @model_validator(mode="after")
    def _one_topology(self) -> "LinkTable":
        kind = _given(self, self.kinds)
        for key, owner in (("distance", "near"), ("shape", "grid"), ("diagonals", "grid"), ("bends", "grid")):
            if key in self.model_fields_set and kind != owner:
                raise ValueError(f"{key} belongs to {owner}")
        if kind == "near" and self.distance is None:
            raise ValueError("give distance with near")
        return self


class ReachTable(LawKeys):
    """`[[network.reach]]`: links between all points that come within the law's range; it sees gaps between balls."""

    name: Name
    points: PointsOf
    others: PointsOf | None = Field(None, description="the second set; the same if not given")
    friction: Friction | None = Field(None, description="Coulomb's coefficient, or limit, stiffness and damping")
    apart: list[PointsOf] = Field(default_factory=list, description="sets whose points do not act on one another")


class SolidTable(LawKeys):
    """`[[network.solid]]`: a shape that points push against, by a law of the gap."""

    kinds: ClassVar[tuple[str, ...]] = ("shape", "container", "floor", "plane")
    name: Name
    shape: ShapeTable | None = None
    container: ShapeTable | None = Field(None, description="a shape whose inside alone is free")
    floor: Metre | None = Field(None, description="height of level ground")
    plane: PlaneTable | None = None
    pose: PoseTable = PoseTable()
    points: PointsOf | None = Field(None, description="that meet it; all masses of the network if not given")
    friction: Friction | None = Field(None, description="Coulomb's coefficient, or limit, stiffness and damping")
    color: Color | None = None
    motion: WayTable | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> "SolidTable":
        kind = _given(self, self.kinds)
        if kind in ("floor", "plane") and self.pose != PoseTable():
            raise ValueError(f"a {kind} has no pose: its own numbers say where it is")
        return self


class SwingTable(Table):
    """A factor sin(2π frequency t + phase)."""

    frequency: Hertz
    phase: Radian = 0.0


class PushTable(Table):
    """`[[network.push]]`: a force on each of some points, between two instants."""

    name: Name
    points: PointsOf | None = Field(None, description="all masses of the network if not given")
    force: Newtons
    start: Second = 0.0
    until: Second | None = None
    wave: SwingTable | None = None


class PistonTable(Table):
    """`[[network.piston]]`: one tension on several pairs, of the sum of their lengths along axes."""

    name: Name
    pairs: list[tuple[PointsOf, PointsOf]] = Field(description="two or more, each two sets, end by end")
    axes: list[Literal["x", "y", "z"]] = Field(description="of the world, one for each pair")
    stiffness: Annotated[float | list[float], Numbers("N/m")]
    rest: Annotated[float | list[float], Numbers("m")]
    damping: Annotated[float | list[float], Numbers("N s/m")] = 0.0


class NetworkTable(Table):
    """`[[network]]`: point masses and the links between them."""

    name: Name
    pose: PoseTable = Field(PoseTable(), description="of all that it holds, in the world")
    velocities: bool = Field(False, description="whether velocities are recorded")
    masses: list[MassesTable] = Field(default_factory=list)
    fixed: list[FixedTable] = Field(default_factory=list)
    imposed: list[ImposedTable] = Field(default_factory=list)
    link: list[LinkTable] = Field(default_factory=list)
    piston: list[PistonTable] = Field(default_factory=list)
    reach: list[ReachTable] = Field(default_factory=list)
    solid: list[SolidTable] = Field(default_factory=list)
    push: list[PushTable] = Field(default_factory=list)

    @property
    def groups(self) -> list[Any]:
        """Tables of its points, in the order in which they are numbered."""
        return [*self.masses, *self.fixed, *self.imposed]


NetworkTable.model_rebuild()
