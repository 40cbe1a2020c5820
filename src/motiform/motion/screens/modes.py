"""Modes of a screen: eigenvalues, shapes, the segment in the plane (K, Z), and its free motion in closed form."""

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.matter.stability.cell import Cell, ModeSegment, axis_eigenvalues
from motiform.motion.screens.model import Screen
from motiform.spatial.checks import Array

__all__ = [
    "axis_eigenvalues", "fields_of_modes", "free_motion", "modal_points", "modes_of_fields", "screen_eigenvalues",
    "screen_segment", "stiffness_times",
]  # fmt: skip


def screen_eigenvalues(screen: Screen) -> Array:
    """Return λ of all modes, `shape`, in the order of their numbers [Habibi97 8.13–8.15]."""
    total: Array = np.zeros(())
    for n in screen.shape:
        total = np.add.outer(total, axis_eigenvalues(n, screen.edges))
    return total


def modes_of_fields(screen: Screen, field: ArrayLike) -> Array:
    """Return the amplitudes of the modes of a field, normed: a sine transform (fixed edges) or a cosine one (free)."""
    from scipy.fft import dctn, dstn

    given = _of_pins(screen, field, "a field")
    found: Array = dstn(given, type=1, norm="ortho") if screen.edges == "fixed" else dctn(given, type=2, norm="ortho")
    return found


def fields_of_modes(screen: Screen, amplitudes: ArrayLike) -> Array:
    """Return the field with given amplitudes of its modes: the inverse of `modes_of_fields`."""
    from scipy.fft import idctn, idstn

    given = _of_pins(screen, amplitudes, "amplitudes")
    found: Array = idstn(given, type=1, norm="ortho") if screen.edges == "fixed" else idctn(given, type=2, norm="ortho")
    return found


def _of_pins(screen: Screen, values: ArrayLike, what: str) -> Array:
    """Return numbers, one for each pin."""
    given = np.asarray(values, float)
    if given.shape != screen.shape:
        raise InputError(f"{what} must have a number for each pin", got=given.shape, allowed=f"shape {screen.shape}")
    return given


def modal_points(screen: Screen) -> Array:
    """Return (K, Z) of all modes, (*shape, 2) [Habibi97 8.17, 8.22]."""
    lam = screen_eigenvalues(screen)
    ks, zs, kv, zv = screen.links
    k, z = screen.step**2 / screen.mass, screen.step / screen.mass
    return np.stack([k * (ks + lam * kv), z * (zs + lam * zv)], axis=-1)


def screen_segment(screen: Screen) -> ModeSegment:
    """Return the segment of all modes, from the lowest to the highest that this grid has."""
    low = sum(float(axis_eigenvalues(n, screen.edges)[0]) for n in screen.shape)
    high = sum(float(axis_eigenvalues(n, screen.edges)[-1]) for n in screen.shape)
    ks, zs, kv, zv = screen.links
    k, z = screen.step**2 / screen.mass, screen.step / screen.mass
    return ModeSegment(
        (k * (ks + low * kv), z * (zs + low * zv)), (k * (ks + high * kv), z * (zs + high * zv))
    )  # fmt: skip


def free_motion(screen: Screen, samples: int) -> Array:
    """Return the heights after so many steps from the start without engravers [m], each mode in closed form.

    [Habibi97 8.17, 8.18]. A constant force on the pins counts; pistons do not.
    """
    start = np.zeros(screen.shape) if screen.heights is None else np.asarray(screen.heights) - screen.rest
    speed = 0.0 if screen.velocity is None else np.asarray(screen.velocity)
    now, before = (modes_of_fields(screen, field) for field in (start, start - speed * screen.step))
    push = 0.0 if screen.force is None else modes_of_fields(screen, screen.force)
    lam = screen_eigenvalues(screen)
    ks, zs, kv, zv = screen.links
    cell = Cell(screen.mass, ks + lam * kv, zs + lam * zv, screen.step)
    return screen.rest + fields_of_modes(screen, cell.forced(samples, push, now, before))


def stiffness_times(screen: Screen, field: Array) -> Array:
    """Return K ω of heights from rest [N]: (k_s + k_v A) ω."""
    ks, _, kv, _ = screen.links
    total = ks * field
    whole = np.pad(field, 1, mode="edge" if screen.edges == "free" else "constant")
    inner = (slice(1, -1),) * field.ndim
    for axis in range(field.ndim):
        low, high = list(inner), list(inner)
        low[axis], high[axis] = slice(None, -2), slice(2, None)
        total = total + kv * (2 * field - whole[tuple(low)] - whole[tuple(high)])
    return np.asarray(total)
