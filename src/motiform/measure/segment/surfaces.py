"""Meshes of labelled bones."""

from motiform.base.errors import InputError
from motiform.geometry.maps import label_surface
from motiform.geometry.solids.mesh import Mesh
from motiform.measure.volume.volume import Labels
from motiform.spatial.checks import Words

__all__ = ["label_meshes"]


def label_meshes(labels: Labels, *, smooth: float = 1.0) -> dict[str, Mesh]:
    """Return the closed surface of each bone by name [m], in the frame of the volume, smoothed by so many voxels.

    Surfaces keep the volumes of the labels. Where the border of the volume cuts a bone its surface is closed there.
    """
    from scipy.ndimage import find_objects

    if not isinstance(labels, Labels):
        raise InputError("labels must be Labels", got=Words(type(labels).__name__), allowed="Labels")
    if not labels.names:
        raise InputError("the labels hold no bone", where="label_meshes", allowed="at least one label")
    meshes = {}
    boxes = find_objects(labels.values)
    for number, name in labels.names.items():
        box = boxes[number - 1]
        low, inside = [part.start for part in box], labels.values[box] == number
        meshes[name] = label_surface(inside, labels.grid.cut(low, inside.shape), smooth=smooth)
    return meshes
