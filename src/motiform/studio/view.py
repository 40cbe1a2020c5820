"""The 3-D view: a form as meshes that are moved, many at once where many have one shape; links are lines."""

from functools import reduce
from math import atan, floor, log10, tan
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.record.samples import in_blocks
from motiform.studio.moving import (
    Changing,
    Deforming,
    MovingPart,
    Stretching,
    line_colors,
    linear_rgb,
    moves,
    rgb,
    segments,
    shown_sizes,
    surface_mesh,
)

if TYPE_CHECKING:
    from viser import ViserServer

    from motiform.form import AnimatedSurface, Form, LinkParts, Part, Skin
    from motiform.form.parts import Series

__all__ = ["View", "grid_cell", "paths_of", "widened"]

CREASE = np.radians(35)  # edges sharper than this are drawn sharp
MANY = 500  # bodies: more of them are drawn with fewer triangles and no shadows
PATHS = 24  # bodies: more paths than this are a tangle
PATH_POINTS = 600
SQUARISH = 1.2  # width over height: the cameras of scenes are made for wide pictures, a narrower view shows more below


class View:
    """What the 3-D part of the page shows. `show` builds it once for a form, `draw` moves it to a sample."""

    def __init__(self, server: "ViserServer") -> None:
        self._server = server
        self._form: Form | None = None
        self._moving: list[MovingPart | Stretching | Deforming | Changing] = []
        self._handles: list[Any] = []
        self._paths: list[tuple[str, Any]] = []
        self._paths_visible = True
        self._roots: dict[str, list[Any]] = {}
        """Nodes above what is drawn of each part, by its name: hidden, they hide it."""
        self._hidden: set[str] = set()
        self._up: tuple[float, float, float] | None = None
        scene = server.scene
        scene.set_background_image(_sky(), format="png")
        # Two lights of our own: viser's lights and environment look much the same and take a machine without a graphics
        # card ten seconds longer to get ready.
        scene.configure_default_lights(enabled=False)
        scene.configure_environment_map(None)
        self._level = scene.add_frame("/level", show_axes=False)  # axes with y up, of light and ground
        scene.add_light_hemisphere("/level/sky", sky_color=(255, 255, 255), ground_color=(178, 172, 164), intensity=2.0)
        scene.add_light_directional("/level/sun", intensity=2.2, cast_shadow=True, position=(3.0, 8.0, 4.0))

    def show(self, form: "Form | None") -> None:
        """Replace what is seen by a form at its first sample, or by an empty ground."""
        with self._server.atomic():
            before = (*self._handles, *(handle for _, handle in self._paths))
            self._moving, self._handles, self._paths, self._roots = [], [], [], {}
            names = _names(form)
            if names != _names(self._form):
                self._hidden = set()
            self._form = form
            self._set_up_axis(form)
            self._add_ground(form)
            if form:
                form.write_to(self)
            # A name used again was replaced by now; a node removed before would leave its pose to the new one.
            kept = {handle.name for handle in (*self._handles, *(handle for _, handle in self._paths))}
            for handle in reversed(before):  # a node after what is below it
                if handle.name not in kept:
                    handle.remove()

    def draw(self, sample: int) -> None:
        """Move the bodies to a sample. Only what moves is sent."""
        with self._server.atomic():
            for moving in self._moving:
                moving.draw(sample)

    @property
    def parts(self) -> dict[str, bool]:
        """Names of what is drawn, and whether it is visible."""
        return {name: name not in self._hidden for name in _names(self._form)}

    def show_part(self, name: str, visible: bool) -> None:
        """Show or hide one part, and its paths."""
        (self._hidden.discard if visible else self._hidden.add)(name)
        with self._server.atomic():
            for root in self._roots.get(name, ()):
                root.visible = visible
        self.show_paths(self._paths_visible)

    def show_paths(self, visible: bool) -> None:
        """Show or hide the paths of the bodies that are visible."""
        self._paths_visible = visible
        for name, handle in self._paths:
            handle.visible = visible and name not in self._hidden

    def _root(self, kind: str, name: str) -> str:
        """Add the node above what is drawn of a part; return its path."""
        path = f"/{kind}/{name}"
        root = self._server.scene.add_frame(path, show_axes=False, visible=name not in self._hidden)
        self._roots.setdefault(name, []).append(root)
        self._handles.append(root)
        return path

    def set_cameras(self, form: "Form") -> None:
        """Set the camera of every page, also of those to come, from the form's hints, else to see the whole motion."""
        from motiform.image import Camera

        camera = Camera.of(form)
        start = self._server.initial_camera
        start.up, start.fov = camera.up or form.up, camera.fov
        start.position, start.look_at = camera.position, camera.target
        for client in self._server.get_clients().values():
            _point(client, camera)

    def frame(self, client: Any) -> None:
        """Turn the camera of one page to the whole motion."""
        from motiform.image import Camera

        if self._form is not None and client is not None:
            aspect = max(client.camera.aspect, SQUARISH)  # a narrower view is widened
            fov = self._server.initial_camera.fov
            _point(client, Camera.framing(self._form, fov=fov, aspect=min(aspect, 3.0)))

    def fit_view(self, client: Any) -> None:
        """Widen the view of a page where it is narrow, or becomes so: panels dock after it has opened."""
        self._fit(client.camera)
        client.camera.on_update(self._fit)

    def _fit(self, camera: Any) -> None:
        camera.fov = widened(self._server.initial_camera.fov, camera.aspect)  # sends nothing where it is so

    def _set_up_axis(self, form: "Form | None") -> None:
        """Turn the page's world, its light, its ground and its cameras where another direction points up."""
        from motiform.spatial import quaternion_from_rotation, upright

        up = form.up if form else (0.0, 1.0, 0.0)
        if up == self._up:
            return
        self._up = up
        self._server.scene.set_up_direction(up)
        self._level.wxyz = quaternion_from_rotation(upright(up).T)
        if form:
            self.set_cameras(form)

    def _add_ground(self, form: "Form | None") -> None:
        from motiform.image.extent import form_bounds, lowest_height

        hints = form.image if form else {}
        if not hints.get("ground", True):
            return
        height, size = float(hints.get("ground_height", 0.0)), 1.0
        if form:
            height, size = min(height, lowest_height(form)), float(np.ptp(form_bounds(form), axis=0).max())
        cell = grid_cell(size)
        grid = self._server.scene.add_grid(
            "/level/ground", plane="xz", infinite_grid=True, cell_size=cell, section_size=10 * cell,
            cell_color=(196, 202, 208), section_color=(150, 160, 170), fade_distance=max(12 * size, 60 * cell),
            position=(0.0, height, 0.0), shadow_opacity=0.25,
        )  # fmt: skip
        self._handles.append(grid)

    def add_part(self, part: "Part") -> None:
        """Show bodies, and their paths."""
        vertices, faces = _shaded(part.shape.to_mesh(detail=32 if part.count < MANY else 12))
        name, shape = f"{self._root('bodies', part.name)}/shape", {"vertices": vertices + part.offset, "faces": faces}
        scene = self._server.scene
        if part.count == 1:
            color = rgb(part.color.reshape(-1, 3)[0])
            handle: Any = scene.add_mesh_simple(name, **shape, color=color, receive_shadow=False)
        else:
            handle = scene.add_batched_meshes_simple(
                name,
                **shape,
                batched_positions=np.nan_to_num(part.position[0]),
                batched_wxyzs=np.ascontiguousarray(part.orientation[0]),
                batched_scales=shown_sizes(part, 0),
                batched_colors=linear_rgb(np.broadcast_to(part.color, (part.count, 3)) if part.shades else part.color),
                cast_shadow=part.count < MANY,
                receive_shadow=False,  # bodies shade the ground; on each other the shadows of a browser are blotchy
                lod="off",
            )
        self._handles.append(handle)
        moving = MovingPart(part, handle)
        moving.draw(0)
        if moves(part.position) or moves(part.orientation) or part.shades is not None:
            self._moving.append(moving)
        self._add_paths(part)

    def add_links(self, links: "LinkParts") -> None:
        """Show links as lines."""
        handle = self._server.scene.add_line_segments(
            f"{self._root('links', links.name)}/lines", points=segments(links, 0), colors=line_colors(links, 0),
            thickness=2.0 * float(np.median(links.radius)), thickness_units="world",
        )  # fmt: skip
        self._handles.append(handle)
        if moves(links.first) or moves(links.second) or links.shades is not None:
            self._moving.append(Stretching(links, handle))

    def add_skin(self, skin: "Skin") -> None:
        """Show a skin, which bends."""
        from motiform.image.shading import skin_split

        source, faces = skin_split(skin)
        moving, root = moves(skin.vertices), self._root("skins", skin.name)
        for k, (color, own) in enumerate(skin.tones):
            used, mine = np.unique(faces[own], return_inverse=True)
            part = Deforming(skin.vertices, source[used], mine.reshape(-1, 3))
            vertices, there = part.at(0)
            part.handle = self._server.scene.add_mesh_simple(
                f"{root}/{k}", vertices=vertices, faces=there, color=rgb(color),
                side="double" if skin.two_sided else "front", flat_shading=not skin.smooth, receive_shadow=False,
            )  # fmt: skip
            self._handles.append(part.handle)
            if moving:
                self._moving.append(part)

    def add_surface(self, surface: "AnimatedSurface") -> None:
        """Add a surface in one color, the mean of its own: a browser's mesh keeps its color as triangles change."""
        shell = surface.shell(0)
        vertices, faces = surface_mesh(surface, 0)
        color = rgb(np.atleast_2d(shell.color).mean(axis=0))
        handle = self._server.scene.add_mesh_simple(
            f"{self._root('surfaces', surface.name)}/shell", vertices=vertices, faces=faces, color=color,
            opacity=surface.opacity, receive_shadow=False,
        )  # fmt: skip
        self._handles.append(handle)
        self._moving.append(Changing(surface, handle))

    def _add_paths(self, part: "Part") -> None:
        hidden = self._form is not None and not self._form.image.get("paths", True)
        if part.count > PATHS or part.points or hidden:
            return
        colors = np.broadcast_to(part.color, (part.count, 3))
        for body, path in enumerate(paths_of(part.position)):
            if path is not None:
                line = self._server.scene.add_line_segments(
                    f"/paths/{part.name}/{body}", points=np.stack((path[:-1], path[1:]), axis=1),
                    colors=linear_rgb(0.35 + 0.65 * colors[body]), thickness=2.0, thickness_units="screen",
                    visible=self._paths_visible and part.name not in self._hidden,
                )  # fmt: skip
                self._paths.append((part.name, line))


