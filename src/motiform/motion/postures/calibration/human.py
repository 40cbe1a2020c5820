"""Scaling of Human36: lengths and tags change, centres of mass and inertia follow from them."""

from collections.abc import Mapping, Sequence

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.figures.human36_figure import Human36
from motiform.motion.figures.human36_table import LENGTH_COUNT, SEGMENTS
from motiform.motion.postures.calibration.factors import Factors, as_factors, new_masses
from motiform.motion.tree.model.joint import Array

__all__ = ["length_derivatives", "scale_human"]

# Which lengths lie in which segment, along which of its axes (0 x, 1 y, 2 z). L2 lies in two: the mean is taken.
_LEFT = {4: 14, 5: 15, 6: 16, 10: 20, 11: 21, 12: 22, 13: 23, 24: 25, 27: 28, 30: 31}
_LIMBS = {"foot": {4: 1, 30: 0}, "shank": {5: 1}, "thigh": {6: 1}, "shoulder": {10: 1, 11: 2, 12: 0},
          "upper_arm": {13: 1}, "forearm": {24: 1}, "hand": {27: 1}}  # fmt: skip
_TRUNK = {"lower_trunk": {1: 1, 2: 0, 3: 2}, "thorax": {2: 0, 7: 1, 8: 2, 9: 0, 17: 1, 18: 2, 19: 0, 26: 1},
          "head": {29: 1}}  # fmt: skip
LENGTHS_OF: dict[str, dict[int, int]] = {
    **_TRUNK,
    **{f"right_{name}": own for name, own in _LIMBS.items()},
    **{f"left_{name}": {_LEFT[n]: axis for n, axis in own.items()} for name, own in _LIMBS.items()},
}


def scale_human(figure: Human36, factors: Factors, mass: float | None, by: str) -> Human36:
    """Return a Human36 with lengths (and tags, by segment) times factors."""
    names = (*SEGMENTS, *(f"L{n}" for n in range(1, LENGTH_COUNT + 1)))
    known = as_factors(factors, names, f"figure {figure.name!r}")
    f = {name: known.get(name, np.ones(3)) for name in SEGMENTS}
    lengths = _lengths(figure, f) | _scaled_lengths(figure, {k: v for k, v in known.items() if k not in SEGMENTS})
    stretched = {t.name: f[t.segment] * t.point for t in figure.tags if (f[t.segment] != 1).any()}
    found = figure.replace(lengths=lengths, tags=stretched)
    masses = new_masses(figure, _growth(figure, found, f), mass, by)
    if mass is not None and by == "proportions":
        return found.replace(mass=mass, masses={name: masses[name] for name in figure.recipe.masses})
    return found if by == "proportions" else found.replace(mass=sum(masses.values()), masses=masses)


def length_derivatives(figure: Human36, names: Sequence[str]) -> tuple[Array, Array]:
    """Return how joints in their parents, (segments, 3), and tags in their segments, (tags, 3), move with lengths [m].

    Per relative change of all the lengths named together: both are linear in each of them.
    """
    recipe = figure.recipe
    L = recipe.all_lengths()
    more = L | {name: 2.0 * L[name] for name in names}
    points = [np.array([point for _, point in recipe.all_tags(own).values()]) for own in (L, more)]
    return recipe.joint_places(more) - recipe.joint_places(L), points[1] - points[0]


def _lengths(figure: Human36, f: Mapping[str, Array]) -> dict[str, float]:
    growth: dict[int, list[float]] = {}
    for segment, own in LENGTHS_OF.items():
        for n, axis in own.items():
            growth.setdefault(n, []).append(float(f[segment][axis]))
    return {f"L{n}": float(figure.lengths[n - 1] * np.mean(g)) for n, g in growth.items() if any(x != 1 for x in g)}


def _scaled_lengths(figure: Human36, factors: Mapping[str, Array]) -> dict[str, float]:
    for name, three in factors.items():
        if (three != three[0]).any():
            raise InputError(
                f"the factor of {name!r} must be a single number",
                got=three.tolist(),
                allowed="one number: it is a length",
            )
    return {name: float(figure.lengths[name] * three[0]) for name, three in factors.items()}


def _growth(before: Human36, after: Human36, f: Mapping[str, Array]) -> dict[str, float]:
    """Return by how much the volume of each segment grew: by its factors, or by those of its own lengths."""
    found = {}
    for name in SEGMENTS:
        own = [float(after.lengths[n - 1] / before.lengths[n - 1]) for n in LENGTHS_OF[name] if before.lengths[n - 1]]
        found[name] = float(np.prod(f[name])) if (f[name] != 1).any() else float(np.mean(own)) ** 3
    return found
