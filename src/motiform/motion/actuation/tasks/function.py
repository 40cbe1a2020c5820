"""Task functions: tasks one above the other, their Jacobian and velocity-product terms, and their inverse by Newton."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.actuation.tasks.kinds import Task
from motiform.motion.actuation.tasks.layouts import SegmentMotion, TaskModel, TaskRows
from motiform.motion.run import check_number
from motiform.motion.tree import Figure, advance, joint_axes, motion
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import ready
from motiform.spatial.checks import as_floats

__all__ = ["TaskFunction", "TaskInverse", "TaskValues", "prioritized"]

_RANK = 1e-9  # of the largest singular value: directions below it are not moved by a task
_LONGEST = 0.3  # [rad or m] of a step of Newton's method


class TaskValues(NamedTuple):
    """A task function at a state: Q, dQ/dt = H v, d²Q/dt² = H a + h  [HuMAnS 8.1, 8.2]."""

    value: Array
    """Q, (n,)"""
    jacobian: Array
    """H, (n, nv)"""
    rate: Array
    """H v, (n,)"""
    bias: Array
    """h, (n,)"""


class TaskInverse(NamedTuple):
    """A posture that fulfils a task function, and by how much it fails."""

    q: Array
    """(nq,)"""
    error: Array
    """Target − Q(q), (n,)."""
    errors: dict[str, float]
    """Largest error of each task by the name of its first number."""
    steps: int
    settled: bool
    """Whether the last step was below the tolerance; with an error that is left the target is out of reach."""


@dataclass(frozen=True, eq=False)
class TaskFunction:
    """Tasks of a figure, as one vector in their order."""

    figure: Figure
    tasks: Sequence[Task]

    def __post_init__(self) -> None:
        object.__setattr__(self, "tasks", tuple(self.tasks))
        if not self.tasks or not all(isinstance(task, Task) for task in self.tasks):
            raise InputError("a task function must have tasks", got=repr(self.tasks)[:80], allowed="one task or more")
        for task in self.tasks:
            task.check(self.figure)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Names of the numbers of Q."""
        return tuple(label for task in self.tasks for label in task.labels(self.figure))

    @property
    def size(self) -> int:
        """n, of Q."""
        return len(self.labels)

    @cached_property
    def parts(self) -> tuple[slice, ...]:
        """Where the numbers of each task are in Q."""
        ends = np.cumsum([len(task.labels(self.figure)) for task in self.tasks])
        return tuple(
            slice(int(b) - len(task.labels(self.figure)), int(b)) for task, b in zip(self.tasks, ends, strict=True)
        )

    @cached_property
    def levels(self) -> tuple[np.ndarray, ...]:
        """Numbers of Q by priority, the first to be done first."""
        own: dict[int, list[int]] = {}
        for task, part in zip(self.tasks, self.parts, strict=True):
            own.setdefault(task.priority, []).extend(range(part.start, part.stop))  # type: ignore[attr-defined]
        return tuple(np.array(own[priority]) for priority in sorted(own))

    def at(self, q: ArrayLike, v: ArrayLike | None = None) -> TaskValues:
        """Return value, Jacobian, rate and velocity-product terms at a state."""
        figure = self.figure
        qs = as_floats(q, where="q of a task function")
        vs = np.zeros(figure.nv) if v is None else as_floats(v, where="v of a task function")
        return self._rows(ready(qs, figure.nq, "q of a task function"), ready(vs, figure.nv, "v of a task function"))

    def _rows(self, q: Array, v: Array) -> TaskValues:
        codes, turns, tree, body, kernel = self._packed
        coupled, a = self.figure.coupled, None
        free = q
        if coupled is not None:
            q, v, a = coupled.expand_motion(q, v, np.zeros(self.figure.nv))
        poses, twists, accelerations = motion(tree, q, v, a)
        placed = np.concatenate([poses.rotation.reshape(-1, 9), poses.position], axis=1)
        n, nv = self.size, tree.nv
        out = TaskRows(np.empty(n), np.empty((n, nv)), np.empty(n), np.empty(n))
        kernel(codes, turns, body, SegmentMotion(placed, twists, accelerations, joint_axes(tree, q), q, v), out)
        J = out.jacobian if coupled is None else out.jacobian @ coupled.matrix(free)
        return TaskValues(out.value, J, out.rate, out.bias)

    @cached_property
    def _packed(self) -> tuple[Any, Array, Figure, TaskModel, Any]:
        """Tasks as integers and turns, the tree without couplings and closures, what they read of it, the kernel."""
        from motiform.motion.actuation.tasks.kernels import task_rows

        figure = self.figure
        codes = [(task, code) for task in self.tasks for code in task.codes(figure)]
        tree = figure.replace(couplings=(), closures=()) if figure.couplings or figure.closures else figure
        mass = np.array([segment.mass for segment in figure.segments])
        body = TaskModel(
            np.ascontiguousarray(figure.packed.tags),
            np.ascontiguousarray(figure.packed.tag_points),
            np.array([segment.com for segment in figure.segments]),
            mass / mass.sum() if mass.sum() > 0 else mass,
            figure.carried,
        )
        turns = np.array([task.neutral(figure).ravel() for task, _ in codes])
        return np.array([code for _, code in codes], np.int64), turns, tree, body, task_rows.function

    def __call__(self, q: ArrayLike) -> Array:
        """Return Q(q), (n,)."""
        return self.at(q).value

    def inverse(
        self, target: ArrayLike, q0: ArrayLike | None = None, *, tolerance: float = 1e-10, most: int = 100
    ) -> TaskInverse:
        """Return the posture with Q(q) = target near q0, by Newton's method with priorities and shortened steps.

        Where the target is out of reach, tasks of the first priority come as near as they can, then the next. Steps
        are at most 0.3 rad or m; near singular postures they are damped in proportion to the error.
        """
        goal = as_floats(target, where="target of a task function")
        if goal.shape != (self.size,):
            raise InputError(
                "a target must have all numbers of Q", got=f"shape {goal.shape}", allowed=f"({self.size},)"
            )
        check_number(tolerance, "tolerance", "inverse of a task function", above=0.0)
        q = self.figure.neutral() if q0 is None else as_floats(q0, where="q0").copy()
        step, taken, settled = np.inf, 0, False
        while taken < most and not settled:
            found = self.at(q)
            error = goal - found.value
            damping = 1e-2 * float(np.linalg.norm(error))
            change = prioritized([(found.jacobian[own], error[own]) for own in self.levels], damping)
            step = float(np.abs(change).max(initial=0.0))
            q = advance(self.figure, q, change * min(1.0, _LONGEST / max(step, 1e-300)))
            taken, settled = taken + 1, step < tolerance
        error = goal - self(q)
        errors = {self.labels[part.start]: float(np.abs(error[part]).max()) for part in self.parts}
        return TaskInverse(q, error, errors, taken, settled)


