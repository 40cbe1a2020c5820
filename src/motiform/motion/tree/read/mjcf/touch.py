"""What touches in MJCF: geoms as solids, the pairs that the file excludes or names."""

from dataclasses import dataclass, field

from motiform.geometry import Plane
from motiform.motion.tree.read.elements import Element, located
from motiform.motion.tree.read.mjcf.geoms import Geoms, kind_of
from motiform.motion.tree.read.mjcf.settings import Defaults
from motiform.motion.tree.read.model_file import FileSolid
from motiform.motion.tree.read.shared import ALONG_Z, Report
from motiform.spatial import Transform

__all__ = ["MjcfContacts"]

WORLD = "world"


@dataclass
class MjcfContacts:
    """The solids of a file and their pairs."""

    geoms: Geoms
    defaults: Defaults
    report: Report
    solids: list[FileSolid] = field(default_factory=list)
    excluded: set[frozenset[str]] = field(default_factory=set)
    paired: list[tuple[str, str, float]] = field(default_factory=list)

    def read(self, sections: list[Element]) -> None:
        """Take the sections <contact>."""
        for child in [child for section in sections for child in section.children]:
            if child.tag == "exclude":
                self.excluded.add(frozenset(child.text(key) for key in ("body1", "body2")))
            elif child.tag == "pair":
                pair = self.defaults.apply(child, None)
                friction = _slides(pair) * float(pair.numbers("friction", (1, 5), [1.0])[0])
                self.paired.append((pair.text("geom1"), pair.text("geom2"), friction))

    def add(self, segment: str | None, geoms: list[tuple[Element, Transform]]) -> None:
        """Add the geoms of a segment that may touch."""
        named = {name for pair in self.paired for name in pair[:2]}
        for number, (geom, frame) in enumerate(geoms):
            name = geom.attributes.get("name") or f"{segment or WORLD}.geom{number + 1}"
            kinds, meets = (int(geom.number(key, 1.0, least=0.0)) for key in ("contype", "conaffinity"))
            if kinds or meets or name in named:
                with self.report.touches(geom), located(geom):
                    self.solids += self._solid(name, segment, geom, frame, (kinds, meets))

    def _solid(
        self, name: str, segment: str | None, geom: Element, frame: Transform, bits: tuple[int, int]
    ) -> list[FileSolid]:
        kind = kind_of(geom)
        friction = _slides(geom) * float(geom.numbers("friction", (1, 3), [1.0])[0])
        if kind == "plane":
            pose = self.geoms.compiler.pose(geom) @ ALONG_Z
            return [FileSolid(name, segment, Plane(), frame @ pose, friction, *bits)]
        if kind in ("hfield", "sdf"):
            self.report.leave(geom, f"contacts of {kind} geoms", warn=True)
            return []
        shape, pose = self.geoms.solid(geom, kind, needed=True)
        return [] if shape is None else [FileSolid(name, segment, shape, frame @ pose, friction, *bits)]


def _slides(element: Element) -> float:
    """Return 0 for contacts without friction, 1 for others."""
    return 0.0 if element.number("condim", 3.0) == 1 else 1.0
