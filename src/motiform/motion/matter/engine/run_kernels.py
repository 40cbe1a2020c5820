"""Many steps of a small network in one call: the kernels of links and masses one after the other, on one core.

A network of ten masses takes 0.2 µs a step; calling its kernels from Python takes a hundred times as long.
"""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import kernel
from motiform.motion.matter.engine.link_kernels import axial_links, stencil_links, zone_links
from motiform.motion.matter.engine.mass_kernels import move_runs, slow_forces

__all__ = ["many_steps"]

_stencil_links, _zone_links, _axial_links = stencil_links.body, zone_links.body, axial_links.body
_move_runs, _slow_forces = move_runs.body, slow_forces.body


@kernel
def many_steps(
    c, steps, sample, runs, places, earlier, forces, air, m, lines, axial, real, there, grid_length, idle, given
):
    """Take steps of runs of masses from a sample on; `places` and `earlier` change roles after each."""
    chunks = -(-m.size // m.width)
    for n in range(steps):
        x, before = (places, earlier) if n % 2 == 0 else (earlier, places)
        if m.stencils > 0:
            for k in range(chunks):
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
        pushed, slow = given.pushed.shape[0], idle.where.shape[0]
        if pushed + slow > 0:
            for axis in range(3):
                for i in range(forces.shape[1]):
                    forces[axis, i] = 0.0
            for i in range(slow):
                _slow_forces(
                    i, idle.where, x, before, idle.mass, idle.drag, idle.gravity, air, 0.0, m.frequency, forces
                )
            for p in range(pushed):
                for axis in range(3):
                    forces[axis, given.pushed[p]] += given.pushes[n, p, axis]
        for k in range(runs.shape[0]):
            _move_runs(k, runs, sample + n + 1, x, before, forces, 1 if pushed + slow > 0 else 0, air, m)
        for p in range(given.imposed.shape[0]):
            for axis in range(3):
                before[axis, given.imposed[p]] = given.places[n, p, axis]
        if (n + 1 + given.since) % given.every == 0:
            for p in range(given.seen.shape[0]):
                for axis in range(3):
                    given.found[(n + 1 + given.since) // given.every - 1, p, axis] = before[axis, given.seen[p]]
