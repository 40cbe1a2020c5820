"""The engine: a network's state on a device, and its steps."""

import warnings
from functools import cached_property
from typing import Any

import numpy as np

from motiform.base.errors import InputError, MotiformWarning, RunError, closest
from motiform.base.machine import check_steps
from motiform.motion.matter.engine.layouts import Given, LinkRows, MassColumns
from motiform.motion.matter.engine.links import AutomatonLinks, AxialLinks, DeviceLinks, LineLinks
from motiform.motion.matter.engine.pack import (
    distances,
    pack_arms,
    pack_floors,
    pack_stencils,
    piston_lengths,
    split_bundles,
)
from motiform.motion.matter.engine.ranges import Range, make_range
from motiform.motion.matter.engine.sleep import Sleepers, sleeping_masses
from motiform.motion.matter.engine.slow import idle_masses, slow_masses
from motiform.motion.matter.engine.spins import Spins
from motiform.motion.matter.model.network import Bundle, Network, NetworkState
from motiform.motion.matter.motions.eddies import Eddies
from motiform.motion.run.options import LOST

__all__ = ["Engine", "PassedWarning"]

_WIDTH = 4096  # masses or links of an element on the CPU at most: enough for its vector units
_FEW = 8192  # masses or links below which one core is faster than two: waking the others takes longer than the work
_SHARES = 16  # elements that a small network is cut into, to share among cores


class PassedWarning(MotiformWarning):
    """A point passed through a solid."""


