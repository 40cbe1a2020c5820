"""Rigid transforms named by frames: T_world_hand = T_world_arm @ T_arm_hand."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.spatial.checks import Array, Words, as_floats, check_rotation
from motiform.spatial.quaternion import quaternion_from_rotation, rotation_from_quaternion
from motiform.spatial.rotation import rotation_from_euler, skew

__all__ = ["Transform"]

Frames = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Transform:
    """A rigid displacement, or the pose of one frame in another; leading axes are batches.

    T_a_b takes the coordinates of a point in frame b to those in frame a: r_a = R r_b + p.

    Attributes
    ----------
    rotation : (..., 3, 3). Its columns are the axes of b in a.
    translation : (..., 3) [m]. The origin of b in a.
    frames : ("a", "b"), or None when the frames have no name. Named frames are checked in every product.
    """

    rotation: Array
    translation: Array
    frames: Frames | None = None

    def __post_init__(self) -> None:
        R = check_rotation(self.rotation, where="Transform.rotation")
        p = as_floats(self.translation, 3, where="Transform.translation")
        self._set(R, p, _check_frames(self.frames))

    def _set(self, R: Array, p: Array, frames: Frames | None) -> None:
        batch = _common_batch(R.shape[:-2], p.shape[:-1])
        for name, value in (("rotation", _frozen(R, (*batch, 3, 3))), ("translation", _frozen(p, (*batch, 3)))):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "frames", frames)

    @classmethod
    def _trusted(cls, R: Array, p: Array, frames: Frames | None) -> Self:
        """A transform computed from checked ones is not checked again."""
        new = object.__new__(cls)
        new._set(R, p, frames)
        return new

    # ---------------------------------------------------------------- constructors
    @classmethod
    def identity(cls, frames: Frames | None = None) -> Self:
        """Return the transform that changes nothing."""
        return cls(np.eye(3), np.zeros(3), frames)

    @classmethod
    def translation_of(cls, translation: ArrayLike, frames: Frames | None = None) -> Self:
        """Return a shift [m], (..., 3)."""
        return cls(np.eye(3), translation, frames)  # type: ignore[arg-type]

    @classmethod
    def rotation_of(cls, rotation: ArrayLike, frames: Frames | None = None) -> Self:
        """Return a turn about the origin, (..., 3, 3)."""
        return cls(rotation, np.zeros(3), frames)  # type: ignore[arg-type]

    @classmethod
    def from_quaternion(
        cls, quaternion: ArrayLike, translation: ArrayLike = (0.0, 0.0, 0.0), frames: Frames | None = None
    ) -> Self:
        """Return the transform of a quaternion (w, x, y, z), (..., 4), and a translation [m], (..., 3)."""
        return cls(rotation_from_quaternion(quaternion), translation, frames)  # type: ignore[arg-type]

    @classmethod
    def from_euler(
        cls,
        angles: ArrayLike,
        axes: str = "zyx",
        translation: ArrayLike = (0.0, 0.0, 0.0),
        frames: Frames | None = None,
        *,
        fixed: bool = False,
    ) -> Self:
        """Return the transform of angles [rad] about `axes` (intrinsic unless `fixed`) and a translation [m]."""
        return cls(rotation_from_euler(angles, axes, fixed=fixed), translation, frames)  # type: ignore[arg-type]

    @classmethod
    def from_matrix(cls, matrix: ArrayLike, frames: Frames | None = None) -> Self:
        """Return the transform of homogeneous matrices, (..., 4, 4), whose last row is (0, 0, 0, 1)."""
        A = as_floats(matrix, 4, 4, where="matrix")
        if not (A[..., 3, :] == (0.0, 0.0, 0.0, 1.0)).all():
            raise InputError(
                "the last row of a rigid transform must be (0, 0, 0, 1)", where="matrix", got=A[..., 3, :],
                allowed="last row (0, 0, 0, 1)",
            )  # fmt: skip
        return cls(A[..., :3, :3], A[..., :3, 3], frames)

    # ---------------------------------------------------------------- views
    @property
    def batch(self) -> tuple[int, ...]:
        """The sizes of the leading axes."""
        return self.translation.shape[:-1]

    @property
    def quaternion(self) -> Array:
        """The rotation as (w, x, y, z) with w ≥ 0, (..., 4)."""
        return quaternion_from_rotation(self.rotation)

    def matrix(self) -> Array:
        """Return the homogeneous matrices, (..., 4, 4)."""
        A = np.zeros((*self.batch, 4, 4))
        A[..., :3, :3], A[..., :3, 3], A[..., 3, 3] = self.rotation, self.translation, 1.0
        return A

    def motion_matrix(self) -> Array:
        """Return the matrix of `motion`, (..., 6, 6): [[R, 0], [[p]× R, R]]."""
        X = np.zeros((*self.batch, 6, 6))
        X[..., :3, :3] = X[..., 3:, 3:] = self.rotation
        X[..., 3:, :3] = skew(self.translation) @ self.rotation
        return X

    def force_matrix(self) -> Array:
        """Return the matrix of `force`, (..., 6, 6): [[R, [p]× R], [0, R]], the inverse transpose of motion_matrix."""
        X = np.zeros((*self.batch, 6, 6))
        X[..., :3, :3] = X[..., 3:, 3:] = self.rotation
        X[..., :3, 3:] = skew(self.translation) @ self.rotation
        return X

    def named(self, target: str, source: str) -> Self:
        """Return the same transform as T_target_source."""
        return self._trusted(self.rotation, self.translation, _check_frames((target, source)))

    def __getitem__(self, index: Any) -> Self:
        if not self.batch:
            raise InputError("a single transform has no members", where="Transform[...]", got=index)
        return self._trusted(self.rotation[index], self.translation[index], self.frames)

    def __repr__(self) -> str:
        name = f"T_{self.frames[0]}_{self.frames[1]}" if self.frames else "Transform"
        if self.batch:
            return f"<{name}, batch {self.batch}>"
        return f"<{name}: at {self.translation.tolist()} m, quaternion {self.quaternion.tolist()}>"

    # ---------------------------------------------------------------- what it does
    def __matmul__(self, other: "Transform") -> Self:
        """Return T_a_c = T_a_b @ T_b_c; the inner names must agree when both are named."""
        if not isinstance(other, Transform):
            return NotImplemented
        frames = _chain(self.frames, other.frames)
        return self._trusted(self.rotation @ other.rotation, self.point(other.translation), frames)

    def inverse(self) -> Self:
        """Return T_b_a: r_b = Rᵀ (r_a − p)."""
        back = np.swapaxes(self.rotation, -1, -2)
        frames = (self.frames[1], self.frames[0]) if self.frames else None
        return self._trusted(back, -_apply(back, self.translation), frames)

    def point(self, point: ArrayLike) -> Array:
        """Return points of frame b in frame a [m], R r + p, (..., 3)."""
        return _apply(self.rotation, as_floats(point, 3, where="point")) + self.translation

    def vector(self, vector: ArrayLike) -> Array:
        """Return free vectors of frame b in the axes of a, R v, (..., 3)."""
        return _apply(self.rotation, as_floats(vector, 3, where="vector"))

    def motion(self, twist: ArrayLike) -> Array:
        """Return twists (angular, linear) of frame b, about b's origin, in frame a about a's origin, (..., 6).

        (ω, v) → (R ω, R v + p × R ω)  [Featherstone08 §2.8]
        """
        V = as_floats(twist, 6, where="twist")
        angular, linear = _apply(self.rotation, V[..., :3]), _apply(self.rotation, V[..., 3:])
        return _join(angular, linear + np.cross(self.translation, angular))

    def force(self, wrench: ArrayLike) -> Array:
        """Return wrenches (moment, force) of frame b, about b's origin, in frame a about a's origin, (..., 6).

        (n, f) → (R n + p × R f, R f), so that motion(V)·force(W) = V·W  [Featherstone08 §2.8]
        """
        W = as_floats(wrench, 6, where="wrench")
        moment, force = _apply(self.rotation, W[..., :3]), _apply(self.rotation, W[..., 3:])
        return _join(moment + np.cross(self.translation, force), force)


def _apply(R: Array, v: Array) -> Array:
    product: Array = (R @ v[..., None])[..., 0]
    return product


def _join(first: Array, second: Array) -> Array:
    return np.concatenate(np.broadcast_arrays(first, second), axis=-1)


def _frozen(array: Array, shape: tuple[int, ...]) -> Array:
    copy = np.array(np.broadcast_to(array, shape), dtype=np.float64, order="C")
    copy.flags.writeable = False
    return copy


def _common_batch(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(a, b)
    except ValueError as error:
        raise InputError(
            "the leading axes do not fit", where="Transform", got=Words(f"rotation {a}, translation {b}")
        ) from error


def _check_frames(frames: Any) -> Frames | None:
    if frames is None:
        return None
    if not isinstance(frames, (tuple, list)) or len(frames) != 2 or not all(isinstance(f, str) and f for f in frames):
        raise InputError(
            "frames must be a pair of names", where="Transform.frames", got=frames, allowed='("world", "hand") or None'
        )
    return frames[0], frames[1]


def _chain(left: Frames | None, right: Frames | None) -> Frames | None:
    if left is None or right is None:
        return None
    if left[1] != right[0]:
        raise InputError(
            "the frames do not meet",
            where=f"T_{left[0]}_{left[1]} @ T_{right[0]}_{right[1]}",
            got=Words(f"{left[1]!r} on the left, {right[0]!r} on the right"),
            allowed="the same inner name on both sides",
            remedy="Invert one of them or put the missing transform between.",
        )
    return left[0], right[1]
