"""Impedances Y = F/V of masses, springs and dampers, and of their compositions."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motiform.base.errors import InputError
from motiform.motion.run.options import check_number
from motiform.spatial.checks import Array, Words, as_floats

__all__ = [
    "Complex", "as_complex", "check_pulsations", "check_spectrum", "factors", "link_impedance", "mass_impedance",
    "parallel", "series",
]  # fmt: skip

Complex = NDArray[np.complexfloating[Any, Any]]


def check_pulsations(omega: ArrayLike, step: float | None = None) -> Array:
    """Return pulsations [rad/s] above zero, and at most half the sampling rate when there is a step [s]."""
    w = as_floats(omega, where="omega")
    if not (w > 0).all():
        raise InputError("a pulsation must be > 0", where="omega", got=float(w.min()), allowed="above 0 rad/s")
    if step is not None:
        top = np.pi / check_number(step, "step", "impedance", above=0.0)
        if (w > top * (1 + 1e-12)).any():
            got = Words(f"{w.max():.6g} rad/s at a step of {step:g} s")
            raise InputError(
                "a frequency must not exceed half the sampling rate", where="omega", got=got, allowed=f"up to {top:.6g}"
            )
    return w


def factors(omega: Array, step: float | None) -> tuple[Complex, Complex]:
    """Return the impedances of a unit mass and of a unit spring; that of a unit damper is 1."""
    if step is None:
        return 1j * omega, 1 / (1j * omega)  # [Habibi97 3.2, 3.3 sign corrected]
    zeta = np.exp(1j * omega * step)
    return (zeta - 1) / step, step / (1 - 1 / zeta)  # exact for X_{n+1} = 2X_n − X_{n−1} + (Te²/m) F_n


def mass_impedance(mass: ArrayLike, omega: ArrayLike, step: float | None = None) -> Complex:
    """Return Y = jmω of masses [kg] [Habibi97 3.2], or that of the scheme with a step [s]; broadcast."""
    return np.asarray(as_floats(mass, where="mass") * factors(check_pulsations(omega, step), step)[0])


def link_impedance(stiffness: ArrayLike, damping: ArrayLike, omega: ArrayLike, step: float | None = None) -> Complex:
    """Return Y = k/jω + z of links whose far end is held [Habibi97 3.3, 3.4, sign corrected]; broadcast."""
    k, z = as_floats(stiffness, where="stiffness"), as_floats(damping, where="damping")
    return np.asarray(k * factors(check_pulsations(omega, step), step)[1] + z)


def parallel(*parts: ArrayLike) -> Complex:
    """Return the impedance of parts that share one velocity: ΣY [Habibi97 §3.2.2.4, rules swapped: corrected]."""
    return np.asarray(sum(np.asarray(part, complex) for part in parts))


def series(*parts: ArrayLike) -> Complex:
    """Return the impedance of parts that share one force: 1/Y = Σ1/Y [Habibi97 §3.2.2.4, corrected].

    A part of impedance 0 moves freely, and so does the whole; where all 1/Y cancel, the point cannot be moved.
    """
    arrays = np.broadcast_arrays(*(np.asarray(part, complex) for part in parts))
    free = np.any([part == 0 for part in arrays], axis=0)
    given = sum(np.where(part == 0, 0, 1 / np.where(part == 0, 1, part)) for part in arrays)
    stuck = (given == 0) & ~free
    return np.where(free, 0, np.where(stuck, np.inf, 1 / np.where(given == 0, 1, given)))


def as_complex(value: ArrayLike, where: str) -> Complex:
    """Return complex numbers, none of them NaN."""
    try:
        array = np.asarray(value, complex)
    except (TypeError, ValueError) as error:
        raise InputError("values must be numbers", where=where, allowed="real or complex numbers") from error
    if np.isnan(array).any():
        raise InputError("numbers must not be nan", where=where, got="nan", allowed="numbers")
    return array


def check_spectrum(value: ArrayLike, where: str, count: int) -> Complex:
    """Return one number per frequency, (count,); one alone is for all."""
    array = as_complex(value, where)
    if array.shape not in ((), (1,), (count,)):
        raise InputError(
            "there must be one value for each frequency", where=where, got=array.shape, allowed=f"({count},) or one"
        )
    return np.broadcast_to(array, (count,))
