"""Muscles of two legs, 92 over 34 cylinders: lengths and moment arms of many postures; shares of their moments; scenes.

A peer of paths is made of a `Legs` and gives lengths (postures, muscles) and moment arms (postures, muscles,
coordinates) of the first postures that it is asked for; a peer of static optimisation is made of `Shared` and gives
activations (samples, muscles) of the first samples.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from bench.act.model import postures, swing, write_model
from bench.act.scenes import measure_scenes
from bench.agreement import check_same
from bench.register import made_peers, peer_notes
from bench.report import Report, Result
from bench.turns import best_runs
from motiform.base.errors import InputError
from motiform.base.progress import Progress

__all__ = ["Legs", "Shared", "measure"]

_BATCH = 1000  # postures
_FEW = 20  # that peers do
_SAME_PATHS = 1e-4  # [m] of lengths; the criterion for wrapped paths
_SAME_SHARES = 0.02  # of activations, root mean square
_LEAST = 0.01  # activation of Thelen's muscles in OpenSim


class Legs(NamedTuple):
    """The model on disk, as muscles, and postures of it."""

    path: Path
    muscles: Any
    q: np.ndarray


class Shared(NamedTuple):
    """Problems of static optimisation: min Σ x² + Σ r² with xᵀ gain + r = moment, 0.01 ≤ x ≤ 1."""

    gain: np.ndarray
    moment: np.ndarray
    legs: Legs | None = None
    """Where they come from, for peers that do it all themselves: the model, and `swing` of it."""


def measure(*, device: str, progress: Progress) -> Report:
    """Measure microseconds a posture of paths and milliseconds a sample of static optimisation."""
    if device not in ("cpu", "cuda"):
        raise InputError("unknown device", got=device, allowed="cpu, cuda")
    import numba

    from motiform.motion.actuation.muscles import read_muscles

    most = numba.get_num_threads()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "legs.osim"
        write_model(path)
        muscles = read_muscles(path)
        legs = Legs(path, muscles, postures(muscles.figure.coordinates, _BATCH))
        rows: list[Result] = []
        for threads in sorted({1, most}) if device == "cpu" else (most,):
            numba.set_num_threads(threads)
            rows += [_paths(legs, device, threads), _shares(legs, device, threads)]
            progress(len(rows) / 5)
        numba.set_num_threads(most)
    rows += measure_scenes(most) if device == "cpu" else []
    return Report("act", tuple(rows))


def _many(peer: str) -> int:
    """Return how many postures a peer does: arrays all of them, loops a few."""
    return _BATCH if peer == "numpy" else _FEW


def _paths(legs: Legs, device: str, threads: int) -> Result:
    from motiform.motion.actuation.muscles import path_geometry

    found = path_geometry(legs.muscles.paths, legs.q, device=device)
    calls: dict[str, Callable[[], Any]] = {"ours": lambda: path_geometry(legs.muscles.paths, legs.q, device=device)}
    peers = dict(made_peers("act", "paths", legs)) if threads == 1 else {}
    for name, peer in peers.items():
        length, arm = peer(_FEW)
        check_same(f"act, paths, {name}", float(np.abs(length - found.length[:_FEW]).max()), _SAME_PATHS, "m")
        check_same(f"act, paths, {name}, arms", float(np.abs(arm - found.arm[:_FEW]).max()), 1e-3, "m")
        calls[name] = partial(peer, _many(name))
    best = best_runs(calls)
    theirs = {name: 1e6 * best[name] / _many(name) for name in peers}
    note = f"lengths and moment arms of 92 muscles, microseconds a posture of {_BATCH}; opensim: of {_FEW}"
    return Result("paths", device, threads, "us", "lower", 1e6 * best["ours"] / _BATCH, theirs,
                  note="; ".join([note, *peer_notes("act", "paths", peers)]))  # fmt: skip


def _shares(legs: Legs, device: str, threads: int) -> Result:
    from motiform.motion.actuation.muscles import fibre_forces, path_geometry, share_moments, static_optimization
    from motiform.motion.tree import inverse_dynamics

    muscles = legs.muscles
    times, q, v, a = swing(muscles.figure.coordinates, _BATCH)
    geometry = path_geometry(muscles.paths, q, v)
    assert geometry.speed is not None
    strength = fibre_forces(muscles.muscles, geometry.length, geometry.speed).active
    moved = np.abs(geometry.arm).max((0, 1)) > 1e-6
    tau = inverse_dynamics(muscles.figure, q, v, a)
    motion = (times, q, v, tau)
    gain = np.ascontiguousarray((geometry.arm * strength[:, :, None])[:, :, moved])
    shared = Shared(gain, np.ascontiguousarray(tau[:, moved]), legs)
    own = share_moments(shared.gain, shared.moment, _LEAST, 1.0)

    def ours() -> Any:
        return static_optimization(muscles, motion, passive=False, device=device)

    calls: dict[str, Callable[[], Any]] = {"ours": ours}
    peers = dict(made_peers("act", "static-optimisation", shared)) if threads == 1 else {}
    for name, peer in peers.items():
        off = float(np.sqrt(np.mean((peer(_FEW) - own.activation[:_FEW]) ** 2)))
        check_same(f"act, static-optimisation, {name}", off, _SAME_SHARES)
        calls[name] = partial(peer, _FEW)
    best = best_runs(calls)
    theirs = {name: 1e3 * best[name] / _FEW for name in peers}
    note = (
        f"milliseconds a sample of {_BATCH}; ours and opensim as users call it, paths and fibres included; "
        f"scipy: the shares alone; peers: {_FEW} samples"
    )
    return Result("static-optimisation", device, threads, "ms", "lower", 1e3 * best["ours"] / _BATCH, theirs,
                  note="; ".join([note, *peer_notes("act", "static-optimisation", peers)]))  # fmt: skip
