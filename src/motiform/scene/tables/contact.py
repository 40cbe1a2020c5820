"""Scene tables of contacts: obstacles, contact points, laws."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from motiform.scene.tables.common import (
    Above0,
    AtLeast0,
    Color,
    Length,
    Metre,
    Name,
    Number,
    Point,
    PoseTable,
    Radian,
    Sizes,
    Speed,
    Table,
    Vector,
)
from motiform.scene.tables.shapes import TouchedKeys

__all__ = ["BodyContactTable", "FigureContactTable", "LawTable", "ObstacleTable", "PointTable"]

Friction = Annotated[Number, AtLeast0]
Restitution = Annotated[float, Field(ge=0, le=1)]


def _given(table: Table, kinds: tuple[str, ...]) -> str:
    """Return the one key of several that a table has."""
    given = [kind for kind in kinds if getattr(table, kind) is not None and getattr(table, kind) is not False]
    if len(given) != 1:
        raise ValueError(f"give exactly one of {', '.join(kinds)}; got {', '.join(given) or 'none'}")
    return given[0]


class PlaneTable(Table):
    """A half-space through a point; it is solid on the side away from the normal."""

    at: Point = (0.0, 0.0, 0.0)
    normal: Vector = (0.0, 1.0, 0.0)


class ProfileTable(Table):
    """Ground under a line through points (x, y), x increasing."""

    points: list[tuple[Metre, Metre]]
    width: Length = Field(description="along z")


class StairsTable(Table):
    """A flight of steps along +x, the middle of its foot at the pose's origin."""

    count: int = Field(ge=1, le=1000, description="number of steps")
    rise: Length
    run: Length
    width: Length = Field(description="along z")
    descending: bool = Field(False, description="whether they go down along +x")
    depth: Length | None = Field(None, description="how far they reach below their foot; one rise if not given")


class ObstacleTable(TouchedKeys):
    """`[[obstacle]]`: a solid that bodies and figures come into contact with, of the world or carried by a segment."""

    kinds: ClassVar[tuple[str, ...]] = (
        *("floor", "plane", "slope", "face", *TouchedKeys.solids, "hollow_ball", "hollow_box", "tube"),
        *("endless_cylinder", "profile", "stairs"),
    )
    name: Name
    floor: Metre | None = Field(None, description="height of level ground")
    plane: PlaneTable | None = None
    slope: Radian | None = Field(None, description="angle by which a plane rises toward +x, through the pose's origin")
    face: tuple[Length, Length] | None = Field(None, description="edges along x and z of a rectangle, solid below")
    hollow_ball: Length | None = Field(None, description="radius of a ball that is touched from inside")
    hollow_box: tuple[Length, Length, Length] | None = Field(
        None, description="edges along x, y, z of a box that is touched from inside"
    )
    tube: Length | None = Field(None, description="radius of a tube along y without ends, touched from inside")
    endless_cylinder: Length | None = Field(None, description="radius of a cylinder along y without ends")
    profile: ProfileTable | None = None
    stairs: StairsTable | None = None
    pose: PoseTable = PoseTable()
    on: str = Field("world", description="the segment or body that carries it")
    friction: Friction | None = Field(None, description="Coulomb's coefficient")
    restitution: Restitution | None = Field(None, description="0 to 1")
    color: Color | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> "ObstacleTable":
        kind = _given(self, self.kinds)
        if kind in ("floor", "plane") and self.pose != PoseTable():
            raise ValueError(f"a {kind} has no pose: its own numbers say where it is")
        if kind == "slope" and (self.pose.turn is not None or self.pose.quaternion is not None):
            raise ValueError("a slope is turned by its angle: give pose.at alone, or a plane")
        return self


class PointTable(Table):
    """A ball of a segment, a point where its radius is zero, or a ring or an ellipsoid that touches planes."""

    name: Name
    segment: str
    at: Point = (0.0, 0.0, 0.0)
    radius: Annotated[Metre, AtLeast0] | None = Field(None, description="of the ball; of a ring's tube")
    ring: Length | None = Field(None, description="radius of a ring about `axis`: the rim of a wheel or a disk")
    axis: Vector = Field((0.0, 0.0, 1.0), description="of the ring, in the segment")
    ellipsoid: Sizes | None = Field(None, description="half axes along x, y, z of the segment")

    @model_validator(mode="after")
    def _one_form(self) -> "PointTable":
        if self.ellipsoid is not None and (self.ring is not None or self.radius):
            raise ValueError("an ellipsoid has no ring and no radius")
        return self


class FigureContactTable(Table):
    """`[[figure.contact]]`: points of a figure that may touch obstacles."""

    kinds: ClassVar[tuple[str, ...]] = ("solids", "tags", "points", "segment")
    solids: bool = Field(False, description="the model's own contact solids")
    tags: list[str] | None = Field(None, description="points at these tags")
    points: list[PointTable] | None = None
    segment: str | None = Field(None, description="corners, balls and ends of the shapes of this segment")
    solid: str | None = Field(None, description="name of the contact solid; that of the segment if not given")
    radius: Annotated[Metre, AtLeast0] = Field(0.0, description="of the balls about the points")
    friction: Friction | None = Field(None, description="Coulomb's coefficient; not given: nothing slides")
    restitution: Restitution = 0.0

    @model_validator(mode="after")
    def _one_kind(self) -> "FigureContactTable":
        kind = _given(self, self.kinds)
        if kind == "solids" and self.solid is not None:
            raise ValueError("the model's solids have names of their own")
        if kind == "segment" and self.radius:
            raise ValueError("the shape of the segment gives the radii")
        return self


class BodyContactTable(Table):
    """How a body touches obstacles and other bodies."""

    touches: bool = Field(True, description="whether it touches anything")
    solid: bool = Field(True, description="whether other bodies touch it, where it is a box, ball or capsule")
    friction: Friction | None = Field(None, description="Coulomb's coefficient; not given: nothing slides")
    restitution: Restitution = 0.0


class LawTable(Table):
    """`[contact]`: the laws of all contacts of the scene."""

    impact: Literal["leaving", "held"] = Field("leaving", description="whether points may leave in an impact")
    limits: bool = Field(True, description="whether the limits of the joints act")
    limit_restitution: Restitution = Field(0.0, description="of an impact at a limit")
    settle: Annotated[Speed, Above0] = Field(1e-6, description="slower impacts lose all")
    pairs: list[tuple[str, str]] | None = Field(
        None, description="point and obstacle of all that may touch; every point and obstacle if not given"
    )
