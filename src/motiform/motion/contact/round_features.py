"""Which parts of two solids touch where one of them is round: those whose feature is at the place that is known.

Every two parts at a place that can be a feature are tried: gap, normal and place of the feature must be those of the
solids, within its limits. A rim or a ring that lies flat on a face touches with places of its own that stay.
"""

import numpy as np

from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.features import Feature, feature_numbers, place_feature
from motiform.motion.contact.rounds import FeatureSide, Parts
from motiform.motion.tree.model.joint import Array

__all__ = ["choose_round"]

Poses = tuple[Array, Array, Array, Array]
_SAME = 1e-5  # of the size: places so near to an edge are on it; gaps that are the same
_PARALLEL = 1e-3  # sine of edges or lines that do not cross
_OPPOSITE = 1 - 1e-5  # cosine of the normal of a feature with that of the solids
_HOLD = 2e-9  # of the size: by so much a place may be outside the limits of its feature
_BESIDE = 0.1  # of the size: a feature so far from a place is another one
_TILT = 1e-3  # of the size: what a round face that is not quite flat is higher at a place than where it is lowest
_OFFSET = 0.25  # of the smallest radius: where curvature is taken
_TOUCH = 1e-6  # of the size: solids so near touch at places that no feature gives
_FLAT = 1e-9  # sine of a tilt that is none


def choose_round(first: Parts, second: Parts, poses: Poses, points: Array, size: float) -> list[Feature]:
    """Return the features of two solids, whose axes and origins are `poses`, at their points (gap, site, normal)."""
    found = [one for point in points for one in _at(first, second, poses, point, size)]
    lowest = [one for one in found if one.code[2] == _LOWEST]
    return lowest[:1] + [one for one in found if one.code[2] != _LOWEST]


_LOWEST = -2  # number of a rim's lowest place, where it lies all but flat


def _at(first: Parts, second: Parts, poses: Poses, point: Array, size: float) -> list[Feature]:
    RA, oA, RB, oB = poses
    gap, site, n = float(point[0]), point[1:4], point[4:7]
    x, y = site + 0.5 * gap * n, site - 0.5 * gap * n
    mine = list(first.at(RA.T @ (x - oA), -RA.T @ n, _SAME * size))
    theirs = list(second.at(RB.T @ (y - oB), RB.T @ n, _SAME * size))
    for own in mine:
        for other in theirs:
            if _can_meet(own, other, poses, x, y):
                one = _feature(own, other, poses, n, x, y, size)
                if _is_at(one, poses, point, size):
                    return [one]
    flats = [(own, other) for own in mine for other in theirs if contact_columns.FLAT in (own.kind, other.kind)]
    for own, other in flats:
        if contact_columns.CIRCLE in (own.kind, other.kind) and (lying := _lying(own, other, poses, n, x, y, size)):
            return lying
    if gap > _TOUCH * size or _is_ring(mine) or _is_ring(theirs):
        return []
    flat_first = any(part.kind == contact_columns.FLAT for part in mine)
    skins = first.skin, second.skin
    core, back = RA.T @ (x + skins[0] * n - oA), RB.T @ (y - skins[1] * n - oB)
    return [place_feature(poses, core, back, n, skins, size, flat_first=flat_first)]


def _is_ring(parts: list[FeatureSide]) -> bool:
    """Return whether a solid is a torus: what is not where it is nearest is no feature of it."""
    return any(part.kind == contact_columns.CIRCLE and not part.sharp for part in parts)


def _can_meet(own: FeatureSide, other: FeatureSide, poses: Poses, x: Array, y: Array) -> bool:
    """Return whether two parts can be a feature: what is straight or sharp must not run along the other."""
    kinds = {own.kind, other.kind}
    if contact_columns.FLAT in kinds:
        return not kinds <= {contact_columns.FLAT, contact_columns.LINE, contact_columns.WALL}
    if own.sharp and other.sharp and contact_columns.POINT in kinds:
        return False
    RA, oA, RB, oB = poses
    a, b = own.way(RA.T @ (x - oA)), other.way(RB.T @ (y - oB))
    alike = own.sharp == other.sharp or contact_columns.CIRCLE not in kinds  # a rim runs along a wall that it touches
    if a is None or b is None or not alike:
        return True
    return float(np.linalg.norm(np.cross(RA @ a, RB @ b))) > _PARALLEL


