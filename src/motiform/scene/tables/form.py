"""Tables of what motion wears."""

from typing import Annotated

from pydantic import Field

from motiform.scene.tables.common import Above0, Color, Length, Name, Number, Table

__all__ = ["FormTable"]


class FormTable(Table):
    """`[[form]]`: one surface around points of networks, in place of the points themselves."""

    name: Name
    surface: str | list[str] = Field(description="groups of points")
    radius: Length | list[Length] = Field(description="of the ball that a lone point is, one, or one for each group")
    reach: Annotated[Number, Above0] = Field(2.0, description="how far points melt together, in radii, above 1")
    cell: Length | None = Field(None, description="edge of the cells that triangles are found in; half a radius")
    color: Color | list[Color] | None = Field(None, description="one, or one for each group; theirs if not given")

    rays: bool = Field(False, description="whether pictures show the surface itself and not its triangles")

    @property
    def groups(self) -> list[str]:
        """Names of the groups."""
        return [self.surface] if isinstance(self.surface, str) else self.surface
