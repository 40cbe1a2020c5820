"""What a scene file may say: one class per table, checked by pydantic, every number with its unit."""

from math import isfinite, pi
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, GetCoreSchemaHandler, model_validator
from pydantic_core import CoreSchema, core_schema

from motiform.base.errors import InputError
from motiform.base.units import quantity
from motiform.motion.integrate.methods import METHODS

__all__ = ["SceneFile", "Unit"]


class Unit:
    """The SI unit of a number: reads a finite number in it, or text with a unit of the same dimension."""

    def __init__(self, unit: str) -> None:
        self.unit = unit

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self._read, handler(source))

    def _read(self, value: Any) -> float:
        try:
            number = quantity(value, self.unit)
        except InputError as error:
            raise ValueError(str(error)) from error
        if not isfinite(number):
            raise ValueError("must be finite")
        return number


def _positive(value: float) -> float:
    if value <= 0:
        raise ValueError("must be above 0")
    return value


def _not_negative(value: float) -> float:
    if value < 0:
        raise ValueError("must be at least 0")
    return value


Above0 = AfterValidator(_positive)
AtLeast0 = AfterValidator(_not_negative)
Number = Annotated[float, Unit("")]
Metre = Annotated[float, Unit("m")]
Second = Annotated[float, Unit("s")]
Hertz = Annotated[float, Unit("Hz")]
Kilogram = Annotated[float, Unit("kg")]
Radian = Annotated[float, Unit("rad")]
Density = Annotated[float, Unit("kg/m^3")]
Area = Annotated[float, Unit("m^2")]
Speed = Annotated[float, Unit("m/s")]
Turning = Annotated[float, Unit("rad/s")]
Pull = Annotated[float, Unit("m/s^2")]
Push = Annotated[float, Unit("N")]
Twisting = Annotated[float, Unit("N m")]
Vector = tuple[Number, Number, Number]
Point = tuple[Metre, Metre, Metre]
Velocity = tuple[Speed, Speed, Speed]
Spin = tuple[Turning, Turning, Turning]
Acceleration = tuple[Pull, Pull, Pull]
Newtons = tuple[Push, Push, Push]
NewtonMetres = tuple[Twisting, Twisting, Twisting]
Areas = tuple[Area, Area, Area]
Length = Annotated[Metre, Above0]
Sizes = tuple[Length, Length, Length]
Color = tuple[
    Annotated[float, Field(ge=0, le=1)], Annotated[float, Field(ge=0, le=1)], Annotated[float, Field(ge=0, le=1)]
]


def _not_world(name: str) -> str:
    if name == "world":
        raise ValueError('"world" is the fixed world itself: choose another name')
    return name


Name = Annotated[str, AfterValidator(_not_world), Field(pattern=r"^[A-Za-z_][A-Za-z0-9_-]*$", max_length=64)]


