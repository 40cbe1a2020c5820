"""A figure of a recording as one surface."""

from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import RecordingError
from motiform.form.looks import Looks
from motiform.form.looks.checks import read_poses
from motiform.form.parts import Skin
from motiform.form.rig.body import body_rig
from motiform.form.rig.rig import Posed, Rig

if TYPE_CHECKING:
    from motiform.record import Recording

__all__ = ["dress_body"]


def dress_body(recording: "Recording", looks: Looks, samples: int, rig: Rig | None) -> tuple[Skin, Looks]:
    """Return the surface of a figure, and the looks less those of the shapes that it replaces."""
    worn = body_rig(looks) if rig is None else rig
    missing = [name for name in worn.segments if f"{name}.position" not in recording]
    if missing:
        got, allowed = missing[0], ", ".join(n[:-9] for n in recording.names if n.endswith(".position"))
        raise RecordingError("a skin needs the poses of its segments", where="body", got=got, allowed=allowed)
    poses = [read_poses(f"{name}.position", f"{name}.orientation", recording, samples, name) for name in worn.segments]
    position, orientation = (np.concatenate([pose[k] for pose in poses], axis=1) for k in (0, 1))
    covered = {part for name in worn.segments if name in looks.bones for part in looks.bones[name].parts}
    others = Looks({name: look for name, look in looks.parts.items() if name not in covered}, looks.springs)
    return Skin("body", Posed(worn, position, orientation), worn.faces, worn.color, two_sided=False), others
