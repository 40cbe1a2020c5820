"""The register of formats of poses: a new one is a file beside this one and a line here."""

from pathlib import Path

from motiform.base.files import plain_file
from motiform.measure.poses.amass import AMASS
from motiform.measure.poses.format import PoseFormat
from motiform.measure.poses.opensense import OPENSENSE
from motiform.measure.poses.refused import REFUSED
from motiform.measure.poses.theia import ROTATION_C3D
from motiform.measure.poses.xsens import XSENS

__all__ = ["POSE_FORMATS", "find_pose_format", "is_pose_file"]

POSE_FORMATS: dict[str, PoseFormat] = {form.name: form for form in (OPENSENSE, XSENS, ROTATION_C3D, AMASS, *REFUSED)}
"""Formats by name; those that are refused say what to do instead."""
_HEAD = 4096  # [byte] of a file that formats look at


def find_pose_format(path: Path) -> PoseFormat | None:
    """Return the format of a file of poses, None for another file."""
    try:
        with open(plain_file(path), "rb") as file:
            head = file.read(_HEAD)
        return next((form for form in POSE_FORMATS.values() if form.recognises(path, head)), None)
    except OSError:
        return None  # the reader of markers says why


def is_pose_file(path: Path) -> bool:
    """Return whether a file of a folder is taken for poses: by its ending and its content, of formats that are read."""
    form = find_pose_format(path) if path.is_file() else None
    return form is not None and path.suffix.lower() in form.endings
