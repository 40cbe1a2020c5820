"""Lengths, speeds and moment arms of muscle paths."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.motion.actuation.muscles.paths import columns as path_columns
from motiform.motion.actuation.muscles.paths.paths import Paths
from motiform.motion.tree.algorithms.batch import as_states, run_states
from motiform.motion.tree.model import columns as tree
from motiform.motion.tree.model.state import ready
from motiform.spatial.checks import Array

__all__ = ["PathGeometry", "path_geometry", "path_lines", "path_outlines", "path_state", "path_wrenches"]

_ELEMENTS = 1 << 18  # paths on a GPU at a time, each with its own workspace
_SLOTS_PER_CORE = 8
_SERIAL_BELOW = 512  # paths, of some microseconds each: waking the threads costs more


class PathGeometry(NamedTuple):
    """Muscle paths in some postures."""

    length: Array
    """[m], (..., paths)"""
    arm: Array
    """Moment arms −dL/dq [m per rad or m], (..., paths, nv): a tension of 1 N acts with them on the coordinates."""
    speed: Array | None
    """Lengthening speed [m/s], (..., paths), or None without v."""
    inside: np.ndarray
    """Whether a point was inside a surface, which then does not bend the line next to it, (..., paths) bool."""
    planar: np.ndarray
    """Whether a curve is a planar section, as no geodesic was found, (..., paths) bool; its arms are approximate."""
    unsettled: np.ndarray
    """Whether the wraps of several surfaces did not settle, (..., paths) bool."""


def path_geometry(paths: Paths, q: ArrayLike, v: ArrayLike | None = None, *, device: str = "cpu") -> PathGeometry:
    """Return lengths, moment arms and, with v, lengthening speeds of all paths in postures q (..., nq)."""
    figure = paths.figure
    given = np.zeros(figure.nv) if v is None else v
    batch, (qs, vs) = as_states(figure, [("q", q, figure.nq), ("v", given, figure.nv)])
    lengths, arms, reports, _ = _run(paths, qs, device)
    if figure.coupled is not None:
        arms = arms @ figure.coupled.matrix(qs)
    speed = None if v is None else -(arms @ vs[:, :, None])[:, :, 0].reshape(*batch, -1)
    flags = (
        ((reports & bit) != 0).reshape(*batch, -1)
        for bit in (path_columns.INSIDE, path_columns.PLANAR, path_columns.UNSETTLED)
    )
    return PathGeometry(
        lengths.reshape(*batch, len(paths.paths)), arms.reshape(*batch, len(paths.paths), figure.nv), speed, *flags
    )


def path_state(paths: Paths, q: Array) -> tuple[Array, Array, np.ndarray]:
    """Return lengths [m], (paths,), moment arms [m], (paths, nv), and reports (paths,), see `columns`, in one posture.

    Whether q is finite is not checked.
    """
    qs = ready(q, paths.figure.nq, "q").reshape(1, -1)
    lengths, arms, reports, _ = _run_one(paths, qs)
    if paths.figure.coupled is not None:
        arms = arms @ paths.figure.coupled.matrix(qs)
    return lengths[0], arms[0], reports[0]


def path_outlines(paths: Paths, q: ArrayLike) -> list[Array]:
    """Return the corners of all paths in one posture, in the world [m], (corners, 3) each: points and ends of wraps."""
    _, (qs,) = as_states(paths.figure, [("q", q, paths.figure.nq)])
    lines = _run_one(paths, qs[:1])[3]
    return [row[1 : 1 + 4 * int(row[0])].reshape(-1, 4)[:, :3].copy() for row in lines]


def path_lines(paths: Paths, q: ArrayLike) -> list[Array]:
    """Return the outlines of all paths with as many corners in every posture: points, and two for each surface.

    Where a path has fewer, its longest parts are halved.
    """
    _, (qs,) = as_states(paths.figure, [("q", q, paths.figure.nq)])
    ends = np.cumsum([len(path.points) + 2 * len(path.wraps) for path in paths.paths])
    return np.split(path_states(paths, qs[:1])[1][0], ends[:-1]) if paths.paths else []


def path_states(paths: Paths, q: Array) -> tuple[tuple[Array, Array, np.ndarray], Array]:
    """Return lengths, moment arms and reports of all paths in postures q (n, nq) as `path_state` does, and their lines.

    Lines are those of `path_lines`, one path after another, (n, corners, 3).
    """
    from motiform.motion.actuation.muscles.paths.single_kernels import fill_lines

    lengths, arms, reports, work = (_run_one if len(q) == 1 else _run_kept)(paths, np.ascontiguousarray(q))
    if paths.figure.coupled is not None:
        arms = arms @ paths.figure.coupled.matrix(q)
    counts = np.array([len(path.points) + 2 * len(path.wraps) for path in paths.paths], np.int64)
    lines = np.zeros((len(q), int(counts.sum()), 3))
    fill_lines.function(np.ascontiguousarray(work), counts, lines)
    return (lengths, arms, reports), lines


def _run_kept(paths: Paths, q: Array) -> tuple[Array, Array, np.ndarray, Array]:
    return _run(paths, q, "cpu", keep=True)


def path_wrenches(paths: Paths, q: ArrayLike, tension: ArrayLike, *, device: str = "cpu") -> Array:
    """Return the wrenches of paths under tensions [N] (..., paths) on the segments, (..., segments, 6).

    Moment [N·m] about the segment's origin, then force [N], in world axes: as `external` of `inverse_dynamics`.
    """
    from motiform.base.kernels import get_device
    from motiform.motion.actuation.muscles.paths.kernels import path_pulls

    figure, on = paths.figure, get_device(device)
    batch, (qs, pulls) = as_states(figure, [("q", q, figure.nq), ("tension", tension, len(paths.paths))])
    full = qs if figure.coupled is None else figure.coupled.expand(qs)
    poses = run_states(figure, tree.POSES, 12 * len(figure.segments), [full], device=device)
    found = np.zeros((len(qs), 6 * len(figure.segments)))
    states = max(1, _ELEMENTS // max(len(paths.paths), 1))
    for start in range(0, len(qs), states):
        part = slice(start, start + states)
        lines, out = on.array(_run(paths, qs[part], device, keep=True)[3]), on.array(found[part])
        inputs = (on.array(paths.packed.ints), on.array(poses[part]), lines, on.array(pulls[part]))
        on.launch(path_pulls, len(pulls[part]), *inputs, out)
        found[part] = on.host(out)
    return found.reshape(*batch, len(figure.segments), 6)


def _run_one(paths: Paths, q: Array) -> tuple[Array, Array, np.ndarray, Array]:
    """Return what `_run` does, of one posture (1, nq) by one compiled call; it keeps the workspace of each path."""
    from motiform.motion.actuation.muscles.paths.single_kernels import one_path_state

    figure, packed, m = paths.figure, paths.packed, len(paths.paths)
    if not figure.packed.kernel_only:  # Python must help with every posture
        return _run(paths, q, "cpu", keep=True)
    full = np.array(q if figure.coupled is None else figure.coupled.expand(q))
    outs = np.empty((1, m)), np.zeros((1, m, figure.layout.nv)), np.empty((1, m), np.int64)
    lines = np.empty((m, packed.rows))
    arrays = figure.packed.ints, figure.packed.floats, packed.ints, packed.floats
    one_path_state.function(*arrays, full, *paths.workspace, lines, *outs)
    return *outs, lines


def _run(paths: Paths, q: Array, device: str, *, keep: bool = False) -> tuple[Array, Array, np.ndarray, Array]:
    """Return lengths, moment arms about all coordinates of the tree, reports, and the workspace; `keep`: of each."""
    from motiform.base.kernels import get_device
    from motiform.motion.actuation.muscles.paths.kernels import path_lines

    figure, packed, on = paths.figure, paths.packed, get_device(device)
    full = q if figure.coupled is None else figure.coupled.expand(q)
    poses = run_states(figure, tree.POSES, 12 * len(figure.segments), [full], device=device)
    twists = run_states(figure, tree.TWISTS, 6 * figure.layout.nv, [full], device=device)
    m, nv = len(paths.paths), figure.layout.nv
    outs = np.zeros((len(q), m)), np.zeros((len(q), m, nv)), np.zeros((len(q), m), np.int64)
    work = np.zeros((0, packed.rows))
    ints, floats = on.array(packed.ints), on.array(packed.floats)
    states = len(q) if device == "cpu" else max(1, _ELEMENTS // max(m, 1))
    for start in range(0, len(q), states):
        part = slice(start, start + states)
        count = len(full[part]) * m
        slots = count if keep or device != "cpu" else min(count, _slots())
        space = on.empty((slots, packed.rows))
        found = [on.array(out[part]) for out in outs]
        inputs = (on.array(x[part]) for x in (poses, twists, full))
        least = 2 if count >= _SERIAL_BELOW else slots + 1
        on.launch(path_lines, slots, slots, count, ints, floats, *inputs, space, *found, least=least)
        for out, values in zip(outs, found, strict=True):
            out[part] = on.host(values)
        if keep:
            work = on.host(space)
    return *outs, work


def _slots() -> int:
    import numba

    return _SLOTS_PER_CORE * numba.get_num_threads()
