"""A synthetic CT of bones: known shapes, grey values, partial volume, blur and noise."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motiform.base.errors import InputError
from motiform.base.machine import check_memory
from motiform.geometry.maps import Grid, euclidean_map
from motiform.geometry.meshes.files import check_closed
from motiform.geometry.meshes.fill import cells_inside
from motiform.geometry.solids.mesh import Mesh
from motiform.measure.volume.bones import synthetic_bones
from motiform.measure.volume.volume import Labels, Side, Volume
from motiform.spatial.checks import Array, as_floats, generator

__all__ = ["synthetic_ct"]

_AT_ONCE = 8_000_000  # samples of a bone that are looked at together
_WIDEST = 50  # voxels
_FINE = 2  # samples of a voxel along its shortest edge


def synthetic_ct(
    bones: Mapping[str, Mesh] | None = None, *, spacing: Any = (0.25e-3, 0.25e-3, 1e-3), margin: float = 5e-3,
    bounds: Any = None, side: Side | None = None,
    cortex: float = 1400.0, marrow: float = 350.0, soft: float = 50.0, air: float = -1000.0, thickness: float = 0.8e-3,
    blur: float = 0.25e-3, noise: float = 25.0, seed: int = 0,
) -> tuple[Volume, Labels]:  # fmt: skip
    """Return a CT of closed meshes [m] and the labels that it shows, on one grid.

    Parameters
    ----------
    bones : meshes by name; where they overlap the first one counts. By default `synthetic_bones`, z distal.
    spacing : [m] along x, y, z.
    margin : [m] around the bones.
    bounds : the field of view instead, two corners [m], (2, 3); bones that reach beyond it are cut.
    cortex, marrow, soft, air : Hounsfield units of the outer layer of a bone, its inside, tissue around it, air.
    thickness : of the cortex [m].
    blur : standard deviation of the scanner's point spread in the slice [m].
    noise : standard deviation [HU], normally distributed, from a generator with that seed.

    Soft tissue fills an elliptic cylinder along z, with air in the corners. A voxel's value is the mean over samples
    inside it (partial volume), blurred, with noise. Its label is the bone that fills half of it or more.
    """
    from scipy.ndimage import gaussian_filter

    bones = synthetic_bones(distal="z") if bones is None else bones
    if not bones:
        raise InputError("a synthetic CT must show bones", allowed="at least one mesh")
    h = np.broadcast_to(as_floats(spacing, where="spacing"), 3)
    options = {"margin": margin, "cortex": cortex, "marrow": marrow, "soft": soft, "air": air, "thickness": thickness,
            "blur": blur, "noise": noise}  # fmt: skip
    margin, cortex, marrow, soft, air, thickness, blur, noise = (
        float(as_floats(value, where=name)) for name, value in options.items()
    )
    for mesh in bones.values():
        check_closed(mesh)
    if bounds is None:
        low = np.min([mesh.bounds[0] for mesh in bones.values()], axis=0) - margin
        high = np.max([mesh.bounds[1] for mesh in bones.values()], axis=0) + margin
    else:
        low, high = as_floats(bounds, 2, 3, where="bounds")
    if not (0 <= blur <= min(np.max(high - low), _WIDEST * np.max(h)) and margin >= 0 and noise >= 0 and (h > 0).all()):
        raise InputError(
            "a synthetic CT is blurred over less than its size, and over few voxels",
            got=f"blur {blur:g} m, margin {margin:g} m",
            allowed=f"spacing above 0; margin and noise of 0 or more, blur of 0 to {_WIDEST} voxels",
        )  # fmt: skip
    random = generator(seed)
    needed = 30.0 * float(np.prod((high - low) / h + 1))
    check_memory(needed, "a synthetic CT", got=f"spacing {h.tolist()} m", remedy="Choose wider voxels.")
    grid = Grid(tuple((np.ceil((high - low) / h).astype(int) + 1).tolist()), h, low)
    grey = _tissue(grid, soft, air)
    labels, most = np.zeros(grid.shape, np.int32), np.zeros(grid.shape, np.float32)
    filled = np.zeros(grid.shape, np.float32)
    for number, mesh in enumerate(bones.values(), 1):
        box, share, value = _bone(mesh, grid, thickness, cortex, marrow)
        share = np.minimum(share, 1 - filled[box])  # the first bone keeps its place
        filled[box] += share
        grey[box] += share * (value - soft)
        own = (share >= 0.5) & (share > most[box])
        labels[box][own], most[box][own] = number, share[own]
    wide = np.array([blur, blur, 0.0]) / h
    grey = gaussian_filter(grey, wide) + (noise * random.normal(size=grid.shape)).astype(np.float32)
    names = dict(enumerate(bones, 1))
    return Volume(grey, grid), Labels(labels, grid, names, side)


def _tissue(grid: Grid, soft: float, air: float) -> NDArray[np.float32]:
    """Return soft tissue in the ellipse that holds the middle of each slice, air around it."""
    u = [np.linspace(-1, 1, n) for n in grid.shape[:2]]
    body = u[0][:, None] ** 2 + u[1] ** 2 < 1.6
    return np.repeat(np.where(body, soft, air)[..., None], grid.shape[2], axis=2).astype(np.float32)


def _bone(mesh: Mesh, grid: Grid, thickness: float, cortex: float, marrow: float) -> tuple[Any, Array, Array]:
    """Return the box of voxels around a bone, the share of each that it fills, and its mean value there [HU]."""
    first = np.clip(np.floor(grid.index(mesh.bounds[0])).astype(int), 0, grid.shape)
    last = np.clip(np.ceil(grid.index(mesh.bounds[1])).astype(int) + 1, first, grid.shape)
    box = tuple(slice(a, b) for a, b in zip(first, last, strict=True))
    if not (last > first).all():
        nothing = np.zeros(np.maximum(last - first, 0))
        return box, nothing, nothing
    parts = np.ceil(_FINE * grid.spacing / grid.spacing.min() - 1e-9).astype(int)
    fine = [
        origin + h * (np.arange((b - a) * n) / n + a - 0.5 + 0.5 / n)
        for origin, h, a, b, n in zip(grid.origin, grid.spacing, first, last, parts, strict=True)
    ]
    slabs = max(1, int(np.prod([len(one) for one in fine]) // _AT_ONCE))
    inside = np.concatenate([cells_inside(mesh, [fine[0], fine[1], z]) for z in np.array_split(fine[2], slabs)], axis=2)
    depth = euclidean_map(inside, spacing=grid.spacing / parts)
    value = np.where(depth <= thickness, np.float32(cortex), np.float32(marrow)) * inside
    share, total = _means(inside.astype(np.float32), parts), _means(value, parts)
    mean = np.divide(total, share, out=np.zeros_like(total), where=share > 0)
    return box, share, mean


def _means(fine: Any, parts: Any) -> Any:
    """Return the means of blocks of samples."""
    a, b, c = parts
    nx, ny, nz = fine.shape
    return fine.reshape(nx // a, a, ny // b, b, nz // c, c).mean(axis=(1, 3, 5))