def _names(form: "Form | None") -> list[str]:
    """Return the names of what is drawn, each once."""
    if form is None:
        return []
    every: list[Part | LinkParts | Skin | AnimatedSurface] = [*form.parts, *form.links, *form.skins, *form.surfaces]
    return list(dict.fromkeys(one.name for one in every))


def grid_cell(size: float) -> float:
    """Return a cell of 1, 2 or 5 times a power of ten [m], of which some ten make up the size [m].

    >>> grid_cell(3.0), grid_cell(40.0)
    (0.2, 5.0)
    """
    wanted = max(float(size), 1e-6) / 10
    power = 10.0 ** floor(log10(wanted))
    return float(min((m * power for m in (1, 2, 5, 10)), key=lambda cell: abs(log10(cell / wanted))))


def paths_of(positions: "Series") -> list[np.ndarray | None]:
    """Return the paths of bodies (points, 3), with few points; None for those that stay where they are."""
    if len(positions) < 2:
        return [None] * positions.shape[1]
    low = reduce(np.minimum, (block.min(axis=0) for block in in_blocks(positions)))
    high = reduce(np.maximum, (block.max(axis=0) for block in in_blocks(positions)))
    kept = np.unique(np.linspace(0, len(positions) - 1, min(len(positions), PATH_POINTS)).round().astype(int))
    paths = positions[kept]
    rests = (high - low).max(axis=1) < 1e-6
    return [None if rests[body] else paths[:, body] for body in range(positions.shape[1])]


