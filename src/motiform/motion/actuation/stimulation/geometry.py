"""Lengths and moment arms of stimulated muscles."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.actuation.motors import velocity_places
from motiform.motion.actuation.muscles.paths.geometry import path_lines, path_state
from motiform.motion.actuation.muscles.paths.pack import path_actuator
from motiform.motion.actuation.muscles.paths.paths import Paths
from motiform.motion.run import check_number
from motiform.motion.tree import Figure, forward_kinematics, joint_axes
from motiform.motion.tree.model.actuation import PackedActuator
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import ready

__all__ = ["Geometry", "JoinedGeometry", "KneeGeometry", "PathArms"]

_ARC = 6  # corners of an arc that is drawn
_SHORT = 1e-9  # [m] no direction


class Geometry(Protocol):
    """Where muscles run."""

    @property
    def figure(self) -> Figure:
        """Whose coordinates they move."""
        ...

    @property
    def count(self) -> int:
        """Number of muscles."""
        ...

    def __call__(self, q: Array) -> tuple[Array, Array]:
        """Return lengths [m], (muscles,), and moment arms −dL/dq, (muscles, nv)."""
        ...

    def lines(self, q: Array) -> list[Array]:
        """Return the corners of each muscle in the world [m], (corners, 3), as many in every posture."""
        ...


@dataclass(frozen=True, eq=False)
class KneeGeometry:
    """Quadriceps and hamstrings at a knee with flexion φ  [HuMAnS 1.2, corrected].

    The quadriceps comes from a point L₀₀ above the knee, goes round it at a radius r and ends L_iq below it; the
    hamstrings go straight from L₀₀ above to L_ii below:

        L_quad = r φ + √(L₀₀² − r²) + √(L_iq² − r²) + r asin(r/L₀₀) + r asin(r/L_iq)
        L_ham = √(L₀₀² + L_ii² + 2 L₀₀ L_ii cos φ)

    The efforts follow from the lengths by virtual work, −F dL/dφ along the flexion: −r F_quad for the quadriceps and
    L₀₀ L_ii sin φ/L_ham F_ham for the hamstrings. The default sizes are those of an adult leg; they are not in the
    source.
    """

    figure: Figure
    coordinate: str
    sign: float = 1.0
    """1 where the coordinate grows with flexion, −1 where with extension."""
    radius: float = 0.04
    """r [m]"""
    above: float = 0.42
    """L₀₀ [m]"""
    quadriceps: float = 0.07
    """L_iq [m]"""
    hamstrings: float = 0.05
    """L_ii [m]"""

    def __post_init__(self) -> None:
        where = f"knee geometry of {self.coordinate!r}"
        for name in ("radius", "above", "quadriceps", "hamstrings"):
            check_number(getattr(self, name), name, where, above=0.0)
        if not self.radius < min(self.above, self.quadriceps):
            raise InputError(
                "the radius must be below the distances of origin and insertion",
                where=where,
                got=self.radius,
                allowed=f"below {min(self.above, self.quadriceps):g} m",
            )
        if self.sign not in (1.0, -1.0):
            raise InputError("sign must be 1 or −1", where=where, got=self.sign)
        self.places  # noqa: B018, refuses a coordinate that is not there

    @cached_property
    def places(self) -> tuple[int, int]:
        """Of the coordinate, in q and in v."""
        v = velocity_places(self.figure, [self.coordinate], "knee geometry")
        return int(self.figure.places(self.coordinate, "q")[0]), int(v[0])

    @property
    def count(self) -> int:
        """Two: quadriceps, hamstrings."""
        return 2

    def __call__(self, q: Array) -> tuple[Array, Array]:
        """Return lengths [m] of quadriceps and hamstrings, and their moment arms −dL/dq, (2, nv)."""
        lengths, arms = np.empty(2), np.empty((2, self.figure.nv))
        law, numbers = self._kernel
        law(numbers, *self.places, ready(q, self.figure.nq, "q"), lengths, arms)
        return lengths, arms

    @cached_property
    def _kernel(self) -> tuple[Any, Array]:
        """The compiled function, and its numbers."""
        from motiform.motion.actuation.stimulation.kernels import knee_muscles

        return knee_muscles.function, np.array(
            [self.sign, self.radius, self.above, self.hamstrings, self._straight], float
        )

    @cached_property
    def _straight(self) -> float:
        """Length of the quadriceps at the straight knee [m]."""
        ends, r = (self.above, self.quadriceps), self.radius
        return sum(math.sqrt(end * end - r * r) + r * math.asin(r / end) for end in ends)

    @property
    def packed(self) -> PackedActuator | None:
        """Places and numbers as compiled steps take them."""
        from motiform.motion.actuation.stimulation.kernels import knees

        return PackedActuator(knees, np.array(self.places, np.int64), self._kernel[1], np.zeros(0))

    def lines(self, q: Array) -> list[Array]:
        """Return the corners of quadriceps, with its arc, and hamstrings in the world [m], (corners, 3) each."""
        at_q, at_v = self.places
        phi, r, a, b, c = self.sign * float(q[at_q]), self.radius, self.above, self.quadriceps, self.hamstrings
        knee, up, front = self._plane(q, at_v)
        turn = np.linspace(np.arccos(r / a), np.pi + phi - np.arccos(r / b), _ARC)
        place = np.column_stack([np.cos([0.0, *turn, np.pi + phi]), np.sin([0.0, *turn, np.pi + phi])])
        place *= np.array([a, *np.full(_ARC, r), b])[:, None]
        straight = np.array([(a, 0.0), (c * np.cos(np.pi + phi), c * np.sin(np.pi + phi))])
        return [knee + flat @ np.stack([up, front]) for flat in (place, straight)]

    def _plane(self, q: Array, at_v: int) -> tuple[Array, Array, Array]:
        """Return the knee [m], and unit vectors along the thigh upwards and to its front, in the world."""
        from scipy.spatial.transform import Rotation

        figure = self.figure
        named = figure.layout.names.index(self.coordinate)
        shank = next(n for n, own in enumerate(figure.layout.v) if named in own)
        R, p = forward_kinematics(figure, q)
        thigh = figure.parent_index(shank)
        axis = joint_axes(figure, q)[at_v, :3]
        up = p[thigh] - p[shank] if thigh >= 0 else np.zeros(3)
        if np.linalg.norm(np.cross(axis, up)) < _SHORT:  # the thigh begins at the knee: along the straight shank
            back = Rotation.from_rotvec(-q[self.places[0]] * axis)
            up = -back.apply(R[shank] @ np.asarray(figure.segments[shank].com))
        up = up - axis * (axis @ up)
        if not np.linalg.norm(up) > _SHORT:
            up = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
        up = up / np.linalg.norm(up)
        return p[shank], up, self.sign * np.cross(axis, up)


@dataclass(frozen=True, eq=False)
class JoinedGeometry:
    """Muscles of several places of one figure, such as both knees."""

    parts: Sequence[Geometry]

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(self.parts))
        if not self.parts or any(part.figure is not self.parts[0].figure for part in self.parts):
            raise InputError("muscles must be of one figure", where="joined geometry", got=f"{len(self.parts)} parts")

    @property
    def figure(self) -> Figure:
        """That of the parts."""
        return self.parts[0].figure

    @property
    def count(self) -> int:
        """Of all parts."""
        return sum(part.count for part in self.parts)

    def __call__(self, q: Array) -> tuple[Array, Array]:
        """Return lengths [m], (muscles,), and moment arms, (muscles, nv)."""
        lengths, arms = zip(*(part(q) for part in self.parts), strict=True)
        return np.concatenate(lengths), np.concatenate(arms)

    @property
    def packed(self) -> PackedActuator | None:
        """Those of all knees as compiled steps take them; None where something else is among them."""
        if not all(isinstance(part, KneeGeometry) for part in self.parts):
            return None
        own = [part.packed for part in self.parts if isinstance(part, KneeGeometry)]
        packed = [one for one in own if one is not None]
        ints, floats = np.concatenate([one.ints for one in packed]), np.concatenate([one.floats for one in packed])
        return packed[0]._replace(ints=ints, floats=floats)

    def lines(self, q: Array) -> list[Array]:
        """Return the corners of each muscle [m]."""
        return [line for part in self.parts for line in part.lines(q)]


@dataclass(frozen=True, eq=False)
class PathArms:
    """Muscle paths over segments and surfaces as the geometry of stimulated muscles."""

    paths: Paths

    @property
    def figure(self) -> Figure:
        """That of the paths."""
        return self.paths.figure

    @property
    def count(self) -> int:
        """Number of paths."""
        return len(self.paths.paths)

    def __call__(self, q: Array) -> tuple[Array, Array]:
        """Return lengths [m], (paths,), and moment arms −dL/dq, (paths, nv)."""
        return path_state(self.paths, q)[:2]

    @property
    def packed(self) -> PackedActuator | None:
        """The paths as compiled steps take them; None where Python must help."""
        return path_actuator(self.paths)

    def lines(self, q: Array) -> list[Array]:
        """Return the corners of each path [m]."""
        return path_lines(self.paths, q)
