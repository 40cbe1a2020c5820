"""Off-screen rendering of a form by ray casting. docs/image.md gives the formulas."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np

from motiform.base.errors import InputError
from motiform.form.clouds import Puffs
from motiform.image.camera import Camera
from motiform.image.cast.clouds import composite_cloud
from motiform.image.cast.layouts import MeshColumns, PlacedPrimitives, Tree
from motiform.image.cast.pieces import Drawing, Pieces, draw_form
from motiform.image.extent import form_bounds, lowest_height
from motiform.image.look import Ground, Lighting, linear_from_srgb
from motiform.image.path import CameraPath, camera_of
from motiform.image.playback import Moment, moment_at_sample, moment_at_time
from motiform.spatial.up_axis import upright

if TYPE_CHECKING:
    from motiform.base.kernels import Device
    from motiform.form import Form
    from motiform.record import Recording

__all__ = ["Painter", "RenderArguments", "cast_form", "render"]

_LARGEST = 16384  # pixels along a side
_BAND = 4_000_000  # pixels that are painted at once: some 300 MB of light and guides
_MARGIN = 2  # rows beside a band that its shade is averaged over
DEPTHS: dict[int, tuple[Any, float]] = {8: (np.uint8, 255.0), 16: (np.uint16, 65535.0), 32: (np.float32, 0.0)}
"""Type of a pixel's numbers, and the code of full brightness; 0: linear light."""


class RenderArguments(TypedDict, total=False):
    """How a form is seen: what pictures and films take, too."""

    camera: Camera | CameraPath | None
    """One that stands, or a path; None: that of the scene, or one that frames the whole motion."""
    size: tuple[int, int]
    """Width and height [pixels]; 1280 x 720 if not given."""
    ground: bool | float | Ground | None
    """True: a level checkered plane at height 0, or under the motion when that goes below; a number: its height [m];
    False: none; None: as the scene says."""
    look: Lighting | None
    """Light and exposure."""
    samples_per_pixel: int
    """Rays through each pixel; more are smoother. 4 if not given, 16 in a file of one picture."""
    device: str
    """The processor, "cpu", or a GPU, "cuda"."""


def render(
    source: "Form | Recording",
    sample: int | None = None,
    *,
    time: float | None = None,
    bits: int = 8,
    **view: Unpack[RenderArguments],
) -> np.ndarray:
    """Return a picture of a form or recording, (height, width, 3): sRGB in uint8 or uint16, or linear light in float32.

    Parameters
    ----------
    sample, time : which instant; the last sample unless one of the two is given. Times [s] fall between samples.
    bits : of a number of a pixel: 8 or 16 (sRGB), or 32 (light times exposure, neither compressed nor clipped).
    **view : `camera`, `size`, `ground`, `look`, `samples_per_pixel`, `device`, see `RenderArguments`.
    """
    from motiform.form import form_of

    form, _ = form_of(source), depth_of(bits)
    painter = Painter.of(form, **view)
    return painter.paint(choose_moment(form, sample, time), bits)


def depth_of(bits: int) -> tuple[Any, float]:
    """Return the type of a pixel's numbers and the code of full brightness."""
    if bits not in DEPTHS:
        raise InputError("bits of a pixel must be 8, 16 or 32", got=bits, allowed=", ".join(map(str, DEPTHS)))
    return DEPTHS[bits]


def choose_moment(form: "Form", sample: int | None, time: float | None) -> Moment:
    """Return the form at the sample or time that is given, at the last sample if none is."""
    if sample is not None and time is not None:
        raise InputError(
            "sample and time exclude each other", got=f"sample={sample}, time={time}", remedy="Give one of them."
        )
    if time is not None:
        return moment_at_time(form, time)
    return moment_at_sample(form, -1 if sample is None else sample)


