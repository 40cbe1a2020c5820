"""Scaling of figures by segment: joint positions, tags, masses, inertia, visual geometry."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.figures.human36_figure import Human36
from motiform.motion.postures.calibration.factors import Factors, as_factors, new_masses
from motiform.motion.postures.calibration.human import scale_human
from motiform.motion.tree.model.closure import Closure
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.segment import Segment, SegmentShape, Tag
from motiform.spatial import Transform

__all__ = ["has_lengths", "scale_figure", "scale_inertia"]


def scale_figure(figure: Figure, factors: Factors, *, mass: float | None = None, by: str = "proportions") -> Figure:
    """Return a figure whose segments are stretched along their own axes.

    Places of children, tags, centres of mass, looks and moments of inertia follow, as in OpenSim's ScaleTool. Of a
    Human36 the lengths change, so that its measures can be read and changed further.

    Parameters
    ----------
    factors : {segment: factor}, or three of them along x, y, z of the segment; of a Human36 also {"L5": factor}.
        What is not named keeps its size.
    mass : of the whole figure [kg]; None: nothing is said about it.
    by : masses of segments: "proportions" keeps their parts of the whole, "volume" lets them grow with their volumes.

    >>> from motiform.motion.figures import human36
    >>> float(scale_figure(human36(lengths={"L5": 0.4}), {"right_shank": 1.1}).lengths["L5"])
    0.44000000000000006
    """
    _check_options(figure, mass, by)
    if has_lengths(figure):
        return scale_human(figure, factors, mass, by)
    known = as_factors(factors, figure.names, f"figure {figure.name!r}")
    return _scaled(figure, known, mass, by)


def has_lengths(figure: Figure) -> TypeGuard[Human36]:
    """Return whether lengths can be changed: of a Human36 whose parts were not replaced as a whole."""
    whole = ("segments", "tags")
    return isinstance(figure, Human36) and not any(
        name in edit and not isinstance(edit[name], Mapping) for edit in figure.edits for name in whole
    )


def _check_options(figure: Any, mass: Any, by: Any) -> None:
    if not isinstance(figure, Figure):
        raise InputError("scaling needs a Figure", where="scale_figure", got=type(figure).__name__, allowed="a Figure")
    if by not in ("proportions", "volume"):
        raise InputError(
            "`by` must be a known rule", where="scale_figure", got=repr(by), allowed="'proportions', 'volume'"
        )
    if mass is None:
        return
    good = isinstance(mass, (int, float, np.number)) and not isinstance(mass, bool) and np.isfinite(mass) and mass > 0
    if not good:
        raise InputError(
            "mass must be positive", where="scale_figure", got=repr(mass), allowed="a finite number above zero [kg]"
        )
    if not figure.mass > 0:
        raise InputError("a figure without mass cannot be given one", where=f"figure {figure.name!r}", got=mass)


def _scaled(figure: Figure, factors: Mapping[str, Array], mass: float | None, by: str) -> Figure:
    one = np.ones(3)
    f = {name: factors.get(name, one) for name in figure.names}
    masses = new_masses(figure, {name: float(np.prod(own)) for name, own in f.items()}, mass, by)
    segments = tuple(_segment(s, f[s.name], f[s.parent] if s.parent else one, masses[s.name]) for s in figure.segments)
    tags = tuple(Tag(t.name, t.segment, _triple(f[t.segment] * t.point)) for t in figure.tags)
    surfaces = tuple(replace(s, placement=_stretched(s.placement, f[s.segment])) for s in figure.surfaces)
    kept = [s.name for s in figure.surfaces if (f[s.segment] != 1).any()]
    notes = figure.notes + ((f"surfaces that kept their size: {', '.join(kept)}",) if kept else ())
    return figure.replace(
        segments=segments, tags=tags, surfaces=surfaces, closures=tuple(_closure(c, f) for c in figure.closures),
        notes=notes,
    )  # fmt: skip


def _triple(values: ArrayLike) -> tuple[float, float, float]:
    x, y, z = np.asarray(values, float).tolist()
    return x, y, z


def scale_inertia(inertia: Array, factors: Array, ratio: float = 1.0) -> Array:
    """Return moments about the centre of mass after a stretch along the axes, with `ratio` times the mass.

    The second moments C = ½ tr(I) 1 − I become ratio · diag(f) C diag(f), and I = tr(C) 1 − C.
    """
    C = np.trace(inertia) / 2 * np.eye(3) - inertia
    C = ratio * factors[:, None] * C * factors
    return np.asarray(np.trace(C) * np.eye(3) - C)


def _segment(segment: Segment, f: Array, parent: Array, mass: float) -> Segment:
    try:
        placement, joint = segment.joint.stretched(segment.placement, f, parent)
    except InputError as error:
        raise InputError(str(error), where=f"segment {segment.name!r}") from error
    ratio = mass / segment.mass if segment.mass else 1.0
    return replace(
        segment, placement=placement, joint=joint, mass=mass, com=f * segment.com,
        inertia=scale_inertia(segment.inertia, f, ratio), parts=tuple(_part(part, f) for part in segment.parts),
    )  # fmt: skip


def _closure(closure: Any, f: Mapping[str, Array]) -> Any:
    a, b = (np.ones(3) if name is None else f[name] for name in (closure.a, closure.b))
    if not isinstance(closure, Closure):
        if (a != 1).any() or (b != 1).any():
            raise InputError("a contact in a closed loop cannot be scaled", where=f"closure {closure.name!r}")
        return closure
    size = float(np.prod(np.concatenate([a, b])) ** (1 / 6))
    point_a, point_b = _triple(a * closure.point_a), _triple(b * closure.point_b)
    return replace(closure, point_a=point_a, point_b=point_b, length=size * closure.length)


# ---------------------------------------------------------------- looks
def _stretched(placement: Transform, f: Array) -> Transform:
    return Transform(placement.rotation, f * placement.translation)


def _part(part: SegmentShape, f: Array) -> SegmentShape:
    if (f == 1).all():
        return part
    R = part.placement.rotation
    return replace(part, shape=part.shape.stretched(R.T @ (f[:, None] * R)), placement=_stretched(part.placement, f))
