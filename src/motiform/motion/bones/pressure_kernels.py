"""Pressure of cartilage on the surface points of bones."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import compiled
from motiform.geometry.maps.signed_kernels import in_map, sample_curved
from motiform.motion.bones.contact_kernels import BLOCK, BLOCK_END, BODY, FIRST, NX, NY, NZ, back, in_nodes, place
from motiform.spatial.algebra import load3

__all__ = ["pressures"]


@compiled
def pressures(poses, model, settings, touching, places, out):
    """Write where surface points are [m] and the pressure on each [Pa]: k p (1 + 2 p²/s²), the largest of its pairs.

    `touching` are the numbers of the pairs of bones with pressure between them.
    """
    spans, grid, field, _, balls, points, pairs, reaches, _, _ = model
    out[:] = 0.0
    for bone in range(spans.shape[0]):
        for block in range(spans[bone, BLOCK], spans[bone, BLOCK_END]):
            for c in range(int(balls[block, 4]), int(balls[block, 5])):
                for i in range(int(balls[c, 4]), int(balls[c, 5])):
                    places[i, 0], places[i, 1], places[i, 2] = place(poses, spans[bone, BODY], load3(points, i))
    for q in touching:
        a, b = pairs[q, 0], pairs[q, 1]
        n = spans[b, NX], spans[b, NY], spans[b, NZ]
        for block in range(spans[a, BLOCK], spans[a, BLOCK_END]):
            for c in range(int(balls[block, 4]), int(balls[block, 5])):
                for i in range(int(balls[c, 4]), int(balls[c, 5])):
                    u = in_nodes(grid, b, back(poses, spans[b, BODY], load3(places, i)))
                    if not in_map(n, u):
                        continue
                    pressed = reaches[q] - sample_curved(field, spans[b, FIRST], n, u)[0]
                    if pressed > 0.0:
                        extra = 2.0 * settings[3] * pressed * pressed
                        out[i] = max(out[i], settings[1] * pressed * (1.0 + extra))