def _feature(own: FeatureSide, other: FeatureSide, poses: Poses, n: Array, x: Array, y: Array, size: float) -> Feature:
    RA, oA, RB, oB = poses
    sense = 1.0
    if own.kind == other.kind == contact_columns.LINE:
        crossed = np.cross(RA @ np.array(own.side[3:6]), RB @ np.array(other.side[3:6]))
        sense = float(np.sign(crossed @ n))
    offset = _OFFSET * min(own.length, other.length, size)
    numbers = feature_numbers(own.kind, other.kind, own.side, other.side, sense, offset)
    (
        numbers[contact_columns.MORE_A : contact_columns.MORE_A + 2],
        numbers[contact_columns.MORE_B : contact_columns.MORE_B + 2],
    ) = own.more, other.more
    numbers[contact_columns.ANCHOR : contact_columns.ANCHOR + 9] = [*n, *(x - oA), *(y - oB)]
    rows = [*own.limits, *((*row[:4], row[4] + 1.0) for row in other.limits)]
    code = (own.kind, other.kind, own.number, other.number)
    return Feature(code, numbers, np.array(rows, float).reshape(-1, 5))


def _looked(one: Feature, poses: Poses) -> Array:
    """Return gap, place, normal and how far outside its limits a feature is."""
    from motiform.motion.contact.solid_kernels import try_feature

    out = np.empty((1, 8))
    try_feature.function(one.numbers, np.concatenate([part.ravel() for part in poses]), one.limits, out)
    return out[0]


def _is_at(one: Feature, poses: Poses, point: Array, size: float) -> bool:
    found = _looked(one, poses)
    tilted = {contact_columns.FLAT, contact_columns.CIRCLE} == set(one.code[:2])
    return bool(
        abs(found[0] - point[0]) <= (_TILT if tilted else _SAME) * size
        and np.linalg.norm(found[1:4] - point[1:4]) <= (2.0 if _is_rim(one) else _BESIDE) * size
        and found[4:7] @ point[4:7] >= _OPPOSITE
        and found[7] <= _HOLD * size
    )


def _is_rim(one: Feature) -> bool:
    """Return whether a sharp rim touches a face: all its places stand for the lowest."""
    a, b, _, _ = one.code
    radius = one.numbers[(contact_columns.SIDE_A if a == contact_columns.CIRCLE else contact_columns.SIDE_B) + 6]
    return {a, b} == {contact_columns.FLAT, contact_columns.CIRCLE} and radius == 0


def _lying(
    own: FeatureSide, other: FeatureSide, poses: Poses, n: Array, x: Array, y: Array, size: float
) -> list[Feature]:
    """Return a place of a circle that lies on a face, and the lowest place of all where it is not quite flat."""
    first = own.kind == contact_columns.CIRCLE
    circle, face = (own, other) if first else (other, own)
    R, o = (poses[0], poses[1]) if first else (poses[2], poses[3])
    m = R.T @ (-n if first else n)
    radius, center, axis = circle.side[6], np.array(circle.side[:3]), np.array(circle.side[3:6])
    level = m - (m @ axis) * axis
    tilt = float(np.linalg.norm(level))
    if tilt > contact_columns.TILT:
        return []
    places = [(-1, R.T @ ((x if first else y) - o) - radius * m)]
    if tilt > _FLAT:
        places.append((_LOWEST, center + circle.more[0] / tilt * level))
    found = []
    for number, place in places:
        part = FeatureSide(contact_columns.POINT, number, (*place.tolist(), 0.0, 0.0, 0.0, radius))
        one = _feature(*((part, face) if first else (face, part)), poses, n, x, y, size)
        code = (one.code[0], one.code[1], number, -1)
        if _looked(one, poses)[7] <= _HOLD * size:
            found.append(Feature(code, one.numbers, one.limits))
    return found