class Table(BaseModel):
    """A table of a scene file: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SceneTable(Table):
    """`[scene]`: what it is called, how long it lasts, how often it is kept."""

    title: str = Field(description="shown above pictures")
    description: str = ""
    part: str = Field("scenes", description="theme that the scene belongs to")
    duration: Annotated[Second, Above0] = Field(description="length of the motion")
    rate: Annotated[Hertz, Above0] = Field(100.0, description="samples kept per second")
    seed: int = Field(0, ge=0, description="seed of everything drawn at random")


class CylinderTable(Table):
    """Radius and height along y."""

    radius: Length
    height: Length


class ParticleTable(Table):
    """A body as particles: given one by one, or filling a closed mesh."""

    points: list[tuple[Metre, Metre, Metre]] | None = None
    masses: list[Annotated[Kilogram, Above0]] | None = None
    mesh: str | None = None
    spacing: Length | None = None

    @model_validator(mode="after")
    def _one_source(self) -> "ParticleTable":
        if (self.points is None) == (self.mesh is None):
            raise ValueError("give either points (with masses) or mesh (with spacing)")
        if self.points is not None and (self.masses is None or len(self.masses) != len(self.points)):
            raise ValueError("masses must be given, one for each point")
        if self.mesh is not None and self.spacing is None:
            raise ValueError("spacing must be given with mesh")
        return self


class PoseTable(Table):
    """Where a frame is: its origin and how it is turned, R = Rz Ry Rx, or a quaternion (w, x, y, z)."""

    at: Point = (0.0, 0.0, 0.0)
    turn: "TurnTable | None" = None
    quaternion: tuple[Number, Number, Number, Number] | None = None

    @model_validator(mode="after")
    def _one_turn(self) -> "PoseTable":
        if self.turn is not None and self.quaternion is not None:
            raise ValueError("give turn or quaternion, not both")
        if self.quaternion is not None and sum(q * q for q in self.quaternion) < 1e-12:
            raise ValueError("a quaternion must not be zero")
        return self


class TurnTable(Table):
    """Angles about x, then y, then z."""

    x: Radian = 0.0
    y: Radian = 0.0
    z: Radian = 0.0


class ShapeTable(Table):
    """One shape by its own key, and its density or mass."""

    box: Sizes | None = Field(None, description="edges along x, y, z")
    ball: Length | None = Field(None, description="radius")
    cylinder: CylinderTable | None = None
    capsule: CylinderTable | None = Field(None, description="height is between the centres of the caps")
    ellipsoid: Sizes | None = Field(None, description="half axes along x, y, z")
    mesh: str | None = Field(None, description="file of a closed mesh, in the scene's folder")
    scale: Annotated[float, Above0] = Field(1.0, description="metres per unit of the mesh file")
    particles: ParticleTable | None = None
    parts: "list[PartTable] | None" = Field(None, description="shapes put together, each with a pose")
    density: Annotated[Density, Above0] | None = Field(None, description="mass per volume")
    mass: Annotated[Kilogram, Above0] | None = Field(None, description="mass of the whole shape")

    @model_validator(mode="after")
    def _one_shape(self) -> "ShapeTable":
        kinds = ("box", "ball", "cylinder", "capsule", "ellipsoid", "mesh", "particles", "parts")
        given = [kind for kind in kinds if getattr(self, kind) is not None]
        if len(given) != 1:
            raise ValueError(f"give exactly one of {', '.join(kinds)}; got {', '.join(given) or 'none'}")
        if self.density is not None and self.mass is not None:
            raise ValueError("give density or mass, not both")
        if self.scale != 1.0 and self.mesh is None and (self.particles is None or self.particles.mesh is None):
            raise ValueError("scale belongs to mesh files")
        return self


class PartTable(ShapeTable):
    """One shape of several that make a body."""

    pose: PoseTable = PoseTable()


class DragTable(Table):
    """The hold of the air: coefficient times area along the body's axes, the centre of pressure, drag of rotation."""

    area: Annotated[Area, AtLeast0] | Areas = Field(description="drag coefficient times area, one number or three")
    center: Point = Field((0.0, 0.0, 0.0), description="centre of pressure from the centre of mass")
    spin: Annotated[Annotated[float, Unit("m^5")], AtLeast0] = Field(0.0, description="drag of rotation")


class CopiesTable(Table):
    """Many bodies alike, placed at random in a box about the pose."""

    count: int = Field(ge=1, le=10_000_000, description="number of bodies")
    box: Sizes = Field(description="edges of the box that they start in")
    turned: bool = Field(False, description="whether each is turned at random")
    velocity: Speed = Field(0.0, description="largest random speed along each axis")
    spin: Turning = Field(0.0, description="largest random spin about each axis")


class BodyTable(Table):
    """`[[body]]`: a rigid body."""

    name: Name
    shape: ShapeTable
    mass: Annotated[Kilogram, Above0] | None = Field(None, description="instead of the shape's own")
    center: Point | None = Field(None, description="centre of mass in the shape's frame, instead of the shape's own")
    inertia: Vector | tuple[Vector, Vector, Vector] | None = Field(
        None, description="about the centre of mass [kg m²], three moments or a matrix, instead of the shape's own"
    )
    pose: PoseTable = PoseTable()
    velocity: Velocity = Field((0.0, 0.0, 0.0), description="of the centre of mass, world axes")
    spin: Spin = Field((0.0, 0.0, 0.0), description="angular velocity, body axes")
    pinned: Point | None = Field(None, description="point of the shape's frame that stays where it is")
    drag: DragTable | None = None
    color: Color = (0.62, 0.68, 0.76)
    copies: CopiesTable | None = None

    @model_validator(mode="after")
    def _pinned_turns(self) -> "BodyTable":
        if self.pinned is not None and any(self.velocity):
            raise ValueError("a pinned body has no velocity of its own: give spin")
        return self


