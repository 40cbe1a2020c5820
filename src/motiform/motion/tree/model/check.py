"""What makes a set of segments a figure: checked once, when it is made."""

from collections.abc import Iterable

import numpy as np

from motiform.base.errors import InputError, closest
from motiform.motion.tree.contact_joints.joint import ContactJoint
from motiform.motion.tree.model.figure import Closure, ContactClosure, Figure, velocity_names
from motiform.motion.tree.model.functions import CoordinateFunction
from motiform.spatial import check_rotation, up_vector

__all__ = ["check_figure"]


def check_figure(figure: Figure) -> None:
    """Refuse figures that cannot be: no segments, names twice, unknown parents, cycles, tags of nothing."""
    try:
        gravity = np.asarray(figure.gravity, float)
    except (TypeError, ValueError):
        gravity = np.empty(0)
    if gravity.shape != (3,) or not np.isfinite(gravity).all():
        raise InputError("gravity", got=repr(figure.gravity), allowed="three finite numbers [m/s²]")
    object.__setattr__(figure, "gravity", tuple(gravity.tolist()))
    object.__setattr__(figure, "vertical", tuple(up_vector(figure.vertical).tolist()))
    if not figure.segments:
        raise InputError("a figure without segments", remedy="Add one with FigureBuilder.segment.")
    _once((s.name for s in figure.segments), "segment")
    _once((t.name for t in figure.tags), "tag")
    _once((s.name for s in figure.surfaces), "surface")
    _once((c.name for c in figure.closures), "closure")
    _once((name for s in figure.segments for name in velocity_names(s)), "coordinate")
    _check_parents(figure)
    for tag in figure.tags:
        _known(figure, tag.segment, f"tag {tag.name!r}")
        if np.shape(tag.point) != (3,) or not np.isfinite(tag.point).all():
            raise InputError("point of a tag", where=f"tag {tag.name!r}", got=tag.point, allowed="three finite numbers")
    for surface in figure.surfaces:
        _known(figure, surface.segment, f"surface {surface.name!r}")
    for closure in figure.closures:
        _check_closure(figure, closure)
    _check_couplings(figure)
    figure.layout  # noqa: B018, its checks belong here


def _once(names: Iterable[str], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(f"two {what}s of one name", got=name, remedy=f"Give every {what} a name of its own.")
        seen.add(name)


def _known(figure: Figure, name: str, where: str) -> None:
    if name not in figure.names:
        raise InputError(
            "unknown segment",
            where=where,
            got=name,
            allowed=", ".join(figure.names),
            remedy=closest(str(name), figure.names),
        )


def _check_parents(figure: Figure) -> None:
    names = figure.names
    for n, segment in enumerate(figure.segments):
        parent = segment.parent
        if parent is None:
            continue
        if parent not in names:
            raise InputError(
                "unknown parent",
                where=f"segment {segment.name!r}",
                got=parent,
                allowed=", ".join(["None (the world)", *names[:n]]),
                remedy=closest(str(parent), names),
            )
        if names.index(parent) >= n:
            path = _path_of_parents(figure, segment.name)
            raise InputError(
                "a cycle in the tree" if path[-1] == segment.name else "a segment before its parent",
                where=f"segment {segment.name!r}",
                got=" → ".join(path),
                remedy="Close loops with FigureBuilder.close; put parents before their children.",
            )


def _path_of_parents(figure: Figure, name: str) -> list[str]:
    parents = {s.name: s.parent for s in figure.segments}
    path, at = [name], parents[name]
    while at is not None and at in parents and at not in path:
        path.append(at)
        at = parents[at]
    return [*path, at] if at in path else path


def _check_closure(figure: Figure, closure: Closure | ContactClosure) -> None:
    where = f"closure {closure.name!r}"
    for name in (closure.a, closure.b):
        if name is not None:
            _known(figure, name, where)
    if closure.a == closure.b:
        raise InputError("a closure of a segment with itself", where=where, got=repr(closure.a))
    if isinstance(closure, ContactClosure):
        _check_contact(closure, where)
        return
    if closure.rows not in ("distance", "weld") and (
        not isinstance(closure.rows, str)
        or not closure.rows
        or set(closure.rows) - set("xyz")
        or len(set(closure.rows)) < len(closure.rows)
    ):
        raise InputError("rows", where=where, got=closure.rows, allowed="some of x, y, z; distance; weld")
    if closure.rows == "distance" and not closure.length > 0:
        raise InputError("distance", where=where, got=closure.length, allowed="above zero")
    if closure.rows == "weld":
        check_rotation(closure.turn, where=where)
    if not np.isfinite([*closure.point_a, *closure.point_b]).all():
        raise InputError("points", where=where, got=(closure.point_a, closure.point_b), allowed="finite numbers")


def _check_contact(closure: ContactClosure, where: str) -> None:
    joint = closure.joint
    if not isinstance(joint, ContactJoint):
        raise InputError("no contact joint", where=where, got=repr(joint), allowed="joints.contact(surface1, surface2)")
    if closure.b is None:
        raise InputError("the world as b of a contact", where=where, remedy="Make the world a, with surface 1.")
    joint.check(where)
    if {2, 3} - set(joint.columns) == {3} and any(s.kind == "cone" for s in joint.surfaces if joint.pair.follow):
        raise InputError(
            "a cone that spins on a plane beside the tree and may not slide",
            where=where,
            got=repr(joint),
            remedy="Which point of its line holds is not known: say spin=False or sliding=True, or put it in the tree.",
        )


def _check_couplings(figure: Figure) -> None:
    plain = [name for s in figure.segments if s.joint.plain for name in velocity_names(s)]
    dependent = [c.dependent for c in figure.couplings]
    _once(dependent, "coupling")
    for coupling in figure.couplings:
        where = f"coupling of {coupling.dependent!r}"
        for name in (coupling.dependent, coupling.leading):
            if name not in plain:
                raise InputError(
                    "unknown coordinate",
                    where=where,
                    got=name,
                    allowed=", ".join(plain),
                    remedy=closest(str(name), plain),
                )
        if not isinstance(coupling.function, CoordinateFunction):
            raise InputError("function", where=where, got=repr(coupling.function), allowed="Polynomial, Spline")
        if coupling.leading in dependent:
            raise InputError(
                "led by a coordinate that follows another",
                where=where,
                got=coupling.leading,
                remedy="Couple it to the one that leads them all.",
            )
