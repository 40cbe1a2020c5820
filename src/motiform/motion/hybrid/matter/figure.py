"""Steps of a figure coupled with matter: at the network's frequency, or along a prescribed motion.

A step is that of the masses, V₊ = V + Te a, X₊ = X + Te V₊: joints take the accelerations of this instant, then move
at the new velocities. A tree on a free joint keeps its momentum besides: its linear and angular momentum change by the
impulses of the forces on it and nothing else, and its centre of mass moves by them, to rounding.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from motiform.base.errors import InputError, RunError
from motiform.motion.run.functions import call
from motiform.motion.tree import (
    Figure,
    FigureState,
    Poses,
    advance,
    close_loops,
    configuration_rate,
    forward_dynamics,
    joint_axes,
    poses,
    repair,
)
from motiform.motion.tree.algorithms.single import entries
from motiform.motion.tree.equations import FigureEquations
from motiform.motion.tree.joints import AxesJoint, FreeJoint, SphericalJoint
from motiform.motion.tree.model.joint import Array
from motiform.record import Recording

__all__ = ["DrivenFigure", "MovedFigure", "SteppedFigure", "given_motion"]

Given = Callable[[float], tuple[Array, Array]]
"""given(t) gives configuration and velocities of a figure, (nq,) and (nv,)."""


_SMOOTH = AxesJoint, SphericalJoint, FreeJoint  # their coordinates change by a rate that does not bend within a step
_HUGE = 1e9  # [m, rad] nothing that is simulated goes so far in a step: the run has diverged


class MovedFigure:
    """A figure at a sample and at the one before it."""

    q: Array
    v: Array
    q_before: Array

    def __init__(self, figure: Figure, rate: float) -> None:
        self.figure, self.rate = figure, rate

    def step(self, sample: int, wrenches: Array) -> None:
        """Advance by a sample under wrenches on the segments, (segments, 6), as `forward_dynamics` has them."""
        raise NotImplementedError

    def state(self) -> FigureState:
        """Return configuration and velocities."""
        return FigureState(self.q.copy(), self.v.copy())

    def checkpoint(self) -> dict[str, Any]:
        """Return all that the next steps depend on."""
        return {"q": self.q.copy(), "v": self.v.copy(), "q_before": self.q_before.copy()}

    def restore(self, kept: dict[str, Any]) -> None:
        """Continue from a checkpoint."""
        self.q, self.v, self.q_before = (np.array(kept[key], float) for key in ("q", "v", "q_before"))


class SteppedFigure(MovedFigure):
    """A figure that moves by its own dynamics."""

    def __init__(self, system: FigureEquations, rate: float) -> None:
        super().__init__(system.figure, rate)
        figure = self.figure
        self.system = system
        self.q, self.v = system.state.q.copy(), system.state.v.copy()
        self.q_before = advance(figure, self.q, self.v, -1.0 / rate)
        self._trees = _free_trees(figure)
        self._numbers = (
            np.array([segment.mass for segment in figure.segments]),
            np.array([segment.com for segment in figure.segments], float),
            np.array([segment.inertia for segment in figure.segments], float),
        )
        self._simple = figure.single is not None
        self._smooth = self._simple and all(isinstance(s.joint, _SMOOTH) for s in figure.segments)
        self._rates = np.empty(figure.nq + figure.nv)

    def step(self, sample: int, wrenches: Array) -> None:
        """Take the accelerations of this sample, then move at the new velocities."""
        h, t = 1.0 / self.rate, sample / self.rate
        state = self.state()
        tau = self.system.forces(t, state)
        loads = self.system.wrenches(t, state)
        total = wrenches if loads is None else wrenches + loads
        frames = poses(self.figure, self.q)
        v = self.v + h * self._acceleration(tau, total, frames)
        if not (np.abs(v) * h < _HUGE).all():
            raise RunError(
                "the run has diverged", where=f"t = {t + h:.6g} s", got="the figure's velocities are no longer finite",
                remedy="Lower the stiffness of the laws between it and matter, or raise the network's frequency.",
            )  # fmt: skip
        q = self._moved(v)
        if self._trees:
            self._keep_momentum(q, v, tau, total, frames)
        if self.figure.closures:
            q, v = close_loops(self.figure, q, v)
        self.q_before, self.q, self.v = self.q, q, v

    def _acceleration(self, tau: Array, wrenches: Array, frames: Poses) -> Array:
        figure = self.figure
        if not self._simple:
            return forward_dynamics(figure, self.q, self.v, tau, external=wrenches)
        # Wrenches as forces of the joints: one compiled call for one state.
        moments = wrenches[:, :3] + _cross(frames.position, wrenches[:, 3:])
        on_joints = figure.carried.T @ np.concatenate([moments, wrenches[:, 3:]], axis=1)
        axes = joint_axes(figure, self.q)
        return forward_dynamics(figure, self.q, self.v, tau + (axes * on_joints).sum(1))

    def _moved(self, v: Array) -> Array:
        """Return the configuration after a step at these velocities."""
        figure, h = self.figure, 1.0 / self.rate
        if not self._smooth:
            return repair(figure, advance(figure, self.q, v, h))
        single = figure.single  # quaternions along their rate, made unit again: third order in the turn of a step
        assert single is not None
        entries.rate(single.ints, single.floats, single.work, np.concatenate([self.q, v]), single.zeros, self._rates)
        q: Array = self.q + h * self._rates[: figure.nq]
        entries.repair(single.ints, single.floats, q)
        return q

    def _keep_momentum(self, q: Array, v: Array, tau: Array, wrenches: Array, old: Poses) -> None:
        """Give the new state, in place, the momentum and the place of free trees that the forces of the step make."""
        figure, h, g = self.figure, 1.0 / self.rate, np.array(self.figure.gravity)
        new = poses(figure, q)
        was, now = self._twists(self.q, self.v), self._twists(q, v)
        for root, tree in self._trees:
            places, speeds = figure.layout.q[root][:3], figure.layout.v[root]
            c0, p0, spin0, _ = self._whole(tree, old, was)
            c1, p1, spin1, inertia = self._whole(tree, new, now)
            own = tau[speeds] - figure.segments[root].damping * self.v[speeds]  # of the root's drive, in its axes
            pull = own.reshape(2, 3) @ old.rotation[root].T
            pushes = np.concatenate([wrenches[tree, 3:], pull[1:]])
            arms = np.concatenate([old.position[tree], old.position[root][None]]) - c0
            moment = wrenches[tree, :3].sum(0) + pull[0] + _cross(arms, pushes).sum(0)
            mass = self._numbers[0][tree].sum()
            p = p0 + h * (pushes.sum(0) + mass * g)
            turn = np.linalg.solve(inertia, spin0 + h * moment - spin1)
            shift = c0 + h * p / mass - c1
            q[places] += figure.segments[root].placement.rotation.T @ shift
            slide = (p - p1) / mass + _cross(turn, new.position[root] - c1)
            v[speeds] += (np.stack([turn, slide]) @ new.rotation[root]).ravel()

    def _twists(self, q: Array, v: Array) -> Array:
        """Return the twists of the segments about the world's origin, (segments, 6)."""
        found: Array = self.figure.carried @ (joint_axes(self.figure, q) * v[:, None])
        return found

    def _whole(self, tree: Array, frames: Poses, twists: Array) -> tuple[Array, Array, Array, Array]:
        """Return centre, momentum, spin about the centre and inertia about it of the segments of a tree."""
        from motiform.motion.hybrid.matter.kernels import tree_sums

        out = np.empty(18)
        tree_sums(tree, frames.rotation, frames.position, twists, *self._numbers, out)
        return out[:3], out[3:6], out[6:9], out[9:].reshape(3, 3)