def prioritized(levels: Sequence[tuple[Array, Array]], damping: float = 0.0) -> Array:
    """Return x with J x = b for each level (J, b) in turn, as well as it can be done without disturbing those before.

    x ← x + (J N)⁺ (b − J x), N ← N − (J N)⁺ J N  [Siciliano91]; ``damping`` d replaces 1/s of the pseudo-inverse by
    s/(s² + d²).
    """
    shapes = [(np.shape(J), np.shape(b)) for J, b in levels]
    if not shapes or any(len(J) != 2 or b != J[:1] or J[1] != shapes[0][0][1] for J, b in shapes):
        raise InputError(
            "levels must be pairs of a matrix (n, columns) and a vector (n,), with the same columns in all",
            where="levels of priorities", got=", ".join(f"{J} and {b}" for J, b in shapes) or "none",
        )  # fmt: skip
    x: Any = np.zeros(shapes[0][0][1])
    N = np.eye(len(x))
    for J, b in levels:
        U, s, Vt = np.linalg.svd(J @ N, full_matrices=False)
        kept = s > _RANK * max(float(s.max(initial=0.0)), 1.0)
        U, s, Vt = U[:, kept], s[kept], Vt[kept]
        x = x + Vt.T @ (s / (s**2 + damping**2) * (U.T @ (b - J @ x)))
        N = N - Vt.T @ Vt
    return np.asarray(x)
