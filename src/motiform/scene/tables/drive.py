"""Scene tables of predefined figures and their actuation: models, controls, postures, loads."""

from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, model_validator

from motiform.scene.tables.common import (
    Above0,
    AtLeast0,
    Hertz,
    Kilogram,
    Length,
    Metre,
    NewtonMetres,
    Newtons,
    Number,
    Point,
    Radian,
    Second,
    Table,
)

__all__ = ["ControlTable", "LoadTable", "ModelTable", "PostureTable", "PrescribedTable", "Value"]

Value = float | str | list[float | str]
"""A coordinate, or those of a joint: numbers in SI, or text with a unit."""
Gain = Annotated[Number, AtLeast0]


class ModelTable(Table):
    """`[figure.parameters]`: what a ready figure is made from; each model takes some of them."""

    height: Length | None = None
    mass: Annotated[Kilogram, Above0] | None = None
    sex: Literal["male", "female"] | None = None
    table: str | None = Field(None, description="anthropometric table")
    lengths: dict[str, Annotated[Metre, AtLeast0]] | None = None
    masses: dict[str, Annotated[Kilogram, AtLeast0]] | None = Field(None, description="by segment")
    centers: dict[str, Point] | None = Field(None, description="centres of mass by segment")
    radii: dict[str, Point] | None = Field(None, description="of gyration, by segment")
    tags: dict[str, Point] | None = None
    limits: str | dict[str, tuple[Radian, Radian]] | None = None
    elbows: Literal["sagittal", "frontal"] | None = None
    knee: Literal["hinge", "three-axes", "coupled"] | None = None


class ControlTable(Table):
    """`[[figure.control]]`: a force on a coordinate: constant, and a spring and damper to a target."""

    coordinate: str = Field(description="without a side: of both")
    force: Number = Field(0.0, description="N m or N")
    stiffness: Gain = 0.0
    damping: Gain = 0.0
    target: Number = 0.0


class PrescribedTable(Table):
    """`[[figure.prescribed]]`: a coordinate that moves as given, whatever acts on it."""

    coordinate: str
    speed: Number | None = Field(None, description="constant, rad/s or m/s")
    times: list[Second] = Field(default_factory=list, description="of positions or speeds")
    positions: list[Number] = Field(default_factory=list, description="rad or m, a cubic spline through them")
    speeds: list[Number] = Field(default_factory=list, description="rad/s or m/s, a cubic spline through them")

    @model_validator(mode="after")
    def _one_motion(self) -> "PrescribedTable":
        given = [self.speed is not None, bool(self.positions), bool(self.speeds)]
        if sum(given) != 1 or bool(self.times) == (self.speed is not None):
            raise ValueError("give speed, or times with positions or with speeds")
        return self


class KeyTable(Table):
    """`[[figure.posture.key]]`: coordinates at an instant; those not named stay as in the key before."""

    at: Annotated[Second, AtLeast0]
    q: dict[str, Value] = Field(default_factory=dict)
    stand: list[str] | None = Field(None, description="contact points or solids that carry; else those of the posture")


class PostureTable(Table):
    """`[figure.posture]`: springs and dampers of all joints toward a posture, or a way through several."""

    q: dict[str, Value] = Field(default_factory=dict, description="the posture")
    hold: bool = Field(True, description="coordinates that are not named stay as at the start; false: go to zero")
    frequency: Annotated[Hertz, Above0] = Field(3.0, description="of each joint alone with all that it carries")
    ratio: Gain = Field(1.0, description="damping ratio of it")
    stiffness: Gain | dict[str, Gain] | None = Field(None, description="instead, for all or by coordinate")
    damping: Gain | dict[str, Gain] | None = Field(None, description="instead, for all or by coordinate")
    limit: Annotated[Number, Above0] | dict[str, Gain] | None = Field(None, description="largest efforts")
    stand: bool | list[str] = Field(
        False, description="add the efforts that stand on the points that touch, or on the points or solids named"
    )
    key: list[KeyTable] = Field(default_factory=list)

    @model_validator(mode="after")
    def _in_order(self) -> "PostureTable":
        if self.q and self.key:
            raise ValueError("give q, or keys")
        times = [key.at for key in self.key]
        if any(b <= a for a, b in pairwise(times)):
            raise ValueError("keys must come one after another in time")
        if times == [0.0]:
            raise ValueError("one key at the start is no way: give q, or more keys")
        return self


class LoadTable(Table):
    """`[[figure.load]]`: a force at a point of a segment and a torque, between two instants."""

    segment: str
    force: Newtons = (0.0, 0.0, 0.0)
    torque: NewtonMetres = (0.0, 0.0, 0.0)
    at: Point | None = Field(None, description="point of the segment's frame; its centre of mass if not given")
    follows: bool = Field(False, description="whether it turns with the segment")
    start: Second = 0.0
    until: Second | None = None

    @model_validator(mode="after")
    def _acts(self) -> "LoadTable":
        if not any(self.force) and not any(self.torque):
            raise ValueError("give force or torque")
        if self.until is not None and self.until <= self.start:
            raise ValueError("until must be after start")
        return self
