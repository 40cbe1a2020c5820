"""Scene tables of figures: segments, joints, tags, closures, and the tables that extend them."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from motiform.motion.figures import FIGURES
from motiform.scene.tables.actuation import (
    BalanceTable,
    MotorsTable,
    MuscleTable,
    ReflexTable,
    StepTable,
    StimulationTable,
    SupportTable,
    WrapTable,
)
from motiform.scene.tables.common import (
    AtLeast0,
    Color,
    Kilogram,
    Length,
    Metre,
    Name,
    Number,
    Point,
    PoseTable,
    Radian,
    Table,
    Vector,
)
from motiform.scene.tables.contact import FigureContactTable
from motiform.scene.tables.drive import ControlTable, LoadTable, ModelTable, PostureTable, PrescribedTable, Value
from motiform.scene.tables.shapes import ShapeTable

__all__ = ["FigureTable"]


def _one_of(table: Table, kinds: tuple[str, ...]) -> None:
    given = [kind for kind in kinds if getattr(table, kind) not in (None, False)]
    if len(given) != 1:
        raise ValueError(f"give exactly one of {', '.join(kinds)}; got {', '.join(given) or 'none'}")


_GAINS = ("frequency", "ratio", "stiffness", "damping", "limit", "stand")  # of a posture; motors have their own


class SurfaceTable(Table):
    """One surface by its own key, and where it is in its segment."""

    kinds: ClassVar[tuple[str, ...]] = ("plane", "sphere", "cylinder", "cone", "torus", "ellipsoid", "circle")
    plane: bool = Field(False, description="z = 0, outward along z")
    sphere: Length | None = Field(None, description="radius")
    cylinder: Length | None = Field(None, description="radius, about z")
    cone: Annotated[Radian, AtLeast0] | None = Field(None, description="half angle, apex at the origin, opens along z")
    torus: tuple[Length, Length] | None = Field(None, description="radii of the ring about z and of the tube")
    ellipsoid: tuple[Length, Length, Length] | None = Field(None, description="half axes along x, y, z")
    circle: Length | None = Field(None, description="radius of a sharp edge about z")
    inside: bool = Field(False, description="touched from inside")
    pose: PoseTable = PoseTable()

    @model_validator(mode="after")
    def _one_surface(self) -> "SurfaceTable":
        _one_of(self, self.kinds)
        if self.inside and (self.plane or self.circle is not None):
            raise ValueError("a plane or a circle has no inside")
        return self


class ContactStartTable(Table):
    """Where a contact begins: points near either surface, and how the segment is turned."""

    parent: Point | None = Field(None, description="near the contact, coordinates of the parent's surface")
    child: Point | None = Field(None, description="near the contact, coordinates of the segment's surface")
    direction: Vector | None = Field(None, description="of the contact frame's first axis, parent's surface")
    yaw: Radian = Field(0.0, description="turn of the segment about the normal")
    gap: Annotated[Metre, AtLeast0] = Field(0.0, description="along the normal, with release")
    normal: Vector | None = Field(None, description="outward from the segment's edge, where its surface is a circle")
    parent_normal: Vector | None = Field(None, description="outward from the parent's edge, where it is a circle")


class ContactTable(Table):
    """Two surfaces in contact."""

    parent: SurfaceTable
    child: SurfaceTable
    sliding: bool = False
    rolling: bool = True
    spin: bool = True
    friction: Annotated[Number, AtLeast0] | None = Field(
        None, description="where more would be needed the run ends, or with sliding it slides"
    )
    line: bool = Field(False, description="two cylinders that touch along a line")
    release: bool = Field(False, description="leaves where it would have to pull, and lands again")
    restitution: Annotated[Number, AtLeast0] | None = Field(None, description="of its impacts, with release")
    start: ContactStartTable = ContactStartTable()

    @model_validator(mode="after")
    def _edges(self) -> "ContactTable":
        for surface, normal in ((self.child, self.start.normal), (self.parent, self.start.parent_normal)):
            if normal is not None and surface.circle is None:
                raise ValueError("start.normal and start.parent_normal belong to circles")
        return self

    @model_validator(mode="after")
    def _leaving(self) -> "ContactTable":
        if not self.release and (self.restitution is not None or self.start.gap):
            raise ValueError("restitution and start.gap belong to release = true")
        return self


class SplineTable(Table):
    """Points of a natural cubic spline."""

    x: list[Number]
    y: list[Number]


class FunctionAxisTable(Table):
    """An axis whose displacement is a function of a coordinate."""

    coordinate: str
    revolute: Vector | None = None
    prismatic: Vector | None = None
    spline: SplineTable | None = None
    polynomial: list[Number] | None = None

    @model_validator(mode="after")
    def _complete(self) -> "FunctionAxisTable":
        _one_of(self, ("revolute", "prismatic"))
        _one_of(self, ("spline", "polynomial"))
        return self


class HelicalTable(Table):
    """A screw."""

    axis: Vector
    pitch: Metre = Field(description="shift per radian")


class JointTable(Table):
    """One joint by its own key."""

    fixed: bool = False
    revolute: Vector | None = Field(None, description="axis")
    prismatic: Vector | None = Field(None, description="axis")
    helical: HelicalTable | None = None
    universal: tuple[Vector, Vector] | None = Field(None, description="two axes")
    cardan: str | None = Field(None, description="order of the axes, such as zyx")
    spherical: bool = False
    planar: Vector | None = Field(None, description="normal")
    free: Literal[False, True, "quaternion", "cardan"] = False
    function: list[FunctionAxisTable] | None = Field(None, description="axes that are functions of coordinates")
    contact: ContactTable | None = None
    names: list[str] | None = Field(None, description="of its coordinates")
    limits: list[tuple[Number, Number]] | None = Field(None, description="lower and upper of each coordinate")

    @model_validator(mode="after")
    def _one_joint(self) -> "JointTable":
        _one_of(self, tuple(key for key in type(self).model_fields if key not in ("names", "limits")))
        for key in ("names", "limits"):
            given = getattr(self, key)
            if given is not None and (not given or (self.single and len(given) != 1)):
                raise ValueError(f"{key} must be one for each coordinate of the joint")
        return self

    @property
    def kind(self) -> str:
        """The key that is given: the name of a function of `motiform.joints`."""
        return next(key for key in type(self).model_fields if getattr(self, key) not in (None, False))

    @property
    def single(self) -> bool:
        """Whether the joint has one coordinate."""
        return self.kind in ("revolute", "prismatic", "helical")


class SegmentTable(Table):
    """`[[figure.segment]]`: a rigid part and the joint that carries it."""

    name: Name
    parent: str = Field("world", description="the segment that carries it")
    joint: JointTable
    placement: PoseTable = Field(PoseTable(), description="the joint's frame in the parent")
    shape: ShapeTable | None = None
    color: Color = (0.55, 0.57, 0.6)
    mass: Annotated[Kilogram, AtLeast0] | None = None
    com: Point | None = Field(None, description="centre of mass")
    inertia: list[Number] | list[list[Number]] | None = Field(None, description="about the centre of mass, 3 or 3×3")
    armature: Annotated[Number, AtLeast0] = Field(0.0, description="inertia of the drives")
    damping: Annotated[Number, AtLeast0] = 0.0


class TagTable(Table):
    """`[[figure.tag]]`: a named point."""

    name: Name
    segment: str
    at: Point


class ClosureTable(Table):
    """`[[figure.closure]]`: holds two segments together beside the tree."""

    name: Name
    between: tuple[str, str] = Field(description="names of segments, or world")
    at: tuple[Point, Point] = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    rows: Literal[
        "x", "y", "z", "xy", "xz", "yz", "xyz", "distance", "weld", "revolute", "prismatic", "cylindrical"
    ] = "xyz"
    length: Length | None = Field(None, description="for distance")
    axis: tuple[float, float, float] = Field((0.0, 0.0, 1.0), description="of a revolute, prismatic or cylindrical one")
    contact: ContactTable | None = Field(None, description="the two touch by these surfaces instead")


class StartTable(Table):
    """`[figure.start]`: coordinates and velocities at the start; those not named are neutral and at rest."""

    q: dict[str, Value] = Field(default_factory=dict)
    v: dict[str, Value] = Field(default_factory=dict)


class FigureTable(Table):
    """`[[figure]]`: an articulated system, written here, read from a file, or a ready model."""

    name: Name
    model: Literal[tuple(FIGURES)] | None = Field(None, description="a ready figure")  # type: ignore[valid-type]
    parameters: ModelTable = Field(ModelTable(), description="of the model")
    file: str | None = Field(None, description="URDF or MJCF file in the scene's folder")
    free: list[str] | None = Field(
        None, min_length=1, description="the only segments whose joints move; the others are locked as at the start"
    )
    segment: list[SegmentTable] = Field(default_factory=list)
    tag: list[TagTable] = Field(default_factory=list)
    closure: list[ClosureTable] = Field(default_factory=list)
    control: list[ControlTable] = Field(default_factory=list)
    prescribed: list[PrescribedTable] = Field(default_factory=list)
    posture: PostureTable | None = None
    motors: MotorsTable | None = None
    step: StepTable | None = None
    balance: BalanceTable | None = None
    support: SupportTable | None = None
    stimulation: StimulationTable | None = None
    muscle: list[MuscleTable] = Field(default_factory=list)
    wrap: list[WrapTable] = Field(default_factory=list)
    reflex: ReflexTable | None = None
    load: list[LoadTable] = Field(default_factory=list)
    contact: list[FigureContactTable] = Field(default_factory=list)
    start: StartTable = StartTable()
    watch: bool = Field(True, description="whether the run ends when a contact that lasts lifts off or slips")

    @model_validator(mode="after")
    def _has_segments(self) -> "FigureTable":
        if [self.file is not None, self.model is not None, bool(self.segment)].count(True) != 1:
            raise ValueError("give segments, or a file, or a model")
        if self.motors is not None:
            plain, given = PostureTable(), self.posture
            if given is None or any(getattr(given, name) != getattr(plain, name) for name in _GAINS):
                raise ValueError("motors follow a posture: posture must have q, hold or key, and no other key")
        if self.step is not None and (self.model != "bip" or self.posture is not None or self.start.model_fields_set):
            raise ValueError("a step needs the model bip, without start and posture: it sets them itself")
        if self.balance is not None and (self.posture or self.motors or self.step):
            raise ValueError("a balance takes the posture of the start: give no posture, motors or step")
        if self.support is not None and (self.posture is None or self.motors):
            raise ValueError("a support needs a posture: give [figure.posture], and no motors")
        if self.wrap and not self.muscle:
            raise ValueError("surfaces to wrap belong to muscles: give [[figure.muscle]]")
        if self.reflex is not None and not self.muscle:
            raise ValueError("a reflex must have muscles to excite: give [[figure.muscle]]")
        if self.model is None and self.parameters.model_fields_set:
            raise ValueError("parameters belong to a model")
        return self
