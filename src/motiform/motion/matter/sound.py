"""Sound of networks: points that are listened to at every step, or every few of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.matter.engine.engine import Engine
from motiform.motion.matter.model.network import Network
from motiform.motion.matter.model.points import find_points
from motiform.motion.run import RunOptions
from motiform.record import Channel
from motiform.spatial import unit_vector
from motiform.spatial.checks import Array

__all__ = ["Listener", "Sound"]

_OF = {"velocity": "m/s", "position": "m"}


@dataclass(frozen=True)
class Sound:
    """What is heard of a network: the channel "sound" of its recording, at a rate of its own.

    `record.write_sound` makes a WAV file of it, and `film` gives it to a film.
    """

    points: Sequence[str | Sequence[str]]
    """A channel each: a point, "string[60]", the mean of a group, or that of all of several such names."""
    axis: ArrayLike = (0.0, 1.0, 0.0)
    """Direction along which they are listened to."""
    of: Literal["velocity", "position"] = "velocity"
    """Mean velocity since the last sample of the sound, or the displacement from the start."""
    rate: float | None = None
    """Samples a second [Hz]: the network's frequency, or a whole part of it; nothing is filtered."""
    form: Literal["int16", "float32"] = "int16"
    """Of WAV files."""
    peak: float | None = None
    """What full scale is [m/s or m]; the largest of the sound where it is None."""


class Listener:
    """What is heard of a network between the samples of its recording."""

    def __init__(self, sound: Sound, network: Network, options: RunOptions | None) -> None:
        if not isinstance(sound, Sound):
            raise InputError("sound must be a Sound", got=repr(sound)[:80], remedy="See motiform.matter.Sound.")
        if sound.of not in _OF:
            raise InputError("a sound must be of a known kind", got=sound.of, allowed=", ".join(_OF))
        names = [sound.points] if isinstance(sound.points, str) else list(sound.points)
        if not names:
            raise InputError("a sound must have points", where="sound")
        found = [find_points(network, name) for name in names]
        self.points = np.unique(np.concatenate(found))
        self.axis = unit_vector(sound.axis, "sound, axis")
        self.weights = np.stack([np.isin(self.points, own) / len(own) for own in found])  # (channels, points)
        self.names = [name if isinstance(name, str) else " + ".join(name) for name in names]
        self.sound, self.rate = sound, float(sound.rate or network.frequency)
        self.start = network.initial_state().position[self.points]
        self.every = round(network.frequency / self.rate)
        slow = self.rate if options is None else options.rate  # of the recording; a live run has none
        allowed = f"{network.frequency:g} Hz divided by a whole number, and a multiple of {slow:g} Hz"
        if not 0 < self.rate <= network.frequency or (
            abs(self.every * self.rate - network.frequency) > 1e-9 * network.frequency
            or abs(round(self.rate / slow) * slow - self.rate) > 1e-9 * self.rate
        ):
            raise InputError(
                "the rate of a sound does not fit", where="sound", got=f"{self.rate:g} Hz", allowed=allowed
            )

    def channel(self) -> Channel:
        """Return the channel that the sound is recorded in."""
        text = f"{self.sound.of} of {', '.join(self.names)} along {tuple(np.round(self.axis, 6).tolist())}"
        return Channel(
            "sound", unit=_OF[self.sound.of], dims=("speaker",), shape=(len(self.names),), rate=self.rate,
            description=text,
        )  # fmt: skip

    def facts(self) -> dict[str, Any]:
        """Return what a recording's manifest says of it."""
        return {"points": self.names, "of": self.sound.of, "form": self.sound.form, "peak": self.sound.peak}

    def first(self, engine: Any) -> Array:
        """Return what is heard at the start, (1, channels)."""
        matter: Engine = getattr(engine, "matter", engine)
        if self.sound.of == "position":
            return self._sound_at(matter.places(self.points)[None])
        speed: Array = matter.state().velocity(matter.network.frequency)[self.points]
        return self._mixed(self._along(speed[None]))

    def sound_of(self, before: Array, places: Array) -> Array:
        """Return what is heard of places [m], (samples, points, 3), after one before them: (samples, channels)."""
        return self._sound_at(np.concatenate([before[None], places]))[-len(places) :]

    def _sound_at(self, places: Array) -> Array:
        """Return the sound of places one after the other, (samples, points, 3)."""
        if self.sound.of == "position":
            return self._mixed(self._along(places - self.start))
        return self._mixed(self._along(np.diff(places, axis=0)) * self.rate)

    def _along(self, vectors: Array) -> Array:
        """Return the parts of vectors (samples, points, 3) along the axis, (samples, points)."""
        x, y, z = self.axis
        return np.asarray(vectors[..., 0] * x + vectors[..., 1] * y + vectors[..., 2] * z)

    def _mixed(self, moved: Array) -> Array:
        """Return the weighted sums over points, (samples, channels).

        One point after another: sums of a matrix product have an order that depends on how many samples there are.
        """
        found = np.zeros((len(moved), len(self.weights)))
        for channel, weights in enumerate(self.weights):
            for point in np.flatnonzero(weights):
                found[:, channel] += weights[point] * moved[:, point]
        return found
