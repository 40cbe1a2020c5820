"""Balls that rotate: their angular velocities, orientations and torques on a device."""

from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.motion.matter.model.network import Network, NetworkState

if TYPE_CHECKING:
    from motiform.base.kernels import Device

__all__ = ["Spins"]

_FEW = 8192  # balls below which one core is faster than two


class Spins:
    """Rotations of the balls of a network: ω₊ = ω + Te τ/I, ω that of the step before, as velocities are."""

    def __init__(self, device: "Device", network: Network, pad: int, width: int) -> None:
        self.device, self.network, self.pad, self.width = device, network, pad, width
        inertia, size = network.inertia, network.count + 2 * pad
        mobility = np.zeros(size)
        mobility[pad : pad + network.count] = np.divide(
            network.step, inertia, out=np.zeros_like(inertia), where=inertia > 0
        )
        self.mobility = device.array(mobility)
        self.torques, self.lost = device.array(np.zeros((3, size))), device.array(np.zeros(size))
        self.rates, self.turns = self.torques, self.torques
        """Angular velocities [rad/s], [axis, ball], and orientations (w, x, y, z), [part, ball]."""

    def place(self, rates: np.ndarray, turns: np.ndarray, lost: np.ndarray | None = None) -> None:
        """Put angular velocities (points, 3) and orientations (points, 4), and what friction has taken (points,)."""
        self.rates, self.turns = self._padded(rates), self._padded(turns)
        if lost is not None:
            self.lost = self.device.array(self._wide(lost))

    def put(self, state: NetworkState) -> None:
        """Put what a state knows of rotations."""
        if state.angular_velocity is not None and state.orientation is not None:
            self.place(state.angular_velocity, state.orientation)

    def _wide(self, values: np.ndarray) -> np.ndarray:
        return np.pad(np.asarray(values, float), self.pad)

    def _padded(self, values: np.ndarray) -> Any:
        return self.device.array(np.stack([self._wide(column) for column in np.asarray(values, float).T]))

    def step(self) -> None:
        """Turn all balls by their torques, which are 0 then."""
        from motiform.motion.matter.engine.spin_kernels import turn_masses

        last = self.pad + self.network.count
        self.device.launch(
            turn_masses, -(-self.network.count // self.width), self.width, self.pad, last, self.network.step,
            self.mobility, self.torques, self.rates, self.turns, least=-(-_FEW // self.width),
        )  # fmt: skip

    def host(self, array: Any) -> np.ndarray:
        """Return rows of the balls, (points, …)."""
        found = self.device.host(array)[..., self.pad : self.pad + self.network.count]
        return np.ascontiguousarray(found.T)

    def checkpoint(self) -> dict[str, Any]:
        """Return what the next steps depend on."""
        return {"rates": self.host(self.rates), "turns": self.host(self.turns), "lost": self.host(self.lost)}
