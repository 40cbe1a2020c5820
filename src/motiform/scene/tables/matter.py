"""Scene tables of matter: networks of masses and links, and external forces."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from motiform.scene.tables.common import (
    AtLeast0,
    Color,
    Hertz,
    Length,
    Metre,
    Name,
    Newtons,
    Number,
    Point,
    PoseTable,
    Radian,
    Second,
    Table,
)
from motiform.scene.tables.contact import PlaneTable, _given
from motiform.scene.tables.law import FrictionTable, LawKeys, UnitList
from motiform.scene.tables.place import Count, FixedTable, ImposedTable, LookTable, MassesTable, WayTable
from motiform.scene.tables.shapes import ShapeTable

__all__ = [
    "LinkTable", "NetworkTable", "PistonTable", "PointsOf", "PushTable", "ReachTable", "SolidTable",
]  # fmt: skip

PointsOf = str | list[str]
"""Points by name: "group", "group[3]", "group[2:5]", "other_network.group"; of a grid "group[0, :]"; or several."""
Friction = Annotated[Number, AtLeast0] | FrictionTable


class HoldTable(Table):
    """Places of a segment that points are linked to: their initial positions by default."""

    segment: str = Field(description="segment or body")
    at: Point | None = Field(None, description="one place for all, in the segment's frame")
    places: list[Point] | None = Field(None, description="a place for each point")
    tags: list[str] | None = Field(None, description="a tag of the segment for each point")

    @model_validator(mode="after")
    def _one_place(self) -> "HoldTable":
        if sum(getattr(self, key) is not None for key in ("at", "places", "tags")) > 1:
            raise ValueError("give one of at, places and tags")
        return self


class LinkTable(LawKeys):
    """`[[network.link]]`: links with one law; exactly one key selects the linked points."""

    kinds: ClassVar[tuple[str, ...]] = (
        *("chain", "loop", "grid", "agglomerate", "near", "edges", "between", "cross", "pairs", "plate"),
        "to",
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
    plate: PointsOf | None = Field(None, description="a grid as a thin plate; stiffness is D/h², bending over spacing²")
    poisson: Annotated[float, Field(gt=-1.0, le=0.5)] | None = Field(None, description="of a plate; 0.3 if not given")
    free: bool | None = Field(None, description="of a plate: whether its edges are free; true if not given")
    to: HoldTable | None = Field(None, description="`points` with places of a segment")
    points: PointsOf | None = Field(None, description="of to")
    distance: Length | None = Field(None, description="of near")
    shape: list[Count] | None = Field(None, description="of a grid, where the group is not one already")
    diagonals: bool | None = Field(None, description="of a grid: whether also across its faces; true if not given")
    bends: bool | None = Field(None, description="of a grid: whether also to the second next")
    axis: Literal["x", "y", "z"] | None = Field(None, description="of the world, of distances and forces")
    acts: Literal["both", "first", "second"] = Field("both", description="whose motion they act on")
    every: Annotated[int, Field(ge=1)] | None = Field(
        None, description="steps from one working to the next, 1 if not given"
    )
    record: bool = Field(False, description="whether lengths, tensions and states are kept")
    look: LookTable | None = None

    @model_validator(mode="after")
    def _one_topology(self) -> "LinkTable":
        kind = _given(self, self.kinds)
        for key, owner in (
            ("points", "to"),
            ("distance", "near"),
            ("poisson", "plate"),
            ("free", "plate"),
            ("diagonals", "grid"),
            ("bends", "grid"),
        ):
            if key in self.model_fields_set and kind != owner:
                raise ValueError(f"{key} belongs to {owner}")
        if self.shape is not None and kind not in ("grid", "plate"):
            raise ValueError("shape belongs to grid")
        if kind == "plate" and (self.law != "spring" or self.axis is None):
            raise ValueError("a plate has the law spring, and an axis: its normal")
        if kind == "near" and self.distance is None:
            raise ValueError("give distance with near")
        if kind == "to" and (self.points is None or self.axis or self.every or self.acts != "both"):
            raise ValueError("a link to a segment has points, and neither axis nor acts nor every")
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
    segment: str | None = Field(
        None, description="segment or body that carries it; pose and plane are in its frame; its own shape by default"
    )
    pose: PoseTable = PoseTable()
    points: PointsOf | None = Field(None, description="that meet it; all masses of the network if not given")
    friction: Friction | None = Field(None, description="Coulomb's coefficient, or limit, stiffness and damping")
    color: Color | None = None
    look: LookTable | None = None
    motion: WayTable | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> "SolidTable":
        bare = self.segment is not None and all(getattr(self, kind) is None for kind in self.kinds)
        kind = "" if bare else _given(self, self.kinds)
        if self.segment is not None and (kind == "floor" or self.motion is not None):
            raise ValueError("a solid of a segment has neither floor nor motion: leave them out")
        if bare and self.pose != PoseTable():
            raise ValueError("a shape of a segment has its place already: leave out pose")
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
    stiffness: Annotated[float | list[float], UnitList("N/m")]
    rest: Annotated[float | list[float], UnitList("m")]
    damping: Annotated[float | list[float], UnitList("N s/m")] = 0.0


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