def _cross(a: Array, b: Array) -> Array:
    """Return a × b, (..., 3), with less ado than numpy's."""
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    u, v, w = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)


class DrivenFigure(MovedFigure):
    """A figure on a motion that is given: matter does nothing to it."""

    def __init__(self, figure: Figure, given: Given, rate: float) -> None:
        super().__init__(figure, rate)
        self.given = given
        self.q_before, _ = given(-1.0 / rate)
        self.q, self.v = given(0.0)

    def step(self, sample: int, wrenches: Array) -> None:
        """Go where the motion is at the next sample."""
        self.q_before = self.q
        self.q, self.v = self.given((sample + 1) / self.rate)


def _free_trees(figure: Figure) -> list[tuple[int, Array]]:
    """Return the roots on free joints and the segments that hang on each, where nothing else holds them."""
    if figure.closures or figure.coupled is not None:
        return []
    root_of: list[int] = []
    for n in range(len(figure.segments)):
        parent = figure.parent_index(n)
        root_of.append(n if parent < 0 else root_of[parent])
    found = []
    for root in sorted(set(root_of)):
        segment, tree = figure.segments[root], np.flatnonzero(np.array(root_of) == root)
        alone = isinstance(segment.joint, FreeJoint) and not np.any(segment.armature)
        if alone and sum(figure.segments[n].mass for n in tree) > 0:
            found.append((root, tree))
    return found


