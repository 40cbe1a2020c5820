"""What `motiform wrist` is given: kinds of sources, angles, poses; and which stages of its work are done."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from motiform.base.digest import Digest
from motiform.base.errors import InputError, closest_file
from motiform.base.files import are_as_written, folder_sums, reads_file

if TYPE_CHECKING:
    from motiform.motion.bones import Wrist

__all__ = ["Stages", "input_kind", "parse_angles", "parse_fracture", "read_driver", "read_wrist"]

_ALL = ("recording", "report")
_NOTE = "stages.json"
_MOST = 2000  # poses
_QUICK = {"spacing": 8e-4, "points": 2e-3, "margin": 5e-3, "band": 2e-3}  # [m]


def input_kind(source: Path, seeds: Path | None) -> Literal["meshes", "labels", "volume"]:
    """Return what a source is: a folder with meshes, an image where there are seeds, else a label map."""
    from motiform.geometry.meshes.files import MESH_SUFFIXES

    if seeds is not None and not seeds.is_file():
        raise InputError("no such file", where="--seeds", got=str(seeds), remedy=closest_file(seeds))
    if source.is_dir() and any(path.suffix.lower() in MESH_SUFFIXES for path in source.iterdir()):
        return "meshes"
    if seeds is None and source.is_dir():
        raise InputError(
            "the folder has no meshes", where=str(source), allowed=", ".join(MESH_SUFFIXES),
            remedy="For an image give --seeds, a file with a point inside each bone.",
        )  # fmt: skip
    return "volume" if seeds is not None else "labels"


def read_wrist(
    source: Path, kind: str, seeds: Path | None, options: dict[str, Any], stages: "Stages", quiet: bool
) -> "Wrist":
    """Return the wrist. Bones of an image are kept beside the results once they are segmented."""
    from motiform.base.progress import bar
    from motiform.measure import read_labels, read_volume, segment_bones, write_volume
    from motiform.motion.bones import BoneResolution, from_labels, from_meshes
    from motiform.record.files import make_folder

    side, fineness = options["side"], BoneResolution(**_QUICK) if options["quick"] else None
    more = {"erode": options["erode"], "fineness": fineness, "contact": options["contact"]}
    with bar("bones", quiet=quiet) as progress:
        if kind == "meshes":
            return from_meshes(source, side=side or "right", unit=options["unit"], **more)
        spacing = None if options["spacing"] is None else 1e-3 * options["spacing"]
        path = source
        if kind == "volume":
            path = stages.out / "labels.nrrd"
            if "labels" not in stages.done:
                volume = read_volume(source, spacing=spacing, series=options["series"])
                progress(0.2)
                make_folder(stages.out)
                segmented = segment_bones(volume, seeds=seeds, side=side)
                stages.place()
                write_volume(segmented, path, overwrite=True)
                stages.finish("labels", path.name)
            spacing = None
        progress(0.7)
        return from_labels(read_labels(path, spacing=spacing), _names(options["label"]), side=side, **more)


def _names(rows: Sequence[str] | None) -> dict[Any, str] | None:
    found: dict[Any, str] = {}
    for row in rows or ():
        number, equals, name = row.partition("=")
        if not (equals and number.strip().isdecimal() and name.strip()):
            raise InputError(
                "a label must name a bone", where="--label", got=row, allowed="NUMBER=BONE, such as 3=scaphoid"
            )
        found[int(number)] = name.strip()
    return found or None


def parse_angles(text: str | None, where: str) -> np.ndarray:
    """Return degrees from FIRST:LAST:STEP, or from a list with commas; none where there is no text."""
    if text is None:
        return np.zeros(0)
    try:
        if ":" in text:
            first, last, step = (float(part) for part in text.split(":"))
            count = np.floor((last - first) / step + 1e-9) + 1 if step else np.inf
            if not 1 <= count <= _MOST:
                raise ValueError
            return np.asarray(first + step * np.arange(int(count)))
        parts = text.split(",", _MOST)
        if len(parts) > _MOST:
            raise ValueError
        return np.array([float(part) for part in parts])
    except ValueError:
        raise InputError(
            "angles must be numbers or a range [°]", where=where, got=text[:80],
            allowed="FIRST:LAST:STEP such as -40:40:5, or a list such as 30,-30",
            remedy=f"Up to {_MOST} of them, in degrees.",
        ) from None  # fmt: skip


def parse_fracture(text: str) -> tuple[str, float]:
    """Return a bone and the share of its length from "BONE=SHARE"; half of it from "BONE"."""
    bone, _, given = text.partition("=")
    try:
        share = float(given or 0.5)
    except ValueError:
        share = np.nan
    if not 0.0 < share < 1.0:
        raise InputError(
            "a share must be a number above 0 and below 1", where="--fracture", got=text[:80],
            allowed="such as scaphoid=0.4",
        )  # fmt: skip
    return bone, share


@reads_file("poses of a driver")
def read_driver(path: Path) -> np.ndarray:
    """Return measured poses (n, 4, 4) of a file: .npy, or rows of 16 numbers."""
    if not path.is_file():
        raise InputError("no such file", where="--driver", got=str(path), remedy=closest_file(path))
    try:
        if path.suffix == ".npy":
            rows = np.load(path, allow_pickle=False, mmap_mode="r")  # no more than the file holds
        else:
            rows = np.loadtxt(path, delimiter="," if "," in path.read_text("utf-8") else None, ndmin=2)
        return np.asarray(rows, float).reshape(-1, 4, 4)
    except (ValueError, OSError) as error:
        raise InputError(
            "poses cannot be read", where=str(path), got=str(error)[:80], allowed=".npy (n, 4, 4), or 16 numbers a row"
        ) from None


@dataclass
class Stages:
    """Which stages are done in a folder, of which input."""

    out: Path
    key: str
    done: dict[str, dict[str, str]] = field(default_factory=dict)
    """Checksums of the files of each stage that is done."""
    damaged: str | None = None
    """A stage that was done, and is done again because files of it are missing or damaged."""
    replaces: bool = False
    """Whether the folder has results that are overwritten when there are new ones."""

    @classmethod
    def open(cls, out: Path, files: Sequence[Path], options: Any, *, resume: bool, overwrite: bool) -> "Stages":
        """Return the stages of a folder, which is made with the first; another run's folder is not touched unasked."""
        stages = cls(out, _key(files, options))
        if out.exists() and not out.is_dir():
            raise InputError("there is a file of this name", where=str(out), remedy="Give another --out.")
        note = out / _NOTE
        others = [path for path in out.iterdir() if path != note] if out.is_dir() else []
        if others and not note.is_file():
            raise InputError("the folder holds something else", where=str(out), remedy="Give another --out.")
        if note.is_file() and overwrite:
            stages.replaces = True
            return stages
        kept = _read_stages(note) if note.is_file() else None
        if kept is not None and not kept["done"] and not others:
            kept = None  # it ended before there was anything to keep
        if kept is not None and kept["key"] != stages.key:
            remedy = "Give another --out, or --overwrite."
            raise InputError("the folder holds results of another input", where=str(out), remedy=remedy)
        if kept is not None:
            stages._take(kept["done"])
            if not resume and not stages.whole and stages.damaged is None:
                raise InputError("an incomplete run is here", where=str(out), remedy="Give --resume, or --overwrite.")
        return stages

    def _take(self, done: dict[str, dict[str, str]]) -> None:
        """Take the stages that were done, up to one of which files are no longer as they were written."""
        for stage, sums in done.items():
            if not are_as_written(self.out, sums):
                self.damaged = stage
                return
            self.done[stage] = sums

    def place(self) -> Path:
        """Return the folder, made where it is not there, without what is to be replaced: there is something to keep."""
        from motiform.record.files import make_folder

        if self.replaces:
            shutil.rmtree(self.out)
            self.replaces = False
        make_folder(self.out)
        self.finish(None)
        return self.out

    @property
    def whole(self) -> bool:
        """Whether nothing is left to do."""
        return set(_ALL) <= set(self.done)

    def finish(self, stage: str | None, *files: str) -> None:
        """Note that a stage is done, and what it wrote."""
        if stage:
            self.done[stage] = folder_sums(self.out, *files) if files else {}
        part = self.out / ".stages.part"
        part.write_text(json.dumps({"key": self.key, "done": self.done}), "utf-8")
        part.replace(self.out / _NOTE)


def _read_stages(note: Path) -> dict[str, Any]:
    """Return what the note of a folder says."""
    try:
        kept = json.loads(note.read_text("utf-8"))
    except (ValueError, RecursionError):
        kept = None
    sound = isinstance(kept, dict) and isinstance(kept.get("key"), str) and isinstance(kept.get("done"), dict)
    if not sound or not all(isinstance(sums, dict) for sums in kept["done"].values()):
        raise InputError("the list of stages is damaged", where=str(note), remedy="Give another --out, or --overwrite.")
    return kept


def _key(files: Sequence[Path], options: Any) -> str:
    """Return a number of the input: options and the bytes of all files."""
    digest = Digest(options)
    for file in files:
        digest.add_file(file)
    return digest.text(32)
