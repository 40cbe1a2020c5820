"""Files of a reconstructed trial: HuMAnS's tables, MOT and STO."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from motiform.measure import write_sto
from motiform.motion.postures.gait.angles import JointAngles
from motiform.motion.tree import Figure, joint_axes
from motiform.motion.tree.observe import configuration_names
from motiform.record import Recording
from motiform.record.files import disk, write_file

__all__ = [
    "turning_coordinates", "write_convergence", "write_cycles", "write_efforts", "write_joint_angles", "write_mot",
    "write_tables",
]  # fmt: skip


def write_tables(rec: Recording, folder: Path) -> list[Path]:
    """Write coordinates.csv, tags.csv and centers_of_mass.csv as HuMAnS has them; return their paths.

    A row for each sample, numbered from 1 in the first column; the first row names the columns: QREC1, …, or X1, Y1,
    Z1, … and last XGlobalCOM, YGlobalCOM, ZGlobalCOM.  [HuMAnS 9.6.3]
    """
    q, x = rec["q"], rec["tags"]
    written = [_table(folder / "coordinates.csv", [f"QREC{n}" for n in range(1, q.shape[1] + 1)], q)]
    whole = rec["center_of_mass"][:, None] if "center_of_mass" in rec else np.zeros((len(q), 0, 3))
    points = np.concatenate([x, whole], axis=1)
    written.append(_table(folder / "tags.csv", _axes(x.shape[1], bool(whole.size)), points.reshape(len(q), -1)))
    if "centers_of_mass" in rec:
        centers = rec["centers_of_mass"]
        heads = _axes(centers.shape[1] - 1, True)
        written.append(_table(folder / "centers_of_mass.csv", heads, centers.reshape(len(q), -1)))
    return written


def write_convergence(rec: Recording, path: Path) -> Path:
    """Write what the search has reached in each sample, HuMAnS's `info`: status, iterations, distance of markers."""
    heads = ["time [s]", "status", "iterations", "rms [m]", "nullity"]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["sample", *heads])
    columns = [
        rec.time("q").tolist(),
        *(rec[name].tolist() for name in ("status", "iterations", "error.rms", "nullity")),
    ]
    for number, row in enumerate(zip(*columns, strict=True), start=1):
        writer.writerow([number, *("" if value != value else repr(value) for value in row)])
    with disk(path):
        write_file(path, text.getvalue().encode())
    return path


def _axes(count: int, whole: bool) -> list[str]:
    places = [*(str(n) for n in range(1, count + 1)), *(["GlobalCOM"] if whole else [])]
    return [f"{axis}{place}" for place in places for axis in "XYZ"]


def _table(path: Path, heads: Sequence[str], values: np.ndarray) -> Path:
    rows = (f"{number},{','.join(map(repr, row))}\n" for number, row in enumerate(values.tolist(), start=1))
    with disk(path):
        write_file(path, f"sample,{','.join(heads)}\n{''.join(rows)}".encode())
    return path


def turning_coordinates(figure: Figure) -> list[str]:
    """Return the names of the coordinates that turn, whose unit is rad."""
    axes = joint_axes(figure, figure.neutral())
    turns = np.linalg.norm(axes[:, :3], axis=1) > 1e-9
    return [name for name, turn in zip(figure.coordinates, turns, strict=True) if turn]


def write_mot(rec: Recording, figure: Figure, path: Path) -> Path:
    """Write the coordinates as OpenSim reads them: angles in degrees, shifts in metres."""
    labels = [name.replace(" ", "_") for name in configuration_names(figure)]
    turning = {name.replace(" ", "_") for name in turning_coordinates(figure)}
    write_sto(
        _relabelled(rec, {"q": labels}), path, degrees=True, rotations=[name for name in labels if name in turning]
    )
    return path


def write_efforts(rec: Recording, figure: Figure, path: Path) -> Path:
    """Write efforts and the residual at the root over time, named as OpenSim's: …_moment [N·m], …_force [N]."""
    turning = set(turning_coordinates(figure))
    efforts = [f"{name}_{'moment' if name in turning else 'force'}" for name in figure.coordinates]
    left = [f"residual_{name}" for name in ("mx", "my", "mz", "fx", "fy", "fz")]
    write_sto(_relabelled(rec, {"effort": efforts, "residual": left}), path)
    return path


def write_joint_angles(rec: Recording, angles: JointAngles, path: Path) -> Path:
    """Write clinical angles in degrees as a table over time."""
    own = rec.channel("q")
    times = None if own.rate is not None else rec.time("q")
    made = Recording.from_arrays(angles.channels(rate=own.rate, start=own.start), times=times)
    write_sto(made, path, degrees=True)
    return path


def _relabelled(rec: Recording, labels: dict[str, list[str]]) -> Recording:
    """Return channels of the recording, with these names of their elements."""
    own = rec.channel(next(iter(labels)))
    times = None if own.rate is not None else rec.time(own.name)
    data = {name: (rec.channel(name), rec[name]) for name in labels}
    named = {rec.channel(name).dims[0]: names for name, names in labels.items()}
    return Recording.from_arrays(data, times=times, manifest={"labels": named})


def write_cycles(rec: Recording, figure: Figure, path: Path) -> Path | None:
    """Write angles, moments and powers at 0 to 100 % of each gait cycle as a table; None where there is no cycle."""
    from motiform.image.report.gait import cycles_csv, find_walker
    from motiform.motion.postures.gait.cycles import gait_curves

    walker = find_walker(rec, figure) if rec.events else None
    curves = None if walker is None else gait_curves(rec, figure, walker)
    if curves is None or not curves.cycles:
        return None
    with disk(path):
        write_file(path, cycles_csv(curves).encode())
    return path
