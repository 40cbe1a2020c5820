"""Motion of free bones in time: cartilage, ligaments, friction and drag. [Perez94]

Free bodies have a mass and the twist (ω, v) of their centre of mass in the axes of the radius. Forces of contact and
ligaments are minus the gradient of their energy. Friction acts between the two bodies of a pair at the centre of
pressure, the mean of the pressed points (halfway between the bones) weighed by their forces; equal and opposite, so
that it keeps their momentum.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from motiform.base.errors import InputError, RunError
from motiform.motion.bones.bone import Bone
from motiform.motion.bones.pack import PackedBones, neutral_poses, workspace
from motiform.motion.run import CASH_KARP
from motiform.motion.run.headway import Headway
from motiform.motion.run.options import DIVERGED, LOST, check_number
from motiform.spatial import (
    Transform,
    exp_rotation,
    exp_twist,
    log_transform,
    quaternion_from_rotation,
    rotation_from_quaternion,
    skew,
)
from motiform.spatial.checks import Array, as_floats

__all__ = [
    "METHODS", "BoneForces", "BonesState", "FreeBodies", "Loads", "Method", "led_along", "step_adaptively",
    "step_implicitly", "weigh",
]  # fmt: skip

Method = Literal["semi-implicit", "cash-karp"]
METHODS = ("semi-implicit", "cash-karp")
_SHRINK, _GROW, _SAFE = 0.2, 5.0, 0.9
_SHORTEST = 1e-9  # [s] a step that is rejected at this length ends the run
_TURNS, _LEVER = 10, 1e-2  # repetitions for the friction of a step; [m] by which turns and ways are compared
_FARTHEST = 2e-3  # [m] that a bone moves in a step at most, as far as contact is foreseen
_HALVES = 10  # times that a step is halved at most
_ONE = np.eye(3)
_FLOORS = np.repeat([1e-3, 1.0, 1e-2, 1.0], [3, 4, 3, 3])  # sizes of position, quaternion, velocity, spin for errors


@dataclass(frozen=True, eq=False)
class FreeBodies:
    """Of the free bodies, in order of their slots."""

    mass: Array
    """(n,) [kg]."""
    inertia: Array
    """About the centre of mass in the neutral pose, (n, 3, 3) [kg m²]."""

    def measure(self, packed: PackedBones, poses: Array, velocity: Array) -> dict[str, Array]:
        """Return kinetic energy, momentum and angular momentum, about the origin of the meshes, at each sample."""
        free = np.flatnonzero(packed.slots >= 0)
        R = poses[:, free, :9].reshape(len(velocity), -1, 3, 3)
        center = (R @ packed.middles[free, :, None])[..., 0] + poses[:, free, 9:] + packed.shift
        w, v, m = velocity[..., :3], velocity[..., 3:], self.mass[:, None]
        spin = (R @ self.inertia @ np.swapaxes(R, 2, 3) @ w[..., None])[..., 0]
        return {
            "energy.kinetic": 0.5 * ((m * v * v).sum(axis=(1, 2)) + (w * spin).sum(axis=(1, 2))),
            "momentum": (m * v).sum(axis=1),
            "angular_momentum": (spin + np.cross(center, m * v)).sum(axis=1),
        }


@dataclass(frozen=True)
class Loads:
    """What acts on free bones beside cartilage and ligaments."""

    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """[m/s²]."""
    drag: float = 0.0
    """Of soft tissue: decay of velocity and spin [1/s]."""
    friction: float = 0.0
    """Coulomb's, of sliding."""
    spin: float = 0.0
    """Torque about the normal, by the normal force [m]."""
    rolling: float = 0.0
    """Torque across the normal, by the normal force [m]."""
    viscosity: float = 0.0
    """Growth of the normal force with the speed of approach [s/m]."""
    creep: float = 1e-5
    """Speed of sliding [m/s] below which friction fades, so that it sticks by creeping; for turns 100 rad/m of it."""

    def __post_init__(self) -> None:
        if as_floats(self.gravity, 3, where="Loads, gravity").shape != (3,):
            raise InputError("gravity is one vector", where="Loads", got=self.gravity, allowed="3 numbers [m/s²]")
        for key, most in (("drag", LOST), ("friction", 1e3), ("spin", 1e3), ("rolling", 1e3), ("viscosity", 1e6)):
            check_number(getattr(self, key), key, "Loads", least=0.0, most=most)
        check_number(self.creep, "creep", "Loads", above=0.0, most=LOST)


