"""Lengths and moment arms by arrays over postures: polylines, and cylinders unrolled."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from bench.act.cases import Legs

__all__ = ["paths"]


def paths(legs: Legs) -> Callable[[int], tuple[np.ndarray, np.ndarray]]:
    """Return a run on poses and axes of the same figure, a path at a time."""
    from motiform.motion.tree import forward_kinematics, joint_axes

    figure, objects = legs.muscles.figure, {o.name: o for o in legs.muscles.objects}
    carried = np.vstack([figure.carried, np.zeros(figure.nv)])  # the world last

    def number(segment: str | None) -> int:
        return -1 if segment is None else figure.index(segment)

    def run(count: int) -> tuple[np.ndarray, np.ndarray]:
        q = legs.q[:count]
        R, p = forward_kinematics(figure, q)
        axes = joint_axes(figure, q)
        lengths, arms = [], []
        for path in legs.muscles.paths.paths:
            ends: list[tuple[int, Any]] = [
                (number(x.segment), (R[:, number(x.segment)] @ np.array(x.point)) + p[:, number(x.segment)])
                for x in path.points
            ]
            length, arm = np.zeros(count), np.zeros((count, figure.nv))
            for (one, a), (two, b) in pairwise(ends):
                parts = [(one, a, two, b, np.ones(count, bool))]
                for wrap in path.wraps:
                    parts, arc = _wrapped(objects[wrap.object], figure, R, p, one, a, two, b)
                    length += arc
                for i, x, j, y, on in parts:
                    u = y - x
                    part = np.linalg.norm(u, axis=1)
                    length += np.where(on, part, 0.0)
                    u = u / part[:, None]
                    power = (axes[:, :, :3] * np.cross(x, u)[:, None] + axes[:, :, 3:] * u[:, None]).sum(-1)
                    arm += np.where(on[:, None], power * (carried[i] - carried[j]), 0.0)
            lengths.append(length)
            arms.append(arm)
        return np.stack(lengths, axis=1), np.stack(arms, axis=1)

    return run


def _wrapped(
    wrapped: Any, figure: Any, R: np.ndarray, p: np.ndarray, one: int, a: np.ndarray, two: int, b: np.ndarray
) -> tuple[list[Any], np.ndarray]:
    """Return the straight parts of a line over a cylinder, those of lines that miss it too, and the arcs."""
    n = figure.index(wrapped.segment)
    Rc = R[:, n] @ wrapped.placement.rotation
    pc = (R[:, n] @ wrapped.placement.translation) + p[:, n]
    x, y = ((Rc.swapaxes(1, 2) @ (e - pc)[:, :, None])[:, :, 0] for e in (a, b))
    r = wrapped.surface.radius
    d1, d2 = np.hypot(x[:, 0], x[:, 1]), np.hypot(y[:, 0], y[:, 1])
    flat = (y - x)[:, :2]
    s = -(x[:, :2] * flat).sum(1) / (flat**2).sum(1)
    near = x[:, :2] + s[:, None] * flat
    on = ((near**2).sum(1) < r * r) & (s > 0) & (s < 1) & (d1 > r) & (d2 > r)
    turn = np.sign(x[:, 0] * y[:, 1] - x[:, 1] * y[:, 0])
    opening = np.arccos(np.clip((x[:, :2] * y[:, :2]).sum(1) / (d1 * d2), -1, 1))
    a1, a2 = np.arccos(np.minimum(r / d1, 1)), np.arccos(np.minimum(r / d2, 1))
    arc = r * (opening - a1 - a2)
    t1, t2 = np.sqrt(np.maximum(d1**2 - r * r, 0)), np.sqrt(np.maximum(d2**2 - r * r, 0))
    rise = (y[:, 2] - x[:, 2]) / (t1 + arc + t2)
    half = wrapped.surface.length / 2
    on &= (np.abs(x[:, 2] + rise * t1) <= half) | (np.abs(y[:, 2] - rise * t2) <= half)

    def touch(e: np.ndarray, d: np.ndarray, angle: np.ndarray, z: np.ndarray) -> np.ndarray:
        at = np.arctan2(e[:, 1], e[:, 0]) + angle
        own = np.stack([r * np.cos(at), r * np.sin(at), z], axis=1)
        return (Rc @ own[:, :, None])[:, :, 0] + pc

    first = touch(x, d1, turn * a1, x[:, 2] + rise * t1)
    last = touch(y, d2, -turn * a2, y[:, 2] - rise * t2)
    parts = [(one, a, n, first, on), (n, last, two, b, on), (one, a, two, b, ~on)]
    return parts, np.where(on, arc * np.sqrt(1 + rise**2), 0.0)
