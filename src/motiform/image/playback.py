"""A motion at any time: its bodies, links and skins at a sample, or between two."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import InputError
from motiform.form.upright import turn_orientations, turn_points

if TYPE_CHECKING:
    from motiform.form import Form, Shell
    from motiform.form.clouds import Puffs
    from motiform.form.implicit.blocks import Blocks
    from motiform.image.cast.pieces import Pose

__all__ = ["Moment", "moment_at_sample", "moment_at_time", "poses_at_sample", "poses_at_time"]


@dataclass(frozen=True)
class Moment:
    """A form at one instant."""

    poses: "list[Pose]"
    """Positions [m] and orientations of the bodies of each part."""
    links: list[np.ndarray]
    """Ends of each set of links [m], (links, 2, 3)."""
    skins: list[np.ndarray]
    """Vertices of each skin [m], (points, 3)."""
    sample: int
    """The sample whose colors are shown: the last one that came before."""
    surfaces: "list[Shell | Blocks | Puffs]" = field(default_factory=list)
    """What rays meet of each surface that is found anew."""
    time: float = 0.0
    """[s], for a camera that moves."""

    def turned(self, rotation: np.ndarray) -> "Moment":
        """Return the form in axes to which a rotation (3, 3) leads from its own."""
        poses = [(turn_points(at, rotation), turn_orientations(turn, rotation)) for at, turn in self.poses]
        links, skins = ([turn_points(x, rotation) for x in places] for places in (self.links, self.skins))
        return Moment(poses, links, skins, self.sample, [shell.turned(rotation) for shell in self.surfaces], self.time)


def moment_at_sample(form: "Form", sample: int) -> Moment:
    """Return a form at a sample; negative samples count from the end."""
    poses = poses_at_sample(form, sample)
    skins = [np.asarray(skin.vertices[sample], float) for skin in form.skins]
    shells = [surface.cast(sample) for surface in form.surfaces]
    time = float(form.times[sample])
    return Moment(poses, [links.ends(sample) for links in form.links], skins, sample, shells, time)


def moment_at_time(form: "Form", time: float) -> Moment:
    """Return a form at a time [s]; the ends of links and the vertices of skins move on lines between two samples."""
    before, after, s = _between(form, time)
    if before == after:
        return replace(moment_at_sample(form, before), time=time)
    ends = [(1.0 - s) * links.ends(before) + s * links.ends(after) for links in form.links]
    skins = [(1.0 - s) * skin.vertices[before] + s * skin.vertices[after] for skin in form.skins]
    shells = [surface.cast(before, after, s) for surface in form.surfaces]
    return Moment(poses_at_time(form, time), ends, skins, before, shells, time)


def poses_at_sample(form: "Form", sample: int) -> list["Pose"]:
    """Return positions [m] and orientations of each part at a sample; negative samples count from the end."""
    count = len(form.times)
    if not -count <= sample < count:
        raise InputError("no such sample", where=form.title or None, got=sample, allowed=f"0 to {count - 1}")
    return [(np.asarray(p.position[sample], float), np.asarray(p.orientation[sample], float)) for p in form.parts]


def poses_at_time(form: "Form", time: float) -> list["Pose"]:
    """Return positions [m] and orientations of each part at a time [s].

    Between two samples bodies move on a line and turn evenly about one axis (slerp); outside of the recording they stay
    where they are at its end.
    """
    from motiform.spatial import slerp

    before, after, s = _between(form, time)
    if before == after:
        return poses_at_sample(form, before)
    poses = []
    for (x0, q0), (x1, q1) in zip(poses_at_sample(form, before), poses_at_sample(form, after), strict=True):
        sound = np.isfinite(q0).all(1) & np.isfinite(q1).all(1) & q0.any(1) & q1.any(1)
        q = np.full_like(q0, np.nan)
        q[sound] = slerp(q0[sound], q1[sound], s)
        poses.append(((1.0 - s) * x0 + s * x1, q))
    return poses


def _between(form: "Form", time: float) -> tuple[int, int, float]:
    """Return the samples around a time [s], and which part of the way from the first to the second it lies."""
    if not np.isfinite(time):
        raise InputError("no such time", where=form.title or None, got=time, allowed="a finite number of seconds")
    times = np.asarray(form.times, dtype=float)
    if not len(times):
        raise InputError("a form without samples has no poses", where=form.title or None)
    after = int(np.searchsorted(times, time, side="right"))
    if after == 0 or after == len(times) or times[after - 1] == time:
        return max(0, after - 1), max(0, after - 1), 0.0
    return after - 1, after, float((time - times[after - 1]) / (times[after] - times[after - 1]))
