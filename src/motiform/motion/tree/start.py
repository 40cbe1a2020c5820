"""The initial state of a run."""

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.tree.algorithms.batch import as_states
from motiform.motion.tree.algorithms.configuration import repair
from motiform.motion.tree.algorithms.loops import close_loops
from motiform.motion.tree.contact_joints.joint import ContactJoint
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import FigureState

__all__ = ["start", "start_open"]

_APART = 1e-3  # m, and of the normals: more is not drift but a start that is no contact


def _check_contacts(figure: Figure, q: Array) -> None:
    """Refuse a start at which the surfaces of a contact joint do not touch."""
    full = q if figure.coupled is None else figure.coupled.expand(q)
    for n, segment in enumerate(figure.segments):
        if isinstance(segment.joint, ContactJoint) and not segment.joint.leaves:
            gap = float(np.max(segment.joint.gaps(full[figure.layout.q[n]])))
            if gap > _APART:
                raise InputError(
                    "the surfaces do not touch at the start", where=f"joint of segment {segment.name!r}",
                    got=f"{gap:.3g} m off, or as much between their normals", allowed=f"at most {_APART:g}",
                    remedy="Make the configuration with the joint's configuration(…) or touch(…).",
                )  # fmt: skip


def start_open(figure: Figure, q0: ArrayLike | None, v0: ArrayLike | None) -> FigureState:
    """Return the state to begin with, on what joints allow; closures may be open."""
    q = figure.neutral() if q0 is None else q0
    v = np.zeros(figure.nv) if v0 is None else v0
    batch, (qs, vs) = as_states(figure, [("q0", q, figure.nq), ("v0", v, figure.nv)])
    if batch:
        raise InputError("a run must start from a single state", got=f"leading axes {batch}", allowed=f"({figure.nq},)")
    _check_contacts(figure, qs[0])
    return FigureState(repair(figure, qs[0]), vs[0])


def start(figure: Figure, q0: ArrayLike | None, v0: ArrayLike | None) -> FigureState:
    """Return the state to begin with, on what joints and closures allow."""
    found = start_open(figure, q0, v0)
    return FigureState(*close_loops(figure, found.q, found.v)) if figure.closures else found
