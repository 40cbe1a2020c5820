"""Pictures of a figure with its markers at foot strikes and offs, seen from the right, with the ground at its feet."""

import io
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.image.report.blocks import Picture
from motiform.image.report.forces import floor_of

if TYPE_CHECKING:
    from motiform.form.looks.looks import Looks
    from motiform.motion.tree import Figure
    from motiform.record import Recording

__all__ = ["event_pictures", "png_of_pixels"]

_MOST, _PLAIN = 6, 5  # pictures at events, and where there are none
_SIZE = (300, 420)
_MARKER, _TAG = (13, 89, 217), (242, 115, 13)  # sRGB, as in other pictures
_WORDS = {"l": "left", "r": "right"}


def event_pictures(rec: "Recording", figure: "Figure", walker: Any) -> list[Picture]:
    """Return pictures at the events of the steps around the best seen sample; else at a few samples."""
    from motiform.form.looks.looks import looks_in

    shown = _instants(rec, walker)
    up = np.asarray(figure.up)
    ahead = np.array([1.0, 0.0, 0.0]) if walker is None else walker.forward
    ahead = ahead if abs(ahead @ up) < 0.5 else np.array([0.0, 1.0, 0.0])
    away = np.cross(ahead, up) + 0.35 * ahead + 0.12 * up  # from the right, a little from ahead and above
    ground = floor_of(figure, rec, up)
    looks = looks_in(rec)
    return [_picture(rec, looks, sample, words, away, ground) for sample, words in shown]


def _instants(rec: "Recording", walker: Any) -> list[tuple[int, str]]:
    """Return samples and captions, in the order of time."""
    times = rec.time("q")
    seen = np.isfinite(rec["markers"][..., 0]).sum(axis=1)
    steps = [one for one in rec.events if (one.detail or {}).get("kind") in ("foot strike", "foot off")]
    steps = [one for one in steps if times[0] <= one.time <= times[-1]] if walker is not None else []
    if len(steps) >= 2:
        at = [int(np.argmin(np.abs(times - one.time))) for one in steps]
        count = min(_MOST, len(steps))
        first = max(range(len(steps) - count + 1), key=lambda n: sum(seen[at[n : n + count]]))  # where most is seen
        return [
            (at[n], f"{_WORDS.get(steps[n].detail['side'], steps[n].detail['side'])} {steps[n].detail['kind']}, "
             f"{steps[n].time:.2f} s")
            for n in range(first, first + count)
        ]  # fmt: skip
    well = np.flatnonzero(seen >= 0.5 * seen.max())  # where there is something to compare
    chosen = np.unique(well[np.linspace(0, len(well) - 1, _PLAIN).round().astype(int)])
    return [(int(k), f"{times[k]:.2f} s") for k in chosen]


def _picture(
    rec: "Recording", looks: "Looks", sample: int, words: str, away: np.ndarray, ground: float | None
) -> Picture:
    from motiform.form import dress
    from motiform.image.camera import Camera
    from motiform.image.cast.raycast import render
    from motiform.image.look import Lighting
    from motiform.spatial.up_axis import upright

    time = rec.time("q")[sample]
    form = dress(rec.slice(time, time), looks)
    camera = Camera.framing(form, upright(form.up) @ away, aspect=_SIZE[0] / _SIZE[1])
    light = Lighting(ambient_rays=0)  # how much of the sky a point sees is not seen in pictures as small as these
    pixels = render(form, 0, camera=camera, size=_SIZE, look=light, ground=True if ground is None else ground)
    pixels = np.array(pixels)
    for name, color, radius in (("tags", _TAG, 2.2), ("markers", _MARKER, 3.4)):
        if name in rec:
            _dots(pixels, camera.project(np.asarray(rec[name])[sample], _SIZE), color, radius)
    return Picture(png_of_pixels(pixels), f"figure and markers at {words}", words, wide=False)


def _dots(pixels: np.ndarray, places: np.ndarray, color: tuple[int, int, int], radius: float) -> None:
    """Draw dots that nothing hides, with smooth edges; in place. ``places``: column, row, depth (…, 3)."""
    rows, columns = np.mgrid[: pixels.shape[0], : pixels.shape[1]]
    for x, y, depth in places.reshape(-1, 3):
        if not (np.isfinite([x, y, depth]).all() and depth > 0):
            continue
        low, high = np.floor([y - radius - 1, x - radius - 1]), np.ceil([y + radius + 2, x + radius + 2])
        box = tuple(slice(max(int(a), 0), max(int(b), 0)) for a, b in zip(low, high, strict=True))
        part = np.clip(radius + 0.5 - np.hypot(rows[box] + 0.5 - y, columns[box] + 0.5 - x), 0.0, 1.0)[..., None]
        pixels[box] = np.rint(pixels[box] * (1 - part) + np.array(color) * part).astype(np.uint8)


def png_of_pixels(pixels: np.ndarray) -> bytes:
    """Return pixels (rows, columns, 3) as PNG."""
    import imageio.v3 as iio

    stream = io.BytesIO()
    iio.imwrite(stream, pixels, extension=".png")
    return stream.getvalue()