@dataclass(frozen=True)
class Painter:
    """All that stays the same from picture to picture of one form."""

    drawing: Drawing
    turn: np.ndarray | None
    """Rotation from the world to axes with y up, in which is painted; None where they are the same."""
    view: np.ndarray
    """Camera, light and ground for the kernels, (13, 3), y up."""
    plan: np.ndarray
    """Width, height, stride of rows, samples per pixel, rays to the sky per sample."""
    exposure: float
    device: str = "cpu"
    path: CameraPath | None = None
    """Of a camera that moves, y up."""

    @staticmethod
    def of(
        form: "Form", *, camera: Camera | CameraPath | None = None, size: tuple[int, int] = (1280, 720),
        ground: bool | float | Ground | None = None, look: Lighting | None = None, samples_per_pixel: int = 4,
        device: str = "cpu",
    ) -> "Painter":  # fmt: skip
        """Return the painter of a form; the parameters are those of `render`."""
        width, height = check_size(size)
        if not 1 <= samples_per_pixel <= 1024:
            raise InputError("samples_per_pixel is out of range", got=samples_per_pixel, allowed="1 to 1024")
        look = look or Lighting(sun=tuple(form.image.get("sun") or Lighting.sun))
        turn = upright(form.up)
        chosen = (camera or camera_of(form, aspect=width / height)).over(form.up).turned(turn)
        path = chosen if isinstance(chosen, CameraPath) else None
        far = (
            max(chosen.cameras, key=_distance) if isinstance(chosen, CameraPath) else chosen
        )  # one ground for all keys
        view = np.concatenate(
            [[far.position], far.rays((width, height)), _light_rows(look), _ground_rows(form, far, ground)]
        )
        view[-1, 2] = math.sin(min(max(look.softness, 0.0), 1.5))
        plan = np.array([width, height, _stride(height), samples_per_pixel, look.ambient_rays, 0], np.int64)
        flat = None if (turn == np.eye(3)).all() else turn
        return Painter(draw_form(form), flat, view, plan, look.exposure, device, path)

    def paint(self, moment: Moment, bits: int = 8) -> np.ndarray:
        """Return the picture of the form at an instant, (height, width, 3); see `render` for its numbers.

        It is painted by bands of rows, so that memory is bounded at any size, with the bits of one band.
        """
        from motiform.base.kernels import get_device

        device = get_device(self.device)
        moment = moment if self.turn is None else moment.turned(self.turn)
        width, height = int(self.plan[0]), int(self.plan[1])
        seen, view = _arguments(self.drawing.place(moment), device), self._view_at(moment.time)
        puffs = [one for one in moment.surfaces if isinstance(one, Puffs)]
        picture = np.empty((height, width, 3), depth_of(bits)[0])
        for first, last in _bands(width, height):
            low, high = max(0, first - _MARGIN), min(height, last + _MARGIN)
            band = self._paint_rows(device, (low, high), view, seen, puffs, bits)
            picture[first:last] = band[first - low : last - low]
        return picture

    def _paint_rows(
        self, device: "Device", span: tuple[int, int], view: np.ndarray, seen: tuple[Any, ...], puffs: list[Puffs],
        bits: int,
    ) -> np.ndarray:  # fmt: skip
        """Return rows of the picture; those at its ends have not all their neighbours."""
        from motiform.image.cast import pixel_kernels as raycast_kernels

        kind, levels = depth_of(bits)
        width, low, rows = int(self.plan[0]), span[0], span[1] - span[0]
        pixels = rows * width
        light, guide = device.empty((pixels, 9), np.float32), device.empty((pixels, 6), np.float32)
        free, found = device.empty((pixels, 2), np.float32), device.empty((pixels, 3), kind)
        plan = device.array(np.array([width, rows, _stride(rows), *self.plan[3:5], low], np.int64))
        given = (light, guide, device.array(view), plan, *seen)
        device.launch(raycast_kernels.trace, pixels, *given)
        device.launch(raycast_kernels.shade, pixels, *given, free)
        if puffs:
            composite_cloud(light, puffs, view, (width, int(self.plan[1])), plan, seen, device)
        device.launch(raycast_kernels.tone_map, pixels, light, free, self.exposure, levels, found)
        return np.asarray(device.host(found).reshape(rows, width, 3))

    def _view_at(self, time: float) -> np.ndarray:
        """Return camera, light and ground at a time [s]: the ground fades around what the camera looks at."""
        if self.path is None:
            return self.view
        camera, view = self.path.at(time), self.view.copy()
        view[0], view[1:4] = camera.position, camera.rays((int(self.plan[0]), int(self.plan[1])))
        view[-2, 0], view[-2, 2] = camera.target[0], camera.target[2]
        return view


