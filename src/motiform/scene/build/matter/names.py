"""Points of networks by the names that scenes give them: "rope", "rope[3]", "sheet[0, :]", "other_network.rope"."""

import re
from dataclasses import dataclass

import numpy as np

from motiform.base.errors import SceneError, closest
from motiform.motion.matter import NetworkBuilder, Points
from motiform.scene.build.matter.places import Places
from motiform.scene.tables.matter import NetworkTable, PointsOf

__all__ = ["NamedPoints", "PointNames", "index_of"]

_NAMED = re.compile(r"\s*+(?:(?P<network>[\w-]++)\.)?(?P<group>[\w-]++)\s*+(?:\[(?P<index>[^\[\]]*+)\])?\s*+", re.ASCII)
_INDEX = re.compile(r"\s*+(?:(-?\d{1,9})|(-?\d{1,9})?\s*+:\s*+(-?\d{1,9})?\s*+(?::\s*+(-?\d{1,9})?)?)\s*+", re.ASCII)


@dataclass(frozen=True)
class NamedPoints:
    """Points of a network that is being built, and how they belong together."""

    points: Points
    places: Places


class PointNames:
    """The names of points that one network of several may use."""

    def __init__(
        self, builder: NetworkBuilder, groups: dict[str, NamedPoints], table: NetworkTable, networks: dict[str, str]
    ) -> None:
        self.builder, self.groups, self.table, self.networks = builder, groups, table, networks
        """`networks`: name of a network → what stands before the names of its groups."""
        self.prefix = networks[table.name]

    def points(self, named: PointsOf, where: str) -> Points:
        """Return points by name: one, some or all of a group, or those of several names after one another."""
        if isinstance(named, str):
            return self._named(named, where)
        if not named:
            raise SceneError("points must be named", where=where, allowed="one name or several")
        found = [self._named(name, where) for name in named]
        return Points(np.concatenate([points.indices for points in found]), self.builder)

    def _named(self, name: str, where: str) -> Points:
        group, index = self.group(name, where)
        if index is None:
            return group.points
        parts = [index_of(part) for part in index.split(",")]
        if None in parts:
            raise SceneError(
                "the index of points must be a number or a range", where=where, got=name,
                allowed="such as [3], [2:5], [::2], [0, :]",
            )  # fmt: skip
        shape = (len(group.points),) if len(parts) == 1 else group.places.shape
        if shape is None or len(shape) != len(parts):
            allowed = "one number or range" + ("" if shape is None else f", or {len(shape)} of a grid")
            raise SceneError(
                "the index of points must have one part for each axis", where=where, got=name, allowed=allowed
            )
        try:
            found = group.points.indices.reshape(shape)[tuple(parts)]
        except IndexError as error:
            allowed = ", ".join(f"0 to {size - 1}" for size in shape)
            raise SceneError("no such point", where=where, got=name, allowed=allowed) from error
        if not found.size:
            raise SceneError("no such point", where=where, got=name)
        return Points(np.atleast_1d(found.ravel()), self.builder)

    def group(self, name: str, where: str) -> tuple[NamedPoints, str | None]:
        """Return a group by name, and what stands between brackets."""
        match = _NAMED.fullmatch(name)
        if match is None:
            allowed = 'a group such as "rope", "rope[3]", "rope[2:5]", "other_network.rope"'
            raise SceneError("the name must be of points", where=where, got=name, allowed=allowed)
        owner = match["network"]
        if owner is not None and owner not in self.networks:
            raise SceneError("no such network", where=where, got=owner, allowed=", ".join(self.networks),
                             remedy=closest(owner, self.networks))  # fmt: skip
        prefix = self.prefix if owner is None else self.networks[owner]
        if prefix + match["group"] not in self.groups:
            names = [one.removeprefix(prefix) for one in self.groups if one.startswith(prefix)]
            raise SceneError("no such points", where=where, got=match["group"], allowed=", ".join(names) or "none",
                             remedy=closest(match["group"], names))  # fmt: skip
        return self.groups[prefix + match["group"]], match["index"]

    def group_or_all(self, named: PointsOf | None, where: str) -> Points:
        """Return points by name, or all masses of the network if none is given."""
        if named is not None:
            return self.points(named, where)
        own = [self.groups[self.prefix + table.name].points.indices for table in self.table.masses]
        if not own:
            raise SceneError("the network has no masses", where=where, remedy="Give points.")
        return Points(np.concatenate(own), self.builder)


def index_of(text: str) -> int | slice | None:
    """Return what stands between brackets as an index; None where it is none."""
    match = _INDEX.fullmatch(text)
    if match is None:
        return None
    if match[1] is not None:
        return int(match[1])
    ends = [None if end is None else int(end) for end in match.groups()[1:]]
    found = slice(*ends)
    return None if found.step == 0 else found
