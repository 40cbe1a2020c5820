"""Scene tables of points of networks: initial positions, masses, prescribed motion."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from motiform.scene.tables.common import (
    Above0,
    AtLeast0,
    Color,
    Hertz,
    Kilogram,
    Length,
    Metre,
    Name,
    Number,
    Point,
    PoseTable,
    Radian,
    Second,
    Sizes,
    Spin,
    Table,
    Turning,
    Vector,
    Velocity,
)
from motiform.scene.tables.contact import _given
from motiform.scene.tables.law import Lengths, UnitList

__all__ = [
    "CircleTable", "Count", "FillTable", "FixedTable", "GridTable", "ImposedTable", "LineTable", "LookTable",
    "MassesTable", "PathTable", "PlacesTable", "ReplayTable", "RingTable", "SpinTable", "WaveTable", "WayTable",
    "WhirlTable",
]  # fmt: skip

Count = Annotated[int, Field(ge=1, le=10_000_000)]


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
    inner: Annotated[Metre, AtLeast0] | None = Field(None, description="inner radius of a ring that is filled")


class CylinderTable(Table):
    """Radius and height along y."""

    radius: Length
    height: Length


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


class LookTable(Table):
    """How points, links or a solid are drawn."""

    draw: Literal["balls", "skin", "links", "none"] | None = None
    color: Color | Literal["speed", "height", "tension"] | None = Field(None, description="a color, or what it shows")
    map: tuple[Number, Number] | None = Field(None, description="values of the first and last color")
    radius: Length | None = Field(None, description="of balls")
    width: Length | None = Field(None, description="of links")


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
    look: LookTable | None = None

    @model_validator(mode="after")
    def _one_source(self) -> "PlacesTable":
        if not self.moved_alone:
            _given(self, self.kinds)
        _check_scale(self)
        return self

    @property
    def moved_alone(self) -> bool:
        """Whether something other than a source gives the positions of the points."""
        return False


class WhirlTable(Table):
    """Velocities of a rigid turning, in the frame of the source."""

    axis: Vector = (0.0, 1.0, 0.0)
    speed: Turning
    center: Point = Field((0.0, 0.0, 0.0), description="a point of the axis")


class MassesTable(PlacesTable):
    """`[[network.masses]]`: points that links move."""

    mass: Annotated[float | list[float], UnitList("kg")] | None = Field(None, description="of each point")
    total: Annotated[Kilogram, Above0] | None = Field(None, description="of all points together, instead")
    velocity: Velocity = (0.0, 0.0, 0.0)
    spin: WhirlTable | None = Field(None, description="a turning whose velocities are added")
    axes: str = Field("xyz", description="axes of the world along which they move")
    drag: Annotated[float | list[float], UnitList("N s/m")] = Field(0.0, description="force by speed through the air")
    inertia: Annotated[float | list[float], UnitList("kg m^2")] | Literal["ball", "shell", "disc", "hoop"] | None = (
        Field(None, description="of balls that rotate, about a diameter, or a word for 2/5, 2/3, 1/2 or 1 of m r²")
    )
    angular_velocity: Spin | None = Field(
        None, description="of balls that rotate, world axes; that of spin if not given"
    )
    color: Color = (0.62, 0.68, 0.76)

    @model_validator(mode="after")
    def _weighs(self) -> "MassesTable":
        if (self.mass is None) == (self.total is None):
            raise ValueError("give mass (of each) or total (of all)")
        return self


class FixedTable(PlacesTable):
    """`[[network.fixed]]`: points that stay where they are, in the world or in a segment that carries them."""

    segment: str | None = Field(None, description="segment or body that carries them; places are in its frame")
    color: Color = (0.4, 0.4, 0.42)


class PathTable(Table):
    """Shifts at instants, and what lies between them."""

    times: list[Second]
    points: list[Point] = Field(description="shift at each of the times")
    between: Literal["linear", "smooth", "spline"] = Field(
        "smooth", description="straight; with a rest at each point; one curve through all, with a rest at both ends"
    )
    repeat: bool = Field(False, description="whether it begins anew after the last")


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
    speed: Turning | None = None
    amplitude: Radian | None = Field(None, description="of a swing, with frequency")
    frequency: Hertz | None = None
    phase: Radian = 0.0

    @model_validator(mode="after")
    def _one_way(self) -> "SpinTable":
        if (self.speed is None) == (self.amplitude is None) or (self.amplitude is None) != (self.frequency is None):
            raise ValueError("give speed, or amplitude and frequency")
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
            raise ValueError(f"a recording gives the positions of the points: leave out {', '.join(given)}")
        return self

    @property
    def moved_alone(self) -> bool:
        """Whether a recording gives the positions of the points."""
        return self.motion.recording is not None