def widened(fov: float, aspect: float) -> float:
    """Return the angle from top to bottom [rad] at which a narrow view sees as much to the sides as a wide one.

    >>> widened(0.7, 2.0), round(widened(0.7, 0.6), 2)
    (0.7, 1.26)
    """
    return 2 * atan(tan(fov / 2) * max(1.0, SQUARISH / max(aspect, 0.3)))


def _point(client: Any, camera: Any) -> None:
    with client.atomic():
        client.camera.up_direction, client.camera.fov = camera.up, widened(camera.fov, client.camera.aspect)
        client.camera.position, client.camera.look_at = camera.position, camera.target


def _shaded(mesh: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices and faces whose shared vertices are only those that shade smoothly."""
    import trimesh

    solid = trimesh.Trimesh(np.asarray(mesh.vertices), np.asarray(mesh.faces), process=False)
    shaded = trimesh.graph.smooth_shade(solid, angle=CREASE)
    return np.asarray(shaded.vertices), np.asarray(shaded.faces)


def _sky() -> np.ndarray:
    """Return a soft vertical gradient, (height, width, 3)."""
    top, bottom = np.array([222, 232, 243]), np.array([250, 251, 252])
    ramp = np.linspace(0, 1, 256)[:, None, None]
    return np.broadcast_to(top + (bottom - top) * ramp, (256, 16, 3)).round().astype(np.uint8)