class Engine:
    """A network on its way through time: all masses move, then all links act [Habibi97 L445].

    >>> from motiform.motion.matter import NetworkBuilder
    >>> b = NetworkBuilder(gravity=(0, -10, 0), frequency=100)
    >>> _ = b.masses("ball", [0, 0, 0], mass=1.0)
    >>> engine = Engine(b.build())
    >>> engine.advance(100)
    >>> float(engine.state().position[0, 1])  # −g t (t + Te)/2: the scheme is half a step ahead
    -5.05...
    """

    def __init__(self, network: Network, *, state: NetworkState | None = None, device: str = "cpu") -> None:
        from motiform.base.kernels import get_device

        self.network, self.device = network, get_device(device)
        self._width = min(_WIDTH, max(256, network.count // _SHARES)) if device == "cpu" else 1
        begin = network.initial_state()
        self._start = begin.position
        state = begin if state is None else state
        self.sample = state.sample
        self._pack(state)

    # ---- the arrays -------------------------------------------------------------------------------------------------

    def _pack(self, state: NetworkState) -> None:
        network, put = self.network, self.device.array
        stencils, rest = pack_stencils(network, self._start)
        self._stencils = stencils
        self._pad = pad = stencils.pad
        floors, rest = pack_floors(network, rest, self._start, pad)
        self._whole, self._real, self._there = (
            put(_one(array)) for array in (stencils.whole, stencils.real, stencils.there)
        )
        self._length = put(_one(self._stencil_lengths(state)))
        sleeps = sleeping_masses(network)
        self._sleepers = Sleepers(self.device, sleeps, pad, self._width) if (sleeps > 1).any() else None
        self._slow = slow_masses(self.device, network, sleeps, pad)
        self._put_places(state)
        self._forces = put(np.zeros((3, network.count + 2 * pad)))
        self._bad = put(np.full(1, -1, np.int64))
        self._chunks = -(-network.count // self._width)
        self._least = -(-_FEW // self._width)
        starts = pad + np.arange(self._chunks) * self._width
        ends = np.minimum(starts + self._width, pad + network.count)
        self._runs = np.stack([starts, ends, np.ones_like(starts)], axis=1)
        """First mass and end (with the pad) of runs of all masses."""
        parts, count = self._pack_links(state, rest)
        self._pull = put(np.zeros(max(count, 1)))
        self._masses = self._pack_masses(floors, parts)
        self._spins: Spins | None = None
        if network.spins:
            self._spins = Spins(self.device, network, pad, self._width)
            self._spins.put(network.initial_state() if state.angular_velocity is None else state)
        # masses that only grids pull: on a GPU it is faster to keep nothing of a link
        only_grids = bool(
            stencils.bundles and self._masses.plain and not parts and not self._masses.floor_count and not network.spins
        )
        self._alone = only_grids and self.device.name != "cpu"
        self._after: Any = put(self._padded(state.position)) if self._alone else None
        self._ranges = [
            make_range(self.device, network, reach, pad, self._width, self._spins) for reach in network.reaches
        ]
        self._imposed = [(g, put(g.indices + pad)) for g in network.groups if g.motion is not None]
        self._pushed = [(i, put(i.points + pad)) for i in network.inputs]
        steady = not callable(network.wind.values) and len(network.wind.values) == 1
        self._wind = put(network.wind.values[0]) if steady else None
        self._waves = put(network.wind.values.table) if isinstance(network.wind.values, Eddies) else None
        self._outside: tuple[Any, Any] | None = None
        self._solids: Any = None
        self._warned: set[str] = set()
        if network.solids:
            from motiform.motion.matter.model.solids import DeviceSolids

            self._solids = DeviceSolids(self.device, network, pad, self._spins)

    def _pack_links(self, state: NetworkState, bundles: list[Bundle]) -> tuple[list[Any], int]:
        """Put links with given ends on the device; return what pulls whom, for `pack_arms`, and how many tensions."""
        network, first = self.network, self._stencils.size
        lines, axial, automata = split_bundles(bundles)
        self._first: dict[str, int] = {}
        self._tables: list[DeviceLinks] = []
        self._automata: list[AutomatonLinks] = []
        self._pistons = []
        rates = sorted({bundle.every for bundle in network.bundles})
        families: list[tuple[type[DeviceLinks], list[Bundle]]] = [
            (kind, mine)
            for kind, own in ((LineLinks, lines), (AxialLinks, axial))
            for every in rates
            if (mine := [bundle for bundle in own if bundle.every == every])
        ]
        families += [(AutomatonLinks, [bundle]) for bundle in automata]
        parts: list[Any] = []
        for kind, mine in families:
            links = kind(self.device, network, mine, state, first, self._pad, self._width)
            if isinstance(links, AutomatonLinks):
                self._automata.append(links)
            else:
                self._tables.append(links)
            for bundle in mine:
                parts.append((bundle.pairs, np.full(bundle.count, bundle.axis), bundle.acts, first))
                self._first[bundle.name] = first
                first += bundle.count
        for piston in network.pistons:
            pairs, axes = piston.pairs.reshape(-1, 2), np.tile(piston.axes, piston.count)
            self._pistons.append(self._pack_piston(piston, state, first))
            parts.append((pairs, axes, "both", first))
            first += len(pairs)
        return parts, first

    def _pack_masses(self, floors: Any, parts: list[Any]) -> MassColumns:
        network, put = self.network, self.device.array
        drag, free = network._joined("drag"), network._joined("free")
        slow = np.repeat([g.every for g in network.groups], [g.count for g in network.groups]) > 1
        drag = np.where(slow, 0.0, drag)  # `SlowMasses` adds theirs
        plain = int(not drag.any() and (free[network.movable] == 7).all())
        mobility = network.step**2 / network.mass  # 0 for what links do not move
        arms = pack_arms(network.count, self._pad, parts)
        return MassColumns(
            pad=self._pad, size=network.count, width=self._width, plain=plain, mobility=self._row(mobility),
            free=self._row(free), gravity=put(np.array(network.gravity) * network.step**2), drag=self._row(drag),
            whole=self._whole, stencils=len(self._stencils.bundles), floors=put(_one(floors.whole)),
            floor_places=put(_one(floors.place)), floor_laws=put(_one(floors.laws)), floor_count=len(floors.whole),
            pull=self._pull, starts=put(_one(arms.starts)), arms=put(_one(arms.arms)), signs=put(_one(arms.signs)),
            radial=put(_one(arms.radial)), frequency=network.frequency, bad=self._bad,
        )  # fmt: skip

    def _put_places(self, state: NetworkState) -> None:
        """Put all points to where a state tells."""
        x, before = self._padded(state.position), self._padded(state.previous)
        if self._sleepers is not None:
            self._sleepers.advance_to_wake(state.sample, x, before)
        self._x, self._before = self.device.array(x), self.device.array(before)

    def _padded(self, position: np.ndarray) -> np.ndarray:
        """Return positions as x[axis, mass] with a pad on both sides, for stencils to look into."""
        pad, n = self._pad, len(position)
        found = np.zeros((3, n + 2 * pad))
        found[:, pad : pad + n] = position.T
        return found

    def _row(self, values: np.ndarray) -> Any:
        found = np.zeros(len(values) + 2 * self._pad, values.dtype)
        found[self._pad : self._pad + len(values)] = values
        return self.device.array(found)

    def _pack_piston(self, piston: Any, state: NetworkState, first: int) -> tuple[Any, ...]:
        put, count = self.device.array, piston.count
        pairs, axes = piston.pairs.reshape(-1, 2) + self._pad, np.tile(piston.axes, count)
        starts = np.arange(count + 1) * piston.pairs.shape[1]
        rest = [piston_lengths(piston, x) for x in (self._start, state.previous)]
        rows = piston.law.rows(count, rest[0])
        arrays = (starts, pairs[:, 0], pairs[:, 1], axes, np.arange(count), rows)
        return (count, first, *[put(a) for a in arrays], put(rest[1]))

    def _stencil_lengths(self, state: NetworkState) -> np.ndarray:
        found = np.ones(self._stencils.size)
        for (bundle, n), row in zip(self._stencils.bundles, self._stencils.whole, strict=True):
            assert bundle.grid is not None
            pairs = bundle.grid.pairs_along(bundle.grid.offsets[n])
            found[row[3] + pairs[:, 0] + self._pad] = distances(state.previous, pairs, -1)
        return found

    # ---- steps ------------------------------------------------------------------------------------------------------

    def advance(self, steps: int = 1) -> None:
        """Take steps; a diverged mass (not finite, or extremely far) raises an error with its step."""
        check_steps(steps)
        if self.small and steps > 1:
            self.watch(1, steps, np.zeros(0, np.int64))
        else:
            for _ in range(steps):
                self._step()
        self.check()

    @property
    def small(self) -> bool:
        """Whether many steps are taken in one compiled call: few masses, links between given points, on one core.

        What is at a sub-rate works in single steps, at its turns; those in between are taken together.
        """
        plain = not (self._automata or self._pistons or self._ranges or self._solids or self._outside or self._spins)
        links = sum(table.count for table in self._tables)
        one_core = self.device.name == "cpu" and max(self.network.count, links) < _FEW
        return plain and one_core and self._wind is not None

    @cached_property
    def _turns(self) -> list[int]:
        """After how many steps what is at a sub-rate has its turn."""
        parts: list[Any] = [*self.network.groups, *self.network.bundles, *self.network.inputs]
        return sorted({part.every for part in parts} - {1})

    def _steps_between(self, most: int) -> int:
        """Return how many steps, so many at most, can be taken before the next turn; a link ends its own one later."""
        if any(self.sample % every < 2 for every in self._turns):
            return 0
        return min([most, *[every - self.sample % every for every in self._turns]])

    def watch(self, samples: int, steps: int, points: np.ndarray) -> np.ndarray:
        """Take so many steps to each of some samples of a `small` network.

        Return where points are at these [m], (samples, points, 3). Whether a mass was lost is for `check`.
        """
        check_steps(samples * steps)
        if steps < 1:
            raise InputError("there must be a step to each sample", got=steps)
        begun, found = self.sample, np.empty((samples, len(points), 3))
        while (done := self.sample - begun) < samples * steps:
            free = self._steps_between(samples * steps - done)
            if free > 0:
                self._take(free, steps, done % steps, points, found[done // steps :])
            else:
                self._step()
                if (done + 1) % steps == 0 and len(points):
                    found[done // steps] = self.places(points)
        return found

    def _take(self, total: int, steps: int, since: int, points: np.ndarray, found: np.ndarray) -> None:
        """Take steps between turns in one call, `since` steps after a sample; write where points are at the next."""
        from motiform.motion.matter.engine import run_kernels

        network, n = self.network, self.sample
        pushed = [(where, i.signal, len(i.points), True) for i, where in self._pushed if i.every == 1]
        imposed = [(where, g.motion, g.count, False) for g, where in self._imposed]
        given = Given(
            *_signals(pushed, n, total, network.frequency), *_signals(imposed, n + 1, total, network.frequency),
            np.asarray(points, np.int64) + self._pad, steps, since, found,
        )  # fmt: skip
        lines, axial = (self._links_of(kind) for kind in (LineLinks, AxialLinks))
        runs = self._runs if self._sleepers is None else self._sleepers.awake(n)[0]
        self.device.launch(
            run_kernels.many_steps, 1, total, n, runs, self._x, self._before, self._forces, self._wind, self._masses,
            lines, axial, self._real, self._there, self._length, idle_masses(self._slow), given,
        )  # fmt: skip
        if total % 2:
            self._x, self._before = self._before, self._x
        self.sample += total
        if self._sleepers is not None:
            self._sleepers.write_positions(n, total, steps, since, points, self._x, self._before, found)

    def works(self, name: str) -> np.ndarray:
        """Return the work of automata of a bundle on their ends since the start [J], (links,)."""
        return self._automata_of(name).works(self._places())

    def _automata_of(self, name: str) -> Any:
        """Return the automata of a bundle."""
        for one in self._automata:
            if one.bundle.name == name:
                return one
        known = [one.bundle.name for one in self._automata]
        raise InputError(
            "no such bundle of automata", got=name, allowed=", ".join(known) or "none", remedy=closest(name, known)
        )

    @property
    def feeding(self) -> list[str]:
        """Names of automata that feed energy: back in its first state a link has given more than it took.

        Whatever states store, their offsets cancel there. Less than a thousandth of what went through is not told.
        """
        return [one.bundle.name for one in self._automata if one.feeds(self._places())]

    @property
    def lost_step(self) -> int:
        """Step at which the first mass was lost, −1 where none was."""
        return int(self.device.host(self._bad)[0])

    def _links_of(self, kind: type) -> Any:
        """Return the links of a kind for `many_steps`; none where there are none."""
        for t in self._tables:
            if isinstance(t, kind) and t.every == 1:
                chunks = -(-t.count // self._width)
                return LinkRows(t.count, chunks, t.ends, t.others, t.axis, t.material, t.table, t.length, t.first)
        none = np.zeros(0, np.int64)
        return LinkRows(0, 0, none, none, none, none, np.zeros((0, 15)), np.zeros(0), 0)

    def places(self, points: np.ndarray) -> np.ndarray:
        """Return where some points are [m], (points, 3)."""
        return np.ascontiguousarray(self._seen()[0][:, np.asarray(points, np.int64) + self._pad].T)

    def place(self, state: NetworkState) -> None:
        """Put all points elsewhere; links keep the lengths and states that they had."""
        self.sample = state.sample
        self._put_places(state)
        if self._spins is not None:
            self._spins.put(state)

    def push(self, points: np.ndarray, forces: np.ndarray) -> None:
        """Apply forces [N] (points, 3) to some points in every step from now on, until they are replaced."""
        self._wake()
        self._outside = (
            self.device.array(np.asarray(points, np.int64) + self._pad),
            self.device.array(np.asarray(forces, float)),
        )

    def _wake(self) -> None:
        """Let nobody sleep any more: what pushes from outside works in every step."""
        if self._sleepers is not None:
            x, before = self._seen()
            self._sleepers = None
            self._x, self._before = self.device.array(x), self.device.array(before)
            self._slow = slow_masses(self.device, self.network, np.ones(self.network.count, np.int64), self._pad)

    def _step(self) -> None:
        from motiform.motion.matter.engine import mass_kernels

        network, n = self.network, self.sample
        if self._alone:
            self._step_grids()
            return
        self._act()
        given, launch = self._outer_forces(), self.device.launch
        wind = self._wind if self._wind is not None else self.device.array(network.wind.at(n, network.frequency, 1)[0])
        rest = n + 1, self._x, self._before, self._forces, given, wind, self._masses
        if self._sleepers is None:
            launch(mass_kernels.move_masses, self._chunks, *rest, least=self._least)
        else:
            runs, slow = self._sleepers.awake(n)
            launch(mass_kernels.move_runs, runs.shape[0], runs, *rest, least=self._least)
            if slow is not None:
                launch(mass_kernels.extrapolate_run, slow[1], slow[0], self._before, self._x, least=self._least)
        self._x, self._before = self._before, self._x
        if self._spins is not None:
            self._spins.step()
        self._impose(n + 1)

    def _step_grids(self) -> None:
        """Take the step of masses that only grids pull."""
        from motiform.motion.matter.engine.card_grid_kernels import step_grid

        given, n = self._outer_forces(), self.sample
        self.device.launch(
            step_grid, self.network.count, self._pad, n + 1, self._x, self._before, self._after, self._whole,
            self._real, self._there, len(self._stencils.bundles), self._forces, given, self._masses.mobility,
            self._masses.gravity, self._bad,
        )  # fmt: skip
        self._x, self._before, self._after = self._after, self._x, self._before
        self._impose(n + 1)

    def _impose(self, sample: int) -> None:
        """Begin a sample: set the prescribed positions of imposed points."""
        from motiform.motion.matter.engine import mass_kernels

        self.sample = sample
        for group, where in self._imposed:
            assert group.motion is not None
            values = self.device.array(group.motion.at(sample, self.network.frequency, group.count, spread=False))
            self.device.launch(mass_kernels.impose, group.count, self._x, where, values, least=_FEW)

    def _act(self) -> None:
        """Let all links with given ends act."""
        from motiform.motion.matter.engine import link_kernels

        launch, rate, width = self.device.launch, self.network.frequency, self._width
        if self._stencils.bundles:
            launch(
                link_kernels.stencil_links, self._chunks, width, self._pad, self._x, self._whole, self._real,
                self._there,
                self._length, self._pull, least=self._least,
            )  # fmt: skip
        for links in (*self._tables, *self._automata):
            links.work(self.sample, self._x, self._pull, self._least)
        for count, first, starts, ends, others, axes, material, table, length in self._pistons:
            launch(
                link_kernels.piston_links, count, self._x, starts, ends, others, axes, material, table, rate, length,
                self._pull, first, least=1024,
            )  # fmt: skip

    def _outer_forces(self) -> int:
        """Put what comes from outside, and from neighbours by range, into the forces; return whether there is any."""
        from motiform.motion.matter.engine import mass_kernels
        from motiform.motion.matter.engine.eddy_kernels import add_eddies

        pushed = [(one, where) for one, where in self._pushed if self.sample % one.every == 0]
        slow = [one for one in self._slow if one.works(self.sample)]
        blown = self._waves is not None
        if not (pushed or self._ranges or self._outside or self._solids or slow or blown):
            return 0
        launch, network = self.device.launch, self.network
        if self._sleepers is None:
            chunks = -(-self._forces.shape[1] // self._width)
            launch(mass_kernels.clear, chunks, self._width, self._forces, least=self._least)
        else:
            runs, _ = self._sleepers.awake(self.sample)
            launch(mass_kernels.clear_runs, runs.shape[0], runs, self._forces, least=self._least)
        for masses in slow:
            masses.act(self.sample, self._x, self._before, self._forces)
        for one, where in pushed:
            values = one.signal.at(self.sample, network.frequency, len(one.points))
            values = self.device.array(values if one.every == 1 else one.every * values)
            launch(mass_kernels.add_forces, len(one.points), self._forces, where, values, least=_FEW)
        if self._outside is not None:
            launch(mass_kernels.add_forces, self._outside[0].shape[0], self._forces, *self._outside, least=_FEW)
        if blown:
            launch(
                add_eddies, network.count, self._pad, self._x, self._masses.drag, self._waves,
                self.sample / network.frequency, self._forces, least=_FEW // 16,
            )  # fmt: skip
        for reach in self._ranges:
            self._act_by_range(reach)
        if self._solids is not None:
            self._solids.act(self.sample, self._x, self._before, self._forces)
        return 1

    def _act_by_range(self, one: Range) -> None:
        """Add the forces of neighbours, where they act one way only on those who are acted on."""
        from motiform.motion.matter.engine import mass_kernels

        if one.reach.acts == "both":
            one.act(self._x, self._before, self._forces, None if self._spins is None else self._spins.torques)
            return
        if one.aside is None:
            points, empty = one.reach.acted + self._pad, np.zeros(self._forces.shape)
            one.aside = self.device.array(empty), self.device.array(empty), self.device.array(points)
        aside, torques, points = one.aside
        for array in (aside, torques):
            self.device.launch(
                mass_kernels.clear, -(-array.shape[1] // self._width), self._width, array, least=self._least
            )
        one.act(self._x, self._before, aside, torques)
        self.device.launch(mass_kernels.add_aside, points.shape[0], self._forces, points, aside, least=_FEW)
        if self._spins is not None:
            self.device.launch(
                mass_kernels.add_aside, points.shape[0], self._spins.torques, points, torques, least=_FEW
            )

    # ---- what is seen -----------------------------------------------------------------------------------------------

    @property
    def passed(self) -> dict[str, int]:
        """Step in which a point first passed through a solid, or its middle, by the solid's name."""
        return {} if self._solids is None else self._solids.passed

    def _warn_of_passed(self) -> None:
        """Warn, once for each solid, of points that passed through it."""
        for name, step in self.passed.items():
            if name not in self._warned:
                self._warned.add(name)
                text = (
                    f"solid {name!r}, t = {step / self.network.frequency:.6g} s: a point passed through it. Raise the "
                    "network's frequency or the stiffness, or make the solid or the point's radius larger."
                )
                warnings.warn(text, PassedWarning, stacklevel=3)

    def check(self) -> None:
        """Raise where a mass was lost; warn where one passed through a solid."""
        self._warn_of_passed()
        step = self.lost_step
        if step >= 0:
            where = self.state()
            lost = np.flatnonzero(~(np.abs(where.position) < LOST).all(axis=1))
            name = self.network.point_name(int(lost[0])) if len(lost) else "a mass"
            raise RunError(
                "the run has diverged", where=f"step {step}, t = {step / self.network.frequency:.6g} s",
                got=f"{name} is no longer at a finite place",
                remedy="Lower stiffness or damping, or raise the rate: `matter.assess_network` gives the limits.",
            )  # fmt: skip

    def state(self) -> NetworkState:
        """Return where the points are."""
        x, before = self._seen()
        place = self._rows(x), self._rows(before), self.sample
        if (spins := self._spins) is None:
            return NetworkState(*place)
        return NetworkState(
            *place, spins.host(spins.rates), spins.host(spins.turns), float(np.sum(spins.host(spins.lost)))
        )

    def forces(self) -> np.ndarray:
        """Return the forces of the last step [N], without gravity, (points, 3)."""
        return self._rows(self.device.host(self._forces))

    def _seen(self) -> tuple[np.ndarray, np.ndarray]:
        """Return where all points are, and were a step before [m], [axis, mass] with the pad."""
        x, before = self.device.host(self._x), self.device.host(self._before)
        if self._sleepers is not None:
            self._sleepers.restore_sleepers(self.sample, x, before)
        return x, before

    def _rows(self, found: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(found[:, self._pad : self._pad + self.network.count].T)

    def tensions(self, bundle: str) -> np.ndarray:
        """Return the tensions of a bundle's links in the last step [N], (links,)."""
        found: Bundle = self.network.bundle(bundle)
        if bundle not in self._first:
            raise InputError(
                "tensions of a grid are not kept one by one", got=bundle, remedy="Link it with record=True."
            )
        first = self._first[bundle]
        pull = self.device.host(self._pull)[first : first + found.count]
        return pull if found.axis >= 0 else pull * self.lengths(bundle)

    def _places(self) -> np.ndarray:
        """Return where all points are [m], (points, 3)."""
        return self._rows(self._seen()[0])

    def lengths(self, bundle: str) -> np.ndarray:
        """Return the lengths of a bundle's links in the last step [m], (links,)."""
        found = self.network.bundle(bundle)
        return distances(self._rows(self._seen()[1]), found.pairs, found.axis)

    def link_states(self, bundle: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the states (links,) and the memory (memory, links) of a bundle of automata."""
        links = self._automata_of(bundle)
        return self.device.host(links.state), self.device.host(links.memory)

    # ---- checkpoints ------------------------------------------------------------------------------------------------

    def checkpoint(self) -> dict[str, Any]:
        """Return all data needed to continue from here with the same bits."""
        state = self.state()
        found: dict[str, Any] = {"sample": self.sample, "position": state.position, "previous": state.previous}
        for links in self._automata:
            kept = {key: self.device.host(getattr(links, key)) for key in links.kept}
            found[f"link {links.bundle.name}"] = kept
        for n, table in enumerate(self._tables):
            if table.every > 1:
                found[f"table {n}"] = self.device.host(table.length)
        for one in self._ranges:
            found[f"reach {one.reach.name}"] = one.checkpoint()
        if self._sleepers is not None:
            found["asleep"] = {"x": self.device.host(self._x), "before": self.device.host(self._before)}
        if self._solids is not None:
            found["solids"] = self._solids.checkpoint()
        if self._spins is not None:
            found["spins"] = self._spins.checkpoint()
        return found

    @classmethod
    def resume(cls, network: Network, checkpoint: dict[str, Any] | None, *, device: str = "cpu") -> "Engine":
        """Return an engine that continues from a checkpoint, or begins where there is none."""
        if checkpoint is None:
            return cls(network, device=device)
        state = NetworkState(
            np.array(checkpoint["position"]), np.array(checkpoint["previous"]), int(checkpoint["sample"])
        )
        engine = cls(network, state=state, device=device)
        for links in engine._automata:
            kept = checkpoint[f"link {links.bundle.name}"]
            for key in links.kept:
                setattr(links, key, engine.device.array(kept[key]))
        for n, table in enumerate(engine._tables):
            if table.every > 1:
                table.length = engine.device.array(checkpoint[f"table {n}"])
        for one in engine._ranges:
            one.restore(checkpoint[f"reach {one.reach.name}"])
        if engine._sleepers is not None:
            kept = checkpoint["asleep"]
            engine._x, engine._before = engine.device.array(kept["x"]), engine.device.array(kept["before"])
        if engine._solids is not None:
            engine._solids.restore(checkpoint["solids"])
        if engine._spins is not None:
            engine._spins.place(**checkpoint["spins"])
        return engine


def _signals(parts: list[tuple[Any, Any, int, bool]], first: int, count: int, rate: float) -> tuple[Any, Any]:
    """Return the points that signals are for, and their vectors at steps from the first on, (steps, points, 3)."""
    if not parts:
        return np.zeros(0, np.int64), np.zeros((0, 0, 3))
    values = [signal.over(first, count, rate, size, spread=spread) for _, signal, size, spread in parts]
    return np.concatenate([where for where, *_ in parts]), np.concatenate(values, axis=1)


def _one(array: np.ndarray) -> np.ndarray:
    """Return an array with at least one row: a GPU has no arrays without memory. Kernels go by counts, not by it."""
    return array if len(array) else np.zeros((1, *array.shape[1:]), array.dtype)
