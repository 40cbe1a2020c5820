"""Files that the page offers for download, made from the recording that is shown."""

import re
import tempfile
import zipfile
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

from motiform.base.errors import InputError, RecordingError

if TYPE_CHECKING:
    from motiform.record import Recording

__all__ = ["FORMATS", "file_stem", "make_file"]

FORMATS = {
    "glTF, 3-D with motion (.glb)": ".glb",
    "X3D, 3-D with motion (.x3d)": ".x3d",
    "Table of all channels (.csv)": ".csv",
    "Picture of the plots (.png)": ".png",
    "Recording, complete (.zip)": ".zip",
}
LARGEST_TABLE = 20_000_000  # numbers: a browser does not take a bigger text file gladly


def make_file(recording: "Recording", suffix: str, *, plotted: list[str]) -> tuple[str, bytes]:
    """Return the name and content of a file in a format of `FORMATS`.

    Parameters
    ----------
    plotted
        Channels of the picture of plots.
    """
    if suffix not in FORMATS.values():
        raise InputError("the studio does not write this format", got=suffix, allowed=", ".join(FORMATS.values()))
    stem = file_stem(str(recording.manifest.get("title", "") or "recording"))
    with tempfile.TemporaryDirectory(prefix="motiform-") as folder:
        path = Path(folder) / (stem + suffix)
        _write(recording, path, plotted)
        return path.name, path.read_bytes()


def file_stem(title: str) -> str:
    """Return a plain file name from a title.

    >>> file_stem("Tumbling handle, 2 s!")
    'tumbling-handle-2-s'
    """
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60] or "recording"


def _write(recording: "Recording", path: Path, plotted: list[str]) -> None:
    if path.suffix == ".png":
        _write_plots(recording, path, plotted)
    elif path.suffix == ".zip":
        _write_zip(recording, path)
    else:
        from motiform.image.export import export

        if path.suffix == ".csv":
            _check_table(recording)
        export(recording, path)


def _check_table(recording: "Recording") -> None:
    numbers = sum(recording.count(name) * prod(recording.channel(name).shape) for name in recording.names)
    if numbers > LARGEST_TABLE:
        raise RecordingError(
            "the table would be too big for a browser", got=f"{numbers} numbers", allowed=f"up to {LARGEST_TABLE}",
            remedy="Use `motiform export`, or take the complete recording instead.",
        )  # fmt: skip


def _write_plots(recording: "Recording", path: Path, plotted: list[str]) -> None:
    from motiform.image import plot_channels

    if not plotted:
        raise InputError("no plot is open", remedy="Choose a channel under Plots first.")
    plot_channels(recording, plotted, path=path)


def _write_zip(recording: "Recording", path: Path) -> None:
    folder = path.with_suffix(".mf")
    recording.save(folder)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:  # its chunks are compressed already
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(folder.parent))
