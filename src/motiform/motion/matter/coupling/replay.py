"""Record and replay: driving parts are simulated and recorded first, driven parts follow from the recording.

Such a run is the one-way (cut) run, bit for bit: each mass gathers the same forces in the same order, whether its
drivers are simulated beside it or played at the network's own frequency.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.errors import InputError, RunError
from motiform.base.progress import Progress
from motiform.motion.matter.coupling.cut import _allowed, _cut_bundles, model_labels
from motiform.motion.matter.coupling.parts import Part, part_of, played
from motiform.motion.matter.coupling.separation import Separation
from motiform.motion.matter.engine.engine import Engine
from motiform.motion.matter.model.network import Network
from motiform.motion.matter.model.points import find_points
from motiform.motion.matter.system import check_stability, steps_per_sample
from motiform.motion.run import Options, check_memory
from motiform.record import Channel, Recorder, Recording
from motiform.spatial.checks import Words

__all__ = ["Split", "record_connection", "run_schedule", "split"]

_BLOCK = 256  # samples that are handed to a recorder at once


@dataclass(frozen=True, eq=False)
class Split:
    """A network in two parts: driving and driven."""

    driver_part: Part
    driven_part: Part

    @property
    def driver(self) -> Network:
        """The driver alone."""
        return self.driver_part.network()

    @property
    def connection(self) -> np.ndarray:
        """Indices in the whole network of the driver's masses that the driven part needs, rising."""
        return self.driven_part.needs

    def driven(self, recorded: Recording | str | Path) -> Network:
        """Return the driven part; the driver's points play what `record_connection` kept."""
        if not isinstance(recorded, Recording):
            from motiform.record import open_recording

            recorded = open_recording(recorded)
        return self.driven_part.network(_motions(self.driven_part, recorded))


def split(network: Network, driver: Any, driven: Any = None) -> Split:
    """Return the driver alone, and the driven part with the driver's points imposed from a recording.

    Each is groups, points or a list of such; without `driven` it is all other masses. What the driven part does to the
    driver is dropped: links between them act on the driven part only. Fixed and imposed points go with both.
    """
    masses = np.flatnonzero(network.movable)
    first = np.intersect1d(find_points(network, driver), masses)
    second = np.setdiff1d(masses, first) if driven is None else find_points(network, driven)
    if not len(first) or not len(second):
        raise InputError("both parts must have masses", where="split", got=Words("a part without masses"))
    models = {"driver": first, "driven": second}
    label = model_labels(network, models)
    cut = _cut_bundles(network, label, _allowed(list(models), [("driver", "driven")]))
    parts = [np.flatnonzero(label == n) for n in (0, 1)]
    return Split(part_of(cut, parts[0], np.zeros(0, int)), part_of(cut, parts[1], parts[0]))


