"""Locked joints: the same bodies in fewer coordinates."""

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.motion.figures import bip, human36
from motiform.motion.tree import (
    centers_of_mass,
    forward_dynamics,
    inertia_matrix,
    inverse_dynamics,
    lock_joints,
    nonlinear_effects,
    tags,
)


@pytest.mark.parametrize("make", [human36, bip])
def test_what_is_left_has_its_rows_of_the_whole(make):
    """At the posture that is locked: places, the block of the inertia matrix, the bias where the rest is at rest."""
    whole, rng = make(), np.random.default_rng(0)
    q = 0.2 * rng.normal(size=whole.nq)
    free = ("left_shank", "right_thigh", "trunk" if whole.name == "bip" else "head")
    locked = lock_joints(whole, [name for name in whole.names if name not in free], q)
    kept = [k for k, name in enumerate(whole.coordinates) if name in locked.coordinates]
    assert locked.nv == len(kept) == sum(whole.segment(name).joint.nv for name in free)
    assert tuple(whole.coordinates[k] for k in kept) == locked.coordinates  # in the figure's own order
    np.testing.assert_allclose(tags(locked, q[kept]), tags(whole, q), atol=1e-14)
    np.testing.assert_allclose(centers_of_mass(locked, q[kept]), centers_of_mass(whole, q), atol=1e-14)
    M = inertia_matrix(whole, q)
    np.testing.assert_allclose(inertia_matrix(locked, q[kept]), M[np.ix_(kept, kept)], atol=1e-12 * M.max())
    v, own = np.zeros(whole.nv), rng.normal(size=len(kept))
    v[kept] = own
    bias = nonlinear_effects(whole, q, v)[kept]
    np.testing.assert_allclose(nonlinear_effects(locked, q[kept], own), bias, atol=1e-12 * np.abs(bias).max())
    a = forward_dynamics(locked, q[kept], own, np.zeros(len(kept)))
    np.testing.assert_allclose(inverse_dynamics(locked, q[kept], own, a), 0.0, atol=1e-10 * np.abs(bias).max())
    assert locked.mass == pytest.approx(whole.mass, rel=1e-14)


def test_what_is_not_there_or_coupled_is_refused():
    with pytest.raises(InputError, match="right_shank"):
        lock_joints(human36(), ["right_shnk"])
