"""All looks of a recording, and where they are written to its manifest and read from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError, RecordingError
from motiform.form.looks.balls import BallsLook
from motiform.form.looks.bone import RestSegment
from motiform.form.looks.cloud import CloudLook
from motiform.form.looks.heights import HeightsLook
from motiform.form.looks.links import LinksLook
from motiform.form.looks.plain import PartLook
from motiform.form.looks.points import LinesLook, PointsLook
from motiform.form.looks.shape import ShapeLook
from motiform.form.looks.skeleton import Skeleton
from motiform.form.looks.skin import SkinLook
from motiform.form.looks.spline import SplineLook
from motiform.form.looks.spring import SpringLook
from motiform.form.looks.surface import LevelLook, SurfaceLook

if TYPE_CHECKING:
    from motiform.record import Recording

__all__ = ["KINDS", "Looks", "looks_in"]

#: By the key that marks an entry of the manifest; a form takes its instants from a channel of the first of these.
KINDS: dict[str, type[PartLook]] = {
    "shape": ShapeLook,
    "skin": SkinLook,
    "heights": HeightsLook,
    "level": LevelLook,
    "points": PointsLook,
    "balls": BallsLook,
    "surface": SurfaceLook,
    "cloud": CloudLook,
    "spline": SplineLook,
    "links": LinksLook,
    "lines": LinesLook,
}
_PATHS = {"color": "colors", "color.pick": "pick", "gone.pick": "pick"}  # names of arrays that are not their keys


@dataclass(frozen=True)
class Looks:
    """How a recording is drawn: parts by name. ``a | b`` has the parts of both, that of b where a name is in both.

    >>> looks = Looks({"markers": PointsLook(points="markers", radius=0.01, color=(0.0, 0.0, 1.0))})
    >>> looks.manifest()["form"]["markers"]["points"]
    'markers'
    """

    parts: Mapping[str, PartLook] = field(default_factory=dict)
    springs: Mapping[str, SpringLook] = field(default_factory=dict)
    bones: Mapping[str, RestSegment] = field(default_factory=dict)
    """Segments at rest, by name, whose parts may be drawn as one surface."""
    skeleton: Skeleton | None = None
    """The tree of a figure, for files of humanoids."""

    def __post_init__(self) -> None:
        for name, look in self.parts.items():
            if not isinstance(look, tuple(KINDS.values())):
                allowed = ", ".join(kind.__name__ for kind in KINDS.values())
                raise InputError("a part must have a look", where=f"looks of {name!r}", got=repr(look), allowed=allowed)

    def __or__(self, other: "Looks") -> "Looks":
        springs, bones = {**self.springs, **other.springs}, {**self.bones, **other.bones}
        return Looks({**self.parts, **other.parts}, springs, bones, other.skeleton or self.skeleton)

    def covered(self, name: str, look: SurfaceLook | CloudLook) -> "Looks":
        """Return the looks with a surface or cloud in place of the points, skins and links that it covers."""
        hidden = set(look.surface if isinstance(look, SurfaceLook) else look.cloud)
        kept = {key: one for key, one in self.parts.items() if not _channels(one) or not _channels(one) <= hidden}
        return Looks({**kept, name: look}, self.springs, self.bones, self.skeleton)

    def manifest(self) -> dict[str, Any]:
        """Return the entries "form", "links" and, where there are any, "bones" and "skeleton" of a manifest."""
        springs = [{"name": name, **spring.to_plain()} for name, spring in self.springs.items()]
        bones = {"bones": {name: bone.to_plain() for name, bone in self.bones.items()}} if self.bones else {}
        skeleton = {} if self.skeleton is None else {"skeleton": self.skeleton.to_plain()}
        return {"form": self._written[0], "links": springs, **bones, **skeleton}

    def statics(self) -> dict[str, np.ndarray]:
        """Return the arrays that the manifest refers to, by name."""
        return self._written[1]

    @cached_property
    def _written(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        statics: dict[str, np.ndarray] = {}
        return {name: _without_arrays(look.to_plain(), name, "", statics) for name, look in self.parts.items()}, statics


def _channels(look: PartLook) -> set[str]:
    """Return the channels whose points a part is drawn at; none for shapes and heights."""
    if isinstance(look, PointsLook):
        return {look.points}
    if isinstance(look, SkinLook):
        return {look.skin}
    return set(look.links) if isinstance(look, LinksLook) else set()


def looks_in(recording: "Recording") -> Looks:
    """Return the looks stored in a recording's manifest and statics."""
    parts = {name: _read(name, plain, recording) for name, plain in (recording.manifest.get("form") or {}).items()}
    springs = {str(plain.get("name")): SpringLook.from_plain(plain) for plain in recording.manifest.get("links") or ()}
    bones = {
        str(name): RestSegment.from_plain(plain) for name, plain in (recording.manifest.get("bones") or {}).items()
    }
    plain = recording.manifest.get("skeleton")
    return Looks(parts, springs, bones, None if plain is None else Skeleton.from_plain(plain))


def _read(name: str, plain: Any, recording: "Recording") -> PartLook:
    kind = next((kind for key, kind in KINDS.items() if key in plain), None)
    if kind is None:
        got, allowed = ", ".join(plain), ", ".join(KINDS)
        raise RecordingError("a look must have the key of its kind", where=name, got=got, allowed=allowed)
    try:
        return kind.from_plain(_with_arrays(plain, recording))
    except InputError as error:
        raise RecordingError(f"{name}: {error}") from error


def _without_arrays(plain: Any, name: str, path: str, statics: dict[str, np.ndarray]) -> Any:
    """Replace arrays by {"static": name}, and keep them."""
    if isinstance(plain, np.ndarray):
        return {"static": _store_static(plain, name, path, statics)}
    within = f"{path}." if path else ""
    if isinstance(plain, dict):
        return {key: _without_arrays(value, name, f"{within}{key}", statics) for key, value in plain.items()}
    if isinstance(plain, list):
        return [_without_arrays(value, name, f"{within}{n}", statics) for n, value in enumerate(plain)]
    return plain


def _store_static(array: np.ndarray, name: str, path: str, statics: dict[str, np.ndarray]) -> str:
    """Keep an array under a short name, or by its path where that is the name of another."""
    short = f"{name}.{_PATHS.get(path, path.removeprefix('shape.'))}"
    free = short not in statics or np.array_equal(statics[short], array)
    kept = short if free else f"{name}.{path}"
    statics.setdefault(kept, array)
    return kept


def _with_arrays(plain: Any, recording: "Recording") -> Any:
    """Put the arrays that the recording keeps back where {"static": name} stands."""
    if isinstance(plain, dict):
        if set(plain) == {"static"}:
            return recording.statics[plain["static"]]
        return {key: _with_arrays(value, recording) for key, value in plain.items()}
    if isinstance(plain, list):
        return [_with_arrays(value, recording) for value in plain]
    return plain
