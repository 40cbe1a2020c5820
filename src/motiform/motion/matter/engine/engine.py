"""The engine: a network's state on a device, and its steps."""

import warnings
from typing import Any

import numpy as np

from motiform.base.errors import InputError, RunError
from motiform.motion.matter.engine.pack import (
    distances,
    pack_arms,
    pack_floors,
    pack_stencils,
    pack_table,
    piston_lengths,
    split_bundles,
)
from motiform.motion.matter.engine.ranges import Range, make_range
from motiform.motion.matter.engine.sleep import Sleepers, sleeping_masses
from motiform.motion.matter.engine.spins import Spins
from motiform.motion.matter.laws.automaton_law import begin_meter
from motiform.motion.matter.model.network import Bundle, Network, NetworkState

__all__ = ["Engine", "PassedWarning"]

_WIDTH = 4096  # masses or links of an element on the CPU at most: enough for its vector units
_FEW = 8192  # masses or links below which one core is faster than two: waking the others takes longer than the work
_FEEDS = 1e-3  # of the work that went to and fro: less may be the change of directions within a step
_SHARES = 16  # elements that a small network is cut into, to share among cores


class PassedWarning(UserWarning):
    """A point passed through a solid within a step."""


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
        self._pad = pad = stencils.pad
        floors, rest = pack_floors(network, rest, self._start, pad)
        self._floor_count = len(floors.whole)
        self._floors = [put(_one(a)) for a in (floors.whole, floors.place, floors.laws)]
        lines, axial, automata = split_bundles(rest)
        self._stencils = stencils
        self._whole, self._real, self._there = (
            put(_one(stencils.whole)),
            put(_one(stencils.real)),
            put(_one(stencils.there)),
        )
        sleeps = sleeping_masses(network)
        self._sleepers = Sleepers(self.device, sleeps, pad, self._width) if (sleeps > 1).any() else None
        self._put_places(state)
        self._forces = put(np.zeros((3, network.count + 2 * pad)))
        mobility = network.step**2 / network.mass  # 0 for what links do not move
        self._mobility, self._free = self._row(mobility), self._row(network._joined("free"))
        drag, free = network._joined("drag"), network._joined("free")
        self._slow = self._slow_masses(sleeps)
        drag = np.where(np.repeat([g.every for g in network.groups], [g.count for g in network.groups]) > 1, 0.0, drag)
        self._drag = self._row(drag)
        self._plain = int(not drag.any() and (free[network.movable] == 7).all())
        self._gravity = put(np.array(network.gravity) * network.step**2)
        parts: list[Any] = []
        first = stencils.size
        self._first: dict[str, int] = {}
        self._tables: list[_Links] = []
        for kind in (_LineLinks, _AxialLinks):
            for every in sorted({bundle.every for bundle in network.bundles}):
                mine = [b for b in (lines if kind is _LineLinks else axial) if b.every == every]
                if mine:
                    self._tables.append(kind(self, mine, state, first, every))
                for bundle in mine:
                    parts.append((bundle.pairs, np.full(bundle.count, bundle.axis), bundle.acts, first))
                    self._first[bundle.name] = first
                    first += bundle.count
        self._automata = []
        for bundle in automata:
            self._automata.append(_AutomatonLinks(self, [bundle], state, first, bundle.every))
            parts.append((bundle.pairs, np.full(bundle.count, bundle.axis), bundle.acts, first))
            self._first[bundle.name] = first
            first += bundle.count
        self._pistons = []
        for piston in network.pistons:
            pairs, axes = piston.pairs.reshape(-1, 2), np.tile(piston.axes, piston.count)
            self._pistons.append(self._pack_piston(piston, state, first))
            parts.append((pairs, axes, "both", first))
            first += len(pairs)
        self._spins: Spins | None = None
        if network.spins:
            self._spins = Spins(self.device, network, pad, self._width)
            begin = network.initial_state()
            self._spins.put(begin if state.angular_velocity is None else state)
        # masses that only grids pull: on a GPU it is faster to keep nothing of a link
        only_grids = bool(
            stencils.bundles and self._plain and not parts and not self._floor_count and not network.spins
        )
        self._alone = only_grids and self.device.name != "cpu"
        self._after: Any = put(self._padded(state.position)) if self._alone else None
        arms = pack_arms(network.count, pad, parts)
        self._arms = [put(a) for a in (_one(arms.starts), _one(arms.arms), _one(arms.signs), _one(arms.radial))]
        self._pull = put(np.zeros(max(first, 1)))
        self._length = put(_one(self._stencil_lengths(state)))
        self._ranges = [
            make_range(self.device, network, reach, pad, self._width, self._spins) for reach in network.reaches
        ]
        self._chunks = -(-network.count // self._width)
        self._least = -(-_FEW // self._width)
        self._bad = put(np.full(1, -1, np.int64))
        self._imposed = [(g, put(g.indices + pad)) for g in network.groups if g.motion is not None]
        self._pushed = [(i, put(i.points + pad)) for i in network.inputs]
        steady = not callable(network.wind.values) and len(network.wind.values) == 1
        self._wind = put(network.wind.values[0]) if steady else None
        self._outside: tuple[Any, Any] | None = None
        self._solids: Any = None
        self._told: set[str] = set()
        if network.solids:
            from motiform.motion.matter.model.solids import Solids

            self._solids = Solids(self.device, network, pad, self._spins)

    def _put_places(self, state: NetworkState) -> None:
        """Put all points to where a state tells."""
        x, before = self._padded(state.position), self._padded(state.previous)
        if self._sleepers is not None:
            self._sleepers.lay_down(state.sample, x, before)
        self._x, self._before = self.device.array(x), self.device.array(before)

    def _padded(self, position: np.ndarray) -> np.ndarray:
        """Return positions as x[axis, mass] with a pad on both sides, for stencils to look into."""
        pad, n = self._pad, len(position)
        found = np.zeros((3, n + 2 * pad))
        found[:, pad : pad + n] = position.T
        return found

    def _slow_masses(self, sleeps: np.ndarray) -> list["_SlowMasses"]:
        """Return the masses at sub-rates, those that sleep between their turns apart from those that do not."""
        groups = self.network.groups
        every = np.repeat([g.every for g in groups], [g.count for g in groups])
        found = []
        for k in sorted({g.every for g in groups} - {1}):
            for asleep in (False, True):
                mine = np.flatnonzero((every == k) & self.network.movable & ((sleeps > 1) == asleep))
                if len(mine):
                    found.append(_SlowMasses(self, mine, k, asleep))
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
        if self.small and steps > 1:
            self.watch(1, steps, np.zeros(0, np.int64))
        else:
            for _ in range(steps):
                self._step()
        self.check()

    @property
    def small(self) -> bool:
        """Whether many steps are taken in one compiled call: few masses, links between given points, on one core."""
        plain = not (self._automata or self._pistons or self._ranges or self._solids or self._outside or self._slow)
        plain = plain and self._spins is None and all(pushed.every == 1 for pushed, _ in self._pushed)
        links = sum(table.count for table in self._tables)
        one_core = self.device.name == "cpu" and max(self.network.count, links) < _FEW
        return plain and one_core and self._wind is not None and all(table.every == 1 for table in self._tables)

    def watch(self, samples: int, steps: int, points: np.ndarray) -> np.ndarray:
        """Take so many steps to each of some samples of a `small` network.

        Return where points are at these [m], (samples, points, 3). Whether a mass was lost is for `check`.
        """
        from motiform.motion.matter.engine import run_kernels

        total, n = samples * steps, self.sample
        network, found = self.network, np.empty((samples, len(points), 3))
        pushed = [(where, i.signal, len(i.points), True) for i, where in self._pushed]
        imposed = [(where, g.motion, g.count, False) for g, where in self._imposed]
        given = run_kernels.Given(
            *_signals(pushed, n, total, network.frequency), *_signals(imposed, n + 1, total, network.frequency),
            np.asarray(points, np.int64) + self._pad, steps, found,
        )  # fmt: skip
        masses = run_kernels.Masses(  # type: ignore[call-arg]
            self._x, self._before, self._forces, self._pad, network.count, self._width, self._chunks, self._plain,
            self._mobility, self._free, self._gravity, self._drag, self._wind, self._whole, len(self._stencils.bundles),
            *self._floors, self._floor_count, self._pull, *self._arms, network.frequency, self._bad,
        )  # fmt: skip
        lines, axial = (self._links_of(kind) for kind in (_LineLinks, _AxialLinks))
        self.device.launch(
            run_kernels.many_steps, 1, total, n, masses, lines, axial, self._real, self._there, self._length, given
        )
        if total % 2:
            self._x, self._before = self._before, self._x
        self.sample += total
        return found

    def works(self, name: str) -> np.ndarray:
        """Return the work of automata of a bundle on their ends since the start [J], (links,)."""
        return next(one for one in self._automata if one.bundle.name == name).works(self)

    @property
    def feeding(self) -> list[str]:
        """Names of automata that feed energy: back in its first state a link has given more than it took.

        Whatever states store, their offsets cancel there. Less than a thousandth of what went through is not told.
        """
        return [one.bundle.name for one in self._automata if one.feeds(self)]

    @property
    def lost_step(self) -> int:
        """Step at which the first mass was lost, −1 where none was."""
        return int(self.device.host(self._bad)[0])

    def _links_of(self, kind: type) -> Any:
        """Return the links of a kind for `many_steps`; none where there are none."""
        from motiform.motion.matter.engine.run_kernels import Links

        for t in self._tables:
            if isinstance(t, kind):
                chunks = -(-t.count // self._width)
                return Links(t.count, chunks, t.ends, t.others, t.axis, t.material, t.table, t.length, t.first)
        none = np.zeros(0, np.int64)
        return Links(0, 0, none, none, none, none, np.zeros((0, 15)), np.zeros(0), 0)

    def places(self, points: np.ndarray) -> np.ndarray:
        """Return where some points are [m], (points, 3)."""
        return np.ascontiguousarray(self._seen()[0][:, points + self._pad].T)

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
            self._slow = self._slow_masses(np.ones(self.network.count, np.int64))

    def _step(self) -> None:
        from motiform.motion.matter.engine import mass_kernels

        network, n = self.network, self.sample
        if self._alone:
            self._step_grids()
            return
        self._act()
        given, launch = self._outer_forces(), self.device.launch
        wind = self._wind if self._wind is not None else self.device.array(network.wind.at(n, network.frequency, 1)[0])
        rest = (
            n + 1, self._x, self._before, self._forces, given, self._plain, self._mobility, self._free, self._gravity,
            self._drag, wind, self._whole, len(self._stencils.bundles), *self._floors, self._floor_count, self._pull,
            *self._arms, network.frequency, self._bad,
        )  # fmt: skip
        if self._sleepers is None:
            masses = self._chunks, self._width, self._pad, network.count
            launch(mass_kernels.move_masses, *masses, *rest, least=self._least)
        else:
            runs, slow = self._sleepers.awake(n)
            launch(mass_kernels.move_runs, runs.shape[0], runs, self._pad, *rest, least=self._least)
            if slow is not None:
                launch(mass_kernels.coast, slow[1], slow[0], self._before, self._x, least=self._least)
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
            self._real, self._there, len(self._stencils.bundles), self._forces, given, self._mobility, self._gravity,
            self._bad,
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
            links.work(self)
        for count, first, starts, ends, others, axes, material, table, length in self._pistons:
            launch(
                link_kernels.piston_links, count, self._x, starts, ends, others, axes, material, table, rate, length,
                self._pull, first, least=1024,
            )  # fmt: skip

    def _outer_forces(self) -> int:
        """Put what comes from outside, and from neighbours by range, into the forces; return whether there is any."""
        from motiform.motion.matter.engine import mass_kernels

        pushed = [(one, where) for one, where in self._pushed if self.sample % one.every == 0]
        slow = [one for one in self._slow if one.works(self.sample)]
        if not (pushed or self._ranges or self._outside or self._solids or slow):
            return 0
        launch, network = self.device.launch, self.network
        if self._spins is not None:
            self._spins.clear()
        if self._sleepers is None:
            chunks = -(-self._forces.shape[1] // self._width)
            launch(mass_kernels.clear, chunks, self._width, self._forces, least=self._least)
        else:
            runs, _ = self._sleepers.awake(self.sample)
            launch(mass_kernels.clear_runs, runs.shape[0], runs, self._forces, least=self._least)
        for masses in slow:
            masses.act(self)
        for one, where in pushed:
            values = one.signal.at(self.sample, network.frequency, len(one.points))
            values = self.device.array(values if one.every == 1 else one.every * values)
            launch(mass_kernels.add_forces, len(one.points), self._forces, where, values, least=_FEW)
        if self._outside is not None:
            launch(mass_kernels.add_forces, self._outside[0].shape[0], self._forces, *self._outside, least=_FEW)
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
        """Step in which a point first passed through a solid from one sample to the next, by the solid's name."""
        return {} if self._solids is None else self._solids.passed

    def _tell_passed(self) -> None:
        """Warn, once for each solid, of points that were too fast to touch it."""
        for name, step in self.passed.items():
            if name not in self._told:
                self._told.add(name)
                text = (
                    f"solid {name!r}, t = {step / self.network.frequency:.6g} s: a point passed through it within a "
                    "step. Raise the network's frequency, or make the solid or the point's radius larger."
                )
                warnings.warn(text, PassedWarning, stacklevel=3)

    def check(self) -> None:
        """Raise where a mass was lost; warn where one passed through a solid."""
        self._tell_passed()
        step = self.lost_step
        if step >= 0:
            where = self.state()
            lost = np.flatnonzero(~(np.abs(where.position) < 1e100).all(axis=1))
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
            self._sleepers.look(self.sample, x, before)
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

    def lengths(self, bundle: str) -> np.ndarray:
        """Return the lengths of a bundle's links in the last step [m], (links,)."""
        found = self.network.bundle(bundle)
        return distances(self._rows(self._seen()[1]), found.pairs, found.axis)

    def link_states(self, bundle: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the states (links,) and the memory (memory, links) of a bundle of automata."""
        links = next(a for a in self._automata if a.bundle.name == bundle)
        return self.device.host(links.state), self.device.host(links.memory)

    # ---- checkpoints ------------------------------------------------------------------------------------------------

    def checkpoint(self) -> dict[str, Any]:
        """Return all data needed to continue from here with the same bits."""
        state = self.state()
        found: dict[str, Any] = {"sample": self.sample, "position": state.position, "previous": state.previous}
        for links in self._automata:
            kept = {key: self.device.host(getattr(links, key)) for key in ("state", "memory", "length", "meter")}
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
    def resume(cls, network: Network, checkpoint: dict[str, Any], *, device: str = "cpu") -> "Engine":
        """Return an engine that continues from a checkpoint."""
        state = NetworkState(
            np.array(checkpoint["position"]), np.array(checkpoint["previous"]), int(checkpoint["sample"])
        )
        engine = cls(network, state=state, device=device)
        for links in engine._automata:
            kept = checkpoint[f"link {links.bundle.name}"]
            for key in ("state", "memory", "length", "meter"):
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


class _SlowMasses:
    """Masses at a sub-rate: gravity and drag work every so many steps, so much stronger, and not in between.

    All masses have gravity once in a step that they take: what sleeps takes none in between.
    """

    def __init__(self, engine: Engine, mine: np.ndarray, every: int, asleep: bool) -> None:
        network, put, self.every, self.asleep = engine.network, engine.device.array, every, asleep
        self.count, self.where = len(mine), put(mine + engine._pad)
        self.mass, self.drag = put(network.mass[mine]), put(network._joined("drag")[mine])
        self.gravity = put(np.array(network.gravity))

    def works(self, sample: int) -> bool:
        """Return whether there is something to add in the step from a sample on."""
        return not self.asleep or sample % self.every == 0

    def act(self, engine: Engine) -> None:
        """Add what the step of all masses lacks, or has too much."""
        from motiform.motion.matter.engine.mass_kernels import slow_forces

        network, n = engine.network, engine.sample
        gain = float(self.every) if n % self.every == 0 else 0.0
        wind = engine.device.array(network.wind.at(n, network.frequency, 1)[0])
        engine.device.launch(
            slow_forces, self.count, self.where, engine._x, engine._before, self.mass, self.drag, self.gravity, wind,
            gain, network.frequency, engine._forces, least=_FEW,
        )  # fmt: skip


class _Links:
    """Links of some bundles on the device, working every so many steps."""

    def __init__(self, engine: Engine, bundles: list[Bundle], state: NetworkState, first: int, every: int) -> None:
        then = state.position - every * (state.position - state.previous)
        earlier = state if every == 1 else NetworkState(state.position, then)  # where all were at their last turn
        table = pack_table(bundles, engine._start, earlier, engine._pad)
        self.bundle, self.count, self.first, self.every = bundles[0], table.count, first, every
        self.rate = engine.network.frequency / every
        put = engine.device.array
        self.ends, self.others = put(table.pairs[:, 0]), put(table.pairs[:, 1])
        self.axis, self.material = put(table.axis), put(table.material)
        self.table, self.length = put(table.table), put(table.length)

    def work(self, engine: Engine) -> None:
        """Write what the links pull; at a sub-rate so much more in the step of their turn, and nothing after it."""
        from motiform.motion.matter.engine.link_kernels import scale_links

        since = engine.sample % self.every
        if since == 0:
            self.act(engine)
        if self.every > 1 and since < 2:
            gain = float(self.every) if since == 0 else 0.0
            engine.device.launch(scale_links, self.count, engine._pull, self.first, gain, least=4096)

    def act(self, engine: Engine) -> None:
        raise NotImplementedError


class _LineLinks(_Links):
    """Links by zone laws along the line between their ends."""

    def act(self, engine: Engine) -> None:
        from motiform.motion.matter.engine.link_kernels import zone_links

        engine.device.launch(
            zone_links, -(-self.count // engine._width), engine._width, engine._x, self.ends, self.others,
            self.material,
            self.table, self.rate, self.length, engine._pull, self.first, least=engine._least,
        )  # fmt: skip


class _AxialLinks(_Links):
    """Links by zone laws along an axis."""

    def act(self, engine: Engine) -> None:
        from motiform.motion.matter.engine.link_kernels import axial_links

        engine.device.launch(
            axial_links, self.count, engine._x, self.ends, self.others, self.axis, self.material, self.table, self.rate,
            self.length, engine._pull, self.first, least=4096,
        )  # fmt: skip


class _AutomatonLinks(_Links):
    """The links of one bundle of automata: their states and what they remember."""

    def __init__(self, engine: Engine, bundles: list[Bundle], state: NetworkState, first: int, every: int) -> None:
        super().__init__(engine, bundles, state, first, every)
        law: Any = self.bundle.law
        begin = distances(engine._start, self.bundle.pairs, self.bundle.axis)
        self.kernel = law.automaton.links_kernel
        self.state = engine.device.array(np.zeros(self.count, np.int32))
        self.memory = engine.device.array(law.begin(self.count, begin))
        self.meter = engine.device.array(begin_meter(engine.device.host(self.length)))
        then = distances(engine.network.initial_state().previous, self.bundle.pairs, self.bundle.axis)
        self.held = law.stored(self._rows(engine), law.begin(self.count, begin), begin, then)

    def act(self, engine: Engine) -> None:
        engine.device.launch(
            self.kernel, self.count, engine._x, self.ends, self.others, self.axis, self.material, self.table, self.rate,
            self.length, self.state, self.memory, self.meter, engine._pull, self.first, least=2048,
        )  # fmt: skip

    def works(self, engine: Engine) -> np.ndarray:
        """Return the work done on the ends since the start [J], (links,)."""
        tension, _, before, work, _ = engine.device.host(self.meter)
        found: np.ndarray = work - 0.5 * tension * (self._now(engine) - before)
        return found

    def _rows(self, engine: Engine) -> np.ndarray:
        """Return the parameters of each link; equal ones share a row of the table."""
        found: np.ndarray = engine.device.host(self.table)[engine.device.host(self.material)]
        return found

    def _now(self, engine: Engine) -> np.ndarray:
        return distances(engine._rows(engine._seen()[0]), self.bundle.pairs, self.bundle.axis)

    def feeds(self, engine: Engine) -> bool:
        """Return whether a link that is in its first state has given more than it took."""
        host, law = engine.device.host, self.bundle.law
        there = host(self.state) == 0
        now, (_, before, _, _, flow) = self._now(engine), host(self.meter)
        held = law.stored(self._rows(engine), host(self.memory), now, before)  # type: ignore[union-attr]
        return bool((there & (self.works(engine) + held - self.held > _FEEDS * flow)).any())


def _signals(parts: list[tuple[Any, Any, int, bool]], first: int, count: int, rate: float) -> tuple[Any, Any]:
    """Return the points that signals are for, and their vectors at steps from the first on, (steps, points, 3)."""
    if not parts:
        return np.zeros(0, np.int64), np.zeros((0, 0, 3))
    values = [signal.over(first, count, rate, size, spread=spread) for _, signal, size, spread in parts]
    return np.concatenate([where for where, *_ in parts]), np.concatenate(values, axis=1)


def _one(array: np.ndarray) -> np.ndarray:
    """Return an array with at least one row: a GPU has no arrays without memory. Kernels go by counts, not by it."""
    return array if len(array) else np.zeros((1, *array.shape[1:]), array.dtype)
