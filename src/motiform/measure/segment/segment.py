"""Bones from a volume."""

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motiform.base.errors import InputError
from motiform.geometry.maps import Grid, euclidean_map
from motiform.measure.segment.seeds import NOTHING, Seeds, read_seeds
from motiform.measure.segment.split import basins, flood, seeds_to_maxima
from motiform.measure.segment.thresholds import choose_thresholds, fill_holes, grow
from motiform.measure.volume.volume import Labels, Side, Volume
from motiform.spatial.checks import Words

__all__ = ["segment_bones"]

Mask = NDArray[np.bool_]
Numbers = NDArray[np.int32]
_TRIM = 1.5  # voxels that a surface is moved inward at most


def segment_bones(
    volume: Volume, *, low: float | None = None, high: float | None = None, spacing: float | None = None,
    seeds: Seeds | str | os.PathLike[str] | None = None, side: Side | None = None, neck: float = 0.7,
    smallest: float = 100e-9,
) -> Labels:  # fmt: skip
    """Return the bones of a CT as labels on cubic voxels.

    Their ``notes`` say which thresholds were taken, what was left out, and which bones the volume's border cuts.

    Parameters
    ----------
    low, high : thresholds. Voxels above `high` are bone, and those above `low` that are connected to them. By default
        250 and 500 HU, or from the two classes of values where these are no Hounsfield units.
    spacing : edge of the voxels [m]; by default the smallest spacing of the volume.
    seeds : points inside bones by name, and corrections, or the path of a file of them (`read_seeds`). Bones then grow
        from their seeds, and what has none is left out. Without seeds bones are distinguished by shape alone.
    side : "left" or "right"; by default that of the seeds.
    neck : without seeds, parts of a mask are two bones where the widest pass between them is narrower than this
        fraction of the narrower part.
    smallest : [m³], smaller pieces are left out.
    """
    if not isinstance(volume, Volume):
        raise InputError(
            "segmentation needs a Volume", where="segment_bones", got=Words(type(volume).__name__), allowed="Volume"
        )
    if not 0 < neck <= 1:
        raise InputError("neck must be a fraction above 0", got=neck, allowed="0 to 1")
    given = read_seeds(seeds) if isinstance(seeds, str | os.PathLike) else seeds
    cubes = volume.resampled(spacing)
    a, b, why = choose_thresholds(volume, low, high)
    notes = [*volume.notes, why]
    mask = fill_holes(_corrected(grow(cubes.values, a, b), cubes.grid, given))
    if not mask.any():
        raise InputError(
            "no voxel is above the high threshold", where="segment_bones", got=b, remedy="Pass a lower high=."
        )
    if given is not None and given.bones:
        numbers, names = _from_seeds(mask, cubes.grid, given, notes)
    else:
        numbers, names = _by_shape(mask, cubes.values > b, neck), {}
    numbers = _clean_labels(_trimmed(numbers, cubes.values, b), cubes.grid, smallest, notes)
    if not names:
        numbers = _by_size(numbers)
    numbers = _filled(numbers, names, cubes.grid, given)
    labels = Labels(numbers, cubes.grid, names, side or (given.side if given else None))
    return Labels(labels.values, labels.grid, labels.names, labels.side, (*notes, *_cut(labels)))


def _by_shape(mask: Mask, bright: Mask, neck: float) -> Numbers:
    """Return bones told apart by shape: where the dense parts are separate, then at necks; growth to the whole mask."""
    core = fill_holes(bright & mask)
    return flood(mask, basins(core if core.any() else mask, neck))


def _from_seeds(mask: Mask, grid: Grid, seeds: Seeds, notes: list[str]) -> tuple[Numbers, dict[int, str]]:
    from scipy.ndimage import label

    names, found = dict(enumerate(seeds.bones, 1)), []
    for number, (name, points) in enumerate(seeds.bones.items(), 1):
        index = np.rint(grid.index(points)).astype(int)
        if ((index < 0) | (index >= mask.shape)).any():
            raise InputError(
                "a seed must be in the volume", where=f"seeds of {name}",
                got=Words(f"{(1e3 * points).round(2).tolist()} mm"), allowed="points of its grid, in its axes",
            )  # fmt: skip
        inside = mask[tuple(index.T)]
        if not inside.any():
            raise InputError(
                "no seed of this bone is in bone", where=f"seeds of {name}",
                got=Words(f"{(1e3 * points).round(2).tolist()} mm"), remedy="Move it, or pass a lower low=.",
            )  # fmt: skip
        if not inside.all():
            notes.append(f"{int((~inside).sum())} seeds of {name} are outside of bone and were left out")
        found += [(number, place) for place in index[inside]]
    markers = seeds_to_maxima(mask, found)
    pieces, count = label(mask, np.ones((3, 3, 3)))
    kept = np.zeros(count + 1, bool)
    kept[pieces[markers > 0]] = True
    kept[0] = False
    lost = count - int(kept.sum())
    if lost:
        notes.append(f"{lost} pieces without a seed were left out")
    numbers = flood(kept[pieces], markers)
    nothing = [number for number, name in names.items() if name == NOTHING]
    numbers[np.isin(numbers, nothing)] = 0
    return numbers, {number: name for number, name in names.items() if name != NOTHING}


