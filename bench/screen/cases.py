"""Screens: a million pins with a thousand points, and without, in steps per second; surfaces, see `surfaces`.

All contenders step the same law in float64 from the same heights, and are checked against NumPy before they are timed.
The limit is the bandwidth of a copy: a step reads two heights of a pin and writes one, 24 bytes. On a GPU there are
4096² and 512³ pins, free.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from bench.agreement import check_same
from bench.matter.limits import copy_bandwidth
from bench.matter.rates import best_of_kind
from bench.process import best_rates, peer_processes, timed
from bench.register import made_peers, peer_notes
from bench.report import Report, Result
from bench.screen.peers.arrays import plain_screen
from bench.screen.problem import Pins, screen_tolerance
from bench.screen.surfaces import Particles, Torus, grid_row, particles_row
from motiform.base.progress import Progress
from motiform.motion.screens import Engraver, Screen, ScreenEngine, ScreenLaw

__all__ = ["CASES", "OursScreen", "measure", "screen_row"]

CASES = {"screen/2d": Pins(), "screen/2d-free": Pins(points=0)}
TORUS, PARTICLES = Torus(), Particles()
UNIT = "steps/s"
_BYTES = 24  # of a pin in a step
_CHECKED = 20  # steps that are compared
_SECONDS = 12.0  # of turns
_ON_GPU = {"screen/2d-free/4096": (4096, 4096), "screen/3d-free/512": (512, 512, 512)}


class OursScreen:
    """motiform on a problem."""

    def __init__(self, pins: Pins, device: str = "cpu") -> None:
        engravers: tuple[Engraver, ...] = ()
        if pins.points:
            places = np.zeros((pins.moves, pins.points, 3))
            places[..., :2] = pins.places()
            K, Z = pins.contact
            engravers = (
                Engraver(name="points", points=places, rate=1.0, stiffness=K, damping=Z, reach=pins.reach,
                         height=pins.height),
            )  # fmt: skip
        law = ScreenLaw(*pins.ground, *pins.neighbour)
        self.engine = ScreenEngine(
            Screen(shape=(pins.size, pins.size), spacing=1.0, law=law, mass=1.0, frequency=1.0, engravers=engravers,
                   heights=pins.start()), device,
        )  # fmt: skip

    def advance(self, steps: int) -> None:
        """Take so many steps, and return when they are done."""
        self.engine.advance(steps)

    def positions(self) -> np.ndarray:
        """Return the heights now."""
        return self.engine.heights()


def measure(*, device: str, progress: Progress) -> Report:
    """Measure both screens with all cores; on a GPU larger ones."""
    import numba

    from motiform.base.kernels import get_device

    if get_device(device).name == "cuda":
        return Report("screen", tuple(_gpu_row(case, shape) for case, shape in _ON_GPU.items()))
    rows, threads = [], int(numba.get_num_threads())
    for case, pins in CASES.items():
        rows.append(screen_row(case, pins, threads))
        progress(len(rows) / (len(CASES) + 2))
    rows += [grid_row(TORUS), particles_row(replace(PARTICLES, threads=threads))]
    progress(1.0)
    return Report("screen", tuple(rows))


def screen_row(case: str, pins: Pins, threads: int, *, seconds: float = _SECONDS, chunk: float = 0.1) -> Result:
    """Check and time ours and the peers on one screen."""
    plain = plain_screen(pins)
    plain.advance(_CHECKED)
    expected = plain.positions()
    tolerance, mine = screen_tolerance(expected, _CHECKED), OursScreen(pins)
    made = made_peers("screen", case, pins, threads, "cpu")
    ways = {way: how for _, own in made for way, how in own.items()}
    with peer_processes(f"screen, {case}", ways) as theirs:
        contenders: Mapping[str, object] = {"ours": mine, **theirs}
        for name, one in contenders.items():
            one.advance(_CHECKED)  # type: ignore[attr-defined]
            far = float(np.abs(one.positions() - expected).max())  # type: ignore[attr-defined]
            check_same(f"screen, {case}, {name}", far, tolerance)
        turns = {"ours": timed(mine)} | {name: peer.advance for name, peer in theirs.items()}
        found = best_rates(turns, seconds=seconds, chunk=chunk)
    own, best = found.pop("ours"), best_of_kind(found)
    limit, reason = _limit(mine.engine, own)
    notes = [f"{pins.size}² pins, {pins.points} points", *peer_notes("screen", case, best), reason]
    return Result(case, "cpu", threads, UNIT, "higher", own, best, limit, "; ".join(notes))


def _limit(engine: ScreenEngine, rate: float) -> tuple[dict[str, float], str]:
    """Return which part of a copy's bandwidth so many steps per second use, and how that was counted."""
    held = _BYTES * engine.screen.count
    bandwidth = copy_bandwidth(engine.device, held)
    note = f"memory limit: {held / 1e6:.4g} MB a step at a copy's {bandwidth / 1e9:.4g} GB/s"
    return {"memory": rate * held / bandwidth}, note


def _gpu_row(case: str, shape: tuple[int, ...]) -> Result:
    law = ScreenLaw(0.02, 0.1, 0.1, 0.05)
    engine = ScreenEngine(Screen(shape=shape, spacing=1.0, law=law, mass=1.0, frequency=1.0), "cuda")
    own = best_rates({"ours": timed(engine)}, seconds=3.0)["ours"]  # type: ignore[arg-type]
    limit, reason = _limit(engine, own)
    return Result(case, "cuda", 1, UNIT, "higher", own, {}, limit, reason)
