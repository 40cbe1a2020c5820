"""A page on which bones of a CT are marked, corrected and segmented, slice by slice."""

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError
from motiform.base.markup import page as markup
from motiform.form.models.wrist import bone_color
from motiform.measure import Disc, Labels, Seeds, Spot, Volume, label_meshes, read_seeds, segment_bones
from motiform.measure.segment.seeds import NOTHING, seeds_text
from motiform.motion.bones.names import BONES
from motiform.spatial import quaternion_from_rotation
from motiform.studio.access import Access
from motiform.studio.holding import hold_open
from motiform.studio.moving import rgb
from motiform.studio.runs import Runner, plain
from motiform.studio.server import close_server, open_server

if TYPE_CHECKING:
    from motiform.spatial.checks import Array

__all__ = ["SeedPage", "place_on_slice", "serve_volume"]

TOOLS = ("seed", "cut", "erase", "fill")
_SIDES = ("unknown", "right", "left")
_DOT = 8e-4  # [m] radius of a seed
_LINE = '<p style="padding:0 .9em;font-size:.9em">{text}</p>'
_BONE, _GONE = (0.2, 0.9, 0.3), (0.95, 0.2, 0.2)
_HOW = (
    "Click into a bone to mark it. A cut takes two clicks: the ends of a line that parts bones in this slice. "
    "Erase and fill are balls around the click."
)


def place_on_slice(volume: Volume, k: int, origin: "Array", direction: "Array") -> "Array | None":
    """Return where a ray meets slice k of a volume [m], (3,); None where it passes it by."""
    grid = volume.grid
    normal, base = grid.axes[:, 2], grid.points([0.0, 0.0, float(k)])
    slope = float(direction @ normal)
    if abs(slope) < 1e-12:
        return None
    place = origin + direction * float((base - origin) @ normal) / slope
    index = grid.index(place)
    inside = ((index >= -0.5) & (index <= np.array(grid.shape) - 0.5))[:2].all()
    return np.asarray(place) if inside else None


def serve_volume(
    volume: Volume, seeds: Seeds | str | Path | None = None, *, host: str = "127.0.0.1", port: int = 8080,
    open_browser: bool = True, block: bool = True,
) -> "SeedPage":  # fmt: skip
    """Open the page on which bones of a volume are marked and segmented; the rest as for `serve`."""
    page = SeedPage(volume, seeds, host=host, port=port)
    hold_open(page, lambda: None, host=host, port=port, open_browser=open_browser, block=block)
    return page


