"""The schema of scene files: one class per table, checked by pydantic, every number with its unit."""

from itertools import pairwise
from math import pi
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, model_validator

from motiform.motion.run.integrators import METHODS
from motiform.scene.tables.common import (
    Above0,
    Acceleration,
    Area,
    Areas,
    AtLeast0,
    Color,
    Density,
    Hertz,
    Kilogram,
    Length,
    Metre,
    Name,
    NewtonMetres,
    Newtons,
    Number,
    Point,
    PoseTable,
    Radian,
    Second,
    Sizes,
    Speed,
    Spin,
    Table,
    Turning,
    Unit,
    Vector,
    Velocity,
)
from motiform.scene.tables.contact import BodyContactTable, LawTable, ObstacleTable
from motiform.scene.tables.figure import FigureTable
from motiform.scene.tables.form import FormTable
from motiform.scene.tables.matter import NetworkTable
from motiform.scene.tables.screen import ScreenTable
from motiform.scene.tables.shapes import ShapeTable

__all__ = ["SceneFile"]


class SceneTable(Table):
    """`[scene]`: title, duration, sampling rate."""

    title: str = Field(description="shown above pictures")
    description: str = ""
    part: str = Field("scenes", description="theme that the scene belongs to")
    duration: Annotated[Second, Above0] = Field(description="length of the motion")
    rate: Annotated[Hertz, Above0] = Field(100.0, description="samples kept per second")
    seed: int = Field(0, ge=0, description="seed of everything drawn at random")


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
    com: Point | None = Field(None, description="centre of mass in the shape's frame, instead of the shape's own")
    inertia: Vector | tuple[Vector, Vector, Vector] | None = Field(
        None, description="about the centre of mass [kg m²], three moments or a matrix, instead of the shape's own"
    )
    pose: PoseTable = PoseTable()
    velocity: Velocity = Field((0.0, 0.0, 0.0), description="of the centre of mass, world axes")
    spin: Spin = Field((0.0, 0.0, 0.0), description="angular velocity, body axes")
    pinned: Point | None = Field(None, description="point of the shape's frame that stays where it is")
    drag: DragTable | None = None
    contact: BodyContactTable | None = Field(None, description="how it touches obstacles and other bodies")
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


class EddiesTable(Table):
    """Turbulent wind: waves without divergence."""

    speed: Annotated[Speed, Above0] = Field(description="root mean square of a component")
    size: Length = Field(description="of the largest eddies, their wavelength")
    waves: int = Field(32, description="how many")
    finest: Number = Field(12.0, description="size of the largest eddies over that of the smallest")
    seed: int = 0


class EnvironmentTable(Table):
    """`[environment]`: gravity and air."""

    gravity: Acceleration = Field((0.0, -9.81, 0.0), description="of free fall")
    air_density: Annotated[Density, AtLeast0] = Field(1.204, description="felt by bodies with drag")
    wind: Velocity = Field((0.0, 0.0, 0.0), description="mean wind")
    gust: GustTable | None = None
    eddies: EddiesTable | None = Field(None, description="turbulent wind on networks, added to the mean")


class MotionTable(Table):
    """`[motion]`: how the motion is computed."""

    integrator: Literal[tuple(METHODS)] | None = Field(  # type: ignore[valid-type]
        None,
        description="way of stepping through time; lie-midpoint for bodies, dormand-prince for figures and contacts, "
        "central-difference for networks and screens",
    )
    step: Annotated[Second, Above0] = Field(1e-3, description="longest step of a fixed-step integrator")
    rtol: Annotated[Number, Above0] = Field(1e-9, description="relative tolerance of an adaptive integrator")
    atol: Annotated[Number, AtLeast0] = Field(1e-12, description="absolute tolerance of an adaptive integrator")
    frequency: Annotated[Hertz, Above0] | None = Field(None, description="steps of networks per second")
    unstable: bool | None = Field(None, description="whether networks and screens run that are known to diverge")
    two_way: bool | None = Field(None, description="whether figures and bodies feel what networks do to them")
    replay: str | None = Field(None, description="recording in the scene's folder whose figure is followed")
    record: list[str] | dict[str, Annotated[Hertz, Above0]] | None = Field(
        None, description="channels of networks that are kept, all if not given; or a table of them with their rates"
    )
    device: Literal["cpu", "cuda"] = Field("cpu", description="where kernels run")


