"""How rigid bodies and the springs between them are drawn."""

import numpy as np

from motiform.form.looks import Looks, ShapeLook, SpringLook
from motiform.form.looks.spring import SpringEnd
from motiform.motion.bodies import Bodies

__all__ = ["bodies_looks"]


def bodies_looks(bodies: Bodies, _model: object) -> Looks:
    """Return the shapes of bodies, about their centres of mass, and their springs."""
    parts = {
        body.name: ShapeLook(
            shape=body.shape, offset=tuple((-body.properties.com).tolist()), color=np.asarray(body.color),
            position=f"{body.name}.position", orientation=f"{body.name}.orientation",
        )
        for body in bodies.bodies
        if body.shape is not None
    }  # fmt: skip
    return Looks(parts, _springs(bodies))


def _springs(bodies: Bodies) -> dict[str, SpringLook]:
    thin = 0.08 * min(float(np.sqrt(np.trace(b.properties.inertia) / b.properties.mass)) for b in bodies.bodies)
    found = {}
    for n, spring in enumerate(bodies.springs):
        name = f"spring {n + 1}"
        ends = _end(bodies, spring.a, spring.at_a, name), _end(bodies, spring.b, spring.at_b, name)
        found[name] = SpringLook(ends=ends, radius=thin)
    return found


def _end(bodies: Bodies, body: str | None, at: object, where: str) -> SpringEnd:
    center = np.zeros(3) if body is None else bodies.find(body, where).properties.com
    return SpringEnd(body=body, at=tuple((np.array(at, float) - center).tolist()))
