"""Record and replay: driving parts are simulated and recorded first, driven parts follow from the recording.

Such a run is the one-way (cut) run, bit for bit: each mass gathers the same forces in the same order, whether its
drivers are simulated beside it or played at the network's own frequency.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.base.progress import Progress
from motiform.motion.matter.coupling.cut import _allowed, _cut_bundles, model_labels
from motiform.motion.matter.coupling.parts import NetworkPart, part_of, played
from motiform.motion.matter.coupling.separation import Separation
from motiform.motion.matter.model.network import Network
from motiform.motion.matter.model.points import find_points
from motiform.motion.matter.system import NetworkSystem, steps_per_sample
from motiform.motion.run import RunOptions, check_recording_size, record
from motiform.motion.run.identity import identify
from motiform.record import Channel, Recorder, Recording, open_recording
from motiform.spatial.checks import Words

__all__ = ["Split", "record_connection", "run_schedule", "split"]

_BLOCK = 256  # samples that are joined at once


@dataclass(frozen=True, eq=False)
class Split:
    """A network in two parts: driving and driven."""

    driver_part: NetworkPart
    driven_part: NetworkPart

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
            recorded = open_recording(recorded)
        return self.driven_part.network(_motions(self.driven_part, "position", recorded))


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
    resume: bool = False,
    progress: Progress | None = None,
) -> Recording:
    """Simulate the driver to t1 [s] and return its motion where the driven part needs it, at every step."""
    part, points = halves.driver_part, halves.connection
    options = RunOptions(t1, rate=part.whole.frequency, integrator="central-difference", device=device)
    system = _PartSystem(part, part.network(), {"position": points}, options, unstable)
    key, _ = identify(part.whole, part.own, points, options)
    done = _begun(None if out is None else Path(out), key) if resume else None
    if done is not None and done.complete:
        return done
    return record(
        system, out=out, manifest={"title": "connection", "key": key}, statics=_numbers(part.whole, points),
        overwrite=overwrite, resume=done is not None, progress=progress,
    )  # fmt: skip


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
    resume: bool = False,
    progress: Progress | None = None,
) -> Recording:
    """Simulate the groups of a separation by rank, each from recordings of those before, and return one recording.

    Parameters
    ----------
    t1 : end of the run [s].
    models : name and points of each model of the separation; without it they are groups of points of that name.
    rate : of the samples kept [Hz]; the network's own where it is None. Recordings between runs are at the network's.
    folder : where the recordings of the runs are written, and the joined one as "whole.mf"; None: in memory.
    resume : continue from the recordings in the folder.

    The recording has the positions of all points, and their velocities where the network keeps them.
    """
    named = {str(m): [str(m)] for m in separation.models} if models is None else models
    if sorted(named) != sorted(str(m) for m in separation.models):
        got = Words(", ".join(named))
        raise InputError(
            "the models must be those of the separation", got=got, allowed=", ".join(map(str, separation.models))
        )
    label, names = model_labels(network, named), list(named)
    options = RunOptions(t1, rate=rate or network.frequency, integrator="central-difference", device=device)
    steps = steps_per_sample(network, options.rate)
    root = None if folder is None else Path(folder)
    allowed = _allowed(names, _kept_connections(separation))
    whole = _cut_bundles(network, label, allowed)
    parts = []
    for run in separation.schedule:
        mine = [names.index(str(m)) for m in run.models]
        drivers = [k for k in range(len(names)) if k not in mine and allowed[k, mine].any()]
        parts.append(part_of(whole, np.flatnonzero(np.isin(label, mine)), np.flatnonzero(np.isin(label, drivers))))
    needed = np.unique(np.concatenate([part.needs for part in parts]))
    key, _ = identify(network, label, separation.as_dict(), options)
    found: list[Recording] = []
    for n, part in enumerate(parts):
        wanted, out = np.intersect1d(part.own, needed), _file(root, f"run-{n + 1}.mf")
        model = part.network(_motions(part, "connection", *found))
        system = _PartSystem(part, model, {"connection": wanted}, options, unstable, own=True)
        done = _begun(out, key) if resume else None
        if done is not None and done.complete:
            found.append(done)
            continue
        found.append(
            record(system, out=out, manifest={"key": key}, statics=_numbers(whole, wanted), overwrite=overwrite,
                   resume=done is not None, progress=_share(progress, n, len(parts)))
        )  # fmt: skip
    kept = list(zip(parts, found, strict=True))
    return _joined(network, kept, options, steps, _file(root, "whole.mf"), overwrite or resume, separation)


def _begun(out: Path | None, key: str) -> Recording | None:
    """Return the recording that a run is resumed from; None where it was not begun."""
    if out is None:
        raise InputError("only recordings on disk can be resumed", remedy="Give the folder or file of the run.")
    if not out.exists():
        return None
    found = open_recording(out)
    if found.manifest.get("key") != key:
        raise InputError("the recording is of another run", where=str(out), remedy="Take another folder, or overwrite.")
    return found


def _share(progress: Progress | None, n: int, runs: int) -> Progress | None:
    """Return the progress of one of several runs."""
    return None if progress is None else lambda share: progress((n + share) / runs)


def _kept_connections(separation: Separation) -> list[tuple[str, str]]:
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


def _channel(group: Any, key: str, points: np.ndarray, rate: float) -> Channel:
    """Return a channel of some points of a group."""
    unit = "m/s" if key == "velocity" else "m"
    name, shape = f"{group.name}.{key}", (len(points), 3)
    return Channel(name, unit=unit, dims=("point", "axis"), shape=shape, rate=rate, description="world axes")


def _numbers(network: Network, points: np.ndarray) -> dict[str, np.ndarray]:
    """Return which points of each group these are."""
    return {f"{group.name}.points": mine - group.first for group, mine in _pieces(network, points)}


class _PartSystem(NetworkSystem):
    """A part of a network: its own masses at the samples of the run, and those that others need at every step."""

    def __init__(
        self, part: NetworkPart, network: Network, needed: dict[str, np.ndarray], options: RunOptions, unstable: bool,
        own: bool = False,
    ) -> None:  # fmt: skip
        self.part, self.needed, self.own = part, needed, own
        super().__init__(network, options, unstable)

    def _choose(self, record: Any) -> tuple[list[Channel], dict[str, Any]]:
        whole, order = self.part.whole, self.part.order()
        place = np.empty(whole.count, int)
        place[order] = np.arange(len(order))
        channels, points = [], {}
        for key, which in self.needed.items():
            for group, mine in _pieces(whole, which):
                channels.append(_channel(group, key, mine, whole.frequency))
                points[channels[-1].name] = place[mine]
        for group, mine in _pieces(whole, self.part.own if self.own else np.zeros(0, int)):
            for key in ("position", "velocity") if whole.keep_velocity else ("position",):
                channels.append(_channel(group, key, mine, self.options.rate))
            points[f"{group.name}.position"] = place[mine]
        return channels, points


def _motions(part: NetworkPart, key: str, *recorded: Recording) -> dict[str, Any]:
    """Return the samples that a part needs, by group, from a channel of recordings of its drivers."""
    found: dict[str, Any] = {}
    for group, mine in _pieces(part.whole, part.needs):
        name, wanted = f"{group.name}.{key}", mine - group.first
        sources = [(rec, _recorded(rec, group, key)) for rec in recorded if name in rec]
        for rec, _ in sources:
            if rec.channel(name).rate != part.whole.frequency:
                got = Words(f"{rec.channel(name).rate} Hz")
                raise InputError(
                    "the channel must have the frequency of the network", where=name, got=got,
                    allowed=f"{part.whole.frequency:g} Hz",
                )  # fmt: skip
        have = np.concatenate([numbers for _, numbers in sources]) if sources else np.zeros(0, int)
        if not np.isin(wanted, have).all():
            lost = int(wanted[~np.isin(wanted, have)][0])
            raise InputError("all points must be recorded", got=Words(f"{group.name}[{lost}]"))
        found[group.name] = _Gathered(
            [played(rec, name) for rec, _ in sources], np.array([np.flatnonzero(have == n)[0] for n in wanted])
        )
    return found


def _recorded(rec: Recording, group: Any, key: str) -> np.ndarray:
    """Return which points of a group a recording holds: those that a connection names, or all."""
    numbers = rec.statics.get(f"{group.name}.points")
    count = rec.channel(f"{group.name}.{key}").shape[0]
    if numbers is None and count != group.count:
        got = Words(f"{count} points of {group.name}")
        raise InputError(
            "the recording must be of the points of this network's connection", got=got, allowed=f"{group.count} points"
        )
    return np.arange(count) if numbers is None else numbers


class _Gathered:
    """Samples of some points out of several recordings."""

    def __init__(self, sources: Sequence[Any], taken: np.ndarray) -> None:
        self.sources, self.taken = sources, taken

    def __len__(self) -> int:
        return min(len(one) for one in self.sources)

    def __getitem__(self, n: int) -> np.ndarray:
        return np.asarray(np.concatenate([one[n] for one in self.sources])[self.taken])


def _joined(
    network: Network, kept: Sequence[tuple[NetworkPart, Recording]], options: RunOptions, steps: int, out: Path | None,
    overwrite: bool, separation: Separation,
) -> Recording:  # fmt: skip
    """Return one recording of all points from those of the runs."""
    keys = ("position", "velocity") if network.keep_velocity else ("position",)
    channels = [_channel(g, key, np.arange(g.count), options.rate) for g in network.groups for key in keys]
    if out is None:
        check_recording_size(options.samples, sum(channel.sample_bytes for channel in channels))
    manifest = {"title": "runs joined", "schedule": separation.as_dict()}
    with Recorder(out, channels, manifest=manifest, overwrite=overwrite) as recorder:
        for first in range(0, options.samples, _BLOCK):
            number = np.arange(first, min(first + _BLOCK, options.samples))
            recorder.append({c.name: _gather(network, c.name, kept, number, steps) for c in channels})
            recorder.commit()
    return recorder.finish()


def _gather(
    network: Network, name: str, kept: Sequence[tuple[NetworkPart, Recording]], number: np.ndarray, steps: int
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