def weigh(packed: PackedBones, bones: Mapping[str, Bone], density: float) -> tuple[PackedBones, FreeBodies]:
    """Return the arrays with centres of mass as the middles of free bodies, and their masses."""
    middles, mass, inertia = packed.middles.copy(), [], []
    for n, group in enumerate(packed.bodies):
        if packed.slots[n] < 0:
            continue
        parts = [bones[name].mesh.mass_properties(density=density) for name in group]
        total = sum(part.mass for part in parts)
        com = sum(part.mass * part.com for part in parts) / total
        moved = [np.asarray(part.com - com) for part in parts]
        around = [part.inertia + part.mass * ((r @ r) * np.eye(3) - np.outer(r, r)) for part, r in
                  zip(parts, moved, strict=True)]  # fmt: skip
        middles[n] = com - packed.shift
        mass.append(total)
        inertia.append(np.sum(around, axis=0))
    return replace(packed, middles=middles), FreeBodies(np.array(mass), np.array(inertia).reshape(-1, 3, 3))


def led_along(times: Array, targets: Transform) -> Callable[[float], Transform]:
    """Return the pose of the driven body at any time: screws between the poses at the times, and on beyond them."""
    if len(times) == 1:
        return lambda t: Transform(targets.rotation[0], targets.translation[0])
    poses = [Transform(targets.rotation[i], targets.translation[i]) for i in range(len(times))]
    twists = [log_transform(a.inverse() @ b) for a, b in pairwise(poses)]

    def goal(t: float) -> Transform:
        k = int(np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 2))
        return poses[k] @ exp_twist(twists[k] * (t - times[k]) / (times[k + 1] - times[k]))

    return goal


@dataclass(frozen=True, eq=False)
class _Touch:
    """Two bodies that touch: turn and slide of the second against the first at the centre of pressure."""

    force: float
    """Normal [N]."""
    normal: Array
    """n nᵀ."""
    rows: Array
    """From the velocities of those of them that are free, (6, 6) or (6, 12)."""
    own: np.ndarray
    """Which velocities these are."""
    known: Array
    """What the driven body adds, (6,)."""


