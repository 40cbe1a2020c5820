"""A motion at any time: the poses of its bodies at a sample, or between two."""

from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import InputError

if TYPE_CHECKING:
    from motiform.form import Form
    from motiform.image.drawing import Pose

__all__ = ["poses_at_sample", "poses_at_time"]


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

    if not np.isfinite(time):
        raise InputError("no such time", where=form.title or None, got=time, allowed="a finite number of seconds")
    times = np.asarray(form.times, dtype=float)
    if not len(times):
        raise InputError("a form without samples has no poses", where=form.title or None)
    after = int(np.searchsorted(times, time, side="right"))
    if after == 0 or after == len(times) or times[after - 1] == time:
        return poses_at_sample(form, max(0, after - 1))
    s = float((time - times[after - 1]) / (times[after] - times[after - 1]))
    poses = []
    for (x0, q0), (x1, q1) in zip(poses_at_sample(form, after - 1), poses_at_sample(form, after), strict=True):
        sound = np.isfinite(q0).all(1) & np.isfinite(q1).all(1) & q0.any(1) & q1.any(1)
        q = np.full_like(q0, np.nan)
        q[sound] = slerp(q0[sound], q1[sound], s)
        poses.append(((1.0 - s) * x0 + s * x1, q))
    return poses
