"""Points of a network under construction, and how they are named: handles, groups, indices, pairs."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.geometry.checks import LEAST, MOST
from motiform.motion.matter.model.checks import AXIS, read_rotation, read_signal
from motiform.motion.matter.model.handles import LinkEnd, Points
from motiform.motion.matter.model.network import Group, Signal, check_array
from motiform.motion.matter.model.topology import GridLinks
from motiform.motion.run.functions import call

__all__ = ["PointsBuilder"]

_AXES = {"x": 1, "y": 2, "z": 4}


class PointsBuilder:
    """Collects the points of a network."""

    def __init__(self, frequency: float) -> None:
        self.frequency = frequency
        self._groups: list[Group] = []
        self._names: set[str] = set()

    def masses(
        self, name: str, position: ArrayLike, mass: ArrayLike, *, velocity: ArrayLike = 0.0, axes: str = "xyz",
        held: ArrayLike = (), drag: ArrayLike = 0.0, radius: ArrayLike = 0.0, inertia: ArrayLike | str | None = None,
        angular_velocity: ArrayLike = 0.0, color: tuple[float, float, float] = (0.62, 0.68, 0.76),
    ) -> Points:  # fmt: skip
        """Add moving masses; `axes` are the directions of motion ("y" alone: only vertical).

        Those whose numbers are `held` stay where they are: the pins of a cloth, the foot of a block. Balls with an
        `inertia` rotate, friction acting at their surfaces: moments about a diameter [kg m²], or "ball" (2/5 m r²),
        "shell" (2/3), "disc" (1/2), "hoop" (1); `angular_velocity` [rad/s] at the start, world axes.
        """
        where = f"masses {name!r}"
        if not axes or any(axis not in _AXES for axis in axes) or len(set(axes)) != len(axes):
            raise InputError(
                "axes must name each axis once at most", where=where, got=axes, allowed="letters of 'xyz', each once"
            )
        place = self._places(position, where)
        kilograms = check_array(mass, "mass", where, (len(place),))
        wrong = ~((kilograms >= LEAST) & (kilograms <= MOST))
        if wrong.any():
            n = int(np.argmax(wrong))
            raise InputError(
                "a mass must be above 0", where=where, got=f"{kilograms[n]} kg at [{n}]",
                allowed=f"above 0 kg, from {LEAST:g} to {MOST:g} kg",
                remedy="Give a point without mass as fixed or imposed.",
            )  # fmt: skip
        free = np.full(len(place), sum(_AXES[axis] for axis in axes), np.uint8)
        speed = check_array(velocity, "velocity", where, place.shape)
        stuck = [k for axis, k in AXIS.items() if axis not in axes]
        if speed[:, stuck].any():
            raise InputError("velocity must be along the axes of motion", where=where, allowed=f"along {axes}")
        stay = self._held(held, len(place), where)
        if speed[stay].any():
            raise InputError("masses held must have no velocity", where=where)
        rotation = read_rotation(inertia, angular_velocity, kilograms, radius, where)
        kilograms, free = kilograms.copy(), free.copy()
        kilograms[stay], free[stay] = np.inf, 0
        found = self._group(name, "masses", place, speed, kilograms, free, drag, radius, color, None)
        self._groups[-1] = replace(self._groups[-1], **rotation)
        return found

    def _held(self, held: ArrayLike, count: int, where: str) -> np.ndarray:
        found = np.asarray(held)
        if not found.size:
            return np.zeros(0, int)
        numbers = np.flatnonzero(found) if found.dtype == bool else found
        if numbers.dtype.kind not in "iu" or numbers.min() < -count or numbers.max() >= count:
            raise InputError(
                "held must be indices of masses", where=where, got=str(held)[:60], allowed=f"numbers up to {count - 1}"
            )
        return numbers % count

    def fixed(
        self, name: str, position: ArrayLike, *, radius: ArrayLike = 0.0,
        color: tuple[float, float, float] = (0.4, 0.4, 0.42),
    ) -> Points:  # fmt: skip
        """Add points that stay where they are."""
        place = self._places(position, f"fixed points {name!r}")
        return self._group(name, "fixed", place, np.zeros_like(place), np.inf, 0, 0.0, radius, color, None)

    def imposed(
        self, name: str, motion: Any, *, rate: float | None = None, velocity: ArrayLike = 0.0, radius: ArrayLike = 0.0,
        color: tuple[float, float, float] = (0.85, 0.55, 0.3),
    ) -> Points:  # fmt: skip
        """Add points that are moved from outside.

        `motion` is a function of time [s] that gives (points, 3), or samples (samples, points, 3) at `rate` [Hz] such
        as a recording's channel. `velocity` is that before the start, which links with dampers feel in the first step.
        """
        where = f"imposed points {name!r}"
        signal = read_signal(motion, rate, where)
        start = signal.values[0] if not callable(motion) else call(motion, 0.0, what="a signal", where=where)
        place = self._places(start, where)
        speed = check_array(velocity, "velocity", where, place.shape)
        return self._group(name, "imposed", place, speed, np.inf, 0, 0.0, radius, color, signal)

    def _places(self, position: ArrayLike, where: str) -> np.ndarray:
        try:
            array = np.atleast_2d(np.asarray(position, float))
        except (TypeError, ValueError) as error:
            raise InputError(
                "position must be an array of points", where=where, got=str(position)[:60], allowed="(points, 3)"
            ) from error
        if array.ndim != 2 or array.shape[1] != 3 or not len(array):
            got = f"an array of shape {np.shape(position)}"
            raise InputError("position must be an array of points", where=where, got=got, allowed="(points, 3)")
        return check_array(array, "position", where, array.shape)

    def _group(
        self, name: str, kind: Any, place: np.ndarray, speed: np.ndarray, mass: Any, free: Any, drag: ArrayLike,
        radius: ArrayLike, color: Any, motion: Signal | None,
    ) -> Points:  # fmt: skip
        self.reserve(name)
        where, n = f"{kind} {name!r}", (len(place),)
        held, size = check_array(drag, "drag", where, n), check_array(radius, "radius", where, n)
        if (held < 0).any() or (size < 0).any():
            raise InputError("drag and radius must not be negative", where=where, allowed="0 or more")
        first = self.count
        masses = np.broadcast_to(np.asarray(mass, float), n)
        group = Group(
            name, kind, first, place, speed, masses, np.broadcast_to(np.asarray(free, np.uint8), n), held, size,
            tuple(color), motion,
        )  # fmt: skip
        self._groups.append(group)
        return Points(group.indices, self)

    @property
    def count(self) -> int:
        """Number of points so far."""
        return self._groups[-1].first + self._groups[-1].count if self._groups else 0

    def positions(self) -> np.ndarray:
        """Return where all points start [m], (points, 3)."""
        return np.concatenate([np.empty((0, 3)), *(group.position for group in self._groups)])

    def reserve(self, name: str) -> None:
        """Take a name, so that nothing else of the network gets it: of what is attached to it from outside."""
        if (
            not isinstance(name, str)
            or not name
            or not name.replace(".", "").replace("_", "").replace("-", "").isalnum()
        ):
            raise InputError("a name must be made of allowed characters", got=name, allowed="letters, digits, _ - .")
        if name in self._names:
            raise InputError("two things have one name", got=name, remedy="Choose another name.")
        self._names.add(name)

    def _points(self, points: Any, where: str) -> np.ndarray:
        """Return indices of M points: of a group by name, of `Points`, or as given."""
        if isinstance(points, LinkEnd):
            raise InputError("a link cannot be linked with a link", where=where, got=points.name,
                             remedy="Connect its end to a mass.")  # fmt: skip
        if isinstance(points, Points):
            if points.owner is not self:
                raise InputError(
                    "the points must belong to this network", where=where, remedy="Add that network as a module first."
                )
            return np.asarray(points.indices)
        if isinstance(points, str):
            found = next((g.indices for g in self._groups if g.name == points), None)
            return self._missing(points, where) if found is None else found
        found = np.atleast_1d(np.asarray(points))
        if found.dtype.kind not in "iu" or found.ndim != 1:
            raise InputError(
                "points must be a handle, a name or indices", where=where, got=points,
                allowed="Points, a group's name, or indices",
            )  # fmt: skip
        self._check_indices(found, where)
        return found.astype(np.int64)

    def _missing(self, name: str, where: str) -> np.ndarray:
        names = [group.name for group in self._groups]
        raise InputError(
            "a link must end at existing points", where=where, got=name, allowed=", ".join(names),
            remedy=closest(name, names),
        )  # fmt: skip

    def _check_indices(self, found: np.ndarray, where: str) -> None:
        if found.size and (found.min() < 0 or found.max() >= self.count):
            bad = int(found[(found < 0) | (found >= self.count)].ravel()[0])
            raise InputError(
                "a link must end at existing points", where=where, got=f"point {bad}", allowed=f"0 to {self.count - 1}"
            )

    def _pairs(self, pairs: Any, where: str) -> np.ndarray:
        if isinstance(pairs, GridLinks):
            found = pairs.pairs()
        elif isinstance(pairs, tuple) and len(pairs) == 2 and not isinstance(pairs[0], int | np.integer):
            a, b = self._points(pairs[0], where), self._points(pairs[1], where)
            if len(a) != len(b) and 1 not in (len(a), len(b)):
                raise InputError(
                    "both ends of links must have the same number of points", where=where,
                    got=f"{len(a)} and {len(b)} points", allowed="as many of each",
                )  # fmt: skip
            found = np.stack(np.broadcast_arrays(a, b), -1)
        else:
            found = np.asarray(pairs)
        if found.ndim != 2 or found.shape[-1] != 2 or (found.size and found.dtype.kind not in "iu"):
            raise InputError(
                "links must be pairs of points", where=where, got=f"shape {found.shape}",
                allowed="pairs of points (links, 2)",
            )  # fmt: skip
        self._check_indices(found, where)
        same = found[:, 0] == found[:, 1]
        if same.any():
            raise InputError(
                "the ends of a link must be different points", where=where, got=f"point {found[same][0, 0]}"
            )
        return found.astype(np.int64)
