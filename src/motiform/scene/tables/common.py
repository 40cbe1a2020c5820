"""Common types of scene tables: numbers with units, poses."""

from math import isfinite
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, GetCoreSchemaHandler, model_validator
from pydantic_core import CoreSchema, core_schema

from motiform.base.errors import InputError
from motiform.base.units import quantity

__all__ = [
    "Above0", "Acceleration", "Ampere", "Area", "Areas", "AtLeast0", "Color", "Density", "Diffusion", "Hertz",
    "Kilogram", "Length", "Metre", "Name", "NewtonMetres", "Newtons", "Number", "Point", "PoseTable", "Radian",
    "Second", "Sizes", "Speed", "Spin", "Table", "Turning", "Unit", "Vector", "Velocity",
]  # fmt: skip


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
Diffusion = Annotated[float, Unit("m^2/s")]
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
Ampere = Annotated[float, Unit("A")]
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


PoseTable.model_rebuild()
