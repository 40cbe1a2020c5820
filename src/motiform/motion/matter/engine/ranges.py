"""Links by range: a neighbour list that is rebuilt when a point has moved too far."""

from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import RunError
from motiform.geometry.search.neighbours import sort_keys, sum_ahead
from motiform.motion.matter.engine.columns import CAPPED, NO_FRICTION, STICKING
from motiform.motion.matter.laws.links import ZoneLaw
from motiform.motion.matter.model.network import Network, Reach
from motiform.motion.run.options import LOST

if TYPE_CHECKING:
    from motiform.base.kernels import Device
    from motiform.motion.matter.engine.spins import Spins

__all__ = ["Range", "ZoneRange", "columns", "fill", "make_range"]

_SKIN = 0.3  # of the range, at the start
_LEAST, _MOST = 0.03, 1.5  # bounds of the skin, of the range
_OFTEN, _SELDOM = 8, 60  # steps between lists below which the skin grows, and above which it shrinks
_LONG = 120  # steps after which a list that still serves is made again with a thinner skin
_FEW = 8192  # points that do little each, below which one core is faster than two
_ROOM = 24  # neighbours that a point has room for at first
_CLASSES = 12  # of sizes at most, each twice as large as the next
_TABLE = 16  # cells a point, up to which their table is worth its memory


