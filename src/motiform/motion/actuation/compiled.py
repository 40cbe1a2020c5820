"""Controls and loads that are numbers alone: what compiled steps evaluate without Python."""

import numpy as np

from motiform.motion.actuation.control import PostureControl
from motiform.motion.actuation.drives import CoordinateControl
from motiform.motion.actuation.layouts import ControlLaws
from motiform.motion.actuation.pack import LawArrays, pack_efforts, pack_laws
from motiform.motion.actuation.pushes import PUSH_FLOATS, SegmentPushes
from motiform.motion.actuation.trajectories import EffortTrajectory
from motiform.motion.tree import Control
from motiform.motion.tree.model.acting import Acting
from motiform.motion.tree.model.actuator import PlainControl
from motiform.motion.tree.model.joint import Array

__all__ = ["compile_controls", "compile_loads"]


def compile_controls(acting: Acting) -> ControlLaws | None:
    """Return the arrays of posture controls, coordinate drives and effort trajectories; None where more acts."""
    nq, nv = acting.figure.nq, acting.nv
    laws: list[LawArrays] = []
    rows, places = [np.zeros((0, 4))], [np.zeros((0, 2), np.int64)]
    for part in acting.parts:
        control = part.control if isinstance(part, PlainControl) else None
        if isinstance(control, PostureControl) and control.compiled and control.figure.nv == nv:
            laws.append(control.arrays)
        elif isinstance(control, EffortTrajectory) and np.asarray(control.efforts).shape[1] == nv:
            laws.append(LawArrays(*pack_efforts(control, nv)))
        elif isinstance(control, CoordinateControl) and control.figure.nv == nv:
            drives, at = control.rows
            rows.append(drives)
            places.append(at)
        else:
            return None
    return pack_laws(nq, nv, laws, np.concatenate(rows), np.concatenate(places))


def compile_loads(loads: Control | None) -> Array | None:
    """Return the rows of pushes on segments, none without loads; None where a function of the user's gives loads."""
    if loads is None:
        return np.zeros((0, PUSH_FLOATS))
    return loads.rows if isinstance(loads, SegmentPushes) else None