class SpringTable(Table):
    """`[[spring]]`: between two bodies, or a body and the world."""

    between: tuple[str, str] = Field(description='two bodies, or a body and "world"')
    at: tuple[Point, Point] = Field(((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)), description="its ends in their frames")
    stiffness: Annotated[Annotated[float, Unit("N/m")], AtLeast0]
    damping: Annotated[Annotated[float, Unit("N s/m")], AtLeast0] = 0.0
    rest: Annotated[Metre, AtLeast0] | None = Field(
        None, description="rest length; its length at the start if not given"
    )


class ForceTable(Table):
    """`[[force]]`: a force at a point of a body and a torque, between two instants."""

    body: str
    force: Newtons = (0.0, 0.0, 0.0)
    torque: NewtonMetres = (0.0, 0.0, 0.0)
    at: Point | None = Field(None, description="point of the shape's frame; the centre of mass if not given")
    follows: bool = Field(False, description="whether it turns with the body")
    start: Second = 0.0
    until: Second | None = None

    @model_validator(mode="after")
    def _acts(self) -> "ForceTable":
        if not any(self.force) and not any(self.torque):
            raise ValueError("give force or torque")
        return self


class GustTable(Table):
    """Gusts: amplitude sin(2π (n·x/length − t/period))."""

    amplitude: Velocity
    direction: Vector = (1.0, 0.0, 0.0)
    length: Length = 10.0
    period: Annotated[Second, Above0] = 5.0


class EnvironmentTable(Table):
    """`[environment]`: gravity and air."""

    gravity: Acceleration = Field((0.0, -9.81, 0.0), description="of free fall")
    air_density: Annotated[Density, AtLeast0] = Field(1.204, description="felt by bodies with drag")
    wind: Velocity = Field((0.0, 0.0, 0.0), description="mean wind")
    gust: GustTable | None = None


class MotionTable(Table):
    """`[motion]`: how the motion is computed."""

    integrator: Literal[tuple(METHODS)] = Field("lie-midpoint", description="way of stepping through time")  # type: ignore[valid-type]
    step: Annotated[Second, Above0] = Field(1e-3, description="longest step of a fixed-step integrator")
    rtol: Annotated[Number, Above0] = Field(1e-9, description="relative tolerance of an adaptive integrator")
    atol: Annotated[Number, AtLeast0] = Field(1e-12, description="absolute tolerance of an adaptive integrator")
    device: Literal["cpu", "cuda"] = Field("cpu", description="where kernels run")


class CameraTable(Table):
    """A camera: where it is, where it looks, how wide."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
    from_: Point = Field(alias="from")
    to: Point
    fov: Annotated[Radian, Above0] | None = None

    @model_validator(mode="after")
    def _looks(self) -> "CameraTable":
        if self.from_ == self.to:
            raise ValueError("from and to are one point")
        if self.fov is not None and self.fov >= pi:
            raise ValueError("fov must be below 180 deg")
        return self


class ImageTable(Table):
    """`[image]`: hints for pictures, films, plots and the studio."""

    camera: CameraTable | None = None
    plot: list[str] = Field([], description="channels worth a plot")
    ground: bool = Field(True, description="whether a ground is drawn")
    ground_height: Metre | None = Field(None, description="its height; if not given y = 0, or below the motion")
    strobe: int = Field(1, ge=1, le=1000, description="instants that a picture shows at once")
    speed: Annotated[float, Above0] = Field(1.0, description="seconds of motion per second of film")


class SceneFile(Table):
    """A scene file: objects are arrays of tables, stages are tables."""

    scene: SceneTable
    body: list[BodyTable] = Field(min_length=1)
    spring: list[SpringTable] = []
    force: list[ForceTable] = []
    environment: EnvironmentTable = EnvironmentTable()
    motion: MotionTable = MotionTable()
    image: ImageTable = ImageTable()


for _table in (PoseTable, ShapeTable, PartTable, BodyTable, SceneFile):
    _table.model_rebuild()
