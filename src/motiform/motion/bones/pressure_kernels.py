"""Pressure of cartilage on points of the surfaces of bones."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import compiled
from motiform.geometry.maps.signed_kernels import in_map, nearest_node
from motiform.motion.bones.contact_kernels import BODY, FIRST, NX, NY, NZ, back, in_nodes, place, surface_curved
from motiform.spatial.algebra import load3

__all__ = ["press_points"]


@compiled
def press_points(points, body, bone, reach, poses, model, settings, out):
    """Raise to the pressure of a bone [Pa], k p (1 + 2 p²/s²), what is at points of a body that it presses."""
    spans, grid, shapes, _, _, _, _, _, _, _ = model
    n, first = (spans[bone, NX], spans[bone, NY], spans[bone, NZ]), spans[bone, FIRST]
    for i in range(points.shape[0]):
        u = in_nodes(grid, bone, back(poses, spans[bone, BODY], place(poses, body, load3(points, i))))
        if not in_map(n, u) or nearest_node(shapes[0], first, n, u) > reach + grid[bone, 3]:
            continue
        pressed = reach - surface_curved(bone, n, u, reach, spans, grid, shapes)[0]
        if pressed > 0.0:
            out[i] = max(out[i], settings[1] * pressed * (1.0 + 2.0 * settings[3] * pressed * pressed))