def _bands(width: int, height: int) -> Iterator[tuple[int, int]]:
    """Give the rows of each band: from, to."""
    rows = max(1, _BAND // width)
    for first in range(0, height, rows):
        yield first, min(height, first + rows)


def cast_form(
    form: "Form", sample: int, origins: np.ndarray, directions: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the first intersections of rays with a form: distances (rays,), bodies (rays, 2) and normals (rays, 3).

    Origins and directions are (rays, 3) in the world; distances count in lengths of the direction and are infinite
    where nothing is met. A body is the number of the part and of the body in it, −1 where nothing is met; links and
    skins count on after the parts. A normal is the unit vector that the surface is lit by, towards the origin of the
    ray; NaN where nothing is met.
    """
    from motiform.base.kernels import get_device
    from motiform.image.cast import nearest_kernels as cast_kernels

    origins, directions = (np.ascontiguousarray(a, dtype=float) for a in np.broadcast_arrays(origins, directions))
    if origins.ndim != 2 or origins.shape[1] != 3 or not directions.any(axis=1).all():
        raise InputError(
            "a ray must have an origin and a direction",
            got=f"shape {origins.shape}",
            allowed="(rays, 3), directions that are not zero",
        )
    drawing = draw_form(form)
    pieces = drawing.place(moment_at_sample(form, sample))
    count = len(origins)
    distance, piece, normal = np.empty(count), np.empty(count, np.int32), np.empty((count, 3))
    device = get_device("cpu")
    seen = _arguments(pieces, device)
    device.launch(cast_kernels.cast_pieces, count, origins, directions, *seen, distance, piece, normal)
    body = np.full((count, 2), -1)
    body[piece >= 0] = pieces.body[piece[piece >= 0]]
    return distance, body, normal


def _arguments(pieces: Pieces, device: "Device") -> tuple[Tree, PlacedPrimitives, MeshColumns]:
    """Return what the kernels need of a drawing, on a device."""
    tree, put = pieces.tree, device.array
    boxes, links, bases, triangles, normals = (put(a) for a in pieces.meshes)
    return (
        Tree(put(tree.boxes), put(tree.links), put(tree.order)),
        PlacedPrimitives(put(pieces.frames), put(pieces.kinds), put(pieces.sizes), put(pieces.colors)),
        MeshColumns(boxes, links, bases, triangles, normals, put(pieces.fields)),
    )


def check_size(size: Any) -> tuple[int, int]:
    """Return width and height [pixels], or raise an error."""
    allowed = f"two whole numbers from 1 to {_LARGEST}"
    try:
        width, height = (int(n) for n in size)
        whole = (width, height) == tuple(size)
    except (TypeError, ValueError):
        raise InputError("size must be width and height in pixels", got=size, allowed=allowed) from None
    if not whole or not (1 <= width <= _LARGEST and 1 <= height <= _LARGEST):
        raise InputError("size must be width and height in pixels", got=size, allowed=allowed)
    return width, height


def _stride(height: int) -> int:
    """Return a step that visits every row once and scatters neighbouring ones: coprime, near the golden section."""
    step = max(1, round(0.6180339887 * height))
    while math.gcd(step, height) != 1:
        step += 1
    return step


def _light_rows(look: Lighting) -> np.ndarray:
    """Return rows SUN to NADIR of the view."""
    sun = np.array(look.sun, dtype=float)
    if not np.isfinite(sun).all() or not sun.any():
        raise InputError("the sun must have a direction", got=look.sun, allowed="a finite vector that is not zero")
    colors = linear_from_srgb(np.array([look.sun_color, look.zenith, look.horizon, look.nadir]))
    strengths = [[look.sun_strength], [look.ambient], [1.0], [look.ambient]]
    return np.concatenate([[sun / np.linalg.norm(sun)], colors * strengths])


def _ground_rows(form: "Form", camera: Camera, ground: bool | float | Ground | None) -> np.ndarray:
    """Return rows TONE_A to SCALES of the view, for a camera in axes with y up."""
    if ground is None:
        ground = form.image.get("ground_height", True) if form.image.get("ground", True) else False
    if ground is False:
        return np.zeros((4, 3))
    if not isinstance(ground, Ground):
        ground = Ground() if ground is True else Ground(height=float(ground))
    low, high = form_bounds(form)
    extent = float(np.linalg.norm(high - low))
    height = ground.height if ground.height is not None else lowest_height(form)
    distance = _distance(camera)
    cell = ground.cell if ground.cell is not None else _round_length(0.12 * distance)
    if not cell > 0.0 or not math.isfinite(height):
        raise InputError(
            "the ground must have a height and a cell", got=ground, allowed="a finite height and a positive cell"
        )
    fade = 3.0 * max(distance, extent)
    middle = [camera.target[0], height, camera.target[2]]
    return np.array([*linear_from_srgb(np.array(ground.tones)), middle, [cell, fade, 0.0]])


def _distance(camera: Camera) -> float:
    return float(np.linalg.norm(np.subtract(camera.target, camera.position)))


def _round_length(length: float) -> float:
    """Return 1, 2 or 5 times the power of ten that is next below a length."""
    power = 10.0 ** math.floor(math.log10(length))
    return power * max(k for k in (1, 2, 5) if k * power <= length * (1.0 + 1e-9))