def record_connection(
    halves: Split,
    t1: float,
    *,
    out: str | Path | None = None,
    device: str = "cpu",
    unstable: bool = False,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Recording:
    """Simulate the driver to t1 [s] and return its motion where the driven part needs it, at every step."""
    part, rate = halves.driver_part, halves.driver_part.whole.frequency
    options = Options(t1, rate=rate, integrator="centred", device=device)
    recorder = _sender(part.whole, halves.connection, options, out, overwrite)
    with recorder:
        _run(part, part.network(), options, 1, None, recorder, halves.connection, unstable, progress)
    return recorder.finish()


def run_schedule(
    network: Network,
    separation: Separation,
    t1: float,
    *,
    models: Mapping[str, Any] | None = None,
    rate: float | None = None,
    folder: str | Path | None = None,
    device: str = "cpu",
    unstable: bool = False,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Recording:
    """Simulate the groups of a separation by rank, each from recordings of those before, and return one recording.

    Parameters
    ----------
    t1 : end of the run [s].
    models : name and points of each model of the separation; without it they are groups of points of that name.
    rate : of the samples kept [Hz]; the network's own where it is None. Recordings between runs are at the network's.
    folder : where recordings of runs and connections are written, and the joined one as "whole.mf"; None: in memory.

    The recording has the positions of all points, and their velocities where the network keeps them.
    """
    named = {str(m): [str(m)] for m in separation.models} if models is None else models
    if sorted(named) != sorted(str(m) for m in separation.models):
        got = Words(", ".join(named))
        raise InputError(
            "the models must be those of the separation", got=got, allowed=", ".join(map(str, separation.models))
        )
    label, names = model_labels(network, named), list(named)
    options = Options(t1, rate=rate or network.frequency, integrator="centred", device=device)
    steps = steps_per_sample(network, options.rate)
    root = None if folder is None else Path(folder)
    allowed = _allowed(names, _kept(separation))
    whole = _cut_bundles(network, label, allowed)
    parts = []
    for run in separation.schedule:
        mine = [names.index(str(m)) for m in run.models]
        drivers = [k for k in range(len(names)) if k not in mine and allowed[k, mine].any()]
        parts.append(part_of(whole, np.flatnonzero(np.isin(label, mine)), np.flatnonzero(np.isin(label, drivers))))
    needed = np.unique(np.concatenate([part.needs for part in parts]))
    kept: list[tuple[Part, Recording]] = []
    sent: list[Recording] = []
    for n, part in enumerate(parts):
        wanted = np.intersect1d(part.own, needed)
        known, out = _channels(whole, part.own, options.rate), _file(root, f"connection-{n + 1}.mf")
        model = part.network(_motions(part, *sent))

        def told(share: float, n: int = n) -> None:
            if progress is not None:
                progress((n + share) / len(parts))

        with (
            Recorder(_file(root, f"run-{n + 1}.mf"), known, overwrite=overwrite) as recorder,
            _sender(whole, wanted, options, out, overwrite) if len(wanted) else nullcontext() as sender,
        ):
            _run(part, model, options, steps, recorder, sender, wanted, unstable, told)
        kept.append((part, recorder.finish()))
        sent += [sender.finish()] if sender else []
    return _joined(network, kept, options, steps, _file(root, "whole.mf"), overwrite, separation)


def _kept(separation: Separation) -> list[tuple[str, str]]:
    """Return the connections between groups, and all within them."""
    found = [(str(one), str(two)) for one, two in separation.connections]
    for group in separation.groups:
        found += [(str(one), str(two)) for one in group for two in group if one != two]
    return list(dict.fromkeys(found))


def _file(root: Path | None, name: str) -> Path | None:
    return None if root is None else root / name


def _pieces(network: Network, points: np.ndarray) -> Iterable[tuple[Any, np.ndarray]]:
    """Give each group with some of these points, and the points."""
    for group in network.groups:
        mine = points[(points >= group.first) & (points < group.first + group.count)]
        if len(mine):
            yield group, mine


def _channels(network: Network, points: np.ndarray, rate: float) -> list[Channel]:
    kinds = [("position", "m"), ("velocity", "m/s")] if network.keep_velocity else [("position", "m")]
    return [
        Channel(f"{group.name}.{key}", unit=unit, dims=("point", "axis"), shape=(len(mine), 3), rate=rate,
                description="world axes")
        for group, mine in _pieces(network, points)
        for key, unit in kinds
    ]  # fmt: skip


def _sender(network: Network, points: np.ndarray, options: Options, out: Any, overwrite: bool) -> Recorder:
    """Return a recorder of a connection: where some masses are at every step, by group, with their numbers in it."""
    pieces = list(_pieces(network, points))
    channels = [
        Channel(f"{g.name}.position", unit="m", dims=("point", "axis"), shape=(len(mine), 3), rate=network.frequency)
        for g, mine in pieces
    ]
    if out is None:
        check_memory(int(options.t1 * network.frequency) + 1, sum(channel.sample_bytes for channel in channels))
    numbers = {f"{group.name}.points": mine - group.first for group, mine in pieces}
    return Recorder(out, channels, statics=numbers, manifest={"title": "connection"}, overwrite=overwrite)


def _motions(part: Part, *recorded: Recording) -> dict[str, Any]:
    """Return the samples that a part needs, by group, from recordings of connections."""
    found: dict[str, Any] = {}
    for group, mine in _pieces(part.whole, part.needs):
        name, wanted = f"{group.name}.position", mine - group.first
        sources = [(rec, _recorded(rec, group)) for rec in recorded if name in rec]
        for rec, _ in sources:
            if rec.channel(name).rate != part.whole.frequency:
                got = Words(f"{rec.channel(name).rate} Hz")
                raise InputError(
                    "the channel must have the frequency of the network",
                    where=name,
                    got=got,
                    allowed=f"{part.whole.frequency:g} Hz",
                )
        have = np.concatenate([numbers for _, numbers in sources]) if sources else np.zeros(0, int)
        if not np.isin(wanted, have).all():
            lost = int(wanted[~np.isin(wanted, have)][0])
            raise InputError("all points must be recorded", got=Words(f"{group.name}[{lost}]"))
        found[group.name] = _Gathered(
            [played(rec, name) for rec, _ in sources], np.array([np.flatnonzero(have == n)[0] for n in wanted])
        )
    return found


def _recorded(rec: Recording, group: Any) -> np.ndarray:
    """Return which points of a group a recording holds: those that a connection names, or all."""
    numbers = rec.statics.get(f"{group.name}.points")
    count = rec.channel(f"{group.name}.position").shape[0]
    if numbers is None and count != group.count:
        got = Words(f"{count} points of {group.name}")
        raise InputError("not a connection of this network", got=got, allowed=f"{group.count} points")
    return np.arange(count) if numbers is None else numbers


class _Gathered:
    """Samples of some points out of several recordings."""

    def __init__(self, sources: Sequence[Any], taken: np.ndarray) -> None:
        self.sources, self.taken = sources, taken

    def __len__(self) -> int:
        return min(len(one) for one in self.sources)

    def __getitem__(self, n: int) -> np.ndarray:
        return np.asarray(np.concatenate([one[n] for one in self.sources])[self.taken])


def _run(
    part: Part,
    network: Network,
    options: Options,
    steps: int,
    recorder: Recorder | None,
    sender: Recorder | None,
    wanted: np.ndarray,
    unstable: bool,
    progress: Progress | None,
) -> None:
    """Simulate a part; its own masses go to the recorder at samples, the wanted ones to the sender at every step."""
    check_stability(network, unstable)
    engine = Engine(network, device=options.device)
    order = part.order()
    own, out = (np.searchsorted(order, points, sorter=np.argsort(order)) for points in (part.own, wanted))
    own, out = np.argsort(order)[own], np.argsort(order)[out]
    own_pieces, out_pieces = list(_pieces(part.whole, part.own)), list(_pieces(part.whole, wanted))
    samples: list[Any] = []
    states: list[Any] = []
    last = (options.samples - 1) * steps
    stride = 1 if len(wanted) else steps

    def hand_on() -> None:
        if sender is not None:
            _append(sender, out_pieces, {"position": states})
        if recorder is not None:
            kinds = {"position": [s[0] for s in samples], "velocity": [s[1] for s in samples]}
            _append(recorder, own_pieces, kinds if network.keep_velocity else {"position": kinds["position"]})
        samples.clear()
        states.clear()

    while True:
        state = engine.state()
        if len(wanted):
            states.append(state.position[out])
        if recorder is not None and engine.sample % steps == 0:
            samples.append((state.position[own], state.velocity(network.frequency)[own]))
        done = engine.sample >= last
        if len(states) >= _BLOCK or len(samples) >= _BLOCK or done:
            hand_on()
            if progress is not None:
                progress(engine.sample / last)
        if done:
            return
        try:
            engine.advance(stride)
        except RunError:
            hand_on()  # what came before is kept
            raise


def _append(recorder: Recorder, pieces: Sequence[tuple[Any, np.ndarray]], kinds: Mapping[str, Sequence[Any]]) -> None:
    blocks = {}
    for key, rows in kinds.items():
        if not len(rows):
            return
        first, values = 0, np.stack(rows)
        for group, mine in pieces:
            blocks[f"{group.name}.{key}"] = values[:, first : first + len(mine)]
            first += len(mine)
    if blocks:
        recorder.append(blocks)
        recorder.commit()


def _joined(
    network: Network,
    kept: Sequence[tuple[Part, Recording]],
    options: Options,
    steps: int,
    out: Path | None,
    overwrite: bool,
    separation: Separation,
) -> Recording:
    """Return one recording of all points from those of the runs."""
    channels = _channels(network, np.arange(network.count), options.rate)
    if out is None:
        check_memory(options.samples, sum(channel.sample_bytes for channel in channels))
    manifest = {"title": "runs joined", "schedule": separation.as_dict()}
    with Recorder(out, channels, manifest=manifest, overwrite=overwrite) as recorder:
        for first in range(0, options.samples, _BLOCK):
            number = np.arange(first, min(first + _BLOCK, options.samples))
            recorder.append({c.name: _gather(network, c.name, kept, number, steps) for c in channels})
            recorder.commit()
    return recorder.finish()


def _gather(
    network: Network, name: str, kept: Sequence[tuple[Part, Recording]], number: np.ndarray, steps: int
) -> np.ndarray:
    group = network.group(name.rpartition(".")[0])
    found = np.zeros((len(number), group.count, 3))
    if group.kind != "masses":
        found[:] = _given(group, name, number * steps, network.frequency)
    for part, rec in kept:
        mine = part.own[(part.own >= group.first) & (part.own < group.first + group.count)] - group.first
        if len(mine):
            found[:, mine] = rec.read(name, int(number[0]), int(number[-1]) + 1)
    return found


def _given(group: Any, name: str, number: np.ndarray, rate: float) -> np.ndarray:
    """Return where fixed and imposed points are at steps, or how fast, (steps, points, 3)."""
    speed = name.endswith(".velocity")
    if group.motion is None:
        return np.broadcast_to(
            np.zeros_like(group.position) if speed else group.position, (len(number), group.count, 3)
        )
    at = {n: group.motion.at(int(n), rate, group.count) for n in {*number, *(number - 1)} if n > 0}
    at |= {0: group.position, -1: group.position - group.velocity * (1.0 / rate)}
    return np.stack([(at[n] - at[n - 1]) * rate if speed else at[n] for n in number])
