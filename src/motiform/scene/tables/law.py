"""What a scene file may say of laws of links: the name of a law, and its numbers as keys of the same table."""

from typing import Annotated, Any, ClassVar

from pydantic import Field, field_validator

from motiform.scene.tables.common import AtLeast0, Number, Table, Unit
from motiform.scene.tables.drive import Value

__all__ = ["FrictionTable", "LawKeys", "Lengths", "Numbers", "ZoneTable"]


class Numbers(Unit):
    """The SI unit of one number, or of a list of them: one for each link, or for each point."""

    def _read(self, value: Any) -> Any:
        read = super()._read
        return [read(one) for one in value] if isinstance(value, list) else read(value)


Plain = Annotated[float | list[float], Numbers("")]
Lengths = Annotated[float | list[float], Numbers("m")]
Forces = Annotated[float | list[float], Numbers("N")]
Stiffness = Annotated[float | list[float], Numbers("N/m")]
Damping = Annotated[float | list[float], Numbers("N s/m")]


class ZoneTable(Table):
    """A zone of distance: from where the one before it ends, up to `until`."""

    stiffness: Stiffness = 0.0
    damping: Damping = 0.0
    rest: Lengths | None = Field(0.0, description='distance of no force; "start" is that at the start')
    until: Lengths | None = Field(None, description="the last zone has none")

    @field_validator("rest", mode="before")
    @classmethod
    def _from_start(cls, value: Any) -> Any:
        return None if value == "start" else value


class FrictionTable(Table):
    """Friction across the line of two points that press one another."""

    limit: Annotated[Number, AtLeast0] = Field(description="Coulomb's coefficient")
    stiffness: Annotated[Annotated[float, Unit("N/m")], AtLeast0] = Field(0.0, description="while they stick")
    damping: Annotated[Annotated[float, Unit("N s/m")], AtLeast0] = 0.0


class LawKeys(Table):
    """A law by its name, and the numbers that it takes: each one for all links, or one for each."""

    own: ClassVar[tuple[str, ...]] = (
        *("stiffness", "damping", "rest", "threshold", "attraction", "inner", "outer", "outer_damping"),
        *("limit", "yield_force", "hardening", "ductility", "length", "strength", "healing", "new_rest"),
        *("strain", "life", "weakening", "zones", "text", "values", "strongest"),
    )
    law: str = Field(description="name of the law")
    stiffness: Stiffness | None = None
    damping: Damping | None = None
    rest: Lengths | None = Field(None, description="distance of no force; that at the start if not given")
    threshold: Lengths | None = Field(None, description="distance at which a buffer or viscosity begins or ends")
    attraction: Stiffness | None = Field(None, description="slope of a cohesion beyond its peak")
    inner: Lengths | None = Field(None, description="distance of a cohesion's peak")
    outer: Lengths | None = Field(None, description="distance at which a cohesion ends")
    outer_damping: Damping | None = Field(None, description="damping beyond a cohesion's peak")
    limit: Forces | None = Field(None, description="largest force of dry friction")
    yield_force: Forces | None = Field(None, description="from which on the rest length moves")
    hardening: Stiffness | None = Field(None, description="by which the bounds of plasticity move along")
    ductility: Lengths | None = Field(None, description="largest move of the rest length; beyond it the link breaks")
    length: Lengths | None = Field(None, description="beyond which the link breaks")
    strength: Forces | None = Field(None, description="tension beyond which the link breaks")
    healing: Lengths | None = Field(None, description="distance within which a broken link is whole again")
    new_rest: bool | None = Field(None, description="whether it heals with the rest length of that moment")
    strain: Lengths | None = Field(None, description="stretch that counts as a load")
    life: Plain | None = Field(None, description="number of loads that are borne")
    weakening: Plain | None = Field(None, description="share of the stiffness that is lost until then")
    zones: list[ZoneTable] | None = Field(None, description="of a law of your own, in the order of distance")
    text: str | None = Field(None, description="of an automaton")
    values: dict[str, Value] | None = Field(None, description="of an automaton's parameters")
    strongest: tuple[Number, Number] | None = Field(
        None, description="largest stiffness [N/m] and damping [N s/m] that an automaton comes to have"
    )
