"""Trajectories of a task function through stable and intermediate poses, and the files that hold them (.traj3)."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest_file
from motiform.base.files import reads_file
from motiform.motion.tree.model.joint import Array
from motiform.record.files import disk, new_file, write_file
from motiform.spatial.checks import as_floats

__all__ = ["CONTACT_CODES", "TaskTrajectory", "read_traj3", "write_traj3"]

SUSPENDED = 4
CONTACT_CODES = {
    1: "right foot",
    2: "left foot",
    3: "both feet",
    SUSPENDED: "suspended",
    5: "between both feet and one",
}
"""What carries the figure in a phase, by its number.  [HuMAnS 8.2]"""
_HEADS = ("Nombre de points", "Temps et contacts", "Coordonnees points")


class Wanted(NamedTuple):
    """What a trajectory asks for at a time."""

    value: Array
    """Q*, (n,)"""
    rate: Array
    acceleration: Array
    contact: int
    """Code of what carries the figure."""


@dataclass(frozen=True, eq=False)
class TaskTrajectory:
    """Poses of a task function: stable, intermediate, stable, …, stable  [HuMAnS 8.2.1].

    Stable poses are reached at their times at rest, without acceleration; an intermediate pose is passed half-way in
    time. Between two stable poses a, b with the intermediate m, s from 0 to 1:

        Q(s) = a + (b − a)(10 s³ − 15 s⁴ + 6 s⁵) + (m − (a + b)/2) 64 s³ (1 − s)³,

    the polynomial of degree 6 that does so. (How HuMAnS joins poses is not told.)
    """

    times: Sequence[float]
    """Of the stable poses [s], increasing, (k,)."""
    contacts: Sequence[int]
    """Code of each phase, (k − 1,), see `CONTACT_CODES`."""
    poses: ArrayLike
    """Stable and intermediate in turn, (2 k − 1, n)."""

    def __post_init__(self) -> None:
        where = "task trajectory"
        t, poses = as_floats(self.times, where=f"{where}, times"), as_floats(self.poses, where=f"{where}, poses")
        codes = np.asarray(self.contacts)
        if t.ndim != 1 or len(t) < 2 or (np.diff(t) <= 0).any():
            raise InputError("times of stable poses must increase", where=where, got=repr(self.times)[:80])
        if poses.ndim != 2 or len(poses) != 2 * len(t) - 1:
            allowed = f"{2 * len(t) - 1} rows: stable and intermediate in turn, stable first and last"
            raise InputError("poses must fit the times", where=where, got=f"shape {poses.shape}", allowed=allowed)
        if codes.shape != (len(t) - 1,) or not np.isin(codes, list(CONTACT_CODES)).all():
            allowed = f"{len(t) - 1} of " + ", ".join(f"{code}: {words}" for code, words in CONTACT_CODES.items())
            raise InputError("contacts must be known codes", where=where, got=repr(self.contacts), allowed=allowed)
        for name, value in (("times", t), ("contacts", codes.astype(int)), ("poses", poses)):
            object.__setattr__(self, name, value)

    def __call__(self, t: float) -> Wanted:
        """Return what is asked for at a time [s]; before and after all it rests."""
        times: Any = self.times
        poses: Any = self.poses
        codes: Any = self.contacts
        k = int(np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 2))
        T = times[k + 1] - times[k]
        s = float(np.clip((t - times[k]) / T, 0.0, 1.0))
        a, m, b = poses[2 * k : 2 * k + 3]
        up, over = b - a, 64.0 * (m - (a + b) / 2)
        r = s * (1.0 - s)
        value = a + up * s**3 * (10 - 15 * s + 6 * s**2) + over * r**3
        rate = up * 30 * r**2 + over * 3 * r**2 * (1 - 2 * s)
        acceleration = up * 60 * r * (1 - 2 * s) + over * (6 * r * (1 - 2 * s) ** 2 - 6 * r**2)
        return Wanted(value, rate / T, acceleration / T**2, int(codes[k]))

    def phases(self) -> list[tuple[float, float, int]]:
        """Return begin, end [s] and contact code of each phase."""
        t: Any = self.times
        return [(float(t[k]), float(t[k + 1]), int(code)) for k, code in enumerate(self.contacts)]


def write_traj3(trajectory: TaskTrajectory, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Write a trajectory as HuMAnS does: number of poses, times and contact codes in turn, then the poses."""
    place = new_file(path, overwrite)
    row = np.empty(len(np.asarray(trajectory.poses)))
    row[::2], row[1::2] = trajectory.times, trajectory.contacts
    lines = [_HEADS[0], str(len(row)), _HEADS[1]]
    lines.append(" ".join(repr(float(x)) if k % 2 == 0 else str(int(x)) for k, x in enumerate(row)))
    lines += [_HEADS[2], *(" ".join(map(repr, pose)) for pose in np.asarray(trajectory.poses).tolist())]
    with disk(place):
        write_file(place, ("\n".join(lines) + "\n").encode())
    return place


@reads_file("a task trajectory")
def read_traj3(path: str | os.PathLike[str]) -> TaskTrajectory:
    """Read a trajectory that HuMAnS or `write_traj3` wrote."""
    place = Path(path)
    if not place.is_file():
        raise InputError("no such file", got=str(place), allowed="a .traj3 file", remedy=closest_file(place))
    text = place.read_text("utf-8", "replace")
    parts = re.split("|".join(re.escape(head) for head in _HEADS), text)
    if len(parts) != 4:
        raise InputError("a .traj3 file must begin with its head", where=str(place), allowed=" / ".join(_HEADS))
    try:
        count, row, poses = ([float(x) for x in part.replace(":", " ").split()] for part in parts[1:])
    except ValueError as error:
        raise InputError("a .traj3 file must hold numbers", where=str(place), got=str(error)) from None
    n = int(count[0]) if len(count) == 1 and np.isfinite(count[0]) else 0
    if n < 3 or len(row) != n or len(poses) % n or not poses:
        got = f"{n} poses, {len(row)} times and contacts, {len(poses)} coordinates"
        raise InputError("the numbers of a .traj3 file do not fit", where=str(place), got=got)
    if any(not code.is_integer() for code in row[1::2]):
        raise InputError("contact codes must be whole numbers", where=str(place), got=row[1::2])
    return TaskTrajectory(row[::2], [int(code) for code in row[1::2]], np.reshape(poses, (n, -1)))
