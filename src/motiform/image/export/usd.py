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
    usd = _Usd()
    times = key_times(form, rate)
    _check_stage(form, times)
    stage = usd.Usd.Stage.CreateInMemory()
    usd.UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    along_z = form.up == (0.0, 0.0, 1.0)
    form = form if along_z else stand_upright(form)
    usd.UsdGeom.SetStageUpAxis(stage, usd.UsdGeom.Tokens.z if along_z else usd.UsdGeom.Tokens.y)
    codes = _set_clock(stage, times)
    world = usd.UsdGeom.Xform.Define(stage, "/World")
    world.GetPrim().SetDisplayName(form.title or "motiform")
    stage.SetDefaultPrim(world.GetPrim())
    names: set[str] = set()
    for part in form.parts:
        _add_part(usd, stage, form, part, times, codes, _identifier(part.name, names))
    for links in form.links:
        _add_links(usd, stage, form, links, times, codes, f"/World/{_identifier(links.name, names)}")
    for skin in form.skins:
        _add_skin(usd, stage, form, skin, times, codes, f"/World/{_identifier(skin.name, names)}")
    for surface in form.surfaces:
        _add_surface(usd, stage, form, surface, times, codes, f"/World/{_identifier(surface.name, names)}")
    try:
        stage.GetRootLayer().Export(str(path))
    except usd.Tf.ErrorException as error:
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


def _set_clock(stage: Any, times: np.ndarray) -> np.ndarray:
    """Set the time codes of the stage so that a sample of constant rate has whole ones; return them, (keys,)."""
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


def _add_part(
    usd: Any, stage: Any, form: "Form", part: "Part", times: np.ndarray, codes: np.ndarray, name: str
) -> None:
    blocks, colors = poses(form, part, times), body_colors(part)
    if part.count > _FEW:
        _add_instances(
            usd, stage, part, f"/World/{name}", blocks, colors, codes, (np.asarray(form.times, float), times)
        )
        return
    taken: set[str] = set()
    parent = "/World" if part.count == 1 else f"/World/{name}"
    if part.count > 1:
        usd.UsdGeom.Xform.Define(stage, parent)
    moved = []
    for i, body in enumerate(body_names(part)):
        here = f"{parent}/{name if part.count == 1 else _identifier(body, taken)}"
        xform = usd.UsdGeom.Xform.Define(stage, here)
        _add_mesh(usd, stage, part, f"{here}/shape", colors[i])
        move = xform.AddTranslateOp(usd.UsdGeom.XformOp.PrecisionDouble)
        rotate = xform.AddOrientOp(usd.UsdGeom.XformOp.PrecisionDouble)
        if part.scale is not None:
            xform.AddScaleOp(usd.UsdGeom.XformOp.PrecisionDouble).Set(usd.Gf.Vec3d(*[float(part.scale[i])] * 3))
        moved.append((move, rotate))
    for first, (position, turn) in blocks:
        for i, (move, rotate) in enumerate(moved):
            for at, way, code in zip(position[i].tolist(), turn[i].tolist(), codes[first:].tolist(), strict=False):
                move.Set(usd.Gf.Vec3d(*at), code)
                rotate.Set(usd.Gf.Quatd(*way), code)


