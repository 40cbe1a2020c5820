"""The engine of screens: arrays on a device, advanced step by step."""

from typing import Any

import numpy as np

from motiform.base.errors import RunError
from motiform.base.machine import check_steps
from motiform.motion.run.options import LOST
from motiform.motion.screens.columns import AT, BEFORE, HEIGHT, HEIGHT_BEFORE, REACH, WIDTH, K, Z
from motiform.motion.screens.engraver import Engraver
from motiform.motion.screens.model import Screen

__all__ = ["ScreenEngine"]

_ROWS, _LINE = 16, 4096  # of a tile on the CPU: enough work for a thread, and lists that are short
_LISTS = (16, 32)  # rows and columns of a list on a GPU, where a tile is a column of as many rows
_BATCH = 1 << 17  # numbers of the table of points that is made at once: a megabyte


class ScreenEngine:
    """Heights and velocities of a screen's pins now, and what advances them.

    It does not check stability; `ScreenSystem` does.
    """

    def __init__(self, screen: Screen, device: str = "cpu") -> None:
        from motiform.base.kernels import get_device

        self.screen, self.device, self.sample = screen, get_device(device), 0
        self.planes, self.rows, self.columns = (1,) * (3 - screen.dimensions) + screen.shape
        self._grid = self._make_grid()
        self._law = self.device.array(self._coefficients())
        start = np.full(screen.shape, 0.0 if screen.heights is None else np.asarray(screen.heights) - screen.rest)
        speed = 0.0 if screen.velocity is None else np.asarray(screen.velocity)
        self._now, self._before = self._padded(start), self._padded(start - speed * screen.step)
        self._after = self._padded(np.zeros(screen.shape))
        self._force = self._scaled_force()
        self._masses = [_Masses(one, screen) for one in screen.engravers if one.mass is not None]
        self._count = sum(one.count for one in screen.engravers)
        self._most = 1 if self._masses else max(1, _BATCH // (WIDTH * max(1, self._count)))
        tiles = int(self._grid[9]) * -(-self.planes * self.rows // int(self._grid[7]))
        steps = self._most if self._count else 1
        self._starts = np.zeros((steps, tiles + 1), np.int64)
        self._listed = np.zeros((steps, max(64, 4 * self._count)), np.int64)
        self._tracks = [_Track(one, screen) for one in screen.engravers]
        self._rows = self._constants(steps)
        self._none = self.device.array(self._starts[:1]), self.device.array(self._listed[:1])
        self._device_grid = self.device.array(self._grid)
        self._pistons = None if screen.pistons is None else _Horizontal(self)

    def _make_grid(self) -> np.ndarray:
        dimensions, rows = self.screen.dimensions, self.planes * self.rows
        if self.device.name == "cuda":
            (tall, wide), height, width = _LISTS, _LISTS[0], 1
        else:
            height = min(_ROWS, rows)
            width = self.columns if dimensions > 1 else min(_LINE, self.columns)
            tall, wide = height, width
        free = int(self.screen.edges == "free")
        shape = (self.planes, self.rows, self.columns, dimensions, free)
        return np.array([*shape, height, width, tall, wide, -(-self.columns // wide)], np.int64)

    def _coefficients(self) -> np.ndarray:
        """Return a, b, c, d of q = a w + b p + c Σw + d Σp, and the spacing [Habibi97 8.21]."""
        s = self.screen
        ks, zs, kv, zv = s.links
        k, z, near = s.step**2 / s.mass, s.step / s.mass, 2 * s.dimensions
        Ks, Zs, Kv, Zv = k * ks, z * zs, k * kv, z * zv
        return np.array([2 - (Ks + near * Kv) - (Zs + near * Zv), Zs + near * Zv - 1, Kv + Zv, -Zv, s.spacing])

    def _padded(self, field: np.ndarray) -> Any:
        """Return a field in rows with its rim, on the device."""
        mode: Any = "edge" if self.screen.edges == "free" else "constant"
        whole = np.pad(np.asarray(field, float), 1, mode=mode)
        return self.device.array(whole.reshape(-1, self.columns + 2))

    def _scaled_force(self) -> Any:
        s = self.screen
        if s.force is None:
            return self.device.array(np.zeros((0, 0)))
        return self.device.array(np.asarray(s.force).reshape(-1, self.columns) * (s.step**2 / s.mass))

    @property
    def time(self) -> float:
        """Time now [s]."""
        return self.sample / self.screen.frequency

    def heights(self) -> np.ndarray:
        """Return the heights of all pins now [m], `shape`."""
        return self._field(self._now) + self.screen.rest

    def velocity(self) -> np.ndarray:
        """Return the velocities of all pins, over the last step [m/s], `shape`."""
        return (self._field(self._now) - self._field(self._before)) * self.screen.frequency

    def _field(self, rows: Any) -> np.ndarray:
        s = self.screen
        whole = self.device.host(rows).reshape([n + 2 for n in s.shape])
        return np.ascontiguousarray(whole[(slice(1, -1),) * s.dimensions])

    def energies(self) -> tuple[float, float]:
        """Return m v²/2 and (ω Kω₋)/2 of the links between pins and to the ground [J].

        Their sum is constant but for rounding where nothing damps, engraves or pushes.
        """
        from motiform.motion.screens.modes import stiffness_times

        now, before, s = self._field(self._now), self._field(self._before), self.screen
        kinetic = 0.5 * s.mass * float((((now - before) * s.frequency) ** 2).sum())
        return kinetic, 0.5 * float((now * stiffness_times(s, before)).sum())

    def positions(self) -> dict[str, np.ndarray]:
        """Return the places of all engravers now [m], (points, 3) each."""
        moved = {one.engraver.name: one.world() for one in self._masses}
        return {e.name: moved[e.name] if e.name in moved else e.at([self.time])[0] for e in self.screen.engravers}

    def advance(self, steps: int = 1) -> None:
        """Take so many steps."""
        check_steps(steps)
        end = self.sample + steps
        while self.sample < end:
            batch = min(self._most, end - self.sample)
            table = self._table(batch)
            points = table if self.device.name == "cpu" else self.device.array(table)
            lists = self._lists(table)
            for b in range(batch):
                self._step(b if self._count else 0, points, *lists)
        self.device.synchronize()

    def _step(self, b: int, points: Any, starts: Any, listed: Any) -> None:
        from motiform.motion.screens.pin_kernels import press_back, step_pins

        grid, force, s = self._device_grid, self._force, self.screen
        if self._pistons is not None:
            force = self._pistons.press(self)
        tiles = -(-self.planes * self.rows // int(self._grid[5])) * -(-self.columns // int(self._grid[6]))
        if self._masses:
            back = self.device.empty((self._count, 3))
            arguments = (grid, s.spacing, b, self._now, self._before, points, back)
            self.device.launch(press_back, self._count, *arguments, least=8)
            pushed = self.device.host(back) * (s.mass * s.frequency**2)
        self.device.launch(
            step_pins, tiles, grid, self._law, b, self._now, self._before, self._after, force, starts, listed,
            points, least=2,
        )  # fmt: skip
        for one in self._masses:
            one.move(pushed[one.first : one.first + one.engraver.count])
        self._now, self._before, self._after = self._after, self._now, self._before
        self.sample += 1

    def _lists(self, table: np.ndarray) -> tuple[Any, Any]:
        """Return which points may touch which tile at each step of a table."""
        from motiform.base.kernels import get_device
        from motiform.motion.screens.pin_kernels import list_tiles

        if not self._count:
            return self._none
        host, needed = get_device("cpu"), np.zeros(len(table), np.int64)
        for _ in range(2):
            arguments = (self._grid, self.screen.spacing, table, self._starts, self._listed, needed)
            host.launch(list_tiles, len(table), *arguments, least=2)
            if needed.max() <= self._listed.shape[1]:
                break
            self._listed = np.zeros((len(self._listed), 2 * int(needed.max())), np.int64)
        if self.device.name == "cpu":
            return self._starts, self._listed
        return self.device.array(self._starts), self.device.array(self._listed)

    def _constants(self, steps: int) -> np.ndarray:
        """Return a table of so many steps with the numbers of points that do not change."""
        s, first = self.screen, 0
        table = np.zeros((steps, self._count, WIDTH))
        for engraver in s.engravers:
            rows = table[:, first : first + engraver.count]
            rows[..., K], rows[..., Z] = engraver.stiffness * s.step**2 / s.mass, engraver.damping * s.step / s.mass
            rows[..., REACH] = engraver.reach
            first += engraver.count
        return table

    def _table(self, steps: int) -> np.ndarray:
        """Return the points of all engravers at the next steps, (steps, points, numbers)."""
        times = np.arange(self.sample - 1, self.sample + steps) / self.screen.frequency
        if not self._count:
            return self._rows
        table, lead, first = self._rows[:steps], 3 - self.screen.dimensions, 0
        for track in self._tracks:
            rows = table[:, first : first + track.engraver.count]
            mover = next((one for one in self._masses if one.engraver is track.engraver), None)
            if mover is not None:
                mover.first = first
                at, top = mover.trail(), track.top
            else:
                at, top = track.over(times)
            rows[..., AT + lead : AT + 3], rows[..., BEFORE + lead : BEFORE + 3] = at[1:], at[:-1]
            rows[..., HEIGHT], rows[..., HEIGHT_BEFORE] = top[1:], top[:-1]
            first += track.engraver.count
        return table

    def check(self) -> None:
        """Raise an error where a height is not finite, or extremely large, with the pin."""
        field = self._field(self._now)
        lost = ~(np.abs(field) < LOST)
        if lost.any():
            pin = tuple(int(n) for n in np.argwhere(lost)[0])
            raise RunError(
                "heights of the screen have diverged", where=f"pin {pin}, t = {self.time:.6g} s",
                remedy="Raise frequency, or lower stiffness and damping; the samples before this instant are kept.",
            )  # fmt: skip

    def checkpoint(self) -> dict[str, Any]:
        """Return all that is needed to continue to the same bits."""
        found = {"sample": self.sample, "now": self.device.host(self._now), "before": self.device.host(self._before)}
        found["points"] = [np.stack([one.now, one.before]) for one in self._masses]
        return found if self._pistons is None else found | {"pistons": self._pistons.checkpoint()}

    @classmethod
    def resume(cls, screen: Screen, checkpoint: dict[str, Any] | None, device: str = "cpu") -> "ScreenEngine":
        """Return an engine that continues from a checkpoint, or begins where there is none."""
        engine = cls(screen, device)
        if checkpoint is None:
            return engine
        engine.sample = int(checkpoint["sample"])
        shape = engine._now.shape
        engine._now = engine.device.array(np.asarray(checkpoint["now"], float).reshape(shape))
        engine._before = engine.device.array(np.asarray(checkpoint["before"], float).reshape(shape))
        for one, kept in zip(engine._masses, checkpoint["points"], strict=True):
            one.now, one.before = np.asarray(kept, float).reshape(2, -1, 3)
        if engine._pistons is not None:
            engine._pistons.restore(checkpoint["pistons"])
        return engine


class _Track:
    """Places of an engraver's points on the grid, in pins, and their heights from rest [m]."""

    def __init__(self, engraver: Engraver, screen: Screen) -> None:
        self.engraver, self.screen = engraver, screen
        given = engraver.points
        self._kept = None if callable(given) else self._on_grid(np.asarray(given, float).reshape(-1, engraver.count, 3))
        height = screen.rest if engraver.height is None else engraver.height
        self.top = np.full((2, engraver.count), height - screen.rest)

    def _on_grid(self, places: np.ndarray) -> np.ndarray:
        """Return places and heights, (samples, points, dimensions + 1)."""
        s = self.screen
        top = s.above(places) if self.engraver.height is None else np.full(places.shape[:2], self.engraver.height)
        return np.concatenate([s.locate(places), (top - s.rest)[..., None]], axis=2)

    def over(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return places (times, points, dimensions) and heights (times, points)."""
        found = self._on_grid(self.engraver.at(times)) if self._kept is None else self._between(self._kept, times)
        return found[..., :-1], found[..., -1]

    def _between(self, kept: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Return samples, straight between them and before the first two, and the last one after it."""
        at = np.minimum(times * (self.engraver.rate or 0.0), len(kept) - 1.0)
        low = np.maximum(at.astype(int), 0)
        part = (at - low)[:, None, None]
        if not part.any():
            return np.asarray(kept[low])
        return np.asarray(kept[low] * (1 - part) + kept[np.minimum(low + 1, len(kept) - 1)] * part)


class _Masses:
    """Points of an engraver that the screen moves, in the world [m]."""

    def __init__(self, engraver: Engraver, screen: Screen) -> None:
        self.engraver, self.screen, self.first = engraver, screen, 0
        self.now = np.array(engraver.points, float)
        self.before = self.now - np.asarray(engraver.velocity) * screen.step

    def world(self) -> np.ndarray:
        """Return the places now [m], (points, 3)."""
        return self.now.copy()

    def trail(self) -> np.ndarray:
        """Return the places a step before and now, in pins, (2, points, dimensions)."""
        return self.screen.locate(np.stack([self.before, self.now]))

    def move(self, pushed: np.ndarray) -> None:
        """Step the points by what pins do to them along the grid's three axes [N], (points, 3), and other forces."""
        s, e = self.screen, self.engraver
        force = np.broadcast_to(np.asarray(e.force, float), self.now.shape).copy()
        force[:, s._columns] += pushed[:, 3 - s.dimensions :]
        force -= e.drag * (self.now - self.before) * s.frequency
        after = 2 * self.now - self.before + force * (s.step**2 / float(e.mass or 1.0))
        self.now, self.before = after, self.now


class _Horizontal:
    """The horizontal masses of a screen with pistons, along its columns and, in two dimensions, its rows."""

    def __init__(self, engine: ScreenEngine) -> None:
        s, device, p = engine.screen, engine.device, engine.screen.pistons
        assert p is not None
        self.device = device
        k, ratio = s.step**2 / s.mass, s.mass / (p.mass or s.mass)
        self.stiff, z = k * p.stiffness, s.step / s.mass * ratio
        hs, hv = k * ratio * p.ground_stiffness, k * ratio * p.neighbour_stiffness
        self.law = device.array([ratio, hs, z * p.ground_damping, hv, z * p.neighbour_damping])
        across = np.zeros((engine.rows, engine.columns + 1))
        down = np.zeros((engine.rows + 1, engine.columns) if s.dimensions == 2 else (0, 0))
        self.across = [device.array(across) for _ in range(3)]
        self.down = [device.array(down) for _ in range(3)]
        self.force = device.empty((engine.rows, engine.columns))

    def press(self, engine: ScreenEngine) -> Any:
        """Return the forces of pistons on pins now, and step the horizontal masses."""
        from motiform.motion.screens.piston_kernels import find_pressure, move_horizontal

        s, rows, columns = engine.screen, engine.rows, engine.columns
        engine.device.launch(
            find_pressure, rows * columns, rows, columns, s.dimensions, self.stiff, engine._now, self.across[0],
            self.down[0], engine._force, self.force,
        )  # fmt: skip
        if columns > 1:
            engine.device.launch(
                move_horizontal, rows * (columns - 1), 1, columns, self.law, *self.across, self.force, engine._force
            )
        if s.dimensions == 2 and rows > 1:
            engine.device.launch(
                move_horizontal, (rows - 1) * columns, 0, columns, self.law, *self.down, self.force, engine._force
            )
        for arrays in (self.across, self.down):
            arrays[:] = [arrays[2], arrays[0], arrays[1]]
        return self.force

    def checkpoint(self) -> dict[str, Any]:
        """Return the masses now and before."""
        host = self.device.host
        return {name: [host(one) for one in getattr(self, name)[:2]] for name in ("across", "down")}

    def restore(self, kept: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        for name in ("across", "down"):
            arrays = getattr(self, name)
            for n, values in enumerate(kept[name]):
                arrays[n] = self.device.array(np.asarray(values, float).reshape(arrays[n].shape))