class CameraTable(Table):
    """A camera: where it is, where it looks, how wide."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
    from_: Point | None = Field(None, alias="from")
    to: Point | None = None
    fov: Annotated[Radian, Above0] | None = None

    @model_validator(mode="after")
    def _looks(self) -> "CameraTable":
        if self.from_ is not None and self.from_ == self.to:
            raise ValueError("from and to are one point")
        if self.fov is not None and self.fov >= pi:
            raise ValueError("fov must be below 180 deg")
        return self


class CameraKeyTable(CameraTable):
    """A place of a camera's path; what it does not say is that of the camera."""

    time: Second


class CameraPathTable(CameraTable):
    """A camera: it stands, or passes through the keys of a path."""

    path: list[CameraKeyTable] | None = Field(None, min_length=1, description="keys: time, from, to, fov")
    smooth: bool | None = Field(None, description="whether the path is a smooth curve (true if not given) or lines")

    @model_validator(mode="after")
    def _complete(self) -> "CameraPathTable":
        keys: list[CameraTable] = [self] if self.path is None else [*self.path]
        for key in keys:
            for name, own, common in (("from", key.from_, self.from_), ("to", key.to, self.to)):
                if own is None and common is None:
                    at = f"the key at {key.time:g} s" if isinstance(key, CameraKeyTable) else "the camera"
                    raise ValueError(f"'{name}' of {at} is missing")
            if (key.from_ or self.from_) == (key.to or self.to):
                raise ValueError("from and to are one point")
        times = [key.time for key in self.path or []]
        if any(b <= a for a, b in pairwise(times)):
            raise ValueError(f"times of a path must increase, got {times}")
        if self.smooth is not None and self.path is None:
            raise ValueError("'smooth' is for a path, which is missing")
        return self


class ImageTable(Table):
    """`[image]`: hints for pictures, films, plots and the studio."""

    camera: CameraPathTable | None = None
    plot: list[str] = Field(default_factory=list, description="channels worth a plot")
    ground: bool = Field(True, description="whether a ground is drawn")
    ground_height: Metre | None = Field(None, description="its height; if not given y = 0, or below the motion")
    sun: Vector | None = Field(
        None, description="towards the sun: forward, up, right; low suns show reliefs, if not given it is high"
    )
    skin: bool = Field(False, description="whether the segments of a figure are drawn as one smooth body")
    hide: list[str] = Field(
        default_factory=list, description="segments whose shapes are not drawn, as where muscles inside are to be seen"
    )
    strobe: int = Field(1, ge=1, le=1000, description="instants that a picture shows at once")
    speed: Annotated[float, Above0] = Field(1.0, description="seconds of motion per second of film")

    @model_validator(mode="after")
    def _shining(self) -> "ImageTable":
        if self.sun is not None and not any(self.sun):
            raise ValueError("the sun must have a direction, got [0, 0, 0]")
        return self


class SoundTable(Table):
    """`[sound]`: points of networks that are listened to."""

    points: list[str | list[str]] = Field(
        min_length=1, description='a channel each: a point, "string[60]", the mean of a group, or of several such names'
    )
    axis: Vector = Field((0.0, 1.0, 0.0), description="direction along which they are listened to")
    of: Literal["velocity", "position"] = Field("velocity", description="what is heard of them")
    rate: Annotated[Hertz, Above0] | None = Field(
        None, description="samples a second; motion.frequency, or a whole part of it"
    )
    form: Literal["int16", "float32"] = Field("int16", description="numbers of the WAV file")
    peak: Annotated[Number, Above0] | None = Field(
        None, description="full scale [m/s or m]; the largest of the sound if not given"
    )