def _add_instances(
    usd: Any, stage: Any, part: "Part", path: str, blocks: Iterable[tuple[int, tuple[np.ndarray, ...]]],
    colors: np.ndarray, codes: np.ndarray, clock: tuple[np.ndarray, np.ndarray],
) -> None:  # fmt: skip
    """Write many bodies as one PointInstancer: an array per instant instead of a prim per body, with velocities.

    `clock` are the instants of the samples and of the keys [s].
    """
    instancer = usd.UsdGeom.PointInstancer.Define(stage, path)
    _add_mesh(usd, stage, part, f"{path}/shape", None)
    instancer.CreatePrototypesRel().AddTarget(f"{path}/shape")
    instancer.CreateProtoIndicesAttr(usd.Vt.IntArray.FromNumpy(np.zeros(part.count, dtype=np.int32)))
    tint = usd.UsdGeom.PrimvarsAPI(instancer).CreatePrimvar(
        "displayColor", usd.Types.Color3fArray, usd.UsdGeom.Tokens.vertex
    )
    tint.Set(usd.Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(linear_from_srgb(colors), dtype=np.float32)))
    if part.scale is not None:
        instancer.CreateScalesAttr(_vectors(usd, np.repeat(part.scale[:, None], 3, axis=1)))
    positions, orientations = instancer.CreatePositionsAttr(), instancer.CreateOrientationsfAttr()
    velocities = instancer.CreateVelocitiesAttr()
    for first, (position, turn) in blocks:
        imaginary_last = turn[..., [1, 2, 3, 0]].astype(np.float32)  # the order of a quaternion in memory, (x, y, z, w)
        for k, code in enumerate(codes[first : first + position.shape[1]].tolist()):
            positions.Set(usd.Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(position[:, k], dtype=np.float32)), code)
            orientations.Set(usd.Vt.QuatfArray.FromNumpy(np.ascontiguousarray(imaginary_last[:, k])), code)
            speed = slopes(clock[0], part.position, clock[1][first + k : first + k + 1])[0]
            velocities.Set(usd.Vt.Vec3fArray.FromNumpy(speed.astype(np.float32)), code)


def _add_links(
    usd: Any, stage: Any, form: "Form", links: "LinkParts", times: np.ndarray, codes: np.ndarray, path: str
) -> None:
    """Write links as straight curves as thick as they are."""
    first, second = (track(form, points, times, links.name) for points in (links.first, links.second))
    ends = by_samples(lambda a, b: _rods(a, b, links.pairs), first, second)
    curves = usd.UsdGeom.BasisCurves.Define(stage, path)
    curves.CreateTypeAttr(usd.UsdGeom.Tokens.linear)
    curves.CreateCurveVertexCountsAttr(usd.Vt.IntArray.FromNumpy(np.full(links.count, 2, np.int32)))
    curves.CreateWidthsAttr(usd.Vt.FloatArray.FromNumpy((2 * links.radius).astype(np.float32)))
    curves.SetWidthsInterpolation(usd.UsdGeom.Tokens.uniform)
    _tint(usd, curves, body_colors(links))
    _set_points(usd, curves, ends, codes, float(links.radius.max()))


def _add_skin(
    usd: Any, stage: Any, form: "Form", skin: "Skin", times: np.ndarray, codes: np.ndarray, path: str
) -> None:
    """Write a skin as a mesh with points and normals at each instant, a color for each triangle."""
    source, faces = skin_split(skin)
    shapes = skin_track(form, skin, times, source)
    mesh = usd.UsdGeom.Mesh.Define(stage, path)
    _set_faces(usd, mesh, faces)
    mesh.CreateDoubleSidedAttr(skin.two_sided)
    _tint(usd, mesh, np.broadcast_to(skin.color, (len(faces), 3)))
    _set_points(usd, mesh, shapes, codes, 0.0)
    normals = mesh.CreateNormalsAttr()
    mesh.SetNormalsInterpolation(usd.UsdGeom.Tokens.vertex)
    for shape, code in zip(shapes, codes.tolist(), strict=False):
        normals.Set(_vectors(usd, vertex_normals(shape, faces)), code)


