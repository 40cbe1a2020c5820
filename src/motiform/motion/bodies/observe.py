"""Recorded channels of rigid bodies: poses, velocities, energies and momenta."""

import numpy as np

from motiform.motion.bodies.columns import METERS, OBSERVED
from motiform.motion.bodies.model import Bodies
from motiform.record import Channel

__all__ = ["BODY_CHANNELS", "METER_CHANNELS", "Observer", "channels"]

_SEEN = (
    ("position", "m", ("axis",), slice(0, 3)),
    ("orientation", "", ("quaternion",), slice(3, 7)),
    ("velocity", "m/s", ("axis",), slice(7, 10)),
    ("angular_velocity", "rad/s", ("axis",), slice(10, 13)),
)
_METERS: tuple[tuple[str, str, tuple[int, ...]], ...] = (
    ("energy", "J", ()),
    ("energy.kinetic", "J", ()),
    ("energy.potential", "J", ()),
    ("momentum", "kg m/s", (3,)),
    ("angular_momentum", "kg m^2/s", (3,)),
    ("orthogonality", "", ()),
)
BODY_CHANNELS = tuple(key for key, *_ in _SEEN)
"""Last part of the names of a body's channels."""
METER_CHANNELS = tuple(name for name, *_ in _METERS)
"""Names of the channels over all bodies."""


def channels(model: Bodies, rate: float) -> list[Channel]:
    """Return the channels of a recording of the model."""
    found = []
    for body in model.bodies:
        for key, unit, dims, columns in _SEEN:
            size = (columns.stop - columns.start,)
            many = ("body", *dims), (body.count, *size)
            names, shape = many if body.many else (dims, size)
            found.append(
                Channel(f"{body.name}.{key}", unit=unit, dims=names, shape=shape, rate=rate, description=_TEXTS[key])
            )
    for name, unit, sizes in _METERS:
        found.append(
            Channel(name, unit=unit, dims=("axis",) * len(sizes), shape=sizes, rate=rate, description=_TEXTS[name])
        )
    return found


_TEXTS = {
    "position": "centre of mass, world axes",
    "orientation": "body axes in the world, (w, x, y, z)",
    "velocity": "of the centre of mass, world axes",
    "angular_velocity": "in body axes",
    "energy": "kinetic and potential (gravity from y = 0, springs), all bodies",
    "energy.kinetic": "all bodies",
    "energy.potential": "gravity from y = 0 and springs, all bodies",
    "momentum": "all bodies, world axes",
    "angular_momentum": "all bodies, about the world's origin, world axes",
    "orthogonality": "largest ‖RᵀR − 1‖ (Frobenius) of any body",
}


class Observer:
    """Turns states (samples, n, 18) into blocks of channels."""

    def __init__(self, model: Bodies) -> None:
        self.model, self.packed = model, model.packed

    def __call__(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Return a block of every channel."""
        from motiform.base.kernels import get_device
        from motiform.motion.bodies.observe_kernels import observe

        samples, n = rows.shape[:2]
        seen, meters = np.empty((samples, n, OBSERVED)), np.empty((samples, n, METERS))
        p = self.packed
        if samples:
            get_device("cpu").launch(
                observe, samples * n, np.ascontiguousarray(rows), p.bodies, p.environment, p.ends, p.partners,
                p.springs, seen, meters,
            )  # fmt: skip
        block = {}
        for body in self.model.bodies:
            own = seen[:, self.model.slices[body.name]]
            for key, _, _, columns in _SEEN:
                block[f"{body.name}.{key}"] = own[:, :, columns] if body.many else own[:, 0, columns]
        totals = np.cumsum(meters, axis=1)[:, -1]  # from the first body to the last, whatever the number of threads
        block["energy.kinetic"], block["energy.potential"] = totals[:, 0], totals[:, 1]
        block["energy"] = totals[:, 0] + totals[:, 1]
        block["momentum"], block["angular_momentum"] = totals[:, 2:5], totals[:, 5:8]
        block["orthogonality"] = meters[:, :, 8].max(axis=1)
        return block
