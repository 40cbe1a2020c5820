"""Impulses of contacts on their points, added up over a run."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import compiled, routine
from motiform.motion.contact import columns as contact_columns
from motiform.spatial.algebra import cross

__all__ = ["add_impulses", "add_impulses_on"]


@routine
def add_impulses_on(x, rows, count, sites, active, point_of, out):
    """Add forces or impulses x of the first `count` active pairs to those of their points, in world axes.

    Those of pair k are x[3 r], x[3 r + 1], x[3 r + 2] with r = rows[k], along tangent, normal and the third axis.
    """
    for k in range(count):
        r, n = 3 * rows[k], 3 * point_of[active[k]]
        e = (
            sites[k, contact_columns.TANGENT],
            sites[k, contact_columns.TANGENT + 1],
            sites[k, contact_columns.TANGENT + 2],
        )
        normal = (
            sites[k, contact_columns.NORMAL],
            sites[k, contact_columns.NORMAL + 1],
            sites[k, contact_columns.NORMAL + 2],
        )
        third = cross(e, normal)
        for i in range(3):
            out[n + i] += x[r] * e[i] + x[r + 1] * normal[i] + x[r + 2] * third[i]


@compiled
def add_impulses(x, rows, count, sites, active, point_of, out):
    """Add forces or impulses of active pairs to those of their points, from Python."""
    add_impulses_on(x, rows, count, sites, active, point_of, out)