def _corrected(mask: Mask, grid: Grid, seeds: Seeds | None) -> Mask:
    """Take discs and balls out of the mask."""
    if seeds is None:
        return mask
    mask = mask.copy()
    for disc in seeds.cuts:
        box, points = _near(grid, disc.center, disc.radius)
        off = points - disc.center
        height = off @ disc.normal
        flat = np.linalg.norm(off - height[..., None] * disc.normal, axis=-1)
        mask[box] &= ~((np.abs(height) <= 0.9 * grid.edge) & (flat <= disc.radius))
    for spot in seeds.erased:
        box, points = _near(grid, spot.center, spot.radius)
        mask[box] &= np.linalg.norm(points - spot.center, axis=-1) > spot.radius
    return mask


def _filled(numbers: Numbers, names: dict[int, str], grid: Grid, seeds: Seeds | None) -> Numbers:
    """Add balls to bones."""
    by_name = {name: number for number, name in names.items()}
    for spot in seeds.filled if seeds else ():
        box, points = _near(grid, spot.center, spot.radius)
        inside = np.linalg.norm(points - spot.center, axis=-1) <= spot.radius
        numbers[box][inside & (numbers[box] == 0)] = by_name[spot.bone or ""]
    return numbers


def _near(grid: Grid, center: Any, radius: float) -> tuple[Any, Any]:
    """Return the box of voxels within a radius, and their points [m]."""
    index, reach = grid.index(center), radius / grid.edge + 1
    low = np.clip(np.floor(index - reach), 0, grid.shape).astype(int)
    high = np.clip(np.ceil(index + reach) + 1, low, grid.shape).astype(int)
    places = np.moveaxis(np.indices(high - low), 0, -1) + low
    return tuple(slice(a, b) for a, b in zip(low, high, strict=True)), grid.points(places)


def _trimmed(numbers: Numbers, values: Any, high: float) -> Numbers:
    """Return bones without outer voxels darker than half-way from the tissue around to their own cortex.

    A low threshold lies outside of the surface by a part of the blur; half-way the blur of an edge does not move it.
    """
    around = euclidean_map(numbers == 0, border=False)
    ring = (around > 1.5) & (around <= 3)
    soft = float(np.median(values[ring])) if ring.any() else 0.0
    depth = euclidean_map(numbers, border=False)
    shell = (depth > 1) & (depth <= 3) & (values > high)
    out = numbers.copy()
    for number in np.unique(numbers[shell]):
        edge = 0.5 * (soft + float(np.median(values[shell & (numbers == number)])))
        out[(numbers == number) & (depth <= _TRIM) & (values < edge)] = 0
    return out


def _clean_labels(numbers: Numbers, grid: Grid, smallest: float, notes: list[str]) -> Numbers:
    """Keep the largest piece of each bone, leave small ones out, fill what each encloses."""
    from scipy.ndimage import find_objects, label

    out, dropped = np.zeros_like(numbers), 0
    for number, box in enumerate(find_objects(numbers), 1):
        if box is None:
            continue
        pieces, count = label(numbers[box] == number, np.ones((3, 3, 3)))
        sizes = np.bincount(pieces.ravel())[1:]
        dropped += count - 1
        if sizes.max() * grid.voxel < smallest:
            dropped += 1
            continue
        own = fill_holes(pieces == sizes.argmax() + 1)
        out[box][own & (numbers[box] * (numbers[box] != number) == 0)] = number
    if dropped:
        notes.append(f"{dropped} pieces were left out: loose, or smaller than {1e9 * smallest:g} mm³")
    return out


def _by_size(numbers: Numbers) -> Numbers:
    """Number bones from the largest on."""
    sizes = np.bincount(numbers.ravel())
    sizes[0] = 0
    order = [n for n in np.argsort(-sizes, kind="stable") if sizes[n]]
    renumbered = np.zeros(len(sizes), np.int32)
    renumbered[order] = np.arange(1, len(order) + 1)
    return renumbered[numbers]


def _cut(labels: Labels) -> list[str]:
    """Return which bones the border of the volume cuts."""
    faces = [np.unique(np.moveaxis(labels.values, axis, 0)[end]) for axis in range(3) for end in (0, -1)]
    cut = sorted(set(np.concatenate(faces).tolist()) - {0})
    return [f"cut by the border of the volume: {', '.join(labels.names[n] for n in cut)}"] if cut else []
