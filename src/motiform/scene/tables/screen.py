"""Scene tables of screens: grids of pins and what engraves them."""

from typing import Annotated, Literal

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
    Newtons,
    Number,
    Point,
    Table,
    Unit,
    Velocity,
)
from motiform.scene.tables.matter import PointsOf
from motiform.scene.tables.place import Count, WayTable

__all__ = ["EngraverTable", "PistonsTable", "ScreenLawTable", "ScreenTable"]

Stiffness = Annotated[float, Unit("N/m")]
Damping = Annotated[float, Unit("N s/m")]
Preset = Literal["O", "L", "S", "C", "I", "II", "III", "IV", "V"]


class ScreenLawTable(Table):
    """Links of pins; or two points of the plane (K, Z), of the lowest and of the highest mode; or a blend of two."""

    stiffness: Stiffness = Field(0.0, description="to the ground")
    damping: Damping = Field(0.0, description="to the ground")
    neighbour_stiffness: Stiffness = Field(0.0, description="to each neighbour")
    neighbour_damping: Damping = Field(0.0, description="to each neighbour")
    start: tuple[Number, Number] | None = Field(None, description="K and Z of the lowest mode")
    end: tuple[Number, Number] | None = Field(None, description="K and Z of the highest mode")
    blend: tuple[Preset, Preset] | None = Field(None, description="two prototypes")
    part: Annotated[Number, AtLeast0] | None = Field(None, description="of a blend, 0 for the first, 1 for the second")

    @model_validator(mode="after")
    def _one_way(self) -> "ScreenLawTable":
        links = [key for key in ScreenLawTable.model_fields if "ness" in key or "damping" in key]
        ways = [any(key in self.model_fields_set for key in links), self.start is not None, self.blend is not None]
        if sum(ways) != 1 or (self.start is None) != (self.end is None) or (self.blend is None) != (self.part is None):
            raise ValueError("give links (stiffness, …), or start and end, or blend and part")
        return self


class PistonsTable(Table):
    """Pistons between pins, which conserve the sum of heights."""

    stiffness: Annotated[Stiffness, Above0]
    mass: Annotated[Kilogram, Above0] | None = Field(
        None, description="of horizontal masses; that of a pin if not given"
    )
    ground_stiffness: Annotated[Stiffness, AtLeast0] = Field(0.0, description="of horizontal masses to the ground")
    ground_damping: Annotated[Damping, AtLeast0] = 0.0
    neighbour_stiffness: Annotated[Stiffness, AtLeast0] = Field(0.0, description="between horizontal masses")
    neighbour_damping: Annotated[Damping, AtLeast0] = 0.0


class EngraverTable(Table):
    """`[[screen.engraver]]`: points that press pins."""

    name: Name
    follow: PointsOf | None = Field(None, description="points of networks")
    points: list[Point] | None = Field(None, description="places, which motion moves")
    motion: WayTable | None = Field(None, description="of points; or a recording, which gives the positions too")
    stiffness: Annotated[Stiffness, AtLeast0]
    damping: Annotated[Damping, AtLeast0] = 0.0
    reach: Length = Field(description="distance below which a point pushes")
    height: Metre | None = Field(None, description="of the points; their own distance from the plane if not given")
    mass: Annotated[Kilogram, Above0] | None = Field(None, description="of points that the pins move")
    velocity: Velocity = (0.0, 0.0, 0.0)
    force: Newtons = (0.0, 0.0, 0.0)
    drag: Annotated[Damping, AtLeast0] = 0.0

    @model_validator(mode="after")
    def _one_source(self) -> "EngraverTable":
        recorded = self.motion is not None and self.motion.recording is not None
        if sum((self.follow is not None, self.points is not None, recorded)) != 1:
            raise ValueError("give one of follow, points and motion.recording")
        if self.follow is not None and self.motion is not None:
            raise ValueError("points of a network have a motion: leave out motion")
        if self.mass is not None and (self.points is None or self.motion is not None):
            raise ValueError("points with a mass have places and no motion: give points")
        return self


class ScreenTable(Table):
    """`[[screen]]`: a grid of pins that points engrave."""

    name: Name
    shape: list[Count] = Field(min_length=1, max_length=3, description="pins along each axis")
    spacing: Length = Field(description="from pin to pin")
    origin: Point = Field((0.0, 0.0, 0.0), description="of the first pin at height 0")
    axes: str = Field("", description="letters of the axes of the grid, such as xz; x, xy, xyz if not given")
    law: Preset | ScreenLawTable = Field("IV", description="prototype, or table of links")
    mass: Annotated[Kilogram, Above0] = Field(0.01, description="of a pin")
    frequency: Annotated[Hertz, Above0] = Field(100.0, description="steps per second")
    edges: Literal["fixed", "free"] = "fixed"
    rest: Metre = Field(0.0, description="height at rest")
    engraver: list[EngraverTable] = Field(default_factory=list)
    pistons: PistonsTable | None = None
    dtype: Literal["float64", "float32"] = Field("float64", description="of recorded heights")
    color: Color = (0.80, 0.72, 0.58)
    scale: Number = Field(1.0, description="drawn over recorded heights")
    level: Metre | None = Field(
        None, description="height whose surface is drawn, of three axes; half-way to an engraver if not given"
    )
