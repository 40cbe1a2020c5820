# mypy: disable-error-code="no-untyped-def"
"""Which voxels are on the medial axis."""

from motiform.base.kernels import kernel

__all__ = ["axis_by_tables"]


@kernel
def axis_by_tables(row, distance, tables, chosen):
    """Choose M unless a neighbour's ball holds its ball: tables[steps − 1, D(M)] is the least D that does.

    D are squared distances or those of a chamfer mask; maps have a border of one voxel.
    """
    x, y = row // chosen.shape[1], row % chosen.shape[1]
    for z in range(chosen.shape[2]):
        own = distance[x + 1, y + 1, z + 1]
        chosen[x, y, z] = 0
        if own == 0:
            continue
        inner = False
        for i in range(-1, 2):
            for j in range(-1, 2):
                for k in range(-1, 2):
                    steps = abs(i) + abs(j) + abs(k)
                    if steps > 0 and distance[x + 1 + i, y + 1 + j, z + 1 + k] >= tables[steps - 1, own]:
                        inner = True
        if not inner:
            chosen[x, y, z] = 1
