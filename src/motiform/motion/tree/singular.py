"""Joints whose inertia vanishes: their velocities are not defined there. They get an armature.

A segment without mass folds over what it carries: a mass at the end of two massless links that come to lie in one line
stops along the line, and the velocities of the links grow without bound. Motions meet such postures. Three angles in
sequence lock where the first axis lies on the third one: motions pass by at a distance b, at which both angles turn
with v/b; limits may hold a motion there. With an armature of a part ε of the inertia that an angle moves, b is √ε at
least.
"""

import numpy as np

from motiform.motion.tree.algorithms.configuration import advance
from motiform.motion.tree.algorithms.dynamics import inertia_matrix
from motiform.motion.tree.joints.axes import AxesJoint
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array

__all__ = ["EXACT", "STEPPED", "fold_armature", "gimbal_armature"]

_POSTURES = 64  # at random: a fold is a surface among all postures, so that several of them are near one
_VANISHING = 1e-2  # of its median at which an inertia counts as one that can vanish
STEPPED, EXACT = 1e-3, 1e-6  # of its median that the armature of a fold is: in steps, and where steps adapt
_RING = 1e-4  # of what an angle moves


def fold_armature(figure: Figure, share: float = STEPPED) -> tuple[Figure, list[str]]:
    """Return the figure with armatures where a massless segment can fold over what it carries, and notes on them."""
    massless = [n for n in range(len(figure.segments)) if _moves_massless(figure, n)]
    if not massless or figure.coupled is not None or figure.closures:
        return figure, []
    matrices = inertia_matrix(figure, _postures(figure))
    felt = {n: _least_inertia(figure, matrices, n, np.atleast_1d(figure.layout.v[n])) for n in massless}
    folding = [n for n in massless if felt[n].min() < _VANISHING * np.median(felt[n])]
    if not folding:
        return figure, []
    armature = share * min(float(np.median(felt[n])) for n in folding)  # one for all: left and right stay equal
    changes = {figure.segments[n].name: {"armature": np.full(figure.segments[n].joint.nv, armature)} for n in folding}
    note = f"no mass, and postures in which their joints move nothing: they have an armature of {armature:.2g} kg·m²"
    return figure.replace(segments=changes), [f"segments {', '.join(map(repr, changes))}: {note}"]


def gimbal_armature(figure: Figure) -> Figure:
    """Return the figure with armatures on three or more angles in sequence, where they have none.

    Not on those of a base: they would take part in the momentum of the whole.
    """
    if figure.coupled is not None or figure.closures:
        return figure
    inertia, changes = np.diag(inertia_matrix(figure, figure.neutral())), {}
    for n in range(len(figure.segments)):
        chain = _angles(figure, n)
        if sum(map(len, chain.values())) >= 3 and not any(figure.parent_index(k) < 0 for k in chain):
            least = _RING * min(inertia[figure.layout.v[k]][own].min() for k, own in chain.items())
            for k, own in chain.items():
                armature = np.array(np.broadcast_to(figure.segments[k].armature, figure.segments[k].joint.nv), float)
                armature[own] = np.where(armature[own] > 0, armature[own], least)
                changes[figure.segments[k].name] = {"armature": armature}
    return figure.replace(segments=changes) if changes else figure


def _angles(figure: Figure, n: int) -> dict[int, list[int]]:
    """Return the numbers of the angles of a segment's joint, and of those of massless segments that carry it."""
    found: dict[int, list[int]] = {}
    while n >= 0 and isinstance(joint := figure.segments[n].joint, AxesJoint):
        own = [k for k, axis in enumerate(joint.axes) if axis.kind == "revolute"]
        found |= {n: own} if own else {}
        n = figure.parent_index(n)
        if n < 0 or figure.segments[n].mass:
            break
    return found


def _moves_massless(figure: Figure, n: int) -> bool:
    """Return whether a segment moves, has no mass, and is carried by one that has."""
    segment, carrier = figure.segments[n], figure.parent_index(n)
    while carrier >= 0 and not figure.segments[carrier].mass:
        carrier = figure.parent_index(carrier)
    bare = not segment.mass and not np.any(segment.inertia) and not np.any(segment.armature)
    return segment.joint.nv > 0 and carrier >= 0 and bare


def _postures(figure: Figure) -> Array:
    """Return configurations at random within limits, half a turn or a metre to both sides where there are none."""
    rng = np.random.default_rng(0)
    low, high = np.where(np.isfinite(figure.limits), figure.limits, [-np.pi, np.pi]).T
    return advance(figure, np.tile(figure.neutral(), (_POSTURES, 1)), rng.uniform(low, high, (_POSTURES, figure.nv)))


def _least_inertia(figure: Figure, matrices: Array, n: int, own: Array) -> Array:
    """Return the least inertia that a joint feels in each posture while all that it carries is free to move."""
    beyond = np.flatnonzero(figure.carried[figure.carried[:, own[0]] > 0].any(0) & ~figure.carried[n].astype(bool))
    rest = matrices[:, beyond[:, None], beyond]
    across = matrices[:, beyond[:, None], own]
    felt = matrices[:, own[:, None], own] - across.swapaxes(1, 2) @ np.linalg.solve(rest, across)
    return np.maximum(np.linalg.eigvalsh(felt)[:, 0], 0.0)
