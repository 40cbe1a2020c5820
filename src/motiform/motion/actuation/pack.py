"""Control laws as the arrays that kernels read."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motiform.motion.actuation.layouts import ControlLaws
from motiform.motion.actuation.trajectories import EffortTrajectory
from motiform.motion.tree.model.actuation import PackedActuator
from motiform.motion.tree.model.joint import Array

__all__ = ["LawArrays", "flatten_laws", "pack_efforts", "pack_laws"]

_NO_PIECES, _NO_PLACES = np.zeros((0, 4, 0)), np.zeros(0, np.int64)


class LawArrays(NamedTuple):
    """One posture control: K (q* − q) + D (v* − v) of some coordinates and a feedforward, within limits."""

    effort_times: Array
    efforts: Array
    """Feedforward from an instant on, and its rate, (n, 2, nv); without instants there is none."""
    times: Array = np.zeros(0)
    pieces: Array = _NO_PIECES
    """Cubic pieces of a trajectory, (n, 4, nq); without times, q* and v* are what is written to `wanted`."""
    at_q: Array = _NO_PLACES
    at_v: Array = _NO_PLACES
    stiffness: Array | float = 0.0
    damping: Array | float = 0.0
    limit: Array | None = None


def pack_efforts(feedforward: EffortTrajectory | None, nv: int) -> tuple[Array, Array]:
    """Return the instants of efforts, and efforts with their rates."""
    if feedforward is None:
        return np.zeros(0), np.zeros((0, 2, nv))
    times, efforts = np.asarray(feedforward.times), np.asarray(feedforward.efforts)
    rates = np.zeros_like(efforts)
    if not feedforward.hold:
        rates[:-1] = np.diff(efforts, axis=0) / np.diff(times)[:, None]
    return times, np.stack([efforts, rates], axis=1)


def pack_laws(
    nq: int, nv: int, laws: Sequence[LawArrays] = (), drives: Array | None = None, places: Array | None = None
) -> ControlLaws:
    """Return the arrays of posture controls and of drives of single coordinates, whose places are in q and v."""
    count = np.array(
        [[len(a) for a in (law.times, law.pieces, law.effort_times, law.at_q)] for law in laws], np.int64
    ).reshape(-1, 4)
    ends = np.cumsum(count, axis=0)
    first = ends - count
    ints = np.column_stack([first[:, 0], count[:, 0], first[:, 1], first[:, 2], count[:, 2], first[:, 3], ends[:, 3]])
    places = np.zeros((0, 2), np.int64) if places is None else places
    own = [law for law in laws if len(law.pieces)]
    return ControlLaws(
        ints=np.ascontiguousarray(ints, np.int64),
        times=_joined([law.times for law in laws], (0,)),
        pieces=_joined([law.pieces for law in own], (0, 4, 0)),
        wanted=np.zeros((3, max(nq, nv))),
        effort_times=_joined([law.effort_times for law in laws], (0,)),
        efforts=_joined([law.efforts for law in laws], (0, 2, nv)),
        at_q=_joined([law.at_q for law in laws], (0,), np.int64),
        at_v=_joined([law.at_v for law in laws], (0,), np.int64),
        stiffness=_gains([law.stiffness for law in laws], nv),
        damping=_gains([law.damping for law in laws], nv),
        limit=_gains([np.inf if law.limit is None else law.limit for law in laws], nv),
        drive_q=np.array(places[:, 0]),
        drive_v=np.array(places[:, 1]),
        drives=np.zeros((0, 4)) if drives is None else drives,
        part=np.zeros(nv),
        tau=np.zeros(nv),
        K=np.zeros(nv),
        D=np.zeros(nv),
    )


def flatten_laws(laws: ControlLaws, *, limited: bool) -> PackedActuator:
    """Return control laws as an actuator of a compiled step: sizes and then all arrays in a row."""
    from motiform.motion.actuation.laws_part_kernels import control_laws

    nv, width = len(laws.tau), laws.wanted.shape[1]
    sizes = (
        len(laws.ints), len(laws.times), len(laws.pieces), laws.pieces.shape[2], width, len(laws.effort_times), nv,
        len(laws.at_q), len(laws.drives),
    )  # fmt: skip
    ints = (sizes, laws.ints, laws.at_q, laws.at_v, laws.drive_q, laws.drive_v)
    floats = (
        laws.times, laws.pieces, laws.effort_times, laws.efforts, laws.stiffness, laws.damping, laws.limit, laws.drives,
    )  # fmt: skip
    return PackedActuator(
        control_laws,
        np.concatenate([np.ravel(part) for part in ints]).astype(np.int64),
        np.concatenate([np.ravel(part) for part in floats]),
        np.zeros(3 * width + 4 * nv),
        limited,
    )


def _joined(parts: Sequence[Array], shape: tuple[int, ...], kind: type = np.float64) -> Array:
    return np.ascontiguousarray(np.concatenate(parts) if parts else np.zeros(shape), kind)


def _gains(rows: Sequence[Array | float], nv: int) -> Array:
    return np.array([np.broadcast_to(row, (nv,)) for row in rows], float).reshape(-1, nv)
