"""Recordings of points that surfaces are drawn around, which several tests use."""

import numpy as np

from motiform.form import Looks, SurfaceLook
from motiform.record import Channel, Recording

BLUE, RED = (0.1, 0.3, 0.8), (0.8, 0.2, 0.1)


def recorded(looks, gravity=None, **places):
    channels = {}
    for key, x in places.items():
        name = f"{key}.position"
        channel = Channel(name, unit="m", dims=("point", "axis"), shape=np.shape(x)[1:], rate=10.0)
        channels[name] = channel, np.asarray(x)
    manifest = looks.manifest() | ({} if gravity is None else {"gravity": gravity})
    return Recording.from_arrays(channels, manifest=manifest, statics=looks.statics())


def around(**settings):
    return Looks({"water": SurfaceLook(**{"surface": "a.position", "radius": 0.2, "color": BLUE} | settings)})
