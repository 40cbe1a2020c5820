"""Ways of measuring that are known, and refused with what to do instead."""

from collections.abc import Callable
from pathlib import Path

from motiform.base.errors import InputError
from motiform.measure.poses.format import PoseFormat, RawPoses

__all__ = ["REFUSED"]


def _refusal(problem: str, remedy: str) -> Callable[[Path], RawPoses]:
    def read(path: Path) -> RawPoses:
        raise InputError(problem, where=str(path), remedy=remedy)

    return read


def _ends(*endings: str) -> Callable[[Path, bytes], bool]:
    return lambda path, head: path.suffix.lower() in endings


REFUSED = (
    PoseFormat(
        "b3d", "AddBiomechanics (.b3d)", (), "refused: results of another reconstruction",
        _ends(".b3d"),
        _refusal("markers or orientations must be measured, not results of AddBiomechanics (.b3d)",
                 "Take the markers (TRC, C3D) that these results were made of."),
    ),
    PoseFormat(
        "mvnx", "MVNX, MVN", (), "refused: export sensors' orientations as STO, or C3D",
        _ends(".mvnx", ".mvn"),
        _refusal("orientations must be in a table of OpenSense (MVNX is not read)",
                 "Export C3D from MVN, or convert to STO by OpenSense's reader of Xsens."),
    ),
    PoseFormat(
        "apdm", "CSV of APDM", (), "refused: OpenSense's tools convert them to STO",
        lambda path, head: b"Test Name:" in head and b"Sample Rate:" in head,
        _refusal("orientations of all sensors must be in one table, named after segments",
                 "Convert the file to STO by OpenSim's OpenSense (IMU reader), which reads APDM."),
    ),
)  # fmt: skip
