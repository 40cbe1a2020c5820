"""Tables of what motion wears."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from motiform.scene.tables.common import (
    Above0,
    AtLeast0,
    Color,
    Diffusion,
    Length,
    Name,
    Number,
    Sizes,
    Table,
    TurnTable,
    Vector,
)

__all__ = ["FormTable"]

_OF = {
    "surface": ("reach", "cell", "tolerance", "rays", "turn", "exponent", "links"),
    "cloud": ("depth", "spread", "born"),
    "spline": ("kind", "closed", "width", "thickness", "across"),
}


class FormTable(Table):
    """`[[form]]`: a surface around points of networks or a cloud in place of them, or a spline that they control."""

    name: Name
    surface: str | list[str] | None = Field(None, description="groups of points that one surface is around")
    cloud: str | list[str] | None = Field(None, description="groups of points that are puffs of smoke")
    spline: list[str] | None = Field(None, description="points that a spline is controlled by, in order along it")
    radius: Length | list[Length] | list[Sizes] | None = Field(
        None, description="of the ball that a lone point is, one, or one for each group; threes are those of ellipsoids"
    )
    reach: Annotated[Number, Above0] = Field(2.0, description="how far points melt together, in radii, above 1")
    cell: Length | None = Field(None, description="edge of the cells that triangles are found in; half a radius")
    tolerance: Length | None = Field(
        None, description="largest distance of triangles from the surface, with cells of several sizes; one size"
    )
    color: Color | list[Color] | None = Field(None, description="one, or one for each group; theirs if not given")
    rays: bool = Field(False, description="whether pictures show the surface itself and not its triangles")
    turn: TurnTable | None = Field(None, description="of the axes of ellipsoids, about x, then y, then z; none")
    exponent: Annotated[Number, Field(ge=2, le=64)] | None = Field(None, description="of superellipsoids, 2 to 64; 2")
    links: str | list[str] | None = Field(None, description="links within these groups that are drawn as tubes")
    kind: Literal["b-spline", "catmull-rom"] = Field(
        "b-spline", description="within the hull of its points, or through them"
    )
    closed: bool = Field(False, description="whether the last point of a spline is followed by the first")
    width: Length | None = Field(None, description="of the tube along a spline, or of the lath")
    thickness: Length | None = Field(None, description="of the lath along a spline; a tube")
    across: Vector = Field((0.0, 0.0, 1.0), description="direction of a lath's width at its beginning")
    depth: Annotated[Number, Above0] = Field(0.3, description="optical depth through the middle of a new puff")
    spread: Annotated[Diffusion, AtLeast0] = Field(0.0, description="coefficient of diffusion of puffs")
    born: str | None = Field(None, description="links whose states begin puffs")

    @model_validator(mode="after")
    def _is_one(self) -> "FormTable":
        given = [kind for kind in _OF if getattr(self, kind) is not None]
        if len(given) != 1:
            raise ValueError("give either surface, cloud or spline")
        for kind, keys in _OF.items():
            extra = [key for key in keys if getattr(self, key) != type(self).model_fields[key].default]
            if kind != given[0] and extra:
                raise ValueError(f"{', '.join(extra)} must go with {kind}")
        size, other = ("width", "radius") if self.spline is not None else ("radius", "width")
        if getattr(self, size) is None or getattr(self, other) is not None:
            raise ValueError(f"{size} must be given with {given[0]}, {other} must not")
        if self.spline is not None and not any(self.across):
            raise ValueError("across must be a direction")
        return self

    @property
    def groups(self) -> list[str]:
        """Names of the groups of a surface or cloud."""
        given = self.surface if self.surface is not None else self.cloud
        if given is None:
            return []
        return [given] if isinstance(given, str) else given
