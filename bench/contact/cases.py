"""Bones in contact: forces of 200 000 balls and of a reduced cover against distance maps, and lists of pairs of balls;
and pairs of convex solids (`solids`).

Cases are forces/200k, forces/cover, pairs, solids/KIND-KIND, and rest: a degree of the motion of a wrist from rest to
rest. A peer of the forces is made of `Bones`: a function that returns how many contacts each pair of bones has.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bench.agreement import check_same
from bench.contact.bones import LAYER, Bones, bones
from bench.contact.solids import PAIRS, solid_row
from bench.register import made_peers, peer_notes
from bench.report import Report, Result
from bench.turns import repeated, take_turns
from motiform.base.progress import Progress
from motiform.motion.bones import BoneResolution, from_meshes, synthetic_bones

__all__ = ["measure"]

_SPACING = {"forces/200k": 0.3e-3, "forces/cover": 1.35e-3}  # [m] between elements
_BENT = 40.0  # [deg] of flexion to both sides
_SLOW = 1.0  # [s]
_UNSURE = 0.15e-3  # [m] of gap around 1 mm within which meshes of other sizes may differ about touching


def measure(*, device: str, progress: Progress) -> Report:
    """Measure milliseconds of one evaluation; on the CPU on one thread, beside the peers."""
    problem, rows, parts = bones(), list[Result](), 4 + len(PAIRS)
    for case in _SPACING:
        rows.append(_forces(problem, case, device))
        progress(len(rows) / parts)
    if device == "cpu":
        rows += [_pairs(problem), _rest()]
        for name in PAIRS:
            rows.append(solid_row(name))
            progress(len(rows) / parts)
    progress(1.0)
    return Report("contact", tuple(rows))


def _forces(problem: Bones, case: str, device: str) -> Result:
    from motiform.base.kernels import threads
    from motiform.geometry.maps import SurfaceContacts, contact_body

    surfaces: list[Any] = list(problem.fine if case == "forces/200k" else problem.covers)
    bodies = [
        contact_body(surface, own, spacing=_SPACING[case]) for surface, own in zip(surfaces, problem.maps, strict=True)
    ]
    field = SurfaceContacts(bodies, thickness=LAYER, pairs=problem.near, device=device)
    poses = np.tile(np.eye(4), (len(bodies), 1, 1))
    found = field.press(poses)
    notes = [f"{field.element_count} balls of 0.5 mm with areas on 15 bones, {int((found.area > 0).sum())} pairs touch"]
    if case == "forces/cover":
        notes = [f"{sum(map(len, problem.covers))} balls cover 15 bones, {notes[0]}"]
    if device != "cpu":
        best = take_turns({"ours": repeated(lambda: field.press(poses))}, seconds=2.0)["ours"]
        return Result(case, device, 1, "ms", "lower", 1e3 * best.wall, {}, {}, notes[0])
    peers = dict(made_peers("contact", case, problem))
    for name, peer in peers.items():
        counts = peer()
        _check(case, name, problem, found.area > 0, counts > 0)
        notes.append(f"{name}: {int(counts.sum())} contacts of triangles")
    with threads(1):
        took = _times({"ours": lambda: field.press(poses), **peers})
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

    count = ours()
    with threads(1):
        took = _times({"ours": ours})
    note = f"{sum(map(len, covers))} balls of medial axes, {count} pairs that overlap with 1 mm of margin"
    return Result("pairs", "cpu", 1, "ms", "lower", took["ours"], {}, {}, note)


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