# ---- motions that are given ------------------------------------------------------------------------------------------


def given_motion(figure: Figure, what: Any) -> Given:
    """Return a motion as a function of time, from a recording of the figure or a function that gives q, or (q, v)."""
    if isinstance(what, Recording):
        return _played(figure, what)
    if not callable(what):
        allowed = "a Recording with q and v, or a function of time"
        raise InputError(
            "the motion of a figure must be a recording or a function", got=type(what).__name__, allowed=allowed
        )
    return lambda t: _asked(figure, what, t)


def _played(figure: Figure, recording: Recording) -> Given:
    """Return the motion of a recording: exactly its samples at their instants, cubics between, rest after the end."""
    from scipy.interpolate import CubicHermiteSpline

    for name, size in (("q", figure.nq), ("v", figure.nv)):
        if name not in recording or recording.channel(name).shape != (size,):
            got = recording.channel(name).shape if name in recording else "none"
            raise InputError(f"the recording's {name} does not fit", where=repr(figure), got=got, allowed=f"({size},)")
    times, q, v = recording.time("q"), recording["q"], recording["v"]
    if len(times) < 2:
        raise InputError("the recording is too short to follow", got=f"{len(times)} samples", allowed="2 or more")
    path = CubicHermiteSpline(times, q, configuration_rate(figure, q, v))
    near = 1e-6 * float(np.diff(times).min())

    def given(t: float) -> tuple[Array, Array]:
        n = int(np.clip(np.searchsorted(times, t - near), 0, len(times) - 1))
        if abs(times[n] - t) <= near:
            return q[n].copy(), v[n].copy()
        if t > times[-1]:
            return q[-1].copy(), np.zeros(figure.nv)
        if t < times[0]:
            return advance(figure, q[0], v[0], t - float(times[0])), v[0].copy()
        part = (t - times[n - 1]) / (times[n] - times[n - 1])
        return repair(figure, path(t)), (1 - part) * v[n - 1] + part * v[n]

    return given


_SHORT = 1e-5  # [s] over which the rate of a function of time is taken, forth and back


def _asked(figure: Figure, function: Callable[[float], Any], t: float) -> tuple[Array, Array]:
    """Return configuration and velocities that a function gives; velocities from the change of q where it does not."""
    found = _call(figure, function, t)
    if isinstance(found, tuple):
        return found
    ends = [_call(figure, function, t + s * _SHORT) for s in (1, -1)]
    rate = (ends[0] - ends[1]) / (2 * _SHORT)  # type: ignore[operator]
    columns = configuration_rate(figure, np.tile(found, (figure.nv, 1)), np.eye(figure.nv)).T
    return found, np.linalg.lstsq(columns, rate, rcond=None)[0]


def _call(figure: Figure, function: Callable[[float], Any], t: float) -> Array | tuple[Array, Array]:
    where = f"{getattr(function, '__name__', 'motion')}, t = {t:.6g} s"
    answer = call(function, t, what="a motion", where=where)
    pair = isinstance(answer, tuple) and len(answer) == 2 and np.ndim(answer[0]) == 1
    try:
        arrays = [np.array(part, float) for part in (answer if pair else (answer,))]
    except (TypeError, ValueError):
        arrays = []
    sizes = [(figure.nq,), (figure.nv,)][: len(arrays)]
    if not arrays or [array.shape for array in arrays] != sizes:
        allowed = f"q ({figure.nq},), or a pair of it and v ({figure.nv},)"
        raise InputError("a motion returned a wrong value", where=where, got=repr(answer)[:80], allowed=allowed)
    if not all(np.isfinite(array).all() for array in arrays):
        raise RunError("a motion returned numbers that are not finite", where=where)
    return (arrays[0], arrays[1]) if pair else arrays[0]
