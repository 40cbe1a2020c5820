"""Figures of a recording as one surface each."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import RecordingError
from motiform.form.looks import Looks, RestSegment
from motiform.form.looks.checks import read_poses
from motiform.form.parts import Skin
from motiform.form.rig.body import body_rig
from motiform.form.rig.rig import Posed, Rig
from motiform.record.samples import by_samples

if TYPE_CHECKING:
    from motiform.record import Recording

__all__ = ["dress_bodies"]


def dress_bodies(recording: "Recording", looks: Looks, samples: int, rig: Rig | None) -> tuple[list[Skin], Looks]:
    """Return the surface of each figure, or one rig, and the looks less those of the shapes that they replace."""
    rigs = {"body": rig} if rig is not None else {name: body_rig(one) for name, one in _figures(looks).items()}
    skins = [_worn(recording, name, one, samples) for name, one in rigs.items()]
    segments = {name for one in rigs.values() for name in one.segments if name in looks.bones}
    segments.update(between for name in segments.copy() for between in _between(name, segments, looks.bones))
    covered = {part for name in segments for part in looks.bones[name].parts}
    return skins, Looks({name: look for name, look in looks.parts.items() if name not in covered}, looks.springs)


def _figures(looks: Looks) -> dict[str, Looks]:
    """Return the looks of each figure: the bones that hang from one root."""
    groups: dict[str, dict[str, RestSegment]] = {}
    for name, bone in looks.bones.items():
        root, above = name, bone
        while above.parent in looks.bones:
            root, above = str(above.parent), looks.bones[str(above.parent)]
        groups.setdefault(root, {})[name] = bone
    one = len(groups) <= 1
    return {
        "body" if one else f"body {root}": Looks(looks.parts, {}, own) for root, own in groups.items() or [("", {})]
    }


def _between(name: str, segments: set[str], bones: Mapping[str, RestSegment]) -> list[str]:
    """Return the segments from one up to the next that a rig moves; none if there is no such."""
    found, above = [], bones[name].parent
    while above in bones and above not in segments:
        found.append(str(above))
        above = bones[str(above)].parent
    return found if above in segments else []


def _joined(*blocks: np.ndarray) -> np.ndarray:
    return np.concatenate(blocks, axis=1)


def _worn(recording: "Recording", label: str, rig: Rig, samples: int) -> Skin:
    missing = [name for name in rig.segments if f"{name}.position" not in recording]
    if missing:
        got, allowed = missing[0], ", ".join(n[:-9] for n in recording.names if n.endswith(".position"))
        raise RecordingError("a skin needs the poses of its segments", where=label, got=got, allowed=allowed)
    poses = [read_poses(f"{n}.position", f"{n}.orientation", recording, samples, n) for n in rig.segments]
    position, orientation = (by_samples(_joined, *(pose[k] for pose in poses)) for k in (0, 1))
    return Skin(label, Posed(rig, position, orientation), rig.faces, rig.color, two_sided=False)