class SceneFile(Table):
    """A scene file: objects are arrays of tables, stages are tables."""

    scene: SceneTable
    body: list[BodyTable] = Field(default_factory=list)
    figure: list[FigureTable] = Field(default_factory=list)
    network: list[NetworkTable] = Field(default_factory=list)
    screen: list[ScreenTable] = Field(default_factory=list)
    form: list[FormTable] = Field(default_factory=list)
    obstacle: list[ObstacleTable] = Field(default_factory=list)
    contact: LawTable | None = Field(None, description="laws of all contacts")
    spring: list[SpringTable] = Field(default_factory=list)
    force: list[ForceTable] = Field(default_factory=list)
    environment: EnvironmentTable = EnvironmentTable()
    motion: MotionTable = MotionTable()
    image: ImageTable = ImageTable()
    sound: SoundTable | None = None

    @model_validator(mode="after")
    def _has_objects(self) -> "SceneFile":
        if not self.body and not self.figure and not self.network and not self.screen:
            raise ValueError(
                "a scene must have bodies, figures, networks or screens: "
                "give [[body]], [[figure]], [[network]] or [[screen]]"
            )
        if self.screen and (self.body or self.figure or self.touching or self.spring or self.force):
            raise ValueError("screens must go with networks alone: leave out bodies, figures and what acts on them")
        if self.screen and self.sound is not None:
            raise ValueError("networks with screens must not be listened to: leave out sound or screens")
        if self.form and not self.network:
            raise ValueError("surfaces are drawn around points of networks: give [[network]], or leave out [[form]]")
        self._check_networks()
        if self.body and self.figure and not self.touching and not self.network:
            raise ValueError(
                "bodies and figures must meet by contact: give [[obstacle]] or [contact], or make a body a segment"
            )
        if self.figure and not self.body and (self.spring or self.force):
            raise ValueError("springs and forces belong to bodies; give a figure controls and loads")
        if self.touching and self.spring:
            raise ValueError("springs exclude contacts: write a figure with controls, or loads in Python")
        return self

    def _check_networks(self) -> None:
        """Refuse what networks do not go with, and what belongs to them alone."""
        motion = self.motion
        if not self.network:
            if self.sound is not None:
                raise ValueError("sound is that of networks: give [[network]]")
            keys = ("frequency", "two_way", "replay", "record", *(() if self.screen else ("unstable",)))
            given = [key for key in keys if getattr(motion, key) is not None]
            if given:
                raise ValueError(f"motion.{given[0]} belongs to networks")
            return
        if motion.record is not None and (self.coupled or self.screen):
            raise ValueError("motion.record belongs to networks alone: leave it out")
        if self.spring:
            raise ValueError("networks exclude springs: give networks links")
        if self.touching and not self.coupled:
            raise ValueError("contacts belong to figures and bodies: give networks solids")
        if self.touching and motion.replay is not None:
            raise ValueError("a figure must not both follow a recording and have contacts: leave out one of the two")
        if self.force and not self.body:
            raise ValueError("forces belong to bodies; give networks pushes")
        if (motion.two_way is not None or motion.replay is not None) and not self.coupled:
            raise ValueError("motion.two_way and motion.replay belong to networks with figures or bodies")
        if motion.two_way and motion.replay is not None:
            raise ValueError("a figure must not both follow a recording and feel the network: leave out two_way")
        if not any(table.groups for table in self.network):
            raise ValueError("a network must have masses: give [[network.masses]]")
        if "step" in motion.model_fields_set:
            raise ValueError("a network has steps of its own: give motion.frequency instead of motion.step")

    @property
    def coupled(self) -> bool:
        """Whether networks are simulated together with figures or bodies."""
        return bool(self.network) and bool(self.figure or self.body)

    @property
    def touching(self) -> bool:
        """Whether it is simulated with contacts."""
        stated = bool(self.obstacle) or self.contact is not None
        return stated or any(f.contact for f in self.figure) or any(b.contact is not None for b in self.body)


for _table in (BodyTable, SceneFile):
    _table.model_rebuild()
