"""C3D files, the binary format of motion capture: markers, analog channels, force plates, events."""

from motiform.measure.markers.c3d.prepare import Computed
from motiform.measure.markers.c3d.read import read_c3d
from motiform.measure.markers.c3d.write import write_c3d
from motiform.measure.markers.format import MarkerFormat

__all__ = ["C3D", "Computed", "write_c3d"]


def _is_c3d(head: bytes) -> bool:
    """Return whether the header has the mark 80 after the block of the parameters, and zeros as no text has."""
    return len(head) > 1 and head[1] == 80 and 1 < head[0] < 128 and b"\0" in head


C3D = MarkerFormat(
    name="c3d",
    title="C3D",
    endings=(".c3d",),
    about="points and residuals (Intel, DEC and MIPS, reals and integers, more than 65535 samples), analog channels, "
    "force plates of type 1 to 4, events, subject",
    recognises=_is_c3d,
    read=read_c3d,
    write=write_c3d,
)
