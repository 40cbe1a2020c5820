"""Settings of pictures: light and ground."""

from dataclasses import dataclass

import numpy as np

from motiform.spatial.checks import as_floats

__all__ = ["Ground", "Lighting", "linear_from_srgb"]

Triple = tuple[float, float, float]


def linear_from_srgb(color: np.ndarray) -> np.ndarray:
    """Return intensities proportional to light from sRGB components, both from 0 to 1 (IEC 61966-2-1)."""
    c = np.clip(np.asarray(color, dtype=float), 0.0, 1.0)
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


@dataclass(frozen=True)
class Lighting:
    """The light of a picture. Colors are sRGB from 0 to 1, strengths multiply them."""

    sun: Triple = (-0.35, 1.0, 0.55)
    """Direction towards the sun, of any length: forward, up and right, which are x, y and z in a world with y up."""
    sun_color: Triple = (1.0, 0.96, 0.90)
    sun_strength: float = 0.95
    softness: float = 0.06
    """Angle between the middle and the rim of the sun's disc [rad]; 0 gives sharp shadows."""
    zenith: Triple = (0.80, 0.87, 0.97)
    horizon: Triple = (0.96, 0.97, 0.985)
    nadir: Triple = (0.72, 0.71, 0.70)
    """What comes from below: light thrown back by the ground."""
    ambient: float = 0.62
    """Strength of the light from the sky and from below."""
    ambient_rays: int = 1
    """Rays per sample that ask how much of the sky a point sees; 0 for none."""
    exposure: float = 1.0

    def __post_init__(self) -> None:
        for name in ("sun", "sun_color", "zenith", "horizon", "nadir"):
            as_floats(getattr(self, name), 3, where=f"Look.{name}")
        for name in ("sun_strength", "softness", "ambient", "ambient_rays", "exposure"):
            as_floats(getattr(self, name), where=f"Look.{name}")


@dataclass(frozen=True)
class Ground:
    """A checkered level plane that fades into the sky."""

    height: float | None = None
    """Along up [m]; None: 0, or under the lowest place of the motion when that is below 0."""
    cell: float | None = None
    """Side of a square [m]; None: 1, 2 or 5 times a power of ten that suits the motion."""
    tones: tuple[Triple, Triple] = ((0.86, 0.875, 0.89), (0.79, 0.81, 0.835))
    """sRGB colors of the squares."""

    def __post_init__(self) -> None:
        as_floats(self.tones, 2, 3, where="Ground.tones")
        for name in ("height", "cell"):
            as_floats(0.0 if getattr(self, name) is None else getattr(self, name), where=f"Ground.{name}")
