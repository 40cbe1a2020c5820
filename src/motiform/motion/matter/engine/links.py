"""Links with given ends on a device: one family a kernel, every bundle at its own rate."""

from typing import Any

import numpy as np

from motiform.motion.matter.engine.pack import distances, pack_table
from motiform.motion.matter.laws.automaton_law import begin_meter
from motiform.motion.matter.model.network import Bundle, Network, NetworkState

__all__ = ["AutomatonLinks", "AxialLinks", "DeviceLinks", "LineLinks"]

_FEEDS = 1e-3  # of the work that went to and fro: less may be the change of directions within a step


class DeviceLinks:
    """Links of some bundles on the device, working every so many steps; `first` is their place in the tensions."""

    def __init__(
        self, device: Any, network: Network, bundles: list[Bundle], state: NetworkState, first: int, pad: int,
        width: int,
    ) -> None:  # fmt: skip
        self.device, self.bundle, self.first, self.width = device, bundles[0], first, width
        self.every = every = self.bundle.every
        then = state.position - every * (state.position - state.previous)
        earlier = state if every == 1 else NetworkState(state.position, then)  # where all were at their last turn
        table = pack_table(bundles, network.initial_state().position, earlier, pad)
        self.count, self.rate, put = table.count, network.frequency / every, device.array
        self.ends, self.others = put(table.pairs[:, 0]), put(table.pairs[:, 1])
        self.axis, self.material = put(table.axis), put(table.material)
        self.table, self.length = put(table.table), put(table.length)

    def work(self, sample: int, x: Any, pull: Any, least: int) -> None:
        """Write what the links pull; at a sub-rate so much more in the step of their turn, and nothing after it."""
        from motiform.motion.matter.engine.link_kernels import scale_links

        since = sample % self.every
        if since == 0:
            self._act(x, pull, least)
        if self.every > 1 and since < 2:
            gain = float(self.every) if since == 0 else 0.0
            self.device.launch(scale_links, self.count, pull, self.first, gain, least=4096)

    def _act(self, x: Any, pull: Any, least: int) -> None:
        """Write what the links pull at places x; below `least` chunks one core works."""
        raise NotImplementedError


class LineLinks(DeviceLinks):
    """Links by zone laws along the line between their ends."""

    def _act(self, x: Any, pull: Any, least: int) -> None:
        from motiform.motion.matter.engine.link_kernels import zone_links

        self.device.launch(
            zone_links, -(-self.count // self.width), self.width, x, self.ends, self.others, self.material, self.table,
            self.rate, self.length, pull, self.first, least=least,
        )  # fmt: skip


class AxialLinks(DeviceLinks):
    """Links by zone laws along an axis."""

    def _act(self, x: Any, pull: Any, least: int) -> None:
        from motiform.motion.matter.engine.link_kernels import axial_links

        self.device.launch(
            axial_links, self.count, x, self.ends, self.others, self.axis, self.material, self.table, self.rate,
            self.length, pull, self.first, least=4096,
        )  # fmt: skip


class AutomatonLinks(DeviceLinks):
    """The links of one bundle of automata: their states and what they remember."""

    kept = ("state", "memory", "length", "meter")
    """Arrays that a checkpoint holds."""

    def __init__(
        self, device: Any, network: Network, bundles: list[Bundle], state: NetworkState, first: int, pad: int,
        width: int,
    ) -> None:  # fmt: skip
        super().__init__(device, network, bundles, state, first, pad, width)
        law: Any = self.bundle.law
        start = network.initial_state()
        begin, then = (distances(x, self.bundle.pairs, self.bundle.axis) for x in (start.position, start.previous))
        self.kernel = law.automaton.links_kernel
        self.state = device.array(np.zeros(self.count, np.int32))
        self.memory = device.array(law.begin(self.count, begin))
        self.meter = device.array(begin_meter(device.host(self.length)))
        self._held = law.stored(self._rows(), law.begin(self.count, begin), begin, then)

    def _act(self, x: Any, pull: Any, least: int) -> None:
        self.device.launch(
            self.kernel, self.count, x, self.ends, self.others, self.axis, self.material, self.table, self.rate,
            self.length, self.state, self.memory, self.meter, pull, self.first, least=2048,
        )  # fmt: skip

    def works(self, position: np.ndarray) -> np.ndarray:
        """Return the work done on the ends since the start [J], (links,), where points are at positions."""
        tension, _, before, work, _ = self.device.host(self.meter)
        found: np.ndarray = work - 0.5 * tension * (self._lengths(position) - before)
        return found

    def feeds(self, position: np.ndarray) -> bool:
        """Return whether a link that is in its first state has given more than it took."""
        host, law = self.device.host, self.bundle.law
        there = host(self.state) == 0
        now, (_, before, _, _, flow) = self._lengths(position), host(self.meter)
        held = law.stored(self._rows(), host(self.memory), now, before)  # type: ignore[union-attr]
        return bool((there & (self.works(position) + held - self._held > _FEEDS * flow)).any())

    def _rows(self) -> np.ndarray:
        """Return the parameters of each link; equal ones share a row of the table."""
        found: np.ndarray = self.device.host(self.table)[self.device.host(self.material)]
        return found

    def _lengths(self, position: np.ndarray) -> np.ndarray:
        return distances(position, self.bundle.pairs, self.bundle.axis)
