"""Consistency checks of a figure, once when it is built."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.motion.tree.model.closure import AnyClosure
from motiform.motion.tree.model.coupling import Coupling
from motiform.motion.tree.model.functions import CoordinateFunction
from motiform.motion.tree.model.segment import Segment, Tag, velocity_names

__all__ = [
    "check_closures", "check_couplings", "check_gravity", "check_known", "check_once", "check_segments", "check_tags",
]  # fmt: skip


def check_gravity(given: ArrayLike) -> tuple[float, float, float]:
    """Return gravity [m/s²] as three numbers."""
    try:
        gravity = np.asarray(given, float)
    except (TypeError, ValueError):
        gravity = np.empty(0)
    if gravity.shape != (3,) or not np.isfinite(gravity).all():
        raise InputError("gravity must be a finite vector", got=repr(given), allowed="three finite numbers [m/s²]")
    x, y, z = gravity.tolist()
    return x, y, z


def check_segments(segments: Sequence[Segment]) -> None:
    """Refuse no segments, names twice, unknown parents and cycles."""
    if not segments:
        raise InputError("a figure must have segments", remedy="Add one with FigureBuilder.segment.")
    check_once((s.name for s in segments), "segment")
    check_once((name for s in segments for name in velocity_names(s)), "coordinate")
    _check_parents(segments)


def check_tags(tags: Iterable[Tag], names: Sequence[str]) -> None:
    """Refuse tags of unknown segments, or without a place."""
    for tag in tags:
        check_known(names, tag.segment, f"tag {tag.name!r}")
        if np.shape(tag.point) != (3,) or not np.isfinite(tag.point).all():
            raise InputError(
                "the point of a tag must be finite", where=f"tag {tag.name!r}", got=tag.point,
                allowed="three finite numbers",
            )  # fmt: skip


def check_closures(closures: Iterable[AnyClosure], names: Sequence[str]) -> None:
    """Refuse closures of unknown segments, of a segment with itself, or with impossible rows."""
    for closure in closures:
        where = f"closure {closure.name!r}"
        for name in (closure.a, closure.b):
            if name is not None:
                check_known(names, name, where)
        if closure.a == closure.b:
            raise InputError("a closure must join different segments", where=where, got=repr(closure.a))
        closure.check()


def check_once(names: Iterable[str], what: str) -> None:
    """Refuse a name that is there twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(
                f"two {what}s must not share a name", got=name, remedy=f"Give every {what} a name of its own."
            )
        seen.add(name)


def check_known(names: Sequence[str], name: str, where: str) -> None:
    """Refuse a name that no segment has."""
    if name not in names:
        raise InputError(
            "unknown segment", where=where, got=name, allowed=", ".join(names), remedy=closest(str(name), names),
        )  # fmt: skip


def _check_parents(segments: Sequence[Segment]) -> None:
    names = [segment.name for segment in segments]
    for n, segment in enumerate(segments):
        parent = segment.parent
        if parent is None:
            continue
        if parent not in names:
            raise InputError(
                "unknown parent", where=f"segment {segment.name!r}", got=parent,
                allowed=", ".join(["None (the world)", *names[:n]]), remedy=closest(str(parent), names),
            )  # fmt: skip
        if names.index(parent) >= n:
            path = _path_of_parents(segments, segment.name)
            raise InputError(
                "the tree has a cycle" if path[-1] == segment.name else "a segment must come after its parent",
                where=f"segment {segment.name!r}",
                got=" → ".join(path),
                remedy="Close loops with FigureBuilder.close; put parents before their children.",
            )


def _path_of_parents(segments: Sequence[Segment], name: str) -> list[str]:
    parents = {s.name: s.parent for s in segments}
    path, at = [name], parents[name]
    while at is not None and at in parents and at not in path:
        path.append(at)
        at = parents[at]
    return [*path, at] if at in path else path


def check_couplings(couplings: Sequence[Coupling], segments: Sequence[Segment]) -> None:
    """Refuse couplings of unknown coordinates, or of one that follows to another that follows."""
    plain = [name for s in segments if s.joint.plain for name in velocity_names(s)]
    dependent = [c.dependent for c in couplings]
    check_once(dependent, "coupling")
    for coupling in couplings:
        where = f"coupling of {coupling.dependent!r}"
        for name in (coupling.dependent, coupling.leading):
            if name not in plain:
                raise InputError(
                    "unknown coordinate", where=where, got=name, allowed=", ".join(plain),
                    remedy=closest(str(name), plain),
                )  # fmt: skip
        if not isinstance(coupling.function, CoordinateFunction):
            raise InputError(
                "the function must be of a known kind", where=where, got=repr(coupling.function),
                allowed="Polynomial, Spline",
            )  # fmt: skip
        if coupling.leading in dependent:
            raise InputError(
                "a leading coordinate must not follow another", where=where, got=coupling.leading,
                remedy="Couple it to the one that leads them all.",
            )  # fmt: skip
