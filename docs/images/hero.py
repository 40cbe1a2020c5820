"""The picture at the top of the README: built-in scenes, many instants of each in one picture."""

from dataclasses import replace
from pathlib import Path

import numpy as np

import motiform as mf
from motiform.form import Form, dress
from motiform.geometry import Mesh
from motiform.image import Camera, picture


def instants(scene, times, *, scale=1.0, start=(0.0, 0.0, 0.0), apart=(0.0, 0.0, 0.0)):
    """Return the body of a scene at several instants [s] as bodies of one picture, scaled, and moved [m]."""
    rec = mf.simulate(scene)
    part = dress(rec).parts[0]
    samples = [int(np.argmin(np.abs(rec.time(f"{part.name}.position") - t))) for t in times]
    mesh = part.shape.to_mesh(64)
    place = scale * part.position[samples, 0] + np.array(start) + np.arange(len(times))[:, None] * np.array(apart)
    return replace(
        part,
        shape=Mesh(scale * mesh.vertices, mesh.faces),
        offset=scale * part.offset,
        position=place[None],
        orientation=part.orientation[samples].reshape(1, -1, 4),
    )


def main():
    parts = (
        instants("thrown", np.arange(0.0, 1.3, 0.065), scale=1.3, start=(0, -0.9, -2.5)),
        instants("top", np.linspace(0, 7.63, 6)[:5], scale=4.0, start=(-2.6, -0.4, 0.3), apart=(1.3, 0, 0)),
        instants("handle", np.linspace(1.3, 2.5, 7), scale=4.0, start=(-1.8, -0.55, -1.0), apart=(0.6, 0, 0)),
    )
    form = Form(parts, np.zeros(1))
    camera = Camera((0.5, 2.0, 8.5), (0.0, 1.42, 0.0), fov=0.44)
    picture(
        form,
        Path(__file__).with_name("hero.png"),
        camera=camera,
        size=(1280, 560),
        samples_per_pixel=48,
        overwrite=True,
    )


if __name__ == "__main__":
    main()
