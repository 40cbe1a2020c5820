"""The files of a trial: markers, turned to where the subject walks, and forces."""

from pathlib import Path
from typing import TYPE_CHECKING

from motiform.base.errors import InputError, closest_file
from motiform.measure import read_markers, turn
from motiform.measure.markers.openpose import pictures_of_recording
from motiform.measure.poses import read_poses
from motiform.measure.poses.register import find_pose_format
from motiform.measure.poses.xsens import files_of_recording
from motiform.motion.postures.opensim.loads import read_external_loads
from motiform.motion.postures.skeletons import is_bvh, skeleton_markers
from motiform.record import Recording

if TYPE_CHECKING:
    from motiform.trials.trial import TrialOptions

__all__ = ["companions", "forces_of", "read_forces", "read_trial"]

_ENDINGS = (".xml", ".mot", ".sto", ".c3d")
_MARKS = ("", "_grf", "_forces", "_external_loads", "_loads")


def read_trial(source: str | Path, options: "TrialOptions") -> Recording:
    """Return the markers or poses of a file, with the options of the batch; x is forward if an axis is given."""
    if is_bvh(source):
        return skeleton_markers(source, units=options.read.get("units"))
    if find_pose_format(Path(source)) is not None:
        return read_poses(source, up=options.read.get("up"))
    rec = read_markers(source, **{name: value for name, value in options.read.items() if name != "heading"})
    if options.forward is None:
        return rec
    up = rec.manifest.get("up")
    if up is None:
        raise InputError("the vertical axis must be known to turn a trial", where=str(source), remedy="Say --up.")
    return turn(rec, up=up, forward=options.forward)


def companions(source: str | Path) -> list[Path]:
    """Return the files that a trial is read from besides the named one: other sensors, other pictures."""
    path = Path(source)
    of = {".txt": files_of_recording, ".json": pictures_of_recording}.get(path.suffix.lower())
    return [] if of is None or not path.is_file() else [file for file in of(path) if file.resolve() != path.resolve()]


def forces_of(source: str | Path, forces: str) -> Path:
    """Return the file of forces of a trial: the given one, or that of its name in the given folder.

    The folder may have the tree of the trials: for before/Subject01/walk.c3d it is before/Subject01/walk.mot,
    Subject01/walk.mot or walk.mot in it, the first of them that there is.
    """
    place, stem = Path(forces), Path(source).stem
    if place.is_file():
        return place
    if not place.is_dir():
        raise InputError("no such file or folder", where="--forces", got=forces, remedy=closest_file(place))
    folders = Path(source).resolve().parent.parts[1:]
    places = [place.joinpath(*folders[k:]) for k in range(len(folders) + 1)]
    tried = [at / f"{stem}{mark}{ending}" for at in places if at.is_dir() for ending in _ENDINGS for mark in _MARKS]
    found = next((file for file in tried if file.is_file() and file.resolve() != Path(source).resolve()), None)
    if found is None:
        allowed = f"{stem}.mot, {stem}_grf.xml, … ({', '.join(_ENDINGS)})"
        raise InputError("the folder has no forces of the trial", where=forces, got=stem, allowed=allowed)
    return found


def read_forces(path: Path, options: "TrialOptions") -> Recording:
    """Return the forces of a file: OpenSim's external loads or table, or the plates of a C3D file."""
    return read_trial(path, options) if path.suffix.lower() == ".c3d" else read_external_loads(path)
