"""The algorithms of the tree bench by motiform and by each peer, on the tree of `human42`."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from motiform.base.errors import RunError
from motiform.bench.tree import human42
from motiform.bench.tree.human42 import Manner

__all__ = ["ALGORITHMS", "Contender", "States", "check_agreement", "mujoco_single", "ours", "pinocchio", "pool"]

Array = np.ndarray
#: Kinematics with the Jacobian, inverse dynamics, inertia matrix, forward dynamics.
ALGORITHMS = ("fk", "rnea", "crba", "aba")


class Contender(NamedTuple):
    """A call to be timed, and its answer in the order of our own function on the figure that it stands beside."""

    call: Callable[[], Any]
    answer: Callable[[], Array]
    beside: Manner


class States(NamedTuple):
    """Inputs of the algorithms in the coordinates of a manner of writing the tree; the last is a or tau."""

    manner: Manner
    q: Array
    v: Array
    a: Array

    @staticmethod
    def make(manner: Manner, count: int) -> "States":
        """Return so many random states, (count, …)."""
        q, v, a = human42.states(count)
        return States(manner, human42.native_states(q) if manner == "native" else q, v, a)

    @property
    def first(self) -> "States":
        """The first state alone, (…,)."""
        return States(self.manner, *(np.ascontiguousarray(x[0]) for x in self[1:]))

    def inputs(self, algorithm: str) -> tuple[Array, ...]:
        """Return what an algorithm takes."""
        return (self.q, self.v, self.a) if algorithm in ("rnea", "aba") else (self.q,)


def ours(algorithm: str, states: States, threads: int | None = None, device: str = "cpu") -> Contender:
    """Return our public function; on so many threads if given."""
    import motiform
    from motiform.base import kernels
    from motiform.motion.tree import joint_axes

    functions: dict[str, Callable[..., Array]] = {
        "fk": joint_axes,
        "rnea": motiform.inverse_dynamics,
        "crba": motiform.inertia_matrix,
        "aba": motiform.forward_dynamics,
    }
    function, figure, inputs = functions[algorithm], human42.figure(states.manner), states.inputs(algorithm)
    if device != "cpu":
        return _contender(lambda: function(figure, *inputs, device=device), states.manner)
    if threads is None:
        return _contender(lambda: function(figure, *inputs), states.manner)

    def call() -> Array:
        with kernels.threads(threads):
            return function(figure, *inputs)

    return _contender(call, states.manner)


def _contender(
    call: Callable[[], Any], beside: Manner, answer: Callable[[Any], Array] = lambda found: found
) -> Contender:
    return Contender(call, lambda: answer(call()), beside)


def check_agreement(case: str, contenders: dict[str, Contender]) -> None:
    """Refuse to time a peer whose answer is not ours, to 1e-9 of its largest number."""
    mine = {contender.beside: contender.answer() for name, contender in contenders.items() if name.startswith("ours")}
    for name, contender in contenders.items():
        expected = mine[contender.beside]
        far = float(np.abs(contender.answer() - expected).max() / np.abs(expected).max())
        if not far < 1e-9:
            raise RunError("a peer does other work", where=f"bench tree, {case}, {name}", got=f"difference {far:.2g}")


# ---- Pinocchio ------------------------------------------------------------------------------------------------------


def _pinocchio_calls(manner: Manner) -> tuple[dict[str, Callable[..., Array]], human42.PinocchioOrder]:
    """Return Pinocchio's functions on the tree; of its two conventions the one that is faster here."""
    import pinocchio as pin

    model = human42.pinocchio(manner)
    data = model.createData()
    way = pin.Convention.LOCAL if manner == "native" else pin.Convention.WORLD
    calls: dict[str, Callable[..., Array]] = {
        "fk": lambda q: pin.computeJointJacobians(model, data, q),
        "rnea": lambda q, v, a: pin.rnea(model, data, q, v, a),
        "crba": lambda q: pin.crba(model, data, q, way),
        "aba": lambda q, v, tau: pin.aba(model, data, q, v, tau, way),
    }
    return calls, human42.as_pinocchio(manner)


def _to_pinocchio(states: States, algorithm: str, order: human42.PinocchioOrder) -> list[Array]:
    q, *rest = states.inputs(algorithm)
    return [np.ascontiguousarray(x) for x in (q[..., order.q], *(x[..., order.v] for x in rest))]


def _from_pinocchio(algorithm: str, found: Array, order: human42.PinocchioOrder) -> Array:
    """Return an answer in our order: angular before linear, our velocities."""
    out = np.empty_like(found if algorithm != "fk" else np.swapaxes(found, -1, -2))
    if algorithm == "fk":
        out[..., order.v, :] = np.swapaxes(found, -1, -2)[..., [3, 4, 5, 0, 1, 2]]
    elif algorithm == "crba":
        out[..., order.v[:, None], order.v] = found
    else:
        out[..., order.v] = found
    return out


def pinocchio(algorithm: str, states: States) -> Contender:
    """Return Pinocchio called from Python: once for one state, in a loop for many."""
    manner: Manner = "native" if states.manner == "native" else "chain"
    calls, order = _pinocchio_calls(manner)
    call, inputs = calls[algorithm], _to_pinocchio(states, algorithm, order)

    def answer(found: Array) -> Array:
        return _from_pinocchio(algorithm, np.array(found), order)

    if states.q.ndim == 1:
        return _contender(lambda: call(*inputs), states.manner, answer)
    shape = {"fk": (6, 42), "crba": (42, 42)}.get(algorithm, (42,))

    def loop() -> Array:
        out = np.empty((len(states.q), *shape))
        for n, one in enumerate(zip(*inputs, strict=True)):
            out[n] = call(*one)
        return out

    return _contender(loop, states.manner, answer)


def pool(algorithm: str, states: States, threads: int) -> Contender:
    """Return Pinocchio's pool of threads on many states, its arrays laid out as it likes them."""
    import pinocchio as pin

    manner: Manner = "native" if states.manner == "native" else "chain"
    order = human42.as_pinocchio(manner)
    inputs = [x.T for x in _to_pinocchio(states, algorithm, order)]  # a state is a column, columns contiguous
    models = pin.ModelPool(human42.pinocchio(manner), threads)
    function = {"rnea": pin.rneaInParallel, "aba": pin.abaInParallel}[algorithm]

    def call() -> Array:
        out = np.empty((42, len(states.q)), order="F")
        function(threads, models, *inputs, out)
        return out

    return _contender(call, states.manner, lambda found: _from_pinocchio(algorithm, found.T, order))


# ---- MuJoCo ---------------------------------------------------------------------------------------------------------


def mujoco_single(algorithm: str, states: States) -> Contender:
    """Return MuJoCo on one state, of its stages those that the answer needs where that is faster than all of them."""
    import mujoco as mj

    model = mj.MjModel.from_xml_string(human42.mjcf())
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
    return _contender(call, states.manner, about_origin if algorithm == "fk" else np.array)
