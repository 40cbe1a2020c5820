"""Tables of what motion wears."""

from typing import Annotated

from pydantic import Field, model_validator

from motiform.scene.tables.common import Above0, AtLeast0, Color, Diffusion, Length, Name, Number, Table

__all__ = ["FormTable"]

_OF_SURFACES, _OF_CLOUDS = ("reach", "cell", "tolerance", "rays"), ("depth", "spread", "born")


class FormTable(Table):
    """`[[form]]`: one surface around points of networks, or a cloud of puffs, in place of the points themselves."""

    name: Name
    surface: str | list[str] | None = Field(None, description="groups of points that one surface is around")
    cloud: str | list[str] | None = Field(None, description="groups of points that are puffs of smoke")
    radius: Length | list[Length] = Field(description="of the ball that a lone point is, one, or one for each group")
    reach: Annotated[Number, Above0] = Field(2.0, description="how far points melt together, in radii, above 1")
    cell: Length | None = Field(None, description="edge of the cells that triangles are found in; half a radius")
    tolerance: Length | None = Field(
        None, description="largest distance of triangles from the surface, with cells of several sizes; one size"
    )
    color: Color | list[Color] | None = Field(None, description="one, or one for each group; theirs if not given")
    rays: bool = Field(False, description="whether pictures show the surface itself and not its triangles")
    depth: Annotated[Number, Above0] = Field(0.3, description="optical depth through the middle of a new puff")
    spread: Annotated[Diffusion, AtLeast0] = Field(0.0, description="coefficient of diffusion of puffs")
    born: str | None = Field(None, description="links whose states begin puffs")

    @model_validator(mode="after")
    def _is_one(self) -> "FormTable":
        if (self.surface is None) == (self.cloud is None):
            raise ValueError("give either surface or cloud")
        other = _OF_SURFACES if self.surface is None else _OF_CLOUDS
        if extra := [key for key in other if getattr(self, key) != type(self).model_fields[key].default]:
            raise ValueError(f"{', '.join(extra)} must go with {'surface' if self.surface is None else 'cloud'}")
        return self

    @property
    def groups(self) -> list[str]:
        """Names of the groups."""
        given = self.surface if self.surface is not None else self.cloud
        assert given is not None
        return [given] if isinstance(given, str) else given
