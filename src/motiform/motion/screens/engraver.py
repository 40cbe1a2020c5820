"""Engravers: moving points that press the pins of a screen through buffers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.run import check_number
from motiform.motion.run.functions import call, check_numbers
from motiform.motion.screens.follow import Follow, PointTrajectory
from motiform.spatial.checks import as_floats

if TYPE_CHECKING:
    from motiform.record import Recording

__all__ = ["Engraver"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Engraver:
    """Points that push pins away, each by a visco-elastic buffer of the distance d in space and height.

    Where d < reach the pin gets (k (reach − d) − z ḋ) h/d along ω, h its height above the point [Habibi97 1.13].
    """

    name: str
    points: ArrayLike | Callable[[float], ArrayLike] | Follow
    """Places in the world [m]: (points, 3), with `rate` (samples, points, 3), a function of time [s], or points
    of the network of `Screens`."""
    stiffness: float
    """k [N/m]."""
    damping: float = 0.0
    """z [N s/m]."""
    reach: float
    """Distance below which a point pushes [m]."""
    height: float | None
    """ω of the points [m]; None: how far each is from the grid's plane along its normal."""
    rate: float | None = None
    """Samples per second of `points` [Hz]; straight between samples, and at rest after the last."""
    mass: float | None = None
    """Of a point [kg]: the screen moves it along the grid (two ways). None: it moves as given (one way)."""
    velocity: ArrayLike = (0.0, 0.0, 0.0)
    """At the start, of points with a mass [m/s], (3,) or (points, 3)."""
    force: ArrayLike = (0.0, 0.0, 0.0)
    """Constant, on points with a mass [N], (3,) or (points, 3)."""
    drag: float = 0.0
    """Damping to the ground, of points with a mass [N s/m]."""

    def __post_init__(self) -> None:
        where, put = f"engraver {self.name!r}", object.__setattr__
        for key, bounds in (
            ("stiffness", {"least": 0.0}),
            ("damping", {"least": 0.0}),
            ("reach", {"above": 0.0}),
            ("drag", {"least": 0.0}),
        ):
            put(self, key, check_number(getattr(self, key), key, where, **bounds))
        for key in ("rate", "mass"):
            if getattr(self, key) is not None:
                put(self, key, check_number(getattr(self, key), key, where, above=0.0))
        if self.height is not None:
            put(self, "height", check_number(self.height, "height", where))
        if isinstance(self.points, Follow):
            if self.rate is not None or self.mass is not None:
                raise InputError("points must have neither rate nor mass where they follow a network", where=where)
        elif callable(self.points):
            self._check_function(where)
        else:
            put(self, "points", self._check_points(where))
        if self.mass is not None:
            self._check_two_way(where)
        for key in ("velocity", "force"):
            given = as_floats(getattr(self, key), 3, where=f"{where}, {key}")
            if self.mass is not None and given.shape not in ((3,), (self.count, 3)):
                allowed = f"(3,) or ({self.count}, 3)"
                raise InputError(
                    f"{key} must be one or one for each point", where=where, got=given.shape, allowed=allowed
                )
            put(self, key, given)

    def _check_points(self, where: str) -> np.ndarray:
        found = as_floats(self.points, 3, where=where)
        wanted = 2 if self.rate is None else 3
        if found.ndim == wanted - 1:
            found = found[..., None, :]
        if found.ndim != wanted or not found.size:
            allowed = "(points, 3)" if self.rate is None else "(samples, points, 3)"
            remedy = "Give rate with samples." if self.rate is None and found.ndim == 3 else None
            problem = "places of an engraver have the wrong shape"
            raise InputError(problem, where=where, got=found.shape, allowed=allowed, remedy=remedy)
        return found

    def _check_function(self, where: str) -> None:
        if self.rate is not None:
            raise InputError("a function of time has no rate", where=where, remedy="Leave out rate.")
        first = np.asarray(call(self.points, 0.0, what="the function", where=where))  # type: ignore[arg-type]
        if first.shape[-1:] != (3,) or first.ndim not in (1, 2) or not first.size:
            raise InputError(
                "a function of an engraver must return places", where=where, got=first.shape, allowed="(points, 3)"
            )
        object.__setattr__(self, "_count", 1 if first.ndim == 1 else len(first))

    def _check_two_way(self, where: str) -> None:
        if callable(self.points) or self.rate is not None:
            raise InputError(
                "points with a mass must start at given places", where=where, remedy="Leave out mass, or rate."
            )
        if self.height is None:
            raise InputError("points with a mass must have a height", where=where, remedy="Give height.")

    @classmethod
    def recorded(
        cls, recording: "Recording", channel: str, *, name: str | None = None, pick: Any = None, **settings: Any
    ) -> "Engraver":
        """Return the engraver that moves as a channel of places [m] in a recording; `pick` chooses points by number."""
        from motiform.motion.matter.motions import recorded_points

        places, rate = recorded_points(recording, channel)
        return cls(
            name=name or channel.removesuffix(".position"),
            points=places if pick is None else places[:, pick], rate=rate, **settings,
        )  # fmt: skip

    @property
    def count(self) -> int:
        """Number of points."""
        if isinstance(self.points, Follow):
            remedy = "Give Screens the screen and the network."
            raise InputError(
                "the network must be there, whose points it follows", where=f"engraver {self.name!r}", remedy=remedy
            )
        if callable(self.points):
            return int(getattr(self, "_count"))  # noqa: B009
        return int(np.shape(self.points)[-2])

    @property
    def moves(self) -> bool:
        """Whether its places change with time and are known beforehand."""
        return callable(self.points) or self.rate is not None

    def at(self, times: ArrayLike) -> np.ndarray:
        """Return places [m] at times [s], (times, points, 3), of an engraver that moves as given.

        Before the start points move as they do after it: x(−t) = 2 x(0) − x(t), or straight where they are sampled.
        """
        t, count = np.asarray(times, float).reshape(-1), self.count
        if callable(self.points):
            return np.stack([self._called(float(one), count) for one in t])
        points = np.asarray(self.points)
        if self.rate is None:
            return np.broadcast_to(points, (len(t), *points.shape))
        at = np.minimum(t * self.rate, len(points) - 1.0)
        low = np.clip(at.astype(int), 0, max(len(points) - 2, 0))
        part = (at - low)[:, None, None]
        high = np.minimum(low + 1, len(points) - 1)
        return np.asarray(points[low] * (1 - part) + points[high] * part)

    def _called(self, t: float, count: int) -> np.ndarray:
        """Return the places [m] that its function gives at a time [s], (points, 3)."""
        if t < 0.0 and not isinstance(self.points, PointTrajectory):
            return 2.0 * self._called(0.0, count) - self._called(-t, count)
        where = f"engraver {self.name!r} at t = {t:g} s"
        found = call(self.points, t, what="the function", where=where)  # type: ignore[arg-type]
        return check_numbers(found, (count, 3), what="the function", where=where)
