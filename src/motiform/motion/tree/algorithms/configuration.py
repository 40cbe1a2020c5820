"""Moving configurations: rate, advance, repair, on all joints of a figure."""

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.tree.algorithms.batch import as_states
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.spatial.checks import as_floats

__all__ = ["advance", "configuration_rate", "repair"]


def configuration_rate(figure: Figure, q: ArrayLike, v: ArrayLike) -> Array:
    """Return dq/dt, (..., nq): v itself for plain coordinates."""
    return _each_joint(figure, q, v, lambda joint, own, rates: joint.rate(own, rates))


def advance(figure: Figure, q: ArrayLike, v: ArrayLike, h: float = 1.0) -> Array:
    """Return the configuration after the time h [s] at constant v, (..., nq)."""
    step = as_floats(h, where="time h")
    if step.ndim:
        raise InputError("the step must be a single number", where="time h", got=step.shape, allowed="one number [s]")
    return _each_joint(figure, q, v, lambda joint, own, rates: joint.advance(own, rates, float(step)))


def repair(figure: Figure, q: ArrayLike) -> Array:
    """Return the nearest configuration that the joints allow, (..., nq)."""
    return _each_joint(figure, q, np.zeros(figure.nv), lambda joint, own, _: joint.repair(own))


def _each_joint(figure: Figure, q: ArrayLike, v: ArrayLike, act) -> Array:  # type: ignore[no-untyped-def]
    batch, (qs, vs) = as_states(figure, [("q", q, figure.nq), ("v", v, figure.nv)])
    full_q, full_v = qs, vs
    if figure.coupled is not None:
        full_q, full_v, _ = figure.coupled.expand_motion(qs, vs, vs)
    out = np.empty_like(full_q)
    for n, segment in enumerate(figure.segments):
        at_q, at_v = figure.layout.q[n], figure.layout.v[n]
        if len(at_q):
            out[:, at_q] = act(segment.joint, full_q[:, at_q], full_v[:, at_v])
    if figure.coupled is not None:
        out = out[:, figure.coupled.kept_q]
    return out.reshape(*batch, figure.nq)
