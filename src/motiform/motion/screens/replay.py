"""The recorded motion of a network, read while screens are run over it: motion once, many dresses."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError, RecordingError
from motiform.motion.screens.follow import LivePoints, PointTrajectory
from motiform.record import Channel, Recording

if TYPE_CHECKING:
    from motiform.motion.run import RunOptions
    from motiform.motion.screens.engraver import Engraver
    from motiform.motion.screens.screens import Screens

__all__ = ["Recorded", "Replay"]

_NEAR = 1e-6  # of a sample: an instant that near to one is that one, so that the same steps give the same bits


class Recorded(PointTrajectory):
    """Places of points at samples [m]; called with a time [s], straight between samples and at rest after the last."""

    def __init__(self, places: np.ndarray, rate: float, before: np.ndarray) -> None:
        self.places, self.rate, self.before = places, rate, before

    def __call__(self, t: float) -> np.ndarray:
        """Return the places [m], (points, 3); those a step before the start at any time before it."""
        if t < 0.0:
            return self.before
        at = min(max(t * self.rate, 0.0), len(self.places) - 1.0)
        near = round(at)
        if abs(at - near) <= _NEAR:
            return np.asarray(self.places[near], float)
        low = int(at)
        return (1.0 - (at - low)) * self.places[low] + (at - low) * self.places[low + 1]


class Replay:
    """The channels of a recorded network from sample to sample, and the places of points that engravers follow."""

    def __init__(self, recording: Recording, model: "Screens", options: "RunOptions") -> None:
        if model.network is None:
            raise InputError("a recorded motion must be that of a network", remedy="Give Screens the network.")
        self.recording, self.model, self.options = recording, model, options
        self.notes: list[str] = []
        self._check_groups()
        recorded = recording.manifest.get("screen") or {}
        dressed = {*model.screens, *(name for name, facts in recorded.items() if isinstance(facts, dict))}
        self._every: dict[str, float] = {}
        self.channels: list[Channel] = []
        for channel in (recording.channel(name) for name in recording):
            if channel.name.partition(".")[0] not in dressed:
                self._keep(channel)

    def _check_groups(self) -> None:
        """Refuse a recording that is not of the network, or that ends too soon."""
        assert self.model.network is not None
        rec = self.recording
        for group in self.model.network.groups:
            name = f"{group.name}.position"
            got = rec.channel(name).shape if name in rec else "no such channel"
            if got != (group.count, 3):
                raise RecordingError(
                    "the recording must hold the places of all points of the network", where=f"{rec._where}, {name!r}",
                    got=got, allowed=f"({group.count}, 3)", remedy="Record the network whole.",
                )  # fmt: skip
            if rec.time(name)[-1] < self.options.t1 * (1.0 - 1e-9):
                got = f"{rec.time(name)[-1]:g} s"
                remedy = "Run the motion longer, or shorten scene.duration."
                allowed, rule = f"{self.options.t1:g} s", "the recorded motion must reach the end of the run"
                raise RecordingError(rule, got=got, allowed=allowed, remedy=remedy)

    def _keep(self, channel: Channel) -> None:
        """Keep a channel at the rate of the run, or at its own where that is lower."""
        rate = self.options.rate
        if channel.rate is None or channel.start != 0.0:
            self.notes.append(f"channel {channel.name!r} has times of its own and is left out")
            return
        often = max(channel.rate / rate, rate / channel.rate)
        if abs(often - round(often)) > 1e-9 * often:
            raise RecordingError(
                "samples of a form must fall on samples of the motion", where=f"channel {channel.name!r}",
                got=f"{rate:g} Hz of {channel.rate:g} Hz", allowed="a rate that divides that of the motion",
            )  # fmt: skip
        self._every[channel.name] = channel.rate / rate
        self.channels.append(replace(channel, rate=min(channel.rate, rate)))

    def rows(self, sample: int) -> dict[str, np.ndarray]:
        """Return what is recorded at a sample of the run."""
        found = {}
        for name, every in self._every.items():
            at = sample * every
            if abs(at - round(at)) <= _NEAR:
                found[name] = self.recording.read(name, round(at), round(at) + 1)[0]
        return found

    def follow(self, engraver: "Engraver", screen: str, live: LivePoints) -> Recorded:
        """Return the places that an engraver follows: as they were engraved, or else as the network was recorded."""
        rec, name, indices = self.recording, f"{screen}.{engraver.name}.position", live.indices
        coarse = Recorded(*self._points(indices), live.before)
        if name in rec and rec.channel(name).rate and rec.channel(name).shape == (len(indices), 3):
            fine = Recorded(rec[name], float(rec.channel(name).rate or 0.0), live.before)
            times = np.arange(len(coarse.places)) / coarse.rate
            if all(np.array_equal(fine(t), coarse(t)) for t in (times[0], times[-1])):
                return fine
        if coarse.rate < self.model.screens[screen].frequency:
            self.notes.append(
                f"points of engraver {engraver.name!r} move straight between samples of {coarse.rate:g} Hz"
            )
        return coarse

    def _points(self, indices: np.ndarray) -> tuple[np.ndarray, float]:
        """Return the recorded places [m] of points, and their rate [Hz]."""
        assert self.model.network is not None
        names = [f"{group.name}.position" for group in self.model.network.groups]
        rates: dict[float, Any] = {float(self.recording.channel(name).rate or 0.0): None for name in names}
        if len(rates) != 1 or 0.0 in rates:
            raise RecordingError("all points of the network must be recorded at one rate", got=list(rates))
        places = np.concatenate([self.recording[name] for name in names], axis=1)[:, indices]
        return places, next(iter(rates))
