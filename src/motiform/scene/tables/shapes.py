"""Scene tables of shapes: a key for each kind of the register of solids whose parameters are lengths."""

from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, cast, get_args, get_type_hints

from pydantic import Field, create_model, model_validator

from motiform.geometry import Shape
from motiform.geometry.solids.register import SHAPES, has_distance
from motiform.scene.tables.common import Above0, AtLeast0, Density, Kilogram, Length, Metre, PoseTable, Table

__all__ = ["PartTable", "ParticleTable", "ShapeTable", "SolidKeys", "TouchedKeys"]


class SolidKeys(Table):
    """Keys of solids, of which a table has one: a length, several, or a table where they have names."""

    solids: ClassVar[dict[str, type[Shape]]]

    def solid(self) -> Shape | None:
        """Return the solid that is given; None where the table has none of these keys."""
        for kind, cls in self.solids.items():
            value, make = getattr(self, kind), cast(Any, cls)
            if value is not None:
                made: Shape = make(**value.model_dump()) if isinstance(value, Table) else make(value)
                return made
        return None


def _lengths(cls: Any) -> dict[str, Any] | None:
    """Return the type and default of each field of a shape as pydantic takes them; None if one is not of lengths."""
    found: dict[str, Any] = {}
    for field in fields(cls):
        hint = get_type_hints(cls)[field.name]
        parts = get_args(hint)
        if hint is not float and set(parts) != {float}:
            return None
        length: Any = Length if field.default is MISSING else Annotated[Metre, AtLeast0]
        kind = tuple.__class_getitem__((length,) * len(parts)) if parts else length
        found[field.name] = (kind, ... if field.default is MISSING else field.default)
    return found


def _keys(name: str, kinds: dict[str, type[Shape]]) -> Any:
    """Return the class of tables that have one optional key for each kind."""
    keys: dict[str, Any] = {}
    for kind, cls in kinds.items():
        lengths = _lengths(cls)
        if lengths is not None:
            about, (value, _) = (cls.__doc__ or "").split("\n")[0], next(iter(lengths.values()))
            if len(lengths) > 1:
                value = create_model(f"{cls.__name__}Table", __base__=Table, __doc__=about, **lengths)
            keys[kind] = (value | None, Field(None, description=about))
    made = create_model(name, __base__=SolidKeys, __doc__=SolidKeys.__doc__, **keys)
    made.solids = {kind: kinds[kind] for kind in keys}
    return made


if TYPE_CHECKING:
    ShapeKeys = SolidKeys
    TouchedKeys = SolidKeys
else:
    ShapeKeys = _keys("ShapeKeys", SHAPES)
    TouchedKeys = _keys("TouchedKeys", {kind: cls for kind, cls in SHAPES.items() if has_distance(kind)})


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


class ShapeTable(ShapeKeys):
    """One shape by its own key, and its density or mass."""

    mesh: str | None = Field(None, description="file of a closed mesh, in the scene's folder")
    scale: Annotated[float, Above0] = Field(1.0, description="metres per unit of the mesh file")
    particles: ParticleTable | None = None
    parts: "list[PartTable] | None" = Field(None, description="shapes put together, each with a pose")
    density: Annotated[Density, Above0] | None = Field(None, description="mass per volume")
    mass: Annotated[Kilogram, Above0] | None = Field(None, description="mass of the whole shape")

    @model_validator(mode="after")
    def _one_shape(self) -> "ShapeTable":
        kinds = (*self.solids, "mesh", "particles", "parts")
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


ShapeTable.model_rebuild()
