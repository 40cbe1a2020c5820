"""Scene tables of link laws: the name of a law, and its parameters as keys of the same table."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field, create_model, field_validator

from motiform.motion.matter.laws.register import PARAMETERS, LawParameter
from motiform.scene.tables.common import AtLeast0, Number, Table, Unit
from motiform.scene.tables.drive import Value

__all__ = ["FrictionTable", "LawKeys", "Lengths", "UnitList", "ZoneTable"]


class UnitList(Unit):
    """The SI unit of one number, or of a list of them: one for each link, or for each point."""

    def _read(self, value: Any) -> Any:
        read = super()._read
        return [read(one) for one in value] if isinstance(value, list) else read(value)


Lengths = Annotated[float | list[float], UnitList("m")]
Stiffness = Annotated[float | list[float], UnitList("N/m")]
Damping = Annotated[float | list[float], UnitList("N s/m")]


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
    rolling: Annotated[Number, AtLeast0] = Field(
        0.0, description="coefficient of rolling friction of balls that rotate"
    )
    torsion: Annotated[Number, AtLeast0] = Field(0.0, description="coefficient of torsional friction of such balls")


class _LawBase(Table):
    """A law by its name, and what laws of one's own are made of."""

    own: ClassVar[tuple[str, ...]] = (*PARAMETERS, "zones", "text", "values", "strongest")
    law: str = Field(description="name of the law")
    zones: list[ZoneTable] | None = Field(None, description="of a law of your own, in the order of distance")
    text: str | None = Field(None, description="of an automaton")
    values: dict[str, Value] | None = Field(None, description="of an automaton's parameters")
    strongest: tuple[Number, Number] | None = Field(
        None, description="largest stiffness [N/m] and damping [N s/m] that an automaton comes to have"
    )


def _field(parameter: LawParameter) -> tuple[Any, Any]:
    kind: Any = bool if parameter.unit is None else Annotated[float | list[float], UnitList(parameter.unit)]
    return (kind | None, Field(None, description=parameter.description))


if TYPE_CHECKING:
    LawKeys = _LawBase
else:  # the numbers that laws take are those of their register
    LawKeys = create_model(
        "LawKeys", __base__=_LawBase, __module__=__name__, __doc__=_LawBase.__doc__,
        **{name: _field(p) for name, p in PARAMETERS.items()},
    )  # fmt: skip