def _rods(first: np.ndarray, second: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    return np.stack((first[:, pairs[:, 0]], second[:, pairs[:, 1]]), axis=2).reshape(len(first), -1, 3)


def _add_surface(
    usd: Any, stage: Any, form: "Form", surface: "AnimatedSurface", times: np.ndarray, codes: np.ndarray, path: str
) -> None:
    """Write a surface as a mesh whose triangles, points, normals and colors are those of each instant."""
    mesh = usd.UsdGeom.Mesh.Define(stage, path)
    mesh.CreateSubdivisionSchemeAttr(usd.UsdGeom.Tokens.none)
    counts, corners = mesh.CreateFaceVertexCountsAttr(), mesh.CreateFaceVertexIndicesAttr()
    points, extent, normal = mesh.CreatePointsAttr(), mesh.CreateExtentAttr(), mesh.CreateNormalsAttr()
    mesh.SetNormalsInterpolation(usd.UsdGeom.Tokens.vertex)
    tint = usd.UsdGeom.PrimvarsAPI(mesh).CreatePrimvar(
        "displayColor", usd.Types.Color3fArray, usd.UsdGeom.Tokens.uniform
    )
    for (skin, normals), code in zip(shells(form, surface, times), codes.tolist(), strict=True):
        place, faces = np.asarray(skin.vertices[0]), skin.faces
        counts.Set(usd.Vt.IntArray.FromNumpy(np.full(len(faces), 3, np.int32)), code)
        corners.Set(usd.Vt.IntArray.FromNumpy(np.ascontiguousarray(faces.reshape(-1), np.int32)), code)
        points.Set(_vectors(usd, place), code)
        box = np.stack([place.min(0), place.max(0)]) if len(place) else np.zeros((2, 3))
        extent.Set(_vectors(usd, box), code)
        normal.Set(_vectors(usd, normals), code)
        tint.Set(_vectors(usd, linear_from_srgb(np.broadcast_to(skin.color, (len(faces), 3)))), code)


def _tint(usd: Any, thing: Any, colors: np.ndarray) -> None:
    """Give each curve or face its color."""
    tint = usd.UsdGeom.PrimvarsAPI(thing).CreatePrimvar(
        "displayColor", usd.Types.Color3fArray, usd.UsdGeom.Tokens.uniform
    )
    tint.Set(_vectors(usd, linear_from_srgb(colors)))


def _set_points(usd: Any, thing: Any, shapes: "Series", codes: np.ndarray, thick: float) -> None:
    """Set points (keys, points, 3) and the box around them at each instant; once where they stay."""
    points, extent = thing.CreatePointsAttr(), thing.CreateExtentAttr()
    for shape, code in zip(shapes, codes.tolist(), strict=False):
        points.Set(_vectors(usd, shape), code)
        extent.Set(_vectors(usd, np.stack([shape.min(0) - thick, shape.max(0) + thick])), code)


def _vectors(usd: Any, rows: np.ndarray) -> Any:
    return usd.Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(rows, dtype=np.float32))


def _set_faces(usd: Any, mesh: Any, faces: np.ndarray) -> None:
    mesh.CreateFaceVertexCountsAttr(usd.Vt.IntArray.FromNumpy(np.full(len(faces), 3, dtype=np.int32)))
    mesh.CreateFaceVertexIndicesAttr(usd.Vt.IntArray.FromNumpy(np.ascontiguousarray(faces.reshape(-1), dtype=np.int32)))
    mesh.CreateSubdivisionSchemeAttr(usd.UsdGeom.Tokens.none)


def _add_mesh(usd: Any, stage: Any, part: "Part", path: str, color: np.ndarray | None) -> None:
    shape = part.shape.to_mesh()
    vertices = np.asarray(shape.vertices) + part.offset
    faces = np.asarray(shape.faces)
    mesh = usd.UsdGeom.Mesh.Define(stage, path)
    mesh.CreatePointsAttr(usd.Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(vertices, dtype=np.float32)))
    _set_faces(usd, mesh, faces)
    bounds = np.array([vertices.min(axis=0), vertices.max(axis=0)], dtype=np.float32)
    mesh.CreateExtentAttr(usd.Vt.Vec3fArray.FromNumpy(bounds))
    if color is not None:
        mesh.CreateDisplayColorAttr([usd.Gf.Vec3f(*linear_from_srgb(color).tolist())])


def _identifier(wish: str, taken: set[str]) -> str:
    """Return a name near the wish that is new among ``taken`` and that USD allows."""
    base = re.sub(r"[^A-Za-z0-9_]", "_", wish)
    base = base if base[:1].isalpha() else f"n_{base}"
    name, k = base, 2
    while name in taken:
        name, k = f"{base}_{k}", k + 1
    taken.add(name)
    return name
