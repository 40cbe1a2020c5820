"""Pairs of solids that touch or nearly do: the problem of the cases solids/KIND-KIND.

A peer is made of `TouchingPairs`: a `SolidPeer` with its gaps, what finds contacts of all pairs, and as many calls that
find next to nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bench.agreement import check_same
from bench.register import made_peers, peer_notes
from bench.report import Result
from bench.turns import repeated, take_turns
from motiform.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Shape, touch_points
from motiform.geometry.touch.solids import listed_pairs, touch_listed, touch_room
from motiform.spatial import Transform, rotation_from_quaternion

__all__ = ["PAIRS", "SolidPeer", "TouchingPairs", "solid_row", "touching_pairs"]

PAIRS = (
    "box-box", "box-cylinder", "capsule-box", "capsule-capsule", "cylinder-cylinder", "ellipsoid-ellipsoid", "cone-box",
    "hull-hull",
)  # fmt: skip
_COUNT = 2000
_NEAR = 1e-4  # [m] greatest gap and depth
_SAME = 5e-5  # [m] of the gap: a polytope of coal that ends early leaves 2e-5 of two cylinders that overlap


@dataclass(frozen=True)
class TouchingPairs:
    """Two solids at many poses, at which they are apart or overlap by up to 0.1 mm."""

    first: Shape
    second: Shape
    poses: Transform
    """T_world_first, (n,)."""
    others: Transform


@dataclass(frozen=True)
class SolidPeer:
    """How another library finds contacts of pairs."""

    gaps: np.ndarray
    """[m], (n,), negative where solids overlap."""
    touch: Callable[[], object]
    """Find the contacts of all pairs."""
    calls: Callable[[], object]
    """As many calls with next to nothing to find: two balls."""


def _solids() -> dict[str, Shape]:
    from scipy.spatial import ConvexHull

    corners = 0.06 * np.random.default_rng(5).normal(size=(14, 3))
    return {
        "box": Box((0.2, 0.1, 0.15)), "cylinder": Cylinder(0.06, 0.15), "capsule": Capsule(0.04, 0.15),
        "ellipsoid": Ellipsoid((0.1, 0.05, 0.07)), "cone": Cone(0.08, 0.15),
        "hull": Mesh(corners, ConvexHull(corners).simplices),
    }  # fmt: skip


def touching_pairs(name: str, count: int) -> TouchingPairs:
    """Return pairs of two kinds in random orientations, moved along their normals until they are near."""
    first, second = (_solids()[kind] for kind in name.split("-"))
    rng = np.random.default_rng(0)
    R, S = (
        rotation_from_quaternion(q / np.linalg.norm(q, axis=1, keepdims=True)) for q in rng.normal(size=(2, count, 4))
    )
    here, there = 0.06 * rng.normal(size=(2, count, 3))
    others = Transform(S, there)
    found = touch_points(first, second, Transform(R, here), others)
    gap = _NEAR * rng.uniform(-1, 1, count)
    return TouchingPairs(first, second, Transform(R, here + (gap - found.gap)[:, None] * found.normals[:, 0]), others)


def solid_row(name: str) -> Result:
    """Measure microseconds of one pair, one thread; of peers without their calls from Python.

    Ours are all points of each pair in one compiled loop; gap and normal alone, as peers find them, are in the notes.
    """
    from motiform.base.kernels import threads

    case, pairs = f"solids/{name}", touching_pairs(name, _COUNT)
    rows = (pairs.first, pairs.second, pairs.poses, pairs.others)
    found, listed, room = touch_points(*rows), listed_pairs(*rows), touch_room(_COUNT)
    peers: dict[str, SolidPeer] = dict(made_peers("contact", case, pairs))
    runs = {
        "ours": repeated(lambda: touch_listed(*listed, np.inf, room)),
        "gap": repeated(lambda: touch_listed(*listed, -np.inf, room)),
    }
    for peer, made in peers.items():
        check_same(f"contact, {case}, {peer}", float(np.abs(made.gaps - found.gap).max()), _SAME, " m")
        runs |= {peer: repeated(made.touch), f"{peer} calls": repeated(made.calls)}
    with threads(1):
        best = take_turns(runs, seconds=2.0, chunk=5e-3)
    took = {who: 1e6 / _COUNT * times.cpu for who, times in best.items()}
    shown = {peer: took[peer] - took[f"{peer} calls"] for peer in peers}
    notes = [f"{found.number.mean():.1f} points a pair, {100 * (found.gap < 0).mean():.0f} % overlap"]
    notes += [f"gap and normal alone {took['gap']:.2f} us"]
    notes += [f"{peer}: a call from Python takes {took[f'{peer} calls']:.2g} us more" for peer in peers]
    return Result(
        case, "cpu", 1, "us", "lower", took["ours"], shown, {}, "; ".join(notes + peer_notes("contact", case, peers))
    )