class Range:
    """The neighbours of a reach on a device: sorted by cells, listed with a skin [Verlet67].

    The skin follows how often lists are made, not how long they take, so that results do not depend on the machine.
    """

    def __init__(self, device: "Device", network: Network, reach: Reach, pad: int, width: int) -> None:
        self.device, self.reach, self.rate, self.pad = device, reach, network.frequency, pad
        self._kept: Any = _ArrayPool(device)
        self.width = 64 if width > 1 else 1
        self.size = len(reach.points)
        self.elements = -(-self.size // self.width)
        self.least = -(-_FEW // self.width)
        put = device.array
        radius = network.radius[reach.points]
        self._given = [put(a) for a in (reach.points + pad, reach.role, reach.body, radius)]
        self._widest, kinds = _classes(radius, float(reach.law.cutoff))
        self._kinds = put(kinds)
        self.members = self._given[0]
        self._rank = device.empty(int(reach.points.max()) + pad + 1, np.int64)
        self._grid, self._counts = (
            put(np.zeros((len(self._widest), 5))),
            put(np.zeros((len(self._widest), 4), np.int64)),
        )
        self.cutoff = float(reach.law.cutoff)
        self.most = self.cutoff + 2 * float(radius.max(initial=0.0))
        usual = self.cutoff + 2 * float(np.median(radius))
        self.range = usual if usual > 0 else self.most
        self.skin = _SKIN * self.range
        self.since = -1
        self.moved = put(np.zeros(1, np.int64))
        self.mark = 0
        self.slots = _ROOM
        self.capacities = np.full(self.size, _ROOM, np.int64)
        """For how many neighbours each member has room; a table has `slots` for all."""
        self.tabled = device.name != "cpu"
        self._apart = 0  # numbers from the neighbours of one point to those of the next, in a table
        self.order: Any = None
        self.neighbours: Any = None
        self.found: Any = None
        self.lists = 0
        self.memory: Any = None
        self.aside: Any = None
        """Where links that act one way only put their forces and torques first, and who is acted on."""

    def act(self, x: Any, before: Any, forces: Any, torques: Any = None) -> None:
        """Add the forces of neighbours, and the torques where balls rotate."""
        self.line_up(x, before)
        self.add_forces(forces, torques)

    def add_forces(self, forces: Any, torques: Any) -> None:
        """Add the forces of the neighbours that are listed."""
        raise NotImplementedError

    def remember(self, old: Any) -> None:
        """Make ready for a new list; `old` is what `remembered` gave before it."""
        raise NotImplementedError

    def remembered(self) -> Any:
        """Return what the list and its memory are, before a new one is made."""
        raise NotImplementedError

    def _known(self) -> np.ndarray:
        """Return the memory on the host, without what no pair has written."""
        raise NotImplementedError

    def line_up(self, x: Any, before: Any) -> None:
        """Copy the members' positions side by side, and list neighbours anew where somebody left the skin."""
        if self.order is None:
            self._list(x)
        elif self._copy(x, before):
            self._adapt()
            self._list(x)
        elif self.since >= _LONG and self.skin > _LEAST * self.range:
            self.skin = max(0.6 * self.skin, _LEAST * self.range)
            self._list(x)
        else:
            self.since += 1
            return
        self.since = 0
        self._copy(x, before)

    def _copy(self, x: Any, before: Any) -> bool:
        from motiform.motion.matter.engine import reach_kernels

        self.mark += 1
        self.device.launch(
            reach_kernels.line_up, self.elements, self.width, self.order, x, before, self.places, self.strides,
            self.listed,
            0.5 * self.skin, self.mark, self.moved, least=self.least,
        )  # fmt: skip
        return bool(self.device.host(self.moved)[0] == self.mark)

    def _adapt(self) -> None:
        if self.since < _OFTEN:
            self.skin = min(1.25 * self.skin, _MOST * self.most)
        elif self.since > _SELDOM:
            self.skin = max(0.8 * self.skin, _LEAST * self.range)

    def _list(self, x: Any) -> None:
        """Sort the members by cells and list who is near whom."""
        from motiform.geometry.search.neighbour_kernels import cell_keys, cell_starts, find_neighbours, pick_members

        old = None if self.order is None else self.remembered()
        self._kept.turn(aside=old is not None)
        device, near = self._kept, self.cutoff + self.skin
        cells = self._build_cells(x)
        grid, numbers = self._grid, self._counts
        keys, picked = device.empty(self.size, np.int64), device.empty(self.size, np.int64)
        device.launch(cell_keys, self.size, x, self.members, self._kinds, grid, numbers, keys, picked, least=_FEW)
        keys, picked = sort_keys(device, keys, picked, cells.bit_length())
        tabled = int(cells < _TABLE * self.size + 2**16)
        starts = device.empty(cells + 1 if tabled else 1, np.int64)
        if tabled:
            device.launch(cell_starts, self.size + 1, keys, starts, least=_FEW)
        self.order, self.role, self.owner, self.radius = (device.empty(self.size, a.dtype) for a in self._given)
        self.listed, self.places, self.strides = (device.empty((3, self.size)) for _ in range(3))
        sorted_ = (self.order, self.role, self.owner, self.radius, self.listed)
        device.launch(pick_members, self.size, picked, x, *self._given, *sorted_, least=_FEW)
        self.found, lacks = device.empty(self.size, np.int64), device.empty(self.size, np.int64)
        while True:
            self._make_room(picked)
            device.launch(
                find_neighbours, self.size, self.listed, self.radius, grid, numbers, keys, starts, tabled, self.role,
                self.owner, near, self.offsets, self.stride, self.neighbours, self.found, lacks, least=256,
            )  # fmt: skip
            lacking = self._largest(lacks)
            if lacking <= 0:
                break
            self.slots += lacking + (self.slots + lacking) // 4
            if not self.tabled:
                asked, who = self.device.host(self.found), self.device.host(picked)
                self.capacities[who] = np.maximum(self.capacities[who], asked + asked // 4)
        self.lists += 1
        self.remember(old)

    def _make_room(self, picked: Any) -> None:
        """Make room for neighbours: as many for each point as it had, on a CPU; as many for all on a GPU."""
        from motiform.geometry.search.neighbour_kernels import pick_capacities

        device, size = self._kept, self.size
        if self.tabled:
            on_card = device.name != "cpu"
            self.stride, apart = (size, 1) if on_card else (1, self.slots)
            if self._apart != apart:
                self._apart, self.offsets = apart, self.device.array(np.arange(size + 1) * apart)
            self.neighbours = device.empty(self.slots * size, np.int32)
            return
        self.offsets = device.empty(size + 1, np.int64)
        self.device.launch(
            pick_capacities, size + 1, picked, self.device.array(self.capacities), self.offsets, least=_FEW
        )
        self.stride = 1
        self.neighbours = device.empty(_capacity(sum_ahead(device, self.offsets), size), np.int32)

    def _build_cells(self, x: Any) -> int:
        """Lay grids of cells around the members, one for each class of sizes, and return how many cells they have."""
        from motiform.geometry.search.neighbour_kernels import RUN, find_bounds

        runs = -(-self.size // RUN)
        bounds = self._kept.empty((6, runs))
        self.device.launch(find_bounds, runs, x, self.members, bounds[:3], bounds[3:], least=8)
        found = self.device.host(bounds)
        low, high = found[:3].min(axis=1), found[3:].max(axis=1)
        if not (np.abs([low, high]) < LOST).all():
            raise RunError(
                "the run has diverged", got="a point by range is no longer at a finite place",
                remedy="Lower stiffness or damping, or raise the network's frequency.",
            )  # fmt: skip
        rows, numbers, cells = [], [], 0
        for widest in self._widest:
            size = self.cutoff + 2 * widest + self.skin
            while np.prod((high - low) / size + 1) > 2.0**58:  # wider than whole numbers can count: larger cells
                size *= 2
            counts = ((high - low) / size).astype(np.int64) + 1
            rows.append([*low, size, widest])
            numbers.append([*counts, cells])
            cells += int(np.prod(counts))
        fill(self._grid, np.array(rows))
        fill(self._counts, np.array(numbers))
        return cells

    def _largest(self, values: Any) -> int:
        from motiform.geometry.search.neighbour_kernels import RUN, find_tops

        tops = self._kept.empty(-(-self.size // RUN), np.int64)
        self.device.launch(find_tops, tops.shape[0], values, tops, least=8)
        return int(self.device.host(tops).max())

    def checkpoint(self) -> dict[str, Any]:
        """Return what the next steps depend on."""
        if self.order is None:
            return {"begun": False}
        order = self.device.host(self.order) - self.pad
        listed = np.empty((3, self.size))
        listed[:, np.searchsorted(self.reach.points, order)] = self.device.host(self.listed)
        found: dict[str, Any] = {
            "begun": True,
            "skin": self.skin,
            "since": self.since,
            "listed": listed,
            "slots": self.slots,
        }
        return found | {"memory": self._known(), "lists": self.lists}

    def restore(self, kept: dict[str, Any]) -> None:
        """Go on from a checkpoint: the same list, from the positions that it was made of."""
        if not kept["begun"]:
            return
        self.skin, self.slots = float(kept["skin"]), int(kept["slots"])
        listed = np.array(kept["listed"])
        x = np.zeros((3, int(self.reach.points.max()) + self.pad + 1))
        x[:, self.reach.points + self.pad] = listed
        self._list(self.device.array(x))
        self.since, self.lists = int(kept["since"]), int(kept["lists"])
        self.memory = self._laid(np.array(kept["memory"]))

    def _laid(self, memory: np.ndarray) -> Any:
        """Return a memory on the device."""
        return self.device.array(memory)


class ZoneRange(Range):
    """Pairs by a zone law, with or without friction: each is worked out once, on a GPU at each end if none sticks."""

    def __init__(self, device: "Device", network: Network, reach: Reach, pad: int, width: int) -> None:
        super().__init__(device, network, reach, pad, width)
        rub = reach.friction
        self.rubs = NO_FRICTION if rub is None or not rub.acts else STICKING if rub.stiffness > 0 else CAPPED
        self.rub = device.array(np.zeros(3) if rub is None else np.array([rub.limit, rub.stiffness, rub.damping]))
        self.table = device.array(reach.law.rows(1, np.zeros(1)))
        if self.rubs == NO_FRICTION:
            self.rub = device.array(np.zeros(3))
        self.pair_width = 512 if width > 1 else 1
        self.alone = device.name != "cpu" and self.rubs != STICKING
        self.rows = 7, 3, 3
        """Numbers that are side by side for a pair, that it gives, and that it remembers."""
        self.layout: Any = _rows

    def add_forces(self, forces: Any, torques: Any) -> None:
        """Work out the pairs, then let every mass gather its own; or let every mass work out its own."""
        from motiform.motion.matter.engine import card_kernels, reach_kernels

        if self.alone:
            self.device.launch(
                card_kernels.grain_forces, self.size, self.places, self.strides, self.neighbours, self.offsets,
                self.stride, self.found, self.order, self.radius, self.table, self.rub, self.rate, self.cutoff,
                forces,
            )  # fmt: skip
            return
        seen = (self.ends, self.others, self.places, self.strides, self.radius, self.between)
        law = (self.table, self.rate, self.cutoff)
        kernel, more = reach_kernels.smooth_pairs, ()
        if self.rubs == STICKING:
            kernel, more = reach_kernels.sticking_pairs, (self.rub, self.memory)  # type: ignore[assignment]
        elif self.rubs == CAPPED:
            kernel, more = reach_kernels.creeping_pairs, (self.rub,)  # type: ignore[assignment]
        launch = self.device.launch
        launch(
            kernel, -(-self.pair_count // self.pair_width), self.pair_width, self.pair_count, *seen, *law, *more,
            self.pulls, least=-(-_FEW // self.pair_width),
        )  # fmt: skip
        gathered = (self.order, self.found, self.firsts, self.backs, self.offsets, self.stride, self.pulls, forces)
        launch(reach_kernels.gather_pairs, self.elements, self.width, *gathered, least=self.least)

    def remembered(self) -> Any:
        """Return the list and its pairs, where they remember anything."""
        return (self.order, self.firsts, self.others, self.memory) if self.rubs == STICKING else None

    def _known(self) -> np.ndarray:
        return self.device.host(self.memory)[:, : max(self.pair_count, 1)]

    def write_pairs(self) -> bool:
        """Return whether each pair writes down what it does, for its ends to gather."""
        return True

    def remember(self, old: Any) -> None:
        """Make the pairs of the new list, and bring over what they remember."""
        from motiform.motion.matter.engine import reach_kernels as kernels

        device, launch, size = self._kept, self.device.launch, self.size
        if self.alone:
            self.pair_count, self.memory = 0, device.empty((1, 1))
            return
        self.firsts = device.empty(size + 1, np.int64)
        near = (self.neighbours, self.offsets, self.stride, self.found)
        launch(kernels.count_pairs, size + 1, *near, self.firsts, least=_FEW)
        self.pair_count = sum_ahead(device, self.firsts)
        room = _capacity(self.pair_count, size)
        self.ends, self.others = device.empty(room, np.int32), device.empty(room, np.int32)
        launch(kernels.make_pairs, size, *near, self.firsts, self.ends, self.others, least=_FEW)
        if self.write_pairs():
            self.backs = device.empty(self.neighbours.shape[0], np.int32)
            launch(kernels.find_backs, size, *near, self.firsts, self.others, self.backs, least=_FEW)
            self.between, self.pulls = device.empty((self.rows[0], room)), self.layout(device, self.rows[1], room)
        if self.rubs != STICKING:
            self.memory = device.empty((1, 1))
        elif old is None:
            self.memory = self.layout(self.device, self.rows[2], room)
            fill(self.memory, np.zeros((self.rows[2], room)))
        else:
            order, firsts, others, memory = old
            self.memory = self.layout(device, self.rows[2], room)
            launch(kernels.rank_order, size, order, self._rank, least=_FEW)
            pairs = (self.ends, self.others, self.order)
            launch(kernels.carry_pairs, self.pair_count, *pairs, order, self._rank, firsts, others, memory, self.memory)


class AutomatonRange(Range):
    """Pairs by an automaton: both ends work out the same numbers, and keep the same memory in their own lists."""

    def __init__(self, device: "Device", network: Network, reach: Reach, pad: int, width: int) -> None:
        super().__init__(device, network, reach, pad, width)
        law: Any = reach.law
        self.table, self.kernel, self.planes = (
            device.array(law.rows(1)),
            law.automaton.reach_kernel,
            law.automaton.planes,
        )
        self.tabled = True

    @property
    def near(self) -> Any:
        """Neighbours as a table [slot, point]."""
        if self.device.name == "cpu":
            return self.neighbours.reshape(self.size, self.slots).T
        return self.neighbours.reshape(self.slots, self.size)

    def add_forces(self, forces: Any, torques: Any) -> None:
        """Let every mass work out its own pairs."""
        self.device.launch(
            self.kernel, self.elements, self.width, self.places, self.strides, self.near, self.found, self.order,
            self.radius, self.table, self.rate, self.cutoff, self.memory, forces, least=16,
        )  # fmt: skip

    def remembered(self) -> Any:
        """Return the list and what its pairs remember."""
        return self.order, self.near, self.found, self.memory

    def _known(self) -> np.ndarray:
        listed = np.arange(self.slots)[:, None] < self.device.host(self.found)
        return np.where(listed, self.device.host(self.memory), 0.0)

    def remember(self, old: Any) -> None:
        """Bring what pairs remember into the new list."""
        from motiform.motion.matter.engine.reach_kernels import carry_memory, rank_order

        shape = (self.planes, self.slots, self.size)
        if old is None:
            self.memory = self.device.array(np.zeros(shape))
        else:
            order, neighbours, found, memory = old
            self.memory = self._kept.empty(shape)
            self.device.launch(rank_order, self.size, order, self._rank, least=_FEW)
            self.device.launch(
                carry_memory, self.size, self.order, self.near, self.found, order, self._rank, neighbours, found,
                memory, self.memory, least=256,
            )  # fmt: skip


def make_range(
    device: "Device", network: Network, reach: Reach, pad: int, width: int, spins: "Spins | None" = None
) -> Range:
    """Return the neighbours of a reach on a device."""
    if not isinstance(reach.law, ZoneLaw):
        return AutomatonRange(device, network, reach, pad, width)
    rub = reach.friction
    if spins is not None and rub is not None and rub.acts and network.inertia[reach.points].any():
        from motiform.motion.matter.engine.spin_ranges import SpinRange

        return SpinRange(device, network, reach, pad, width, spins)
    return ZoneRange(device, network, reach, pad, width)


def _classes(radius: np.ndarray, cutoff: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest radius of each class of sizes, and the class of each point; a class spans a factor of two."""
    size = np.maximum(radius + 0.5 * cutoff, 1e-300)
    octave = np.minimum(np.log2(size.max() / size).astype(np.int64), _CLASSES - 1)
    found, kinds = np.unique(-octave, return_inverse=True)
    return np.array([radius[kinds == k].max() for k in range(len(found))]), kinds.reshape(-1)


def _rows(device: Any, rows: int, size: int) -> Any:
    """Return an array [row, pair] of which a row lies together."""
    return device.empty((rows, size))


def columns(device: Any, rows: int, size: int) -> Any:
    """Return an array [row, pair]: on a CPU all numbers of a pair lie together, on a GPU those of a row do."""
    return device.empty((size, rows)).T if device.name == "cpu" else device.empty((rows, size))


def _capacity(pairs: int, size: int) -> int:
    """Return for how many pairs there shall be room: the same for lists that are nearly as long."""
    step = max(size // 4, 64)
    return (pairs // step + 1) * step


def fill(array: Any, values: np.ndarray) -> None:
    """Write values into an array of a device."""
    if isinstance(array, np.ndarray):
        array[...] = values
    else:
        array.copy_to_device(values)


class _ArrayPool:
    """A device whose empty arrays are those of an earlier turn, where they fit.

    On a GPU it takes longer to allocate the arrays of a list than to fill them. All turns ask for the same arrays in
    the same order; one whose arrays are still read in the next turn lays them aside for it.
    """

    def __init__(self, device: "Device") -> None:
        self.name, self.launch, self.host = device.name, device.launch, device.host
        self._empty = device.empty
        self._arrays: list[Any] = []
        self._aside: list[Any] = []
        self._asked = 0

    def turn(self, *, aside: bool) -> None:
        """Begin a turn; `aside` tells that arrays of the last one are still read in it."""
        if aside:
            self._arrays, self._aside = self._aside, self._arrays
        self._asked = 0

    def empty(self, shape: Any, dtype: Any = np.float64) -> Any:
        """Return an array on the device whose values are not set."""
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        n, arrays = self._asked, self._arrays
        self._asked += 1
        if n == len(arrays):
            arrays.append(None)
        if arrays[n] is None or arrays[n].shape != shape or arrays[n].dtype != dtype:
            arrays[n] = None  # its memory goes before the new one's comes
            arrays[n] = self._empty(shape, dtype)
        return arrays[n]
