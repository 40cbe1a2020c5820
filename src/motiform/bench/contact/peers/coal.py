"""Contacts of meshes by coal."""

from collections.abc import Callable

import numpy as np

from motiform.bench.contact.bones import LAYER, Bones

__all__ = ["contacts"]


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
