"""The state of a figure, and what acts on it."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, MotiformError, RunError
from motiform.motion.tree.figure import Figure
from motiform.motion.tree.joint import Array

__all__ = ["Control", "FigureState", "asked"]

Control = Callable[[float, "FigureState"], ArrayLike]
"""control(t, state) gives generalised forces [N·m or N], (nv,); a load gives wrenches on segments, (segments, 6)."""


@dataclass(frozen=True)
class FigureState:
    """Configuration and velocity of a figure at an instant."""

    q: Array
    """(nq,)"""
    v: Array
    """(nv,)"""
    z: Array = field(default_factory=lambda: np.zeros(0))
    """What the controls keep between two instants (muscles, motors), where they have states of their own."""


def asked(function: Control, t: float, state: FigureState, shape: tuple[int, ...], what: str) -> Array:
    """Return what a user's function gives, checked."""
    where = f"{getattr(function, '__name__', what)}, t = {t:.6g} s"
    try:
        answer = function(t, state)
    except MotiformError:
        raise
    except Exception as error:  # whatever a user's function does wrong is told as such
        raise RunError(f"a {what} failed: {type(error).__name__}: {error}", where=where) from error
    if type(answer) is np.ndarray and answer.shape == shape and answer.dtype == np.float64 and answer.flags.carray:
        total = answer.sum()
        if total - total == 0:  # finite, and ready for compiled functions
            return answer
    try:
        found = np.broadcast_to(np.asarray(answer, float), shape)
    except (TypeError, ValueError):
        raise InputError(
            f"a {what} gave something else", where=where, got=repr(answer)[:80], allowed=f"numbers of shape {shape}"
        ) from None
    if not np.isfinite(found).all():
        raise RunError(f"a {what} gave numbers that are not finite", where=where)
    return np.array(found)  # compiled functions take arrays that may be written


_APART = 1e-3  # m, and of the normals: more is not drift but a start that is no contact


def _check_contacts(figure: Figure, q: Array) -> None:
    """Refuse a start at which the surfaces of a contact joint do not touch."""
    from motiform.motion.tree.contact_joints import ContactJoint

    full = q if figure.coupled is None else figure.coupled.expand(q)
    for n, segment in enumerate(figure.segments):
        if isinstance(segment.joint, ContactJoint):
            gap = float(np.max(segment.joint.gaps(full[figure.layout.q[n]])))
            if gap > _APART:
                raise InputError(
                    "the surfaces do not touch at the start",
                    where=f"joint of segment {segment.name!r}",
                    got=f"{gap:.3g} m off, or as much between their normals",
                    allowed=f"at most {_APART:g}",
                    remedy="Make the configuration with the joint's configuration(…) or touch(…).",
                )


def start(figure: Figure, q0: ArrayLike | None, v0: ArrayLike | None) -> FigureState:
    """Return the state to begin with, on what joints and closures allow."""
    from motiform.motion.tree.batch import as_states
    from motiform.motion.tree.closures import close_loops
    from motiform.motion.tree.configuration import repair

    q = figure.neutral() if q0 is None else q0
    v = np.zeros(figure.nv) if v0 is None else v0
    batch, (qs, vs) = as_states(figure, [("q0", q, figure.nq), ("v0", v, figure.nv)])
    if batch:
        raise InputError("one state to start from", got=f"leading axes {batch}", allowed=f"({figure.nq},)")
    _check_contacts(figure, qs[0])
    q, v = repair(figure, qs[0]), vs[0]
    if figure.closures:
        q, v = close_loops(figure, q, v)
    return FigureState(q, v)
