"""USD by the optional library usd-core (``pip install 'motiform[usd]'``)."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import RunError
from motiform.base.libraries import load_library
from motiform.base.machine import check_memory
from motiform.form.upright import stand_upright
from motiform.image.export.instants import slopes
from motiform.image.export.keys import body_colors, body_names, key_times, poses
from motiform.image.export.soft import shells, skin_track, track
from motiform.image.look import linear_from_srgb
from motiform.image.shading import skin_split, vertex_normals
from motiform.record.samples import by_samples

if TYPE_CHECKING:
    from motiform.form import AnimatedSurface, Form, LinkParts, Part, Skin
    from motiform.form.parts import Series

__all__ = ["write_usd"]

_BODY_BYTES, _POINT_BYTES = 300, 24  # that a stage takes for a body or a point at an instant
_FEW = 8  # bodies of a part that are written one by one; more become one PointInstancer


def write_usd(form: "Form", path: Path, *, rate: float | None = None) -> None:
    """Write the form to ``path`` (.usda text, .usdc or .usd binary): meshes with time samples, metres.

    The up axis of the stage is z for a form with z up, else y, to which a form with another up is turned.

    A part with up to eight bodies gives an Xform per body, one with more a PointInstancer. Links are BasisCurves, skins
    meshes whose points have time samples, surfaces meshes whose triangles have them too.
    """
    stage = _Stage(form, key_times(form, rate))
    stage.form.write_to(stage)
    try:
        stage.stage.GetRootLayer().Export(str(path))
    except stage.usd.Tf.ErrorException as error:
        raise RunError("usd-core could not write the file", where=str(path), got=str(error)) from error


def _check_stage(form: "Form", times: np.ndarray) -> None:
    """Refuse what does not fit into memory: the library holds a stage there until it is written."""
    bodies = sum(part.count for part in form.parts)
    points = sum(2 * links.count for links in form.links) + sum(skin.vertices.shape[1] for skin in form.skins)
    needed = float(len(times)) * (_BODY_BYTES * bodies + _POINT_BYTES * points)
    got = f"{len(times)} instants of {bodies} bodies and {points} points"
    check_memory(
        needed, "a stage of USD", got=got, remedy="Give a lower rate, or export .glb.", where=form.title or None
    )


class _Usd:
    """The modules of usd-core that are used here."""

    def __init__(self) -> None:
        names = ("Gf", "Sdf", "Tf", "Usd", "UsdGeom", "Vt")
        parts = [load_library(f"pxr.{name}", where="USD", otherwise="Or export .glb.") for name in names]
        self.Gf, values, self.Tf, self.Usd, self.UsdGeom, self.Vt = parts
        self.Types = values.ValueTypeNames


def _rods(first: np.ndarray, second: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    return np.stack((first[:, pairs[:, 0]], second[:, pairs[:, 1]]), axis=2).reshape(len(first), -1, 3)


class _Stage:
    """A stage as it grows."""

    def __init__(self, form: "Form", times: np.ndarray) -> None:
        usd = self.usd = _Usd()
        _check_stage(form, times)
        along_z = form.up == (0.0, 0.0, 1.0)
        self.form, self.times = form if along_z else stand_upright(form), times
        self.stage = usd.Usd.Stage.CreateInMemory()
        usd.UsdGeom.SetStageMetersPerUnit(self.stage, 1.0)
        usd.UsdGeom.SetStageUpAxis(self.stage, usd.UsdGeom.Tokens.z if along_z else usd.UsdGeom.Tokens.y)
        self.codes = self._set_clock()
        world = usd.UsdGeom.Xform.Define(self.stage, "/World")
        world.GetPrim().SetDisplayName(form.title or "motiform")
        self.stage.SetDefaultPrim(world.GetPrim())
        self.names: set[str] = set()

    def _set_clock(self) -> np.ndarray:
        """Set the time codes so that a sample of constant rate has whole ones; return them, (keys,)."""
        times, stage = self.times, self.stage
        span = float(times[-1] - times[0])
        rate = (len(times) - 1) / span if span > 0 else 24.0
        stage.SetTimeCodesPerSecond(rate)
        stage.SetFramesPerSecond(rate)
        codes = (times - times[0]) * rate
        whole = np.round(codes)
        codes = np.where(np.abs(codes - whole) < 1e-6, whole, codes)
        stage.SetStartTimeCode(float(codes[0]))
        stage.SetEndTimeCode(float(codes[-1]))
        return codes

    def add_part(self, part: "Part") -> None:
        """Add bodies: few one by one, many as instances."""
        usd, name = self.usd, _identifier(part.name, self.names)
        blocks, colors = poses(self.form, part, self.times), body_colors(part)
        if part.count > _FEW:
            self._add_instances(part, f"/World/{name}", blocks, colors)
            return
        taken: set[str] = set()
        parent = "/World" if part.count == 1 else f"/World/{name}"
        if part.count > 1:
            usd.UsdGeom.Xform.Define(self.stage, parent)
        moved = []
        for i, body in enumerate(body_names(part)):
            here = f"{parent}/{name if part.count == 1 else _identifier(body, taken)}"
            xform = usd.UsdGeom.Xform.Define(self.stage, here)
            self._add_mesh(part, f"{here}/shape", colors[i])
            move = xform.AddTranslateOp(usd.UsdGeom.XformOp.PrecisionDouble)
            rotate = xform.AddOrientOp(usd.UsdGeom.XformOp.PrecisionDouble)
            if part.scale is not None:
                xform.AddScaleOp(usd.UsdGeom.XformOp.PrecisionDouble).Set(usd.Gf.Vec3d(*[float(part.scale[i])] * 3))
            moved.append((move, rotate))
        codes = self.codes
        for first, (position, turn) in blocks:
            for i, (move, rotate) in enumerate(moved):
                for at, way, code in zip(position[i].tolist(), turn[i].tolist(), codes[first:].tolist(), strict=False):
                    move.Set(usd.Gf.Vec3d(*at), code)
                    rotate.Set(usd.Gf.Quatd(*way), code)

    def _add_instances(
        self, part: "Part", path: str, blocks: Iterable[tuple[int, tuple[np.ndarray, ...]]], colors: np.ndarray
    ) -> None:
        """Add many bodies as one PointInstancer: an array per instant instead of a prim per body, with velocities."""
        usd, known = self.usd, np.asarray(self.form.times, float)
        instancer = usd.UsdGeom.PointInstancer.Define(self.stage, path)
        self._add_mesh(part, f"{path}/shape", None)
        instancer.CreatePrototypesRel().AddTarget(f"{path}/shape")
        instancer.CreateProtoIndicesAttr(usd.Vt.IntArray.FromNumpy(np.zeros(part.count, dtype=np.int32)))
        self._color_attr(instancer, usd.UsdGeom.Tokens.vertex).Set(self._vectors(linear_from_srgb(colors)))
        if part.scale is not None:
            instancer.CreateScalesAttr(self._vectors(np.repeat(part.scale[:, None], 3, axis=1)))
        positions, orientations = instancer.CreatePositionsAttr(), instancer.CreateOrientationsfAttr()
        velocities = instancer.CreateVelocitiesAttr()
        for first, (position, turn) in blocks:
            imaginary_last = turn[..., [1, 2, 3, 0]].astype(np.float32)  # the order in memory, (x, y, z, w)
            for k, code in enumerate(self.codes[first : first + position.shape[1]].tolist()):
                positions.Set(self._vectors(position[:, k]), code)
                orientations.Set(usd.Vt.QuatfArray.FromNumpy(np.ascontiguousarray(imaginary_last[:, k])), code)
                speed = slopes(known, part.position, self.times[first + k : first + k + 1])[0]
                velocities.Set(self._vectors(speed), code)

    def add_links(self, links: "LinkParts") -> None:
        """Add links as straight curves as thick as they are."""
        usd = self.usd
        first, second = (track(self.form, points, self.times, links.name) for points in (links.first, links.second))
        ends = by_samples(lambda a, b: _rods(a, b, links.pairs), first, second)
        curves = usd.UsdGeom.BasisCurves.Define(self.stage, self._path(links.name))
        curves.CreateTypeAttr(usd.UsdGeom.Tokens.linear)
        curves.CreateCurveVertexCountsAttr(usd.Vt.IntArray.FromNumpy(np.full(links.count, 2, np.int32)))
        curves.CreateWidthsAttr(usd.Vt.FloatArray.FromNumpy((2 * links.radius).astype(np.float32)))
        curves.SetWidthsInterpolation(usd.UsdGeom.Tokens.uniform)
        self._tint(curves, body_colors(links))
        self._set_points(curves, ends, float(links.radius.max()))

    def add_skin(self, skin: "Skin") -> None:
        """Add a skin as a mesh with points and normals at each instant, a color for each triangle."""
        source, faces = skin_split(skin)
        shapes = skin_track(self.form, skin, self.times, source)
        mesh = self.usd.UsdGeom.Mesh.Define(self.stage, self._path(skin.name))
        self._set_faces(mesh, faces)
        mesh.CreateDoubleSidedAttr(skin.two_sided)
        self._tint(mesh, np.broadcast_to(skin.color, (len(faces), 3)))
        self._set_points(mesh, shapes, 0.0)
        normals = mesh.CreateNormalsAttr()
        mesh.SetNormalsInterpolation(self.usd.UsdGeom.Tokens.vertex)
        for shape, code in zip(shapes, self.codes.tolist(), strict=False):
            normals.Set(self._vectors(vertex_normals(shape, faces)), code)

    def add_surface(self, surface: "AnimatedSurface") -> None:
        """Add a surface as a mesh whose triangles, points, normals and colors are those of each instant."""
        usd = self.usd
        mesh = usd.UsdGeom.Mesh.Define(self.stage, self._path(surface.name))
        mesh.CreateSubdivisionSchemeAttr(usd.UsdGeom.Tokens.none)
        counts, corners = mesh.CreateFaceVertexCountsAttr(), mesh.CreateFaceVertexIndicesAttr()
        points, extent, normal = mesh.CreatePointsAttr(), mesh.CreateExtentAttr(), mesh.CreateNormalsAttr()
        mesh.SetNormalsInterpolation(usd.UsdGeom.Tokens.vertex)
        tint = self._color_attr(mesh, usd.UsdGeom.Tokens.uniform)
        for (skin, normals), code in zip(shells(self.form, surface, self.times), self.codes.tolist(), strict=True):
            place, faces = np.asarray(skin.vertices[0]), skin.faces
            counts.Set(usd.Vt.IntArray.FromNumpy(np.full(len(faces), 3, np.int32)), code)
            corners.Set(usd.Vt.IntArray.FromNumpy(np.ascontiguousarray(faces.reshape(-1), np.int32)), code)
            points.Set(self._vectors(place), code)
            extent.Set(self._vectors(np.stack([place.min(0), place.max(0)]) if len(place) else np.zeros((2, 3))), code)
            normal.Set(self._vectors(normals), code)
            tint.Set(self._vectors(linear_from_srgb(np.broadcast_to(skin.color, (len(faces), 3)))), code)

    def _path(self, name: str) -> str:
        return f"/World/{_identifier(name, self.names)}"

    def _color_attr(self, thing: Any, each: Any) -> Any:
        types = self.usd.Types.Color3fArray
        return self.usd.UsdGeom.PrimvarsAPI(thing).CreatePrimvar("displayColor", types, each)

    def _tint(self, thing: Any, colors: np.ndarray) -> None:
        """Give each curve or face its color."""
        self._color_attr(thing, self.usd.UsdGeom.Tokens.uniform).Set(self._vectors(linear_from_srgb(colors)))

    def _set_points(self, thing: Any, shapes: "Series", thick: float) -> None:
        """Set points (keys, points, 3) and the box around them at each instant; once where they stay."""
        points, extent = thing.CreatePointsAttr(), thing.CreateExtentAttr()
        for shape, code in zip(shapes, self.codes.tolist(), strict=False):
            points.Set(self._vectors(shape), code)
            extent.Set(self._vectors(np.stack([shape.min(0) - thick, shape.max(0) + thick])), code)

    def _vectors(self, rows: np.ndarray) -> Any:
        return self.usd.Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(rows, dtype=np.float32))

    def _set_faces(self, mesh: Any, faces: np.ndarray) -> None:
        ints = self.usd.Vt.IntArray.FromNumpy
        mesh.CreateFaceVertexCountsAttr(ints(np.full(len(faces), 3, dtype=np.int32)))
        mesh.CreateFaceVertexIndicesAttr(ints(np.ascontiguousarray(faces.reshape(-1), dtype=np.int32)))
        mesh.CreateSubdivisionSchemeAttr(self.usd.UsdGeom.Tokens.none)

    def _add_mesh(self, part: "Part", path: str, color: np.ndarray | None) -> None:
        shape = part.shape.to_mesh()
        vertices = np.asarray(shape.vertices) + part.offset
        mesh = self.usd.UsdGeom.Mesh.Define(self.stage, path)
        mesh.CreatePointsAttr(self._vectors(vertices))
        self._set_faces(mesh, np.asarray(shape.faces))
        mesh.CreateExtentAttr(np.array([vertices.min(axis=0), vertices.max(axis=0)], dtype=np.float32))
        if color is not None:
            mesh.CreateDisplayColorAttr([self.usd.Gf.Vec3f(*linear_from_srgb(color).tolist())])


def _identifier(wish: str, taken: set[str]) -> str:
    """Return a name near the wish that is new among ``taken`` and that USD allows."""
    base = re.sub(r"[^A-Za-z0-9_]", "_", wish)
    base = base if base[:1].isalpha() else f"n_{base}"
    name, k = base, 2
    while name in taken:
        name, k = f"{base}_{k}", k + 1
    taken.add(name)
    return name
