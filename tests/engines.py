"""States of figures in MuJoCo and Pinocchio: their orders of coordinates, and velocities of free and planar joints."""

import mujoco
import numpy as np
import pinocchio

from motiform.spatial import rotation_from_quaternion


def velocity_change(model, qpos, qvel):
    """Return B and Ḃ v with v_ours = B v_mujoco: free joints keep (linear in the world, angular in the body) there."""
    B, bias = np.eye(model.nv), np.zeros(model.nv)
    for j in range(model.njnt):
        if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE:
            at, dof = model.jnt_qposadr[j], model.jnt_dofadr[j]
            R = rotation_from_quaternion(qpos[at + 3 : at + 7])
            B[dof : dof + 6, dof : dof + 6] = np.block([[np.zeros((3, 3)), np.eye(3)], [R.T, np.zeros((3, 3))]])
            bias[dof + 3 : dof + 6] = -np.cross(qvel[dof + 3 : dof + 6], R.T @ qvel[dof : dof + 3])
    return B, bias


def random_qpos(model, rng):
    q = rng.uniform(-1.0, 1.0, model.nq)
    for j in range(model.njnt):
        at = model.jnt_qposadr[j] + (3 if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE else 0)
        if model.jnt_type[j] in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
            q[at : at + 4] = rng.standard_normal(4)
            q[at : at + 4] /= np.linalg.norm(q[at : at + 4])
    return q


def mujoco_state(model, qpos, qvel):
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, M, data.qM) if hasattr(data, "qM") else mujoco.mj_fullM(model, data, M)
    return data, M


class FromPinocchio:
    """States of a model of Pinocchio in our order and velocities."""

    def __init__(self, figure, model):
        self.figure, self.model = figure, model
        self.joints = list(zip(model.names, model.joints, strict=True))[1:]

    def configuration(self, q):
        """Return (q of ours, B) with v_ours = B v_theirs."""
        fig, model = self.figure, self.model
        ours, B = fig.replace(couplings=(), closures=()).neutral(), np.zeros((fig.nv, model.nv))
        for name, joint in self.joints:
            theirs, to = q[joint.idx_q : joint.idx_q + joint.nq], slice(joint.idx_v, joint.idx_v + joint.nv)
            kind = joint.shortname()
            if "Mimic" in kind:
                continue
            if kind == "JointModelFreeFlyer":
                segment = self.child(name)
                at_q, at_v = fig.layout.places_q[segment], fig.layout.places_v[segment]
                ours[at_q] = [*theirs[:3], theirs[6], *theirs[3:6]]
                B[at_v[:3], to.start + 3 : to.stop] = B[at_v[3:], to.start : to.start + 3] = np.eye(3)
            elif kind == "JointModelPlanar":
                at = [fig.coordinates.index(f"{name}.{part}") for part in ("t1", "t2", "r")]
                c, s = theirs[2:]
                # theirs: position along the parent's x and y, velocities along the child's
                axes = np.array([axis.direction[:2] for axis in fig.segment(self.child(name)).joint.axes[:2]])
                ours[fig.layout.places_q[self.child(name)]] = [*(axes @ theirs[:2]), np.arctan2(s, c)]
                B[np.ix_(at[:2], range(to.start, to.start + 2))] = axes @ [[c, -s], [s, c]]
                B[at[2], to.start + 2] = 1.0
            else:
                at = fig.coordinates.index(name)
                ours[fig.layout.places_q[name]] = np.arctan2(theirs[1], theirs[0]) if joint.nq == 2 else theirs[0]
                B[at, to.start] = 1.0
        return ours if fig.coupled is None else ours[fig.coupled.kept_q], B

    def child(self, joint):
        frames, body = self.model.frames, pinocchio.FrameType.BODY
        return next(f.name for f in frames if f.type == body and frames[f.parentFrame].name == joint)

    def bias(self, q, v):
        """Ḃ v by a central difference: only the axes of a planar joint turn."""
        h = 1e-6
        ahead, back = (self.configuration(pinocchio.integrate(self.model, q, step * v))[1] for step in (h, -h))
        return (ahead - back) @ v / (2 * h)
