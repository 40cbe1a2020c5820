"""Whether the steps of a figure among matter are stable: its own stiffness, and that of what hangs on it.

A step of time-stepping takes the springs K and dampers D of a posture control, and the damping of joints, at its end;
what matter and other controls do, Kₑ and Dₑ, at its beginning. As for networks (`matter.stability.criterion`) a motion
grows from step to step, in alternating directions, if and only if the largest eigenvalue λ of

    (M + Te D/2 + Te² K/4)⁻¹ (Te² Kₑ + 2 Te Dₑ)

is above 4 (4 M − Te² Kₑ − … is indefinite at the root −1). Kₑ is that of links along their directions at the start,
with their other ends held: if it is above 4 the figure diverges with matter that moves, too, since λ of both together
is that of neither below. It is not above the sum of both.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.coupled.parts import Joined, SegmentSolid
from motiform.motion.stepping.equations import ContactEquations
from motiform.motion.tree import FigureState, advance, forward_kinematics, inertia_matrix, joint_axes
from motiform.motion.tree.algorithms.closures import not_invertible
from motiform.motion.tree.model.joint import Array

__all__ = ["FigureStability", "assess_figure"]

_LIMIT = 4.0
_DELTA = 1e-6  # [rad, m] over which the stiffness of controls is taken
Terms = dict[str, tuple[Array, Array]]
"""Stiffness and damping (nv, nv) by what they are of."""


@dataclass(frozen=True, eq=False)
class FigureStability:
    """The stability of a figure's steps; ``check`` raises an error where they diverge."""

    step: float
    """[s]"""
    largest: float
    """λ at the start; above 4 the run diverges."""
    source: str
    """What has the largest part in it."""
    coordinate: str
    """Where it moves the figure most."""
    largest_step: float
    """Below which it would be stable at the start [s]."""
    presses: dict[str, float] = field(default_factory=dict)
    """By solid of a segment: how many points may press on it at once."""

    @property
    def stable(self) -> bool:
        """Whether nothing grows at the start, nor under the first point that presses on a solid."""
        return self.largest <= _LIMIT and all(count >= 1 for count in self.presses.values())

    def check(self) -> None:
        """Raise an error where the steps diverge."""
        if self.stable:
            return
        name, step = self.source, self.largest_step
        if self.largest <= _LIMIT:
            name, count = min(self.presses.items(), key=lambda item: item[1])
            name, step = f"solid {name!r}", self.step * np.sqrt(count)
        raised = f"Raise the network's frequency to {1 / step:.6g} Hz or more, or l" if step > 0 else "L"
        remedy = f"{raised}ower the stiffness or damping."
        if name == "controls":
            remedy += " The gains of a PostureControl may be of any size."
        raise InputError(
            "the figure would diverge", where=f"{name}, coordinate {self.coordinate!r}",
            got=f"step {self.step:.6g} s, λ = {self.largest:.4g}", allowed="λ up to 4", remedy=remedy,
        )  # fmt: skip

    def notes(self, points: dict[str, int]) -> list[str]:
        """Return what a user should know, from the number of points that may meet each solid."""
        return [
            f"solid {name!r}: more than {int(count)} of its {points[name]} points that press at once make the figure "
            "diverge; raise the network's frequency or lower the stiffness of the law"
            for name, count in self.presses.items()
            if count < points[name]
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers for a recording's manifest."""
        return {"largest": self.largest, "source": self.source, "largest_step": self.largest_step, **self.presses}


def assess_figure(
    joined: Joined | None, system: ContactEquations, y: Array, rate: float, solids: Sequence[SegmentSolid] = ()
) -> FigureStability:
    """Return the stability of a figure at a flat state, stepped `rate` times a second [Hz].

    Without `joined` it does not feel matter.
    """
    figure, state = system.figure, system.split(y)
    M, frames, axes = inertia_matrix(figure, state.q), forward_kinematics(figure, state.q), joint_axes(figure, state.q)
    gains, terms = _controls(system, state)
    damping = np.zeros(figure.nv)
    for n, segment in enumerate(figure.segments):
        damping[figure.layout.v[n]] = segment.damping
    gains = gains[0], gains[1] + np.diag(damping)
    moves = _Moves(figure.carried, axes, frames)
    terms |= {} if joined is None else _links(joined, moves)
    try:
        worst, vector = _largest(M, gains, terms, 1 / rate)
        longest = _longest(M, gains, terms, 1 / rate)
    except np.linalg.LinAlgError:
        raise not_invertible(figure) from None
    shares = {name: float(vector @ ((K / rate + 2 * D) @ vector)) for name, (K, D) in terms.items()}
    presses = {one.name: _LIMIT / _pressed(one, moves, M, gains, figure.index(one.segment), rate) for one in solids}
    return FigureStability(
        1 / rate, worst, max(shares, key=lambda name: shares[name], default=""),
        figure.coordinates[int(np.argmax(np.abs(vector)))], longest, presses,
    )  # fmt: skip


def _longest(M: Array, gains: tuple[Array, Array], terms: Terms, h: float) -> float:
    """Return the longest step up to h at which nothing grows [s]."""
    low, high = 0.0, h
    for _ in range(0 if _largest(M, gains, terms, h)[0] <= _LIMIT else 40):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if _largest(M, gains, terms, middle)[0] > _LIMIT else (middle, high)
    return low or h


def _pressed(
    one: SegmentSolid, moves: "_Moves", M: Array, gains: tuple[Array, Array], n: int, rate: float
) -> float:  # fmt: skip
    """Return λ of one point that presses on a solid in its middle."""
    k, z = (float(np.max(value)) for value in one.law.strongest())
    k = max(k, 0.0 if one.friction is None else float(one.friction.stiffness))
    at = moves.frames[0][n] @ one.placement.translation + moves.frames[1][n]
    J = moves.at(np.array([n]), at[None])[0]
    return max(_largest(M, gains, {"": (k * J.T @ J, z * J.T @ J)}, 1 / rate)[0], 1e-300)


@dataclass(frozen=True)
class _Moves:
    """How velocities of a figure move places on its segments."""

    carried: Array
    axes: Array
    frames: Any

    def at(self, segments: np.ndarray, places: Array) -> Array:
        """Return the Jacobians of places in the world, (places, 3, nv)."""
        turn, slide = self.axes[:, :3], self.axes[:, 3:]
        every = slide[None] + np.cross(turn[None], places[:, None])
        found: Array = (every * self.carried[segments][..., None]).transpose(0, 2, 1)
        return found


def _largest(M: Array, gains: tuple[Array, Array], terms: Terms, h: float) -> tuple[float, Array]:
    """Return λ and its motion, (nv,)."""
    from scipy.linalg import eigh

    acts = sum((h * h * K + 2 * h * D for K, D in terms.values()), np.zeros_like(M))
    values, vectors = eigh(0.5 * (acts + acts.T), M + 0.5 * h * gains[1] + 0.25 * h * h * gains[0])
    return float(values[-1]), vectors[:, -1]


def _controls(system: ContactEquations, state: FigureState) -> tuple[tuple[Array, Array], Terms]:
    """Return the gains that are taken at the end of steps, and what controls do besides."""
    figure, controls, nv = system.figure, system.controls, system.nv
    own = [np.diag(controls.stiffness), np.diag(controls.damping)]
    if not controls:
        return (own[0], own[1]), {}

    def force(q: Array, v: Array) -> Array:
        return controls.forces(0.0, FigureState(q, v.copy(), state.z.copy()))

    eye = _DELTA * np.eye(nv)
    here = force(state.q.copy(), state.v)
    K = -np.array([force(advance(figure, state.q, row, 1.0), state.v) - here for row in eye]).T / _DELTA
    D = -np.array([force(state.q.copy(), state.v + row) - here for row in eye]).T / _DELTA
    return (own[0], own[1]), {"controls": (K - own[0], D - own[1])}


def _links(joined: Joined, moves: _Moves) -> Terms:
    """Return stiffness and damping of links to points that segments carry, by name."""
    network = joined.network
    place = network.initial_state().position
    segment = np.full(network.count, -1)
    segment[joined.points] = joined.point_segments
    found: Terms = {}
    for bundle in network.bundles:
        a, b = bundle.pairs.T
        held = (segment[a] >= 0) | (segment[b] >= 0)
        if not held.any():
            continue
        a, b = a[held], b[held]
        line = place[b] - place[a]
        length = np.linalg.norm(line, axis=1, keepdims=True)
        line = np.eye(3)[bundle.axis] if bundle.axis >= 0 else line / np.where(length > 0, length, 1.0)
        J = np.zeros((len(a), 3, moves.axes.shape[0]))
        for ends, sign, acted in ((a, 1.0, "first"), (b, -1.0, "second")):
            on = (segment[ends] >= 0) & (bundle.acts in ("both", acted))
            J[on] += sign * moves.at(segment[ends[on]], place[ends[on]])
        rows = np.einsum("li,lin->ln", np.broadcast_to(line, (len(a), 3)), J)
        numbers = (np.broadcast_to(np.asarray(x, float), bundle.count)[held] for x in bundle.law.strongest())
        found[f"links {bundle.name!r}"] = tuple(rows.T @ (np.maximum(x, 0.0)[:, None] * rows) for x in numbers)
    return found
