"""scikit-image and pysplashsurf: surfaces on a grid and around particles."""

from collections.abc import Callable

import numpy as np

from bench.screen.surfaces import Particles, Surface, Torus

__all__ = ["marching_cubes", "splashsurf"]


def marching_cubes(torus: Torus) -> Callable[[], Surface]:
    """Return scikit-image on a grid."""
    from skimage import measure

    values, step = torus.values(), (torus.spacing,) * 3

    def run() -> Surface:
        vertices, faces, _, _ = measure.marching_cubes(values, 0.0, spacing=step)
        return vertices, faces

    return run


def splashsurf(given: Particles) -> Callable[[], Surface]:
    """Return pysplashsurf around particles; its lengths are in radii of a particle, the reach is twice its length."""
    import pysplashsurf

    places, radius = given.places(), 0.5 * given.spacing

    def run() -> Surface:
        mesh = pysplashsurf.reconstruct_surface(
            places, particle_radius=radius, smoothing_length=0.5 * given.reach / radius, cube_size=given.cell / radius,
            iso_surface_threshold=0.6, multi_threading=given.threads > 1, simd=True,
        ).mesh  # fmt: skip
        return np.asarray(mesh.vertices), np.asarray(mesh.triangles)

    return run
