"""The ray caster on the CPU and on an NVIDIA GPU."""

import numpy as np
import pytest

from motiform.form import Looks, PointsLook, SurfaceLook, dress
from motiform.image.cast.raycast import render
from motiform.record import Channel, Recording

PLACES = [[[0.0, 0.3, 0.0], [0.22, 0.35, 0.1], [0.1, 0.55, -0.1], [0.9, 0.4, 0.2]]]


def pictures(look):
    channel = Channel("a.position", unit="m", dims=("point", "axis"), shape=(4, 3), rate=10.0)
    looks = Looks({"a": look})
    rec = Recording.from_arrays({"a.position": (channel, np.array(PLACES))}, manifest=looks.manifest(),
                                statics=looks.statics())  # fmt: skip
    form = dress(rec)
    return [render(form, 0, size=(160, 90), samples_per_pixel=2, device=name).astype(int) for name in ("cpu", "cuda")]


@pytest.mark.parametrize(
    "look",
    [
        PointsLook(points="a.position", radius=0.2, color=(0.1, 0.3, 0.8)),
        SurfaceLook(surface="a.position", radius=0.2, color=(0.1, 0.3, 0.8)),
        SurfaceLook(surface="a.position", radius=0.2, color=(0.1, 0.3, 0.8), rays=True),
        SurfaceLook(surface="a.position", radius=[[0.25, 0.12, 0.18]], exponent=4.0, color=(0.1, 0.3, 0.8), rays=True),
        SurfaceLook(surface="a.position", radius=0.1, faces=[[0, 1, 2]], color=(0.1, 0.3, 0.8), rays=True),
    ],
    ids=["balls", "triangles", "rays", "superellipsoids", "sheet"],
)
def test_pictures_agree(look):
    """Balls, a mesh and a surface that rays march to.

    Products that are contracted to one rounding move an intersection by some 1e-15: a pixel changes by more than the
    rounding of its code where a ray passes an edge within that, which few of the 28 800 do; each pixel's shade is an
    average over its neighbours, so that such a ray touches up to 25.
    """
    cpu, cuda = pictures(look)
    assert len(np.unique(cpu.reshape(-1, 3), axis=0)) > 100  # something is seen
    assert (np.abs(cpu - cuda).max(axis=-1) > 1).mean() < 2 * 25 / (160 * 90)
