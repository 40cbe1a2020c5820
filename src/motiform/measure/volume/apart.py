"""Volumes whose pixels are compressed, read in a process of its own: a damaged one may crash or stop its decoder."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.errors import InputError, MotiformError
from motiform.base.machine import memory
from motiform.geometry.maps import Grid
from motiform.measure.volume.volume import Volume
from motiform.spatial.checks import Words

__all__ = ["read_apart"]

_SECONDS = 600.0
_REFUSED = 3
_PARTS = ("problem", "where", "got", "allowed", "remedy")


def read_apart(place: Path, spacing: Any, series: str | None) -> Volume:
    """Return the volume of a file or folder with compressed pixels."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "volume.npz"
        asked = {"place": str(place.absolute()), "out": str(out), "series": series,
                 "spacing": None if spacing is None else np.asarray(spacing).tolist()}  # fmt: skip
        env = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "ITK_GLOBAL_DEFAULT_NUMBER_OF_THREADS": "1",
        }
        command = [sys.executable, "-m", "motiform.measure.volume.apart"]
        try:
            done = subprocess.run(
                command, input=json.dumps(asked), capture_output=True, text=True, errors="replace", env=env,
                timeout=_SECONDS, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise _damaged(place, f"no end in {_SECONDS:.0f} s") from None
        if done.returncode == _REFUSED:
            raise InputError(**json.loads(done.stdout.splitlines()[-1]))
        if done.returncode or not out.is_file():
            raise _damaged(place, f"the decoder ended with {done.returncode}")
        with np.load(out) as found:
            grid = Grid(found["values"].shape, found["spacing"], found["origin"], found["axes"])
            return Volume(found["values"], grid, tuple(map(str, found["notes"])))


def _damaged(place: Path, got: str) -> InputError:
    return InputError(
        "compressed pixels cannot be read", where=str(place), got=Words(got),
        remedy="They may be damaged; convert the series to uncompressed files.",
    )  # fmt: skip


def _main() -> None:
    """Read what stdin asks for and write it; say why it is refused."""
    from motiform.measure.volume.read import read_here

    try:
        import resource

        most = int(min(0.5 * memory(), 2**62))
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, ValueError, OSError):
        pass  # systems without limits
    asked = json.loads(sys.stdin.read())
    try:
        spacing = None if asked["spacing"] is None else np.array(asked["spacing"])
        found = read_here(Path(asked["place"]), spacing, asked["series"])
    except MotiformError as error:
        fields = {part: getattr(error, part) for part in _PARTS}
        print(json.dumps({part: None if value is None else str(value) for part, value in fields.items()}))
        sys.exit(_REFUSED)
    grid, notes = found.grid, np.array(found.notes, dtype=str)
    np.savez(asked["out"], values=found.values, spacing=grid.spacing, origin=grid.origin, axes=grid.axes, notes=notes)


if __name__ == "__main__":
    _main()