class SeedPage:
    """A volume on a page; `seeds` are the marks that are on it, and may be given."""

    def __init__(
        self, volume: Volume, seeds: Seeds | str | Path | None = None, *, host: str = "127.0.0.1", port: int = 8080
    ) -> None:
        given = read_seeds(seeds) if isinstance(seeds, str | Path) else seeds or Seeds()
        self.volume = volume
        self.labels: Labels | None = None
        self._marks: list[tuple[str, str, Array, float]] = _marks_of(given)
        """Tool, bone, place or ends of the cut [m], radius [m]."""
        self._cuts = list(given.cuts)
        self._end: Array | None = None
        self._lock = threading.RLock()
        self._drawn: list[Any] = []
        self._meshes: dict[str, Any] = {}
        self.runner = Runner(
            on_progress=lambda _: None, on_done=self._segmented, on_failed=self._show_text, on_cancelled=lambda: None
        )
        access = Access(host)
        self.server = open_server(access, port)
        self.url = access.url()
        self._closed = threading.Event()
        self._lay_out(given.side)
        self._add_slice()
        self._face_slices()
        self._draw_marks()

    # ---------------------------------------------------------------- the page
    def _lay_out(self, side: str | None) -> None:
        gui, count = self.server.gui, self.volume.grid.shape[2]
        low, high = _window(self.volume)
        with gui.add_folder("Slice"):
            self._slice: Any = gui.add_slider("Slice", 0, max(count - 1, 1), 1, count // 2, disabled=count == 1)
            self._low: Any = gui.add_number("Black", low)
            self._high: Any = gui.add_number("White", high)
        with gui.add_folder("Marks"):
            self._tool: Any = gui.add_dropdown("Tool", TOOLS, hint=_HOW)
            self._bone: Any = gui.add_dropdown("Bone", (*BONES, NOTHING), hint="none: what grows from it is left out.")
            self._radius: Any = gui.add_slider("Radius [mm]", 0.5, 10.0, 0.5, 2.0)
            self._side: Any = gui.add_dropdown("Side", _SIDES, initial_value=side or _SIDES[0])
            undo = gui.add_button("Take the last mark back", color="gray")
            self._listed: Any = gui.add_html("")
        with gui.add_folder("Bones"):
            self._run: Any = gui.add_button("Segment")
            self._status: Any = gui.add_html("")
            solid: Any = gui.add_checkbox("Show the bones in space", False)
            save = gui.add_button("Save the marks", color="gray", hint="A file that --seeds and read_seeds take.")
            keep = gui.add_button("Save the labels", color="gray", hint="Label map of the bones (.nrrd).")
        gui.main_panel.dock_left()
        gui.main_panel.set_width(330)
        for handle in (self._slice, self._low, self._high):
            handle.on_update(self._guard(lambda _: self._show_slice()))
        self._solid = self.server.scene.add_frame("/bones", show_axes=False, visible=False)
        solid.on_update(self._guard(lambda event: setattr(self._solid, "visible", bool(event.target.value))))
        undo.on_click(self._guard(lambda _: self.take_back()))
        self._run.on_click(self._guard(lambda _: self.segment()))
        save.on_click(self._guard(lambda event: self._send(event, "seeds.toml", seeds_text(self.seeds).encode())))
        keep.on_click(self._guard(lambda event: self._send(event, "labels.nrrd", self._label_file())))

    def _guard(self, action: Any) -> Any:
        def guarded(event: Any) -> None:
            try:
                with self._lock:
                    action(event)
            except Exception as error:
                self._show_text(plain(error))

        return guarded

    def _show_text(self, text: str) -> None:
        """Show a text; it may hold names of files, which are no markup."""
        self._status.content = markup(_LINE, text=text)
        self._run.disabled = False

    def _send(self, event: Any, name: str, content: bytes) -> None:
        event.client.send_file_download(name, content, save_immediately=True)

    def _face_slices(self) -> None:
        """Put the camera in front of the slices, with rows of pixels downwards."""
        grid, start = self.volume.grid, self.server.initial_camera
        size = float((np.array(grid.shape[:2]) * grid.spacing[:2]).max())
        middle = grid.points(0.5 * (np.array(grid.shape) - 1.0))
        start.up = -grid.axes[:, 1]
        start.position, start.look_at = middle - 0.8 * size * grid.axes[:, 2], middle

    # ---------------------------------------------------------------- slices and marks
    def _picture(self) -> np.ndarray:
        """Return the chosen slice as a picture: rows along the grid's second axis."""
        low, high = float(self._low.value), float(self._high.value)
        grey = np.clip((self.volume.values[:, :, int(self._slice.value)] - low) / max(high - low, 1e-9), 0.0, 1.0)
        picture = np.repeat(grey[:, :, None], 3, axis=2)
        if self.labels is not None:
            found = self._numbers()
            for number, name in self.labels.names.items():
                picture[found == number] = 0.55 * picture[found == number] + 0.45 * np.array(bone_color(name))
        return rgb(np.swapaxes(picture, 0, 1))

    def _numbers(self) -> np.ndarray:
        """Return the labels at the voxels of the chosen slice, (nx, ny)."""
        assert self.labels is not None
        shape = self.volume.grid.shape
        i, j = np.meshgrid(np.arange(shape[0]), np.arange(shape[1]), indexing="ij")
        index = np.stack([i, j, np.full_like(i, int(self._slice.value))], axis=-1)
        near = np.rint(self.labels.grid.index(self.volume.grid.points(index))).astype(int)
        sound = ((near >= 0) & (near < self.labels.grid.shape)).all(axis=-1)
        found = np.zeros(i.shape, np.int64)
        found[sound] = self.labels.values[tuple(near[sound].T)]
        return found

    def _slice_place(self) -> "Array":
        grid = self.volume.grid
        return grid.points([0.5 * (grid.shape[0] - 1), 0.5 * (grid.shape[1] - 1), float(self._slice.value)])

    def _add_slice(self) -> None:
        grid = self.volume.grid
        width, height = np.array(grid.shape[:2]) * grid.spacing[:2]
        self._image: Any = self.server.scene.add_image(
            "/slice", self._picture(), float(width), float(height), format="png", cast_shadow=False,
            receive_shadow=False, wxyz=quaternion_from_rotation(grid.axes), position=self._slice_place(),
        )  # fmt: skip
        self._image.on_click(self._guard(self._clicked))

    def _show_slice(self) -> None:
        with self.server.atomic():
            self._image.image, self._image.position = self._picture(), self._slice_place()
            self._draw_marks()

    def _clicked(self, event: Any) -> None:
        place = place_on_slice(
            self.volume, int(self._slice.value), np.array(event.ray_origin), np.array(event.ray_direction)
        )
        if place is not None:
            self.mark(place)

    def mark(self, place: "Array", tool: str | None = None, bone: str | None = None) -> None:
        """Add a mark at a place [m] with the chosen tool and bone, or those given."""
        tool, bone = tool or str(self._tool.value), bone or str(self._bone.value)
        if tool not in TOOLS:
            raise InputError("unknown tool", got=tool, allowed=", ".join(TOOLS))
        radius = 1e-3 * float(self._radius.value)
        if tool == "cut" and self._end is None:
            self._end = place
        elif tool == "cut":
            assert self._end is not None
            along, self._end = place - self._end, None
            if np.linalg.norm(along) > 0.0:
                self._add_cut(place - 0.5 * along, along)
        else:
            if tool == "fill" and not any(one[:2] == ("seed", bone) for one in self._marks):
                raise InputError("a filled ball must belong to a bone with seeds", got=bone, remedy="Mark it first.")
            self._marks.append((tool, bone, place, radius))
        self._draw_marks()

    def _add_cut(self, center: "Array", along: "Array") -> None:
        normal = np.cross(along, self.volume.grid.axes[:, 2])
        disc = Disc(center, normal / np.linalg.norm(normal), 0.5 * float(np.linalg.norm(along)))
        self._cuts.append(disc)
        self._marks.append(("cut", "", center, disc.radius))

    def take_back(self) -> None:
        """Remove the last mark."""
        if self._end is not None:
            self._end = None
        elif self._marks and self._marks.pop()[0] == "cut":
            self._cuts.pop()
        self._draw_marks()

    @property
    def seeds(self) -> Seeds:
        """The marks, as `segment_bones` takes them."""
        points: dict[str, list[Array]] = {}
        for tool, bone, place, _ in self._marks:
            if tool == "seed":
                points.setdefault(bone, []).append(place)
        spots = {
            key: tuple(Spot(p, r, bone if key == "fill" else None) for tool, bone, p, r in self._marks if tool == key)
            for key in ("erase", "fill")
        }
        side = str(self._side.value)
        return Seeds(
            {name: np.array(places) for name, places in points.items()}, tuple(self._cuts), spots["erase"],
            spots["fill"], None if side == _SIDES[0] else side,  # type: ignore[arg-type]
        )  # fmt: skip

    def _draw_marks(self) -> None:
        scene = self.server.scene
        with self.server.atomic():
            for handle in self._drawn:
                handle.remove()
            self._drawn = []
            for k, (tool, bone, place, radius) in enumerate(self._marks):
                if not self._near(place, 0.0 if tool == "seed" else radius):
                    continue
                color = _GONE if tool in ("erase", "cut") or bone == NOTHING else bone_color(bone)
                size = _DOT if tool in ("seed", "cut") else radius
                self._drawn.append(scene.add_icosphere(f"/marks/{k}", radius=size, color=color, position=place))
            cuts = [disc for disc in self._cuts if self._near(disc.center, disc.radius)]
            ends = [np.stack([d.center - self._way(d), d.center + self._way(d)]) for d in cuts]
            if ends:
                line = scene.add_line_segments("/marks/cuts", points=np.array(ends), colors=(240, 60, 60))
                self._drawn.append(line)
            if self._end is not None:
                self._drawn.append(scene.add_icosphere("/marks/end", radius=_DOT, color=_BONE, position=self._end))
        listed = ", ".join(f"{name} {len(points)}" for name, points in self.seeds.bones.items())
        self._listed.content = markup(_LINE, text=listed or "No bone is marked yet.")

    def _near(self, place: "Array", radius: float) -> bool:
        """Whether a mark is in the chosen slice, or next to it."""
        grid = self.volume.grid
        off = abs(float(grid.index(place)[2]) - int(self._slice.value))
        return off <= 1.0 + radius / float(grid.spacing[2])

    def _way(self, disc: Disc) -> "Array":
        """Return half of the line of a cut in its slice [m]."""
        return np.asarray(disc.radius * np.cross(self.volume.grid.axes[:, 2], disc.normal))

    # ---------------------------------------------------------------- bones
    def segment(self) -> None:
        """Segment with the marks as they are, in a thread of its own."""
        seeds = self.seeds
        if not seeds.bones:
            raise InputError("no bone is marked", remedy="Click into a bone first.")
        self._run.disabled = True
        self._status.content = markup(_LINE, text="Segmenting …")
        self.runner.start(lambda _: segment_bones(self.volume, seeds=seeds))

    def _segmented(self, labels: Labels) -> None:
        with self._lock, self.server.atomic():
            self.labels = labels
            for mesh in self._meshes.values():  # a bone may have lost its marks since
                mesh.remove()
            self._meshes = {
                name: self.server.scene.add_mesh_simple(
                    f"/bones/{name}", vertices=mesh.vertices, faces=mesh.faces, color=rgb(np.array(bone_color(name)))
                )
                for name, mesh in label_meshes(labels).items()
            }
            self._show_slice()
            volume = {name: float((labels.values == n).sum()) * labels.grid.voxel for n, name in labels.names.items()}
        rows = "; ".join(f"{name} {1e9 * v:.0f} mm³" for name, v in volume.items())
        self._show_text(". ".join([rows, *labels.notes]))

    def _label_file(self) -> bytes:
        from tempfile import TemporaryDirectory

        from motiform.measure import write_volume

        if self.labels is None:
            raise InputError("there are no labels yet", remedy="Press Segment first.")
        with TemporaryDirectory() as folder:
            return write_volume(self.labels, Path(folder) / "labels.nrrd").read_bytes()

    def wait(self) -> None:
        """Stay until the page is closed or Ctrl-C is pressed."""
        while not self._closed.wait(0.5):
            pass

    def close(self) -> None:
        """End the page."""
        if not self._closed.is_set():
            self._closed.set()
            self.runner.join(2.0)
            close_server(self.server)


def _marks_of(seeds: Seeds) -> list[tuple[str, str, "Array", float]]:
    found: list[tuple[str, str, Array, float]] = []
    found += [("seed", name, np.array(point), 0.0) for name, points in seeds.bones.items() for point in points]
    found += [("cut", "", disc.center, disc.radius) for disc in seeds.cuts]
    found += [("erase", "", spot.center, spot.radius) for spot in seeds.erased]
    return found + [("fill", spot.bone or "", spot.center, spot.radius) for spot in seeds.filled]


def _window(volume: Volume) -> tuple[float, float]:
    """Return the grey values that are black and white: tissue to bone for a CT, else nearly all values."""
    if volume.values.min() <= -200:
        return -200.0, 1200.0
    low, high = np.quantile(volume.values, [0.01, 0.995])
    return float(low), float(max(high, low + 1.0))
