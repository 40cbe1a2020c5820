"""Bones in contact: what a wrist evaluates (energy, gradient and Hessian) with 200 000 points and at its usual
resolution, and lists of pairs of balls, beside the two detectors
of [Perez94 5.6] with the same pairs; and pairs of convex solids (`solids`).

Cases are forces/200k, forces/default, pairs, solids/KIND-KIND, and rest: a degree of the motion of a wrist from rest to
rest. A peer of the forces is made of `Bones`: a function that returns how many contacts each pair of bones has.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from bench.agreement import check_same
from bench.contact.bones import LAYER, Bones, bones
from bench.contact.detectors import bit_pairs, bounded_pairs
from bench.contact.solids import PAIRS, solid_row
from bench.register import made_peers, peer_notes
from bench.report import Report, Result
from bench.turns import repeated, take_turns
from motiform.base.errors import InputError
from motiform.base.progress import Progress
from motiform.motion.bones import BoneResolution, from_meshes, synthetic_bones
from motiform.motion.bones.pack import neutral_poses, workspace

__all__ = ["measure"]

_RESOLUTION = {
    "forces/200k": BoneResolution(spacing=5e-4, margin=2e-3, points=0.241e-3),
    "forces/default": BoneResolution(margin=2e-3),
}
_BENT = 40.0  # [deg] of flexion to both sides
_SLOW = 1.0  # [s]
_UNSURE = 0.15e-3  # [m] of gap around 1 mm within which meshes of other sizes may differ about touching


def measure(*, device: str, progress: Progress) -> Report:
    """Measure milliseconds of one evaluation on one thread, beside the peers."""
    if device != "cpu":
        raise InputError("bones touch on the CPU", got=device, allowed="cpu")
    problem, rows, parts = bones(), list[Result](), 4 + len(PAIRS)
    calls: list[Callable[[], Result]] = [partial(_forces, problem, case) for case in _RESOLUTION]
    calls += [partial(_pairs, problem), _rest, *(partial(solid_row, name) for name in PAIRS)]
    for call in calls:
        rows.append(call())
        progress(len(rows) / parts)
    return Report("contact", tuple(rows))


def _forces(problem: Bones, case: str) -> Result:
    from motiform.base.kernels import threads
    from motiform.motion.bones.contact_kernels import AREA
    from motiform.motion.bones.settle_kernels import evaluate

    packed = problem.packed(_RESOLUTION[case])
    poses, space = neutral_poses(packed), workspace(packed)
    arguments = (poses, packed.slots, packed.middles, packed.model, packed.settings, *space)
    evaluate(*arguments)
    areas = dict(zip(packed.pairs, space[4][:, AREA].reshape(-1, 2).sum(axis=1), strict=True))
    touch = np.array([areas[str(a), str(b)] > 0 for a, b in problem.near])
    notes = [f"{len(packed.model[5])} points on {len(problem.fine)} bones, {int(touch.sum())} pairs touch"]
    peers = dict(made_peers("contact", case, problem))
    for name, peer in peers.items():
        counts = peer()
        _check(case, name, problem, touch, counts > 0)
        notes.append(f"{name}: {int(counts.sum())} contacts of triangles")
    with threads(1):
        took = _times({"ours": lambda: evaluate(*arguments), **peers})
    notes += peer_notes("contact", case, peers)
    return Result(case, "cpu", 1, "ms", "lower", took.pop("ours"), took, {}, "; ".join(notes))


def _check(case: str, name: str, problem: Bones, ours: Any, theirs: Any) -> None:
    """Refuse a peer that finds other pairs touching, but for those about as far apart as the layers are thick."""
    differ = ours != theirs
    far = float(np.abs(problem.gaps[differ] - 2 * LAYER).max()) if differ.any() else 0.0
    check_same(f"contact, {case}, {name}", far, _UNSURE, " m")


def _pairs(problem: Bones) -> Result:
    from motiform.base.kernels import threads
    from motiform.geometry.maps import ball_pairs

    covers, maps = problem.axes, problem.maps

    def ours() -> int:
        return sum(
            len(ball_pairs(covers[a], covers[b], margin=2 * LAYER, map=maps[a], other_map=maps[b])[0])
            for a, b in problem.near
        )

    def each(detector: Callable[..., tuple[int, int]]) -> tuple[int, int]:
        found = [detector(covers[a], covers[b], 2 * LAYER) for a, b in problem.near]
        return sum(pairs for pairs, _ in found), max(size for _, size in found)

    count = ours()
    others = {"bounding balls": partial(each, bounded_pairs), "bit fields": partial(each, bit_pairs)}
    notes = [f"{sum(map(len, covers))} balls of medial axes, {count} pairs that overlap with 1 mm of margin"]
    for name, other in others.items():
        pairs, size = other()
        check_same(f"contact, pairs, {name}", abs(pairs - count), 1, " pairs")
        notes.append(f"{name}: {1e-6 * size:.2g} MB for a pair of bones")
    with threads(1):
        took = _times({"ours": ours, **others})
    return Result("pairs", "cpu", 1, "ms", "lower", took.pop("ours"), took, {}, "; ".join(notes))


def _rest(fineness: BoneResolution | None = None) -> Result:
    """Measure a degree of flexion of the smooth wrist, with its ligaments, from rest to rest."""
    from motiform.base.kernels import threads

    wrist, bent = from_meshes(synthetic_bones(), fineness=fineness), np.deg2rad([_BENT, -_BENT])
    rec = wrist.settle(flexion=bent)  # maps are made here
    with threads(1):
        took = _times({"ours": lambda: wrist.settle(flexion=bent)})["ours"]
    evaluations = rec.manifest["evaluations"]
    note = (
        f"±{_BENT:g}° of flexion, {len(wrist.ligaments)} ligaments, {evaluations} evaluations with gradient and Hessian"
    )
    return Result("rest", "cpu", 1, "ms/deg", "lower", took / (2 * _BENT), {}, {}, note)


def _times(calls: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Return milliseconds of each call: the best of chunks in turn; of two runs where one takes a second."""
    runs = {name: repeated(call) for name, call in calls.items()}
    once = {name: run(1).or_better(run(1)) for name, run in runs.items()}
    quick = {name: run for name, run in runs.items() if once[name].cpu < _SLOW}
    best = once | take_turns(quick, seconds=4.0, chunk=5e-3)
    return {name: 1e3 * times.cpu for name, times in best.items()}
