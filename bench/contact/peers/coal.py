"""Contacts of meshes and of solids by coal."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.contact.bones import LAYER, Bones
from bench.contact.solids import SolidPeer, TouchingPairs
from motiform.spatial import Transform

__all__ = ["contacts", "solids"]


def contacts(bones: Bones) -> Callable[[], np.ndarray]:
    """Return what finds all contacts of triangles nearer than both layers, as counts for each pair."""
    import coal

    models, here = [], coal.Transform3s()
    for mesh in bones.fine:
        model = coal.BVHModelOBBRSS()
        model.beginModel(len(mesh.faces), len(mesh.vertices))
        for face in mesh.faces:
            model.addTriangle(*mesh.vertices[face])
        model.endModel()
        models.append(model)

    def count(a: int, b: int) -> int:
        request, result = coal.CollisionRequest(), coal.CollisionResult()
        request.num_max_contacts, request.enable_contact, request.security_margin = 10**7, True, 2 * LAYER
        coal.collide(models[a], here, models[b], here, request, result)
        return int(result.numContacts())

    return lambda: np.array([count(a, b) for a, b in bones.near])


def _geometry(solid: Any) -> Any:
    """Return a solid as coal has it, and the rotation from its axes: round ones are along z there."""
    import coal

    upright, none = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]).T, np.eye(3)
    if solid.kind == "box":
        return coal.Box(*solid.size), none
    if solid.kind == "ellipsoid":
        return coal.Ellipsoid(*solid.sizes[:3]), none
    if solid.kind == "mesh":
        corners = coal.StdVec_Vec3s()
        for corner in solid.vertices:
            corners.append(corner)
        return coal.Convex.convexHull(corners, True, ""), none
    made = {"cylinder": coal.Cylinder, "capsule": coal.Capsule, "cone": coal.Cone}[solid.kind]
    return made(solid.sizes[0], 2 * solid.sizes[1]), upright


def _placed(poses: Transform, turn: np.ndarray) -> list[Any]:
    import coal

    return [coal.Transform3s(R @ turn, p) for R, p in zip(poses.rotation, poses.translation, strict=True)]


def solids(pairs: TouchingPairs) -> SolidPeer:
    """Return what finds the contacts of all pairs, one call for each."""
    import coal

    (first, turn), (second, other) = _geometry(pairs.first), _geometry(pairs.second)
    here, there = _placed(pairs.poses, turn), _placed(pairs.others, other)
    request, result = coal.CollisionRequest(), coal.CollisionResult()
    request.num_max_contacts, request.enable_contact, request.security_margin = 4, True, 1e3
    small, ball = coal.Sphere(0.01), coal.Sphere(0.01)
    pair, balls = coal.ComputeCollision(first, second), coal.ComputeCollision(small, ball)

    def run(find: Any, *solids: Any) -> None:  # it does not keep its solids alive by itself
        for a, b in zip(here, there, strict=True):
            result.clear()
            find(a, b, request, result)

    def gap(a: Any, b: Any) -> float:
        asked, result = coal.DistanceRequest(), coal.DistanceResult()
        return float(coal.distance(first, a, second, b, asked, result))

    gaps = np.array([gap(a, b) for a, b in zip(here, there, strict=True)])
    return SolidPeer(gaps, lambda: run(pair, first, second), lambda: run(balls, small, ball))
