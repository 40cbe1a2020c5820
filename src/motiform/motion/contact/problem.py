"""The contact problem of a figure at one state: its workspace, and the calls into compiled code."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from motiform.base.errors import RunError
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.layouts import ContactModel, contact_workspace, solver_workspace
from motiform.motion.contact.memory_checks import check_candidates, check_coordinates, check_pairs
from motiform.motion.contact.pack import column_tree, pack_contacts
from motiform.motion.contact.points import Contacts
from motiform.motion.contact.shares import least_forces
from motiform.motion.contact.touches import SolidTouches
from motiform.motion.tree import Figure
from motiform.motion.tree.model import columns as tree_columns
from motiform.motion.tree.model.joint import Array

__all__ = ["ContactProblem", "ContactSolution", "terms_of"]

_NO_LOADS = np.zeros((0, 6))
_BEGINNING = 300  # sweeps that Newton's method begins from where it comes to no end from zero


@dataclass(frozen=True)
class ContactSolution:
    """Forces [N] or impulses [N·s] of the active candidates, and what each of them does."""

    x: Array
    """Of every row."""
    modes: np.ndarray
    """FREE, STICK or SLIDE of every active candidate."""
    along: Array
    """Direction of slip of every active pair, in its tangents, (pairs, 2)."""


class ContactProblem:
    """Arrays of a figure and its contacts, with room for a problem of any active candidates."""

    def __init__(self, figure: Figure, contacts: Contacts) -> None:
        check_coordinates(figure.nv)
        check_pairs(len(contacts.points) * len(contacts.obstacles) if contacts.pairs is None else len(contacts.pairs))
        self.figure, self.contacts = figure, contacts
        self.packed = pack_contacts(figure, contacts)
        single = figure.single
        assert single is not None
        packed = self.packed
        self.head = ContactModel(
            single.ints, single.floats, single.work, packed.ints, packed.floats, packed.before, single.zeros
        )
        self.touches = SolidTouches(self.head, packed.solids) if packed.solids else None
        self.frozen = False
        """Whether points of solids are features that were chosen (`features`), not found anew at each state."""
        self.rows = 0
        self.active, self.pairs = np.zeros(0, np.int64), 0
        self._reserve(8)

    def _reserve(self, count: int) -> None:
        """Make room for so many active candidates."""
        check_candidates(count)
        n, rows = self.figure.nv, 3 * count
        self.limit = count
        self.space, self.workspace = contact_workspace(n, rows, count), solver_workspace(n, rows, count)
        self.a, self.y, self.mu = np.zeros(n), np.zeros(rows), np.zeros(0)

    @property
    def A(self) -> Array:
        """The Delassus matrix, in its upper left (rows, rows)."""
        return self.space.A

    @property
    def b(self) -> Array:
        """Accelerations of the rows without contact forces, the first of them."""
        return self.space.b

    @property
    def sites(self) -> Array:
        """What is known of the active candidates (see `columns`), the first rows."""
        return self.space.sites

    @property
    def x(self) -> Array:
        """Forces of the rows of the last rate, the first of them."""
        return self.workspace.x

    @cached_property
    def kernels(self) -> Any:
        """Compiled functions by name."""
        from motiform.motion.contact import problem_kernels

        return _Compiled(problem_kernels)

    def find_solids(self, q: Array, reach: float = np.inf) -> int:
        """Find the points at which solids nearer than `reach` [m] touch; rows and gaps are then of those.

        Return how many of them are nearer.
        """
        return 0 if self.touches is None or self.frozen else self.touches.find(q, reach)

    def gaps(self, q: Array) -> Array:
        """Return the gaps of all candidates [m; rad for limits of turning], (candidates,)."""
        out = np.empty(self.packed.count)
        q = np.ascontiguousarray(q, float)
        self.find_solids(q)
        self.kernels["one_gaps"](self.head, q, out)
        return out

    def activate(self, active: Array) -> None:
        """Choose the candidates whose rows are in the problem."""
        self.active = np.ascontiguousarray(np.sort(active), np.int64)
        self.pairs = int(np.searchsorted(self.active, self.packed.pairs))
        if len(self.active) > self.limit:
            self._reserve(2 * len(self.active))
        self.mu = np.ascontiguousarray(self.packed.friction[self.active[: self.pairs]])

    def pose(self, y: Array, tau: Array, loads: Array | None = None) -> int:
        """Write the problem of a state under forces; return how many rows it has."""
        self.find_solids(y[: self.figure.nq])
        rows = self.kernels["one_problem"](
            self.head, y, tau, _NO_LOADS if loads is None else loads, self.active, self.pairs, self.space
        )
        if rows < 0:
            raise RunError("the surfaces of a contact joint must not fit one another", where=self._where(-rows))
        self.rows = int(rows)
        return self.rows

    def jacobian(self, y: Array) -> Array:
        """Return C of the state that was posed last, (rows, nv): tangent, normal, tangent of pairs, then limits."""
        Y = np.zeros((self.figure.nv, self.rows))
        self.kernels["one_rows"](self.head, y, self.active, self.pairs, Y, self.space)
        C = np.zeros((self.rows, self.figure.nv))
        C[:, column_tree(self.figure)[self.figure.nv :]] = np.where(self.space.used[:, None] != 0, Y, 0.0).T
        return C

    def _where(self, status: int) -> str:
        return f"joint of segment {self.figure.segments[status // tree_columns.WHERE].name!r}"

    def rate(self, y: Array, tau: Array, loads: Array | None, modes: np.ndarray, memory: Array, out: Array) -> int:
        """Write the rate of (q, v) with the active candidates held in their modes; forces stay in `x`. Return a status.

        `memory` are directions of slip in the world, (pairs, 3), for pairs whose slip is about zero.
        """
        self.rows = 2 * self.pairs + len(self.active)
        return int(
            self.kernels["one_contact_rate"](
                self.head,
                y,
                tau,
                _NO_LOADS if loads is None else loads,
                self.active,
                self.pairs,
                self.space,
                modes,
                self.mu,
                memory,
                self.workspace,
                out,
            )
        )

    def least_norm(self, x: Array, mu: Array | None = None, fixed: Array | None = None) -> Array:
        """Return the forces of least norm that push the figure as x does (see `least_forces`)."""
        return least_forces(self.A[: self.rows, : self.rows], np.asarray(x), self.pairs, mu, fixed)

    @property
    def velocities(self) -> Array:
        """Return the velocity of every row of the last problem: tangent, normal, tangent of pairs, then limits."""
        slip = self.sites[: len(self.active), contact_columns.SLIP : contact_columns.SLIP + 3]
        return np.concatenate([slip[: self.pairs].ravel(), slip[self.pairs :, 1]])

    def hold(self, b: Array | None = None) -> tuple[Array, float]:
        """Solve all rows as equations; return forces of least norm, and the residual over the right-hand side."""
        rows = self.rows
        if not rows:
            return np.zeros(0), 0.0
        left = self.kernels["solve_held"](
            self.A, self._side(b), rows, self.workspace.F, self.x, self.workspace.r, self.workspace.chosen
        )
        return self.x[:rows].copy(), float(left)

    def _side(self, b: Array | None) -> Array:
        return self.b if b is None else np.ascontiguousarray(b)

    def solve_lcp(self, b: Array | None = None) -> tuple[Array, np.ndarray]:
        """Solve with normals and limits that only press and tangents that hold; return forces and who presses."""
        rows, pairs = self.rows, self.pairs
        presses = np.ones(rows, np.int64)
        presses[: 3 * pairs] = np.tile([0, 1, 0], pairs)
        shut = presses.copy()
        status = self.kernels["solve_pressing"](
            self.A,
            self._side(b),
            rows,
            presses,
            shut,
            self.workspace.F,
            self.x,
            self.workspace.r,
            self.workspace.chosen,
            self.workspace.wrong,
        )
        if status != contact_columns.OK:
            raise RunError("no contact forces were found", where=self.describe_contacts(), got="pivoting does not end")
        shut = np.concatenate([shut[1 : 3 * pairs : 3], shut[3 * pairs :]])
        return self.x[:rows].copy(), shut

    def solve_normals(self, b: Array) -> Array:
        """Solve normals and limits alone as rows that only press, tangents left free; return forces of all rows."""
        normal = np.concatenate([3 * np.arange(self.pairs) + 1, np.arange(3 * self.pairs, self.rows)])
        A, side = np.ascontiguousarray(self.A[np.ix_(normal, normal)]), np.ascontiguousarray(b[normal])
        count = len(normal)
        presses, shut, x = np.ones(count, np.int64), np.ones(count, np.int64), np.zeros(self.rows)
        own = np.zeros(count)
        self.kernels["solve_pressing"](
            A,
            side,
            count,
            presses,
            shut,
            self.workspace.F,
            own,
            self.workspace.r,
            self.workspace.chosen,
            self.workspace.wrong,
        )
        x[normal] = own
        return x

    def share(self, x: Array, b: Array | None = None, turns: int = 300) -> Array | None:
        """Return forces that hold every row as x does and that all cones allow, or None where none were found."""
        found = np.array(x[: self.rows])
        side = self._side(b)
        good = self.kernels["solve_shared"](
            self.A, side, self.pairs, self.rows, self.mu, found, self.workspace.F, self.workspace.r, turns
        )
        return found if good else None

    def cones(
        self,
        b: Array,
        slides: np.ndarray,
        along: Array,
        given: Array | None = None,
        guess: ContactSolution | None = None,
        attempts: int = 6,
    ) -> tuple[int, ContactSolution]:
        """Solve with Coulomb's friction; return a status and the answer."""
        count, pairs, rows = len(self.active), self.pairs, self.rows
        x = np.zeros(rows) if guess is None else guess.x.copy()
        modes = np.zeros(count, np.int64) if guess is None else guess.modes.astype(np.int64)
        directions = np.ascontiguousarray(along if guess is None else guess.along, float).copy()
        given = np.zeros(pairs) if given is None else given
        status = self.kernels["solve_cones"](
            self.A,
            np.ascontiguousarray(b),
            pairs,
            rows,
            self.mu,
            np.ascontiguousarray(slides, np.int64),
            directions,
            given,
            x,
            modes,
            self.workspace.F,
            self.workspace.K,
            self.workspace.r,
            self.y,
            self.workspace.chosen,
            self.workspace.wrong,
            guess is not None,
            attempts,
        )
        if status == contact_columns.OK and self._approaches(b, x):
            status = contact_columns.NOT_SOLVED  # sweeps have come to rest at what is no answer
        return int(status), ContactSolution(x, modes, directions)

    def newton(self, b: Array, close: float = 1e-11) -> Array | None:
        """Return impulses under which nothing approaches, with Coulomb's friction, or None where none were found."""
        n, work = self.rows, self.workspace
        room = work.F, np.empty(n), np.empty(n), work.r, work.chosen, work.wrong
        spans = np.zeros(n, np.int64), np.full(n, n, np.int64)
        for begin in (lambda: np.zeros(n), lambda: self.swept(b, _BEGINNING)):
            x, side = begin(), np.ascontiguousarray(b)
            if self.kernels["solve_coulomb"](self.A, side, self.pairs, n, self.mu, x, close, *room, *spans):
                return x
        return None

    def swept(self, b: Array, sweeps: int = 5000) -> Array:
        """Return the impulses that sweeps over all rows come to: slow, but they do where others find none."""
        from motiform.motion.contact.sweep_kernels import solve_swept

        x, n = np.zeros(self.rows), self.rows
        spans = np.zeros(n, np.int64), np.full(n, n, np.int64)
        solve_swept.function(self.A, np.ascontiguousarray(b), self.pairs, n, self.mu, x, sweeps, *spans)
        return x

    def _approaches(self, b: Array, x: Array) -> bool:
        """Whether forces x leave something that goes on approaching."""
        normal = np.concatenate([3 * np.arange(self.pairs) + 1, np.arange(3 * self.pairs, self.rows)])
        A = self.A[: self.rows, : self.rows]
        return bool((A @ x + b[: self.rows] < -1e-6 * terms_of(A, b[: self.rows], x))[normal].any())

    def accelerations(self, x: Array) -> Array:
        """Return the accelerations under forces x of the rows, (nv,)."""
        out = np.empty(self.figure.nv)
        self.kernels["one_motion"](
            self.head, self.space, self.rows, np.ascontiguousarray(x, float), self.space.u, self.a, out
        )
        return out

    def jumps(self, x: Array) -> Array:
        """Return the jumps of velocity under impulses x of the rows, (nv,)."""
        out = np.empty(self.figure.nv)
        rows = np.ascontiguousarray(x, float)
        self.kernels["one_motion"](self.head, self.space, self.rows, rows, self.head.zeros, self.a, out)
        return out

    def describe_contacts(self) -> str:
        """Return the names of the active candidates, for messages."""
        names = [self.packed.names[k] for k in self.active]
        return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")

    def in_world(self, x: Array) -> Array:
        """Return the force of each active pair in world axes, (pairs, 3)."""
        sites = self.sites[: self.pairs]
        n, e = (
            sites[:, contact_columns.NORMAL : contact_columns.NORMAL + 3],
            sites[:, contact_columns.TANGENT : contact_columns.TANGENT + 3],
        )
        p = np.asarray(x)[: 3 * self.pairs].reshape(-1, 3)
        return p[:, :1] * e + p[:, 1:2] * n + p[:, 2:] * np.cross(e, n)


def terms_of(A: Array, b: Array, x: Array) -> Array:
    """Return the sums of the sizes of the terms of A x + b, to measure what its rows leave.

    Rows of what takes no part are made of the rounding of the others, so that 1e-5 of the largest is added to all.
    """
    return np.asarray(np.abs(A) @ np.abs(x) + np.abs(b) + 1e-5 * np.abs(b).max(initial=0.0))


class _Compiled(dict[str, Any]):
    """Functions of a module of kernels, compiled when first asked for."""

    def __init__(self, module: Any) -> None:
        super().__init__()
        self.module = module

    def __missing__(self, name: str) -> Any:
        self[name] = getattr(self.module, name).function
        return self[name]
