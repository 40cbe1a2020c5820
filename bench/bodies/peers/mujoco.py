"""Free bodies by MuJoCo. It cannot allocate a model of 10 000 of them."""

from collections.abc import Callable

import numpy as np

from bench.bodies.model import STEP, STEPS
from motiform.motion.bodies import Bodies
from motiform.spatial import quaternion_from_rotation

__all__ = ["fly"]


def fly(model: Bodies) -> Callable[[], np.ndarray]:
    """Return the same flight by MuJoCo: free joints, RK4, nothing but gravity."""
    import mujoco

    properties, body = model.bodies[0].properties, model.bodies[0]
    moments = " ".join(repr(float(v)) for v in np.diag(properties.inertia))
    one = f'<body><freejoint/><inertial pos="0 0 0" mass="{properties.mass!r}" diaginertia="{moments}"/></body>'
    gravity = " ".join(repr(float(v)) for v in np.array(model.environment.gravity))
    xml = (
        f'<mujoco><option integrator="RK4" timestep="{STEP}" gravity="{gravity}">'
        f'<flag contact="disable" constraint="disable"/></option><worldbody>{one * model.count}</worldbody></mujoco>'
    )
    peer = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(peer)
    quaternions = np.asarray(quaternion_from_rotation(body.rotation))
    qpos = np.hstack([body.position, quaternions]).ravel()
    qvel = np.hstack([body.velocity, body.spin]).ravel()

    def call() -> np.ndarray:
        data.qpos[:], data.qvel[:], data.time = qpos, qvel, 0.0
        for _ in range(STEPS):
            mujoco.mj_step(peer, data)
        mujoco.mj_kinematics(peer, data)
        return np.hstack([data.xpos[1:], data.xmat[1:]])

    return call
