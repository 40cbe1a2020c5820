"""Pushes: forces and torques on segments between two instants."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.base.sums import sum_over
from motiform.motion.run import check_number
from motiform.motion.tree import Figure, FigureState, forward_kinematics
from motiform.motion.tree.model.joint import Array
from motiform.record import Channel
from motiform.spatial.checks import as_floats

__all__ = ["PUSH_CHANNELS", "PUSH_FLOATS", "SegmentPush", "SegmentPushes"]

PUSH_CHANNELS = {
    "push.force": ("N", "of every push, world axes; 0 before and after it"),
    "push.torque": ("N m", "of every push, world axes; 0 before and after it"),
    "push.point": ("m", "at which every push acts, in the world"),
}
"""Unit and description of the recorded channels; torques where some push has one."""

PUSH_FLOATS = 13
"""Of a row of `SegmentPushes.rows`."""


@dataclass(frozen=True, eq=False)
class SegmentPush:
    """A force at a point of a segment and a torque, between two instants."""

    segment: str
    force: ArrayLike = (0.0, 0.0, 0.0)
    """[N], (3,)"""
    torque: ArrayLike = (0.0, 0.0, 0.0)
    """[N·m], (3,)"""
    at: ArrayLike | None = None
    """Point of the segment's frame at which the force acts [m], (3,); None: its centre of mass."""
    follows: bool = False
    """Whether force and torque turn with the segment, or keep their direction in the world."""
    start: float = 0.0
    """[s]"""
    until: float = np.inf
    """[s]"""

    def __post_init__(self) -> None:
        where = f"push of segment {self.segment!r}"
        for name in ("force", "torque", *(() if self.at is None else ("at",))):
            vector = as_floats(getattr(self, name), 3, where=f"{where}, {name}").reshape(3)
            object.__setattr__(self, name, vector)
        check_number(self.start, "start", where)
        if not self.until > self.start:
            raise InputError(
                "`until` must be after `start`", where=where, got=self.until, allowed=f"above {self.start}"
            )


@dataclass(frozen=True, eq=False)
class SegmentPushes:
    """All pushes of a figure together, as `loads` of `simulate`: wrenches on the segments (segments, 6)."""

    figure: Figure
    pushes: Sequence[SegmentPush]

    def __post_init__(self) -> None:
        object.__setattr__(self, "pushes", tuple(self.pushes))
        for push in self.pushes:
            self.figure.index(push.segment)

    @cached_property
    def jumps(self) -> tuple[float, ...]:
        """Instants at which one begins or ends [s]: steps of the simulation end there."""
        instants = {x for push in self.pushes for x in (push.start, push.until)}
        return tuple(sorted(x for x in instants if 0 < x < np.inf))

    @cached_property
    def _points(self) -> list[tuple[int, Array]]:
        """Number of the segment and point of its frame of each push."""
        return [
            (self.figure.index(p.segment), self.figure.segment(p.segment).com if p.at is None else np.asarray(p.at))
            for p in self.pushes
        ]

    @cached_property
    def rows(self) -> Array:
        """Segment, start, end, whether it follows, point, force and torque of each push, as kernels read them."""
        found = [
            [n, push.start, push.until, push.follows, *at, *np.asarray(push.force), *np.asarray(push.torque)]
            for push, (n, at) in zip(self.pushes, self._points, strict=True)
        ]
        return np.array(found, float).reshape(-1, PUSH_FLOATS)

    @property
    def recorded(self) -> "SegmentPushes":
        """Itself: a recording has its channels."""
        return self

    @property
    def labels(self) -> dict[str, list[str]]:
        """Names of the pushes: of their segments, numbered from the second on a segment."""
        names: list[str] = []
        for push in self.pushes:
            same = sum(one.segment == push.segment for one in self.pushes[: len(names)])
            names.append(f"{push.segment} {same + 1}" if same else push.segment)
        return {"push": names} if names else {}

    def channels(self, rate: float) -> list[Channel]:
        """Return the channels of a recording, (pushes, 3) each."""
        turning = any(np.any(push.torque) for push in self.pushes)
        named = [name for name in PUSH_CHANNELS if self.pushes and (turning or name != "push.torque")]
        dims, shape = ("push", "axis"), (len(self.pushes), 3)
        return [
            Channel(name, unit=unit, dims=dims, shape=shape, rate=rate, description=text)
            for name, (unit, text) in ((name, PUSH_CHANNELS[name]) for name in named)
        ]

    def measure(self, times: Array, R: Array, p: Array) -> dict[str, Array]:
        """Return the samples of the channels at poses of the segments, (samples, segments, 3, 3) and (…, 3)."""
        out = {channel.name: np.zeros((len(times), *channel.shape)) for channel in self.channels(1.0)}
        for k, (push, (n, at)) in enumerate(zip(self.pushes, self._points, strict=True)):
            acts = (push.start <= times) & (times < push.until)
            out["push.point"][:, k] = p[:, n] + sum_over(R[:, n] * at, -1)
            for name, vector in (("push.force", np.asarray(push.force)), ("push.torque", np.asarray(push.torque))):
                if name in out:
                    turned = sum_over(R[:, n] * vector, -1) if push.follows else vector
                    out[name][:, k] = np.where(acts[:, None], turned, 0.0)
        return out

    def __call__(self, t: float, state: FigureState) -> Array:
        """Return moments about the segments' origins and forces, world axes [N·m, N], (segments, 6)."""
        out = np.zeros((len(self.figure.segments), 6))
        acting = [(push, *place) for push, place in zip(self.pushes, self._points, strict=True) if _acts(push, t)]
        if not acting:
            return out
        turns = forward_kinematics(self.figure, state.q)[0]
        for push, n, at in acting:
            R = turns[n]
            force, torque = np.asarray(push.force), np.asarray(push.torque)
            if push.follows:
                force, torque = R @ force, R @ torque
            out[n, :3] += torque + np.cross(R @ at, force)
            out[n, 3:] += force
        return out


def _acts(push: SegmentPush, t: float) -> bool:
    return push.start <= t < push.until
