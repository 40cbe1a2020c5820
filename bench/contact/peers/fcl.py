"""Contacts of meshes by FCL."""

from collections.abc import Callable

import numpy as np

from bench.contact.bones import LAYER, Bones, inflated

__all__ = ["contacts"]


def contacts(bones: Bones) -> Callable[[], np.ndarray]:
    """Return what finds all contacts of coarse meshes inflated by their layers, as counts for each pair."""
    import fcl

    objects = []
    for mesh in (inflated(one, LAYER) for one in bones.coarse):
        model = fcl.BVHModel()
        model.beginModel(len(mesh.vertices), len(mesh.faces))
        model.addSubModel(np.array(mesh.vertices), np.array(mesh.faces))
        model.endModel()
        objects.append(fcl.CollisionObject(model))

    def count(a: int, b: int) -> int:
        request, result = fcl.CollisionRequest(num_max_contacts=10**7, enable_contact=True), fcl.CollisionResult()
        fcl.collide(objects[a], objects[b], request, result)
        return len(result.contacts)

    return lambda: np.array([count(a, b) for a, b in bones.near])
