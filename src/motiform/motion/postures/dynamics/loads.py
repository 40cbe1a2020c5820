"""Force plates over time: their wrenches, low-passed and resampled, and when they are loaded."""

from typing import NamedTuple

import numpy as np

from motiform.base.errors import InputError
from motiform.base.splines import cubic_spline, spline_derivatives
from motiform.measure.gaps import runs
from motiform.motion.postures.derivatives import even_rate, smooth
from motiform.motion.tree.model.joint import Array
from motiform.record.recording import Recording, check_recording

__all__ = ["THRESHOLD", "PlateLoads", "find_contacts", "read_loads"]

THRESHOLD = 20.0
"""[N] Upward force from which on a plate carries somebody."""
_SHORTEST = 0.05  # s, of a contact


class PlateLoads(NamedTuple):
    """What plates do to the subject, at their own times."""

    times: Array
    """[s], (samples,)"""
    wrench: Array
    """(samples, plates, 6): moment [N·m] about the world's origin, force [N], in world axes."""
    normals: Array
    """(plates, 3), upwards."""
    corners: Array
    """[m], (plates, 4, 3); nan where they are not told."""

    @property
    def normal_force(self) -> Array:
        """Force along the normals [N], (samples, plates)."""
        return np.einsum("tpx,px->tp", self.wrench[..., 3:], self.normals)

    def at(self, times: Array, cutoff: float | None) -> Array:
        """Return the wrenches, low-passed, at other times, (times, plates, 6); zero where the plates tell nothing."""
        flat = np.where(np.isfinite(self.wrench), self.wrench, 0.0).reshape(len(self.times), -1)
        out = np.zeros((len(times), flat.shape[1]))
        if len(self.times) > 1:
            rate = even_rate(self.times)
            if cutoff is not None and rate is None:
                raise InputError("a filter needs even times", where="channel 'plate.force'", remedy="Resample first.")
            if cutoff is not None and rate is not None and cutoff < rate / 2:
                flat = smooth(flat, rate, cutoff)
            step = (self.times[-1] - self.times[0]) / (len(self.times) - 1)
            inside = (times > self.times[0] - step) & (times < self.times[-1] + step)
            at = np.clip(times[inside], self.times[0], self.times[-1])
            if len(flat) > 3:
                (out[inside],) = spline_derivatives(self.times, flat, at, degree=3, orders=0)
            else:
                out[inside] = cubic_spline(self.times, flat)(at)
        return out.reshape(len(times), -1, 6)


def read_loads(plates: Recording, up: Array) -> PlateLoads:
    """Return the wrenches of a recording's plates; ``up`` (3,) is the vertical of the figure.

    Moments come from the channel ``plate.moment``, or from ``plate.center_of_pressure`` and ``plate.free_moment``.
    """
    check_recording(plates)
    if "plate.force" not in plates:
        raise InputError("the recording has no force plate", where=plates._where, allowed="a channel 'plate.force'")
    gravity = plates.manifest.get("gravity")
    if gravity is not None and not np.dot(gravity, up) < -0.9 * np.linalg.norm(gravity):
        raise InputError(
            "the vertical of the plates is not that of the figure", where=plates._where, got=f"gravity {gravity}",
            allowed=f"against {np.round(up, 6).tolist()}", remedy="Use motiform.measure.turn(rec, up=…) first.",
        )  # fmt: skip
    force = plates["plate.force"]
    described = plates.manifest.get("plates", [])
    normals, corners = np.tile(up, (force.shape[1], 1)), np.full((force.shape[1], 4, 3), np.nan)
    for k, plate in enumerate(described[: force.shape[1]]):
        normals[k], corners[k] = plate.get("normal", up), plate.get("corners", np.nan)
    if "plate.moment" in plates:
        moment = plates["plate.moment"]
    elif "plate.center_of_pressure" in plates:
        moment = np.cross(plates["plate.center_of_pressure"], force)
        if "plate.free_moment" in plates:
            moment = moment + plates["plate.free_moment"][..., None] * normals
        moment = np.where(np.isfinite(moment), moment, 0.0)  # no centre of pressure where nothing presses
    else:
        raise InputError("force plates must have moments", where=plates._where,
                         allowed="a channel 'plate.moment', or 'plate.center_of_pressure'")  # fmt: skip
    return PlateLoads(plates.time("plate.force"), np.concatenate([moment, force], axis=-1), normals, corners)


def find_contacts(
    times: Array, press: Array, threshold: float = THRESHOLD, shortest: float = _SHORTEST
) -> list[tuple[float, float]]:
    """Return start and end [s] of each time in which a force (samples,) [N] is above the threshold.

    With hysteresis: a dip that stays above half the threshold does not end a contact, and one shorter than
    ``shortest`` [s] is none. Times are those at which the line between two samples passes the threshold.
    """
    force = np.where(np.isfinite(press), press, 0.0)
    found = []
    for first, last in runs(force > threshold / 2):
        high = first + np.flatnonzero(force[first:last] > threshold)
        if len(high) == 0:
            continue
        start = _crossing(times, force, high[0] - 1, high[0], threshold)
        end = _crossing(times, force, high[-1], high[-1] + 1, threshold)
        if end - start >= shortest:
            found.append((start, end))
    return found


def _crossing(times: Array, force: Array, a: int, b: int, threshold: float) -> float:
    if a < 0 or b >= len(times):
        return float(times[max(a, 0) if b >= len(times) else b])
    part = (threshold - force[a]) / (force[b] - force[a])
    return float(times[a] + part * (times[b] - times[a]))