class BoneForces:
    """Forces on the free bodies of a wrist at a state."""

    def __init__(
        self, packed: PackedBones, masses: FreeBodies, loads: Loads, goal: Callable[[float], Transform]
    ) -> None:
        self.packed, self.masses, self.loads, self.goal = packed, masses, loads, goal
        self.free = np.flatnonzero(packed.slots >= 0)
        self.space: tuple[Any, ...] = workspace(packed)
        self.poses = neutral_poses(packed)
        index = {name: n for n, group in enumerate(packed.bodies) for name in group}
        self.pairs = [(index[a], index[b]) for a, b in packed.pairs]
        self.rubs = bool(loads.friction or loads.spin or loads.rolling or loads.viscosity)

    def place(self, t: float, center: Array, R: Array) -> None:
        """Set the poses: x = R X + c − R X_c of the free bodies, the driven one as prescribed."""
        goal = self.goal(t)
        self.poses[1, :9], self.poses[1, 9:] = goal.rotation.reshape(9), goal.translation
        self.poses[self.free, :9] = R.reshape(-1, 9)
        self.poses[self.free, 9:] = center - (R @ self.packed.middles[self.free, :, None])[..., 0]

    def energy(self, far: float = 0.0) -> float:
        """Return the energy of the poses [J], and write all that belongs to it."""
        from motiform.motion.bones.settle_kernels import evaluate

        packed, settings = self.packed, self.packed.settings.copy()
        settings[0] = far
        return float(evaluate(self.poses, packed.slots, packed.middles, packed.model, settings, *self.space))

    def pull(self, t: float, center: Array, R: Array) -> Array:
        """Return torque about the centre of mass and force of cartilage, ligaments and weight, (n, 6)."""
        self.place(t, center, R)
        self.energy()
        rows = -self.space[1].reshape(-1, 6)
        rows[:, 3:] += self.masses.mass[:, None] * np.array(self.loads.gravity)
        return np.asarray(rows)

    def inertia(self, R: Array) -> Array:
        """Return the inertia in the axes of the radius, (n, 3, 3)."""
        return np.asarray(R @ self.masses.inertia @ np.swapaxes(R, 1, 2))

    def mass(self, R: Array) -> Array:
        """Return the mass matrix (6 n, 6 n) of velocities (ω, v)."""
        n, inertia = len(self.free), self.inertia(R)
        M = np.zeros((6 * n, 6 * n))
        for i in range(n):
            M[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = inertia[i]
            M[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = self.masses.mass[i] * np.eye(3)
        return M

    def touching(self, t: float, center: Array) -> list[_Touch]:
        """Return the pairs of bodies that touch at the poses of `pull`, where they rub."""
        if not self.rubs:
            return []
        from motiform.motion.bones.contact_kernels import MIDDLE

        sums, found = self.space[4].reshape(-1, 2, self.space[4].shape[1]), []
        c, twist = np.zeros((len(self.packed.bodies), 3)), np.zeros((len(self.packed.bodies), 6))
        c[self.free] = center
        self._driver(t, c, twist)
        for n, (a, b) in enumerate(self.pairs):
            both = sums[n, 1, :6] - sums[n, 0, :6]  # of the second body: moment about the origin, and force
            N = float(np.linalg.norm(both[3:]))
            if N < 1e-12:
                continue
            pressed = sums[n, 0, MIDDLE:] + sums[n, 1, MIDDLE:]
            p, normal = pressed[1:] / pressed[0], both[3:] / N  # p: mean of the pressed points, weighed by their forces
            rows = np.hstack([-_motion_at(p - c[a]), _motion_at(p - c[b])])
            slots, known = self.packed.slots[[a, b]], rows @ np.concatenate([twist[a], twist[b]])
            own = np.concatenate([np.arange(6 * slot, 6 * slot + 6) for slot in slots if slot >= 0])
            found.append(_Touch(N, np.outer(normal, normal), rows[:, np.repeat(slots >= 0, 6)], own, known))
        return found

    def resistance(self, touching: list[_Touch], M: Array, u: Array) -> tuple[Array, Array]:
        """Return D and d of what resists motion: the wrench −(D u + d), D of these velocities.

        D is symmetric and takes energy: drag, and friction and viscosity of the pairs that touch. d comes from the
        motion of the driven body.
        """
        D, d = self.loads.drag * M, np.zeros(len(M))
        for touch in touching:
            weighed = touch.rows.T @ self._law(touch, touch.rows @ u[touch.own] + touch.known)
            D[np.ix_(touch.own, touch.own)] += weighed @ touch.rows
            d[touch.own] += weighed @ touch.known
        return D, d

    def _driver(self, t: float, c: Array, twist: Array) -> None:
        """Write the velocity of the driven body at the origin, by differences over 10 µs."""
        ahead, behind = self.goal(t + 5e-6), self.goal(t - 5e-6)
        W = (ahead.rotation - behind.rotation) / 1e-5 @ self.goal(t).rotation.T
        twist[1, :3] = [W[2, 1], W[0, 2], W[1, 0]]
        c[1] = self.goal(t).translation
        twist[1, 3:] = (ahead.translation - behind.translation) / 1e-5

    def _law(self, touch: _Touch, motion: Array) -> Array:
        """Return C of friction: torque and force −C (turn, slide) on the second body, for its motion against the first.

        Friction is μ N along the slide, and fades below the creep: μ N s/√(s² + c²).
        """
        loads, N, out, creep = self.loads, touch.force, touch.normal, 1e2 * self.loads.creep
        turn, slide = motion[:3], motion[3:]
        about, across = out @ turn, turn - out @ turn
        C = np.zeros((6, 6))
        C[:3, :3] = loads.spin * N / math.hypot(*about, creep) * out
        C[:3, :3] += loads.rolling * N / math.hypot(*across, creep) * (_ONE - out)
        C[3:, 3:] = loads.friction * N / math.hypot(*(slide - out @ slide), loads.creep) * (_ONE - out)
        C[3:, 3:] += loads.viscosity * N * out
        return C


def _motion_at(r: Array) -> Array:
    """Return the matrix (6, 6) from a twist (ω, v) of a body's centre to turn and velocity of its point at r."""
    out = np.eye(6)
    out[3:, :3] = -skew(r)
    return out


@dataclass
class BonesState:
    """Centres of mass [m], rotations from the neutral pose, velocities [m/s] and spins [rad/s] of the free bodies."""

    center: Array
    R: Array
    v: Array
    w: Array

    def check(self, t: float, *others: Any) -> None:
        """Refuse to go on from what is lost."""
        if not all((np.abs(part) < LOST).all() for part in (self.center, self.R, self.v, self.w, *others)):
            remedy = "Take a smaller step, or check masses and the stiffness of cartilage and ligaments."
            raise RunError(DIVERGED, where=f"t = {t:.9g} s", remedy=remedy)

    def packed(self) -> Array:
        """Return center, quaternion, velocity and spin of each body, (n, 13)."""
        return np.concatenate([self.center, quaternion_from_rotation(self.R), self.v, self.w], axis=1)

    @staticmethod
    def of(y: Array) -> "BonesState":
        """Return the state of rows as `packed` gives them."""
        q = y[:, 3:7] / np.linalg.norm(y[:, 3:7], axis=1, keepdims=True)
        return BonesState(y[:, :3], rotation_from_quaternion(q), y[:, 7:10], y[:, 10:])


def _rates(free: BoneForces, t: float, y: Array) -> Array:
    """Return the derivative of the state: Newton's and Euler's equations."""
    state = BonesState.of(y)
    pull, M, speeds = (
        free.pull(t, state.center, state.R),
        free.mass(state.R),
        np.concatenate([state.w, state.v], axis=1),
    )
    D, d = free.resistance(free.touching(t, state.center), M, speeds.reshape(-1))
    pull -= (D @ speeds.reshape(-1) + d).reshape(-1, 6)
    inertia = free.inertia(state.R)
    gyro = np.cross(state.w, (inertia @ state.w[..., None])[..., 0])
    out = np.empty_like(y)
    out[:, :3] = state.v
    u, q = state.w, y[:, 3:7]
    out[:, 3] = -0.5 * np.einsum("ni,ni->n", u, q[:, 1:])  # q̇ = ½ (0, ω) q
    out[:, 4:7] = 0.5 * (q[:, :1] * u + np.cross(u, q[:, 1:]))
    out[:, 7:10] = pull[:, 3:] / free.masses.mass[:, None]
    out[:, 10:] = np.linalg.solve(inertia, (pull[:, :3] - gyro)[..., None])[..., 0]
    return out


def step_adaptively(
    free: BoneForces, state: BonesState, t: float, end: float, h: float, tolerance: float, headway: Headway
) -> tuple[BonesState, float]:
    """Return the state at the end and the step to try next, by Cash and Karp's method [CashKarp90].

    The step follows from the error of each number. [Perez94]
    """
    y, wanted = state.packed(), h
    while t < end - 1e-15 * max(abs(end), 1.0):
        h = min(wanted, end - t)
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is a step that is too long
            k = np.empty((CASH_KARP.stages, *y.shape))
            for s in range(CASH_KARP.stages):
                k[s] = _rates(free, t + CASH_KARP.c[s] * h, y + h * np.tensordot(CASH_KARP.a[s, :s], k[:s], 1))
            scale = tolerance * (np.abs(y) + np.abs(h * k[0]) + _FLOORS)
            assert CASH_KARP.error is not None
            error = float((np.abs(h * np.tensordot(CASH_KARP.error, k, 1)) / scale).max(initial=0.0))
        factor = np.clip(_SAFE * max(error, 1e-12) ** -0.2, _SHRINK, _GROW)
        if error <= 1.0:
            t, y = t + h, y + h * np.tensordot(CASH_KARP.b, k, 1)
            y[:, 3:7] /= np.linalg.norm(y[:, 3:7], axis=1, keepdims=True)
            wanted = max(wanted, h * factor) if h < wanted else h * factor
            headway.step(t)
        else:
            wanted = h * factor
            if not wanted > _SHORTEST:
                raise RunError("the step must not vanish", where=f"t = {t:.6g} s", got=wanted, remedy=headway.remedy)
    return BonesState.of(y), wanted


def step_implicitly(free: BoneForces, state: BonesState, t: float, end: float, step: float) -> BonesState:
    """Return the state at the end by the linearly implicit Euler method in steps of equal length."""
    count = max(1, int(np.ceil((end - t) / step - 1e-9)))
    h = (end - t) / count
    for k in range(count):
        state = _implicit_step(free, state, t + k * h, h, _HALVES)
    return state


def _implicit_step(free: BoneForces, state: BonesState, t: float, h: float, halves: int) -> BonesState:
    """Advance by one step, (M + h D + h² K) Δu = h (F − D u − d − h K u), or by two halves of it where it goes too far.

    K is the Hessian of the energy. D, what resists, is that of the velocities at the end of the step, found by
    repetition: no friction turns a motion round.
    """
    pull = free.pull(t + h, state.center, state.R)
    K, M = free.space[2], free.mass(state.R)
    state.check(t, K)
    u = np.concatenate([state.w, state.v], axis=1).reshape(-1)
    pull[:, :3] -= np.cross(state.w, (M @ u).reshape(-1, 6)[:, :3])
    if not _is_definite(M + h * h * K):  # light bones that contact turns away: as stiff against it
        values, vectors = np.linalg.eigh(0.5 * (K + K.T))
        K = (vectors * np.abs(values)) @ vectors.T
    new, touching = u, free.touching(t + h, state.center)
    for _ in range(_TURNS if touching else 1):
        D, d = free.resistance(touching, M, new)
        last, new = new, u + np.linalg.solve(M + h * D + h * h * K, h * (pull.reshape(-1) - D @ u - d - h * K @ u))
        change = np.abs(new - last).reshape(-1, 6)
        if max(_LEVER * change[:, :3].max(initial=0.0), change[:, 3:].max(initial=0.0)) < 1e-3 * free.loads.creep:
            break
    w, v = new.reshape(-1, 6)[:, :3], new.reshape(-1, 6)[:, 3:]
    turned, gone = h * np.abs(w).max(initial=0.0), h * np.abs(v).max(initial=0.0)
    if turned < _FARTHEST / _LEVER and gone < _FARTHEST:
        return BonesState(state.center + h * v, exp_rotation(h * w) @ state.R, v, w)
    if not halves:
        got = f"a bone that turns by {turned:.3g} rad or moves by {1e3 * gone:.3g} mm within {h:.3g} s"
        remedy = "Take a smaller step, or check masses, loads and the stiffness of cartilage and ligaments."
        raise RunError("the run has diverged", where=f"t = {t:.9g} s", got=got, remedy=remedy)
    middle = _implicit_step(free, state, t, 0.5 * h, halves - 1)
    return _implicit_step(free, middle, t + 0.5 * h, 0.5 * h, halves - 1)


def _is_definite(A: Array) -> bool:
    try:
        np.linalg.cholesky(A)
    except np.linalg.LinAlgError:
        return False
    return True
