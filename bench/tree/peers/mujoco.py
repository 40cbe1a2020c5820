"""The tree by MuJoCo: hinges and slides in sequence."""

from typing import Any

import numpy as np

from bench.tree.human42 import DIRECTIONS, GRAVITY, SEGMENTS, Body
from bench.tree.states import Contender, States, contender

__all__ = ["mjcf", "single"]

Array = np.ndarray
_NOTES = {
    "fk": "mujoco: mj_kinematics and mj_comPos, which also gives inertias and centres of mass",
    "rnea": "mujoco: mj_kinematics, mj_comPos, mj_comVel, mj_rne",
    "crba": "mujoco: mj_kinematics, mj_comPos, mj_makeM, mj_fullM",
    "aba": "mujoco: mj_forward, which factorises the inertia matrix",
}


def mjcf() -> str:
    """Return the tree as a file of MuJoCo: bodies with hinges and slides in sequence, contacts and constraints off."""

    def numbers(values: Any) -> str:
        return " ".join(repr(float(x)) for x in values)

    def body_text(body: Body) -> str:
        joints = "".join(
            f'<joint type="{"hinge" if c.isupper() else "slide"}" axis="{numbers(DIRECTIONS[c.lower()])}"/>'
            for c in body.axes
        )
        inertial = f'mass="{body.mass!r}" pos="{numbers(body.center)}" diaginertia="{numbers(body.moments)}"'
        children = "".join(body_text(other) for other in SEGMENTS if other.parent == body.name)
        place = numbers(body.place)
        return f'<body name="{body.name}" pos="{place}">{joints}<inertial {inertial}/>{children}</body>'

    roots = "".join(body_text(body) for body in SEGMENTS if body.parent is None)
    option = f'<option gravity="{numbers(GRAVITY)}"><flag contact="disable" constraint="disable"/></option>'
    return f'<mujoco model="human42">{option}<worldbody>{roots}</worldbody></mujoco>'


def single(algorithm: str, states: States, threads: int | None = None) -> Contender:
    """Return MuJoCo on one state, of its stages those that the answer needs where that is faster than all of them."""
    import mujoco as mj

    model = mj.MjModel.from_xml_string(mjcf())
    data, (q, v, a) = mj.MjData(model), states[1:]
    M, tau = np.empty((42, 42)), np.empty(42)

    def fk() -> Array:
        data.qpos[:] = q
        mj.mj_kinematics(model, data)
        mj.mj_comPos(model, data)
        return data.cdof

    def rnea() -> Array:
        fk()
        data.qvel[:], data.qacc[:] = v, a
        mj.mj_comVel(model, data)
        mj.mj_rne(model, data, 1, tau)
        return tau

    def crba() -> Array:
        fk()
        mj.mj_makeM(model, data)
        mj.mj_fullM(model, data, M)
        return M

    def aba() -> Array:
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, a
        mj.mj_forward(model, data)
        return data.qacc

    def about_origin(axes: Array) -> Array:
        """Their axes are about the centre of mass of the whole tree."""
        linear = axes[:, 3:] + np.cross(data.subtree_com[1], axes[:, :3])
        return np.hstack([axes[:, :3], linear])

    call = {"fk": fk, "rnea": rnea, "crba": crba, "aba": aba}[algorithm]
    return contender(call, states.manner, about_origin if algorithm == "fk" else np.array, _NOTES[algorithm])
