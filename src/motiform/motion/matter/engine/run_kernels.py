"""Many steps of a small network in one call: the kernels of links and masses one after the other, on one core.

A network of ten masses takes 0.2 µs a step; calling its kernels from Python takes a hundred times as long.
"""

# mypy: disable-error-code="no-untyped-def"

from typing import Any, NamedTuple

from motiform.base.kernels import kernel
from motiform.motion.matter.engine.link_kernels import axial_links, stencil_links, zone_links
from motiform.motion.matter.engine.mass_kernels import move_masses

__all__ = ["Given", "Links", "Masses", "many_steps"]

_stencil_links, _zone_links, _axial_links = stencil_links.body, zone_links.body, axial_links.body
_move_masses = move_masses.body


class Masses(NamedTuple):
    """The masses and what pulls them, as `move_masses` takes it."""

    x: Any
    before: Any
    forces: Any
    pad: int
    size: int
    width: int
    chunks: int
    plain: int
    mobility: Any
    free: Any
    gravity: Any
    drag: Any
    wind: Any
    whole: Any
    stencils: int
    floors: Any
    places: Any
    laws: Any
    floor_count: int
    pull: Any
    starts: Any
    arms: Any
    signs: Any
    radial: Any
    frequency: float
    bad: Any


class Links(NamedTuple):
    """Links of zone laws, along lines or axes, and those of grids."""

    size: int
    chunks: int
    ends: Any
    others: Any
    axis: Any
    material: Any
    table: Any
    length: Any
    first: int


class Given(NamedTuple):
    """Points that are pushed or put somewhere at every step, and those that are looked at every so many."""

    pushed: Any
    pushes: Any
    """[N], (steps, points, 3)"""
    imposed: Any
    places: Any
    """[m], (steps, points, 3)"""
    seen: Any
    every: int
    found: Any
    """[m], (samples, points, 3)"""


@kernel
def many_steps(c, steps, sample, m, lines, axial, real, there, grid_length, given):
    """Take steps from a sample on; `x` and `before` change places after each."""
    for n in range(steps):
        x, before = (m.x, m.before) if n % 2 == 0 else (m.before, m.x)
        if m.stencils > 0:
            for k in range(m.chunks):
                _stencil_links(k, m.width, m.pad, x, m.whole, real, there, grid_length, m.pull)
        for k in range(lines.chunks):
            _zone_links(
                k, m.width, x, lines.ends, lines.others, lines.material, lines.table, m.frequency, lines.length, m.pull,
                lines.first,
            )  # fmt: skip
        for k in range(axial.size):
            _axial_links(
                k, x, axial.ends, axial.others, axial.axis, axial.material, axial.table, m.frequency, axial.length,
                m.pull, axial.first,
            )  # fmt: skip
        pushed = given.pushed.shape[0]
        if pushed > 0:
            for axis in range(3):
                for i in range(m.forces.shape[1]):
                    m.forces[axis, i] = 0.0
            for p in range(pushed):
                for axis in range(3):
                    m.forces[axis, given.pushed[p]] += given.pushes[n, p, axis]
        for k in range(m.chunks):
            _move_masses(
                k, m.width, m.pad, m.size, sample + n + 1, x, before, m.forces, 1 if pushed > 0 else 0, m.plain,
                m.mobility, m.free, m.gravity, m.drag, m.wind, m.whole, m.stencils, m.floors, m.places, m.laws,
                m.floor_count, m.pull, m.starts, m.arms, m.signs, m.radial, m.frequency, m.bad,
            )  # fmt: skip
        for p in range(given.imposed.shape[0]):
            for axis in range(3):
                before[axis, given.imposed[p]] = given.places[n, p, axis]
        if (n + 1) % given.every == 0:
            for p in range(given.seen.shape[0]):
                for axis in range(3):
                    given.found[(n + 1) // given.every - 1, p, axis] = before[axis, given.seen[p]]
